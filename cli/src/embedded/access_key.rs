//! The access key of the embedded DynamoDB on a port, and the check that a request is signed with it (AWS Signature
//! Version 4).

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::{Context, anyhow};
use aws_credential_types::Credentials;
use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4::SigningParams;
use axum::http::{HeaderName, header, request};
use shared::clock::Clock;
use shared::random::Random;
use time::PrimitiveDateTime;
use time::format_description::parse_borrowed;

use crate::private_file;

/// The names of the lines in a file with an access key. A shell can read the file, because they are also the variables
/// in which every AWS SDK looks for a key.
const LINES: [&str; 2] = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];

/// Length of a new secret: about 238 bits of entropy.
const SECRET_CHARACTERS: usize = 40;

/// Maximum difference between the time of a signature and the clock of this machine. DynamoDB has the same limit.
const MAX_AGE: Duration = Duration::from_mins(15);

const DATE_HEADER: HeaderName = HeaderName::from_static("x-amz-date");

/// An access key for the embedded DynamoDB.
#[derive(Clone)]
pub struct AccessKey {
    id: String,
    secret: String,
}

/// Shows only the identifier, so that no log contains the secret.
impl std::fmt::Debug for AccessKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "AccessKey({})", self.id)
    }
}

impl AccessKey {
    /// Returns a new key.
    pub fn new(random: &Random) -> Self {
        Self {
            id: "kiroku".to_owned(),
            secret: random.alphanumeric(SECRET_CHARACTERS),
        }
    }

    /// Reads the key in a file, or writes a new key to the file if it does not exist. Only the user of this process can
    /// read the file afterwards.
    ///
    /// # Errors
    /// When the file cannot be read or written, or has no key. The message has no part of the file.
    pub fn read_or_create(file: &Path, random: &Random) -> anyhow::Result<Self> {
        let context = || format!("the access key in {}", file.display());
        if !file.try_exists().with_context(context)? {
            let key = Self::new(random);
            let [id, secret] = LINES;
            let text = format!("{id}={}\n{secret}={}\n", key.id, key.secret);
            private_file::write(file, text.as_bytes()).with_context(context)?;
            return Ok(key);
        }
        private_file::close_to_others(file);
        let text = fs::read_to_string(file).with_context(context)?;
        let value = |name: &str| {
            let lines = text.lines().filter_map(|line| line.split_once('='));
            let mut values = lines.filter(|(key, _)| *key == name);
            values.next().map(|(_, value)| value.trim().to_owned())
        };
        let [id, secret] = LINES.map(value);
        let key = id
            .zip(secret)
            .filter(|(id, secret)| !id.is_empty() && !secret.is_empty());
        let (id, secret) = key.ok_or_else(|| {
            anyhow!(
                "{} must have the lines {}=... and {}=...",
                context(),
                LINES[0],
                LINES[1]
            )
        })?;
        Ok(Self { id, secret })
    }

    /// Checks the signature of a request with this body.
    ///
    /// # Errors
    /// The reason, for the caller.
    pub fn check(
        &self,
        request: &request::Parts,
        body: &[u8],
        clock: &Clock,
    ) -> Result<(), &'static str> {
        let signature =
            SentSignature::read(request).ok_or("the Authorization header is incomplete")?;
        if signature.key_id != self.id {
            return Err("the access key is unknown");
        }
        let at = read_date(signature.date).ok_or("X-Amz-Date is malformed")?;
        if at.abs_diff(clock.now_s()) > MAX_AGE.as_secs() {
            return Err("the signature has expired: X-Amz-Date must be the present time");
        }
        let expected = self.sign(request, body, &signature, at);
        let expected = expected.ok_or("the request cannot be signed")?;
        verify_slices_are_equal(expected.as_bytes(), signature.value.as_bytes())
            .map_err(|_| "the signature does not match the access key")
    }

    /// Returns the signature that the request must have, made from the same headers for the same time and region.
    fn sign(
        &self,
        request: &request::Parts,
        body: &[u8],
        sent: &SentSignature<'_>,
        at: u64,
    ) -> Option<String> {
        let key = Credentials::new(&self.id, &self.secret, None, None, "kiroku").into();
        let mut settings = SigningSettings::default();
        // Only the headers that the client has signed are passed on.
        settings.excluded_headers = None;
        let parameters = SigningParams::builder()
            .identity(&key)
            .region(sent.region)
            .name(sent.service)
            .time(SystemTime::UNIX_EPOCH + Duration::from_secs(at))
            .settings(settings)
            .build()
            .ok()?;
        let mut headers = Vec::new();
        for name in sent.headers.split(';') {
            for value in request.headers.get_all(name) {
                headers.push((name, value.to_str().ok()?));
            }
        }
        // A signature without the host would be valid for another service.
        let (_, host) = headers
            .iter()
            .find(|(name, _)| *name == header::HOST.as_str())?;
        let path = request
            .uri
            .path_and_query()
            .map_or("/", |path| path.as_str());
        let address = format!("http://{host}{path}");
        let signed = SignableRequest::new(
            request.method.as_str(),
            address,
            headers.iter().copied(),
            SignableBody::Bytes(body),
        );
        let output = sign(signed.ok()?, &parameters.into()).ok()?;
        Some(output.signature().to_owned())
    }
}

/// The parts of the header `Authorization`: `AWS4-HMAC-SHA256 Credential=ID/DAY/REGION/SERVICE/aws4_request,
/// SignedHeaders=NAME;NAME, Signature=VALUE`.
struct SentSignature<'a> {
    key_id: &'a str,
    region: &'a str,
    service: &'a str,
    headers: &'a str,
    value: &'a str,
    /// The header `X-Amz-Date`.
    date: &'a str,
}

impl<'a> SentSignature<'a> {
    fn read(request: &'a request::Parts) -> Option<Self> {
        let text = |name| request.headers.get(name)?.to_str().ok();
        let parts = text(header::AUTHORIZATION)?.strip_prefix("AWS4-HMAC-SHA256 ")?;
        let part = |name: &str| {
            let mut parts = parts.split(',').map(str::trim);
            parts.find_map(|part| part.strip_prefix(name)?.strip_prefix('='))
        };
        let mut scope = part("Credential")?.split('/');
        let (key_id, _day) = (scope.next()?, scope.next()?);
        Some(Self {
            key_id,
            region: scope.next()?,
            service: scope.next()?,
            headers: part("SignedHeaders")?,
            value: part("Signature")?,
            date: text(DATE_HEADER)?,
        })
    }
}

/// Returns the Unix seconds of a time such as `20231114T221320Z`.
fn read_date(text: &str) -> Option<u64> {
    let format = parse_borrowed::<2>("[year][month][day]T[hour][minute][second]Z").ok()?;
    let time = PrimitiveDateTime::parse(text, &format).ok()?;
    u64::try_from(time.assume_utc().unix_timestamp()).ok()
}
