//! ID tokens, logout tokens and the responses of the userinfo endpoint (OpenID Connect Core 1.0, sections 3.1.3.7 and
//! 5.3.2; Back-Channel Logout 1.0, section 2.6).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, Header, Validation, decode, decode_header};
use serde_json::Value;
use sha2::{Digest, Sha256, Sha384, Sha512};

use crate::claims::{JsonObject, is_present, is_true, text, texts, time, values};
use crate::metadata::ProviderMetadata;
use crate::settings::Settings;

/// The maximum length of a subject, in characters (OpenID Connect Core 1.0, section 2).
pub const MAX_SUBJECT: usize = 255;

/// The accepted difference between the provider's clock and this one, in seconds.
pub const CLOCK_SKEW_S: u64 = 60;

/// The maximum age of a token that has just been issued, in seconds: 10 minutes.
const MAX_AGE_S: u64 = 10 * 60;

const LOGOUT_EVENT: &str = "http://schemas.openid.net/event/backchannel-logout";

/// A person who has signed in at the provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Person {
    /// The identifier of the person, unique at the provider: 1 to 255 ASCII characters.
    pub subject: String,
    /// The name that the person prefers. It can be any text.
    pub preferred_username: Option<String>,
    /// The nickname of the person. It can be any text.
    pub nickname: Option<String>,
    /// The e-mail address. It can be any text.
    pub email: Option<String>,
    /// True if the provider says that the address belongs to the person.
    pub email_verified: bool,
    /// The values of the claim that decides about roles; `None` if there is no such claim.
    pub roles: Option<Vec<String>>,
    /// The time at which the person has signed in at the provider, in seconds since the Unix epoch.
    pub signed_in_at: Option<u64>,
    /// The session at the provider.
    pub session: PersonSession,
}

/// The session of a person at the provider.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct PersonSession {
    /// The identifier of the session: 1 to 255 ASCII characters.
    pub id: Option<String>,
    /// The ID token. By this token, the provider recognizes the session when the person signs out.
    pub id_token: String,
}

shared::hide_values!(PersonSession);

/// A logout token that has passed all checks. It names a person, a session at the provider, or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogoutToken {
    /// The person who has signed out at the provider.
    pub subject: Option<String>,
    /// The session at the provider that has ended.
    pub session: Option<String>,
    /// The identifier of the token.
    pub id: String,
    /// The time after which the token is always refused, in seconds since the Unix epoch.
    pub ends_at: u64,
}

/// The reason why a token was refused. It quotes no part of the token, because a stranger may have sent it.
#[derive(Debug)]
pub(crate) enum TokenRefusal {
    /// The provider has no key for the token.
    UnknownKey,
    /// The signature is not that of the key with this name.
    BadSignature,
    /// A check failed. Holds the reason for the log.
    Invalid(&'static str),
}

/// A check of tokens with the keys of the provider.
pub(crate) struct Checker<'m> {
    pub metadata: &'m ProviderMetadata,
    pub settings: &'m Settings,
    /// The current time, in seconds since the Unix epoch.
    pub now_s: u64,
}

fn require(is_met: bool, reason: &'static str) -> Result<(), TokenRefusal> {
    is_met.then_some(()).ok_or(TokenRefusal::Invalid(reason))
}

impl Checker<'_> {
    /// Checks an ID token that was received with this access token.
    pub(crate) fn id_token(
        &self,
        token: &str,
        nonce: &str,
        access_token: &str,
    ) -> Result<Person, TokenRefusal> {
        let (header, claims) = self.verify(token, &self.metadata.algorithms)?;
        let has_type = header.typ.is_none() || has_type(&header, &["jwt", "jose"]);
        require(has_type, "the type of the token is not that of an ID token")?;
        self.check_origin(&claims)?;
        let ends_at = time(&claims, "exp").ok_or(TokenRefusal::Invalid("there is no exp"))?;
        self.check_end(ends_at)?;
        self.check_issue_time(&claims)?;
        let has_nonce = text(&claims, "nonce") == Some(nonce);
        require(has_nonce, "the nonce is not that of the request")?;
        if is_present(&claims, "at_hash") {
            let expected = access_token_hash(header.alg, access_token);
            let has_hash = text(&claims, "at_hash") == Some(&expected);
            require(has_hash, "the access token belongs to another ID token")?;
        }
        let subject = text(&claims, "sub").filter(|subject| is_identifier(subject));
        let no_subject = TokenRefusal::Invalid("the subject must have 1 to 255 ASCII characters");
        let subject = subject.ok_or(no_subject)?;
        let session = text(&claims, "sid").filter(|session| is_identifier(session));
        let mut person = Person {
            subject: subject.to_owned(),
            signed_in_at: time(&claims, "auth_time"),
            session: PersonSession {
                id: session.map(str::to_owned),
                id_token: token.to_owned(),
            },
            ..Person::default()
        };
        self.add_claims(&mut person, &claims);
        Ok(person)
    }

    /// Adds the claims that a person does not have yet. An address is added together with the claim that it is
    /// verified.
    pub(crate) fn add_claims(&self, person: &mut Person, claims: &JsonObject) {
        let owned = |name| text(claims, name).map(str::to_owned);
        if person.preferred_username.is_none() {
            person.preferred_username = owned("preferred_username");
        }
        if person.nickname.is_none() {
            person.nickname = owned("nickname");
        }
        if person.email.is_none() {
            person.email = owned("email");
            person.email_verified = person.email.is_some() && is_true(claims, "email_verified");
        }
        if person.roles.is_none()
            && let Some(rule) = &self.settings.roles
        {
            person.roles = values(claims, &rule.claim);
        }
    }

    /// Reads a response of the userinfo endpoint: JSON, or a signed token. It must be about the person of the ID token.
    pub(crate) fn user_info(&self, body: &str, subject: &str) -> Result<JsonObject, TokenRefusal> {
        let claims = if body.trim_start().starts_with('{') {
            serde_json::from_str(body).map_err(|_| TokenRefusal::Invalid("malformed JSON"))?
        } else {
            let algorithms = &self.metadata.userinfo_algorithms;
            let (_, claims) = self.verify(body.trim(), algorithms)?;
            if is_present(&claims, "iss") {
                self.check_issuer(&claims)?;
            }
            if is_present(&claims, "aud") {
                self.check_audience(&claims)?;
            }
            claims
        };
        let is_same = text(&claims, "sub") == Some(subject);
        require(is_same, "the response is about another person")?;
        Ok(claims)
    }

    pub(crate) fn logout_token(&self, token: &str) -> Result<LogoutToken, TokenRefusal> {
        let (header, claims) = self.verify(token, &self.metadata.algorithms)?;
        // Many providers write the general type.
        let has_type = has_type(&header, &["logout+jwt", "jwt"]);
        require(
            has_type,
            "the type of the token is not that of a logout token",
        )?;
        self.check_origin(&claims)?;
        // Some providers leave `exp` out, although it is required. The time of issue limits the age anyway.
        if is_present(&claims, "exp") {
            let ends_at = time(&claims, "exp").ok_or(TokenRefusal::Invalid("exp is not a time"))?;
            self.check_end(ends_at)?;
        }
        self.check_issue_time(&claims)?;
        let has_nonce = claims.contains_key("nonce");
        require(!has_nonce, "a logout token must have no nonce")?;
        let events = claims.get("events");
        let event = events.and_then(|events| events.get(LOGOUT_EVENT));
        let has_event = event.is_some_and(Value::is_object);
        require(has_event, "a logout token must have the event of a logout")?;
        let id = text(&claims, "jti").ok_or(TokenRefusal::Invalid(
            "a logout token must have an identifier",
        ))?;
        let [subject, session] = ["sub", "sid"].map(|name| {
            let value = text(&claims, name).filter(|value| is_identifier(value));
            let is_valid = value.is_some() || !is_present(&claims, name);
            require(is_valid, "sub and sid must have 1 to 255 ASCII characters")?;
            Ok(value.map(str::to_owned))
        });
        let (subject, session) = (subject?, session?);
        let has_name = subject.is_some() || session.is_some();
        require(has_name, "a logout token must have sub or sid")?;
        Ok(LogoutToken {
            subject,
            session,
            id: id.to_owned(),
            ends_at: self.now_s + MAX_AGE_S + 2 * CLOCK_SKEW_S,
        })
    }

    /// Checks the signature of a token. The library checks no claims, because it knows only the time of the system.
    fn verify(
        &self,
        token: &str,
        algorithms: &[Algorithm],
    ) -> Result<(Header, JsonObject), TokenRefusal> {
        let malformed = |_| TokenRefusal::Invalid("malformed token");
        let header = decode_header(token).map_err(malformed)?;
        // `crit` lists extensions that must be understood (RFC 7515, section 4.1.11). None is supported.
        require(header.crit.is_none(), "the token has unknown extensions")?;
        let is_allowed = algorithms.contains(&header.alg);
        require(is_allowed, "the provider does not use this algorithm")?;
        let mut validation = Validation::new(header.alg);
        validation.required_spec_claims.clear();
        validation.validate_exp = false;
        validation.validate_nbf = false;
        validation.validate_aud = false;
        let mut refusal = TokenRefusal::UnknownKey;
        // Without `kid`, each key that fits is tried.
        for key in self.metadata.keys_for(&header) {
            match decode(token, &key, &validation) {
                Ok(decoded) => return Ok((decoded.header, decoded.claims)),
                Err(error) => match error.kind() {
                    ErrorKind::InvalidToken | ErrorKind::Base64(_) | ErrorKind::Json(_) => {
                        return Err(TokenRefusal::Invalid("malformed token"));
                    }
                    // The signature is wrong, or the key is unusable.
                    _ => refusal = TokenRefusal::BadSignature,
                },
            }
        }
        Err(refusal)
    }

    /// Checks that the provider has issued the token to this service, for use from now on.
    fn check_origin(&self, claims: &JsonObject) -> Result<(), TokenRefusal> {
        self.check_issuer(claims)?;
        self.check_audience(claims)?;
        if is_present(claims, "nbf") {
            let begins_at = time(claims, "nbf");
            let has_begun = begins_at.is_some_and(|time| time <= self.now_s + CLOCK_SKEW_S);
            require(has_begun, "the token is not valid yet")?;
        }
        Ok(())
    }

    fn check_issuer(&self, claims: &JsonObject) -> Result<(), TokenRefusal> {
        let is_own = text(claims, "iss") == Some(&self.settings.issuer);
        require(is_own, "the token was issued by another provider")
    }

    /// Checks the audience and the authorized party. Another audience could use the token at this service, so it must
    /// be trusted by the operator, unless the provider states that only this service has asked for the token.
    fn check_audience(&self, claims: &JsonObject) -> Result<(), TokenRefusal> {
        let client_id = self.settings.client_id.as_str();
        let party = claims.get("azp").filter(|party| !party.is_null());
        let is_own_party = party.is_some_and(|party| party == client_id);
        let is_allowed = party.is_none() || is_own_party;
        require(is_allowed, "the token was issued to another party")?;
        let audiences = texts(claims, "aud");
        let is_audience = audiences.contains(&client_id);
        require(is_audience, "the token is for another audience")?;
        let is_trusted = |audience: &&str| {
            let trusted = &self.settings.trusted_audiences;
            *audience == client_id || trusted.iter().any(|trusted| trusted == audience)
        };
        require(
            is_own_party || audiences.iter().all(is_trusted),
            "the token is also for an audience that is not trusted",
        )
    }

    fn check_end(&self, ends_at: u64) -> Result<(), TokenRefusal> {
        let is_valid = self.now_s < ends_at.saturating_add(CLOCK_SKEW_S);
        require(is_valid, "the token has expired")
    }

    fn check_issue_time(&self, claims: &JsonObject) -> Result<(), TokenRefusal> {
        let issued_at = time(claims, "iat").ok_or(TokenRefusal::Invalid("there is no iat"))?;
        let is_past = issued_at <= self.now_s + CLOCK_SKEW_S;
        require(is_past, "the token was issued in the future")?;
        let is_recent = self.now_s <= issued_at + MAX_AGE_S + CLOCK_SKEW_S;
        require(is_recent, "the token was issued too long ago")
    }
}

/// Returns true if the type in the header is one of these, with or without `application/` (RFC 7515, section 4.1.9).
fn has_type(header: &Header, types: &[&str]) -> bool {
    let name = header.typ.as_deref().unwrap_or_default();
    let name = name.to_ascii_lowercase();
    let name = name.strip_prefix("application/").unwrap_or(&name);
    types.contains(&name)
}

/// Returns the hash by which an ID token names the access token that belongs to it (section 3.1.3.8): the left half of
/// the digest with the hash function of the signature.
fn access_token_hash(algorithm: Algorithm, token: &str) -> String {
    let digest = match algorithm {
        Algorithm::RS384 | Algorithm::PS384 | Algorithm::ES384 => Sha384::digest(token).to_vec(),
        Algorithm::RS512 | Algorithm::PS512 | Algorithm::EdDSA => Sha512::digest(token).to_vec(),
        _ => Sha256::digest(token).to_vec(),
    };
    URL_SAFE_NO_PAD.encode(&digest[..digest.len() / 2])
}

fn is_identifier(text: &str) -> bool {
    let is_visible = |byte: u8| byte.is_ascii() && !byte.is_ascii_control();
    (1..=MAX_SUBJECT).contains(&text.len()) && text.bytes().all(is_visible)
}
