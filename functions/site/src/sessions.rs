//! The visitor of a page: the session cookie, and the CSRF tokens that keep other sites from sending forms on
//! the visitor's behalf.

use std::convert::Infallible;

use accounts::{SESSION_S, SignedIn};
use aws_lc_rs::constant_time::verify_slices_are_equal;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::try_join;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::{Digest, Sha256};
use shared::Error;
use shared::random::Random;
use store::Account;

use crate::error::PageError;

/// The longest path that a visitor can return to, in bytes. Encoded as a parameter, it still fits into the
/// 10,240 bytes that API Gateway allows for request line and headers.
pub const MAX_RETURN_PATH: usize = 4096;

/// The characters that are percent-encoded in such a parameter.
const IN_PARAMETER: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// Length in bytes of the digest in a form's token, and of its mask.
const CSRF_BYTES: usize = 32;

const SESSION: &str = "session";
const FORM: &str = "form";

/// The browser of a request, identified by its cookies.
#[derive(Clone, Default)]
pub struct Visitor(Vec<(String, String)>);

/// Keeps the cookies out of every log.
impl std::fmt::Debug for Visitor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Visitor")
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Visitor {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let lines = parts.headers.get_all(header::COOKIE).iter();
        let pairs = lines
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .filter(|(_, value)| !value.is_empty());
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Ok(Self(pairs.map(owned).collect()))
    }
}

/// Browsers accept a cookie with this prefix only over TLS, and only from this host (RFC 6265bis, section
/// 4.1.3.2).
const HOST_PREFIX: &str = "__Host-";

/// The CSRF token of a page's forms.
#[derive(Clone)]
pub struct Csrf {
    /// The value of the hidden field `csrf`.
    pub token: String,
    /// The cookie to set with the page, if the visitor has none yet.
    pub set_cookie: Option<HeaderValue>,
}

/// The sessions of the web pages.
#[derive(Clone, Debug)]
pub struct Sessions {
    inner: accounts::Sessions,
    public_url: String,
    random: Random,
}

impl Sessions {
    /// Returns the sessions for a public URL.
    #[must_use]
    pub fn new(inner: accounts::Sessions, public_url: &str, random: Random) -> Self {
        Self {
            inner,
            public_url: public_url.to_owned(),
            random,
        }
    }

    /// Returns the signed-in user, if the visitor has a session.
    pub async fn find(&self, visitor: &Visitor) -> Result<Option<SignedIn>, Error> {
        match self.cookie(visitor, SESSION) {
            Some(secret) => self.inner.find(secret).await,
            None => Ok(None),
        }
    }

    /// Returns the signed-in user of a page that requires one.
    ///
    /// # Errors
    /// [`PageError::SignInFirst`] without a session. The visitor returns to `path` after signing in.
    pub async fn require(&self, visitor: &Visitor, path: &str) -> Result<SignedIn, PageError> {
        let found = self.find(visitor).await?;
        found.ok_or_else(|| self.sign_in_first(path))
    }

    /// Returns the redirect to the sign-in page. The visitor returns to `path` after signing in.
    #[must_use]
    pub fn sign_in_first(&self, path: &str) -> PageError {
        let next = utf8_percent_encode(path, IN_PARAMETER);
        PageError::SignInFirst(format!("{}/sign-in?next={next}", self.public_url))
    }

    /// Starts a session for a user who has just signed in, and ends the visitor's earlier one. Returns the
    /// cookie. Its secret is always new, which prevents session fixation.
    pub async fn begin(&self, visitor: &Visitor, account: &Account) -> Result<HeaderValue, Error> {
        let (secret, ()) = try_join!(self.inner.begin(account), self.forget(visitor))?;
        self.set_cookie(SESSION, &secret, Some(SESSION_S))
    }

    /// Ends the visitor's session. Returns a cookie that removes the one in the browser.
    pub async fn end(&self, visitor: &Visitor) -> Result<HeaderValue, Error> {
        self.forget(visitor).await?;
        self.set_cookie(SESSION, "", Some(0))
    }

    async fn forget(&self, visitor: &Visitor) -> Result<(), Error> {
        match self.cookie(visitor, SESSION) {
            Some(secret) => self.inner.end(secret).await,
            None => Ok(()),
        }
    }

    /// Returns a CSRF token for a page with forms.
    pub fn csrf(&self, visitor: &Visitor) -> Result<Csrf, Error> {
        let mask = self.random.bytes::<CSRF_BYTES>();
        if let Some(cookie) = self.secret(visitor) {
            return Ok(Csrf {
                token: masked_token(cookie, mask),
                set_cookie: None,
            });
        }
        let cookie = self.random_text();
        Ok(Csrf {
            token: masked_token(&cookie, mask),
            set_cookie: Some(self.set_cookie(FORM, &cookie, None)?),
        })
    }

    /// Checks the CSRF token of a form. It must come from a page sent to this visitor: another site cannot
    /// read such a page, and browsers do not send the cookie with its forms (`SameSite`).
    ///
    /// # Errors
    /// [`Error::Forbidden`] if the token is missing or belongs to another visitor.
    pub fn check_csrf(&self, visitor: &Visitor, token: &str) -> Result<(), Error> {
        let expected = self.secret(visitor).map(csrf_digest);
        let same = expected
            .zip(unmasked(token))
            .is_some_and(|(expected, sent)| verify_slices_are_equal(&expected, &sent).is_ok());
        let message = "This form has expired or comes from another site. Go back, reload the page and try again. Your browser must accept cookies.";
        same.then_some(()).ok_or(Error::Forbidden(message))
    }

    /// Returns the secret behind the CSRF token: the session cookie, or else the form cookie.
    fn secret<'v>(&self, visitor: &'v Visitor) -> Option<&'v str> {
        let session = self.cookie(visitor, SESSION);
        session.or_else(|| self.cookie(visitor, FORM))
    }

    /// Returns a cookie by its full name. Without the prefix, a sibling domain could have set it.
    fn cookie<'v>(&self, Visitor(cookies): &'v Visitor, name: &str) -> Option<&'v str> {
        let is_it = |key: &str| key.strip_prefix(self.prefix()) == Some(name);
        let mut cookies = cookies.iter();
        cookies
            .find(|(key, _)| is_it(key))
            .map(|(_, value)| value.as_str())
    }

    /// Returns the prefix of cookie names. Empty without TLS (local development), where browsers reject it.
    fn prefix(&self) -> &'static str {
        if self.public_url.starts_with("https:") {
            HOST_PREFIX
        } else {
            ""
        }
    }

    fn random_text(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.random.bytes::<32>())
    }

    /// Builds a cookie with the attributes that RFC 6265bis recommends. `Secure` is absent without TLS (local
    /// development).
    fn set_cookie(
        &self,
        name: &str,
        value: &str,
        seconds: Option<u64>,
    ) -> Result<HeaderValue, Error> {
        let age = seconds.map_or_else(String::new, |seconds| format!("; Max-Age={seconds}"));
        let prefix = self.prefix();
        let secure = if prefix.is_empty() { "" } else { "; Secure" };
        let cookie = format!("{prefix}{name}={value}; Path=/{secure}; HttpOnly; SameSite=Lax{age}");
        HeaderValue::from_str(&cookie).map_err(Error::internal)
    }
}

/// Returns a digest that does not reveal the cookie that it is computed from.
fn csrf_digest(cookie: &str) -> [u8; CSRF_BYTES] {
    Sha256::digest(format!("csrf {cookie}").as_bytes()).into()
}

/// Returns a form's token: a random mask, then the masked digest. It differs on every page, so that the size
/// of a compressed page that repeats a caller's text reveals nothing about it (the BREACH attack).
fn masked_token(cookie: &str, mask: [u8; CSRF_BYTES]) -> String {
    let masked = xor(csrf_digest(cookie), mask);
    URL_SAFE_NO_PAD.encode([mask, masked].concat())
}

/// Returns the digest in a form's token, or `None` if the text is not a token.
fn unmasked(token: &str) -> Option<[u8; CSRF_BYTES]> {
    let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
    let (mask, masked) = bytes.split_first_chunk::<CSRF_BYTES>()?;
    Some(xor(masked.try_into().ok()?, *mask))
}

fn xor(one: [u8; CSRF_BYTES], other: [u8; CSRF_BYTES]) -> [u8; CSRF_BYTES] {
    std::array::from_fn(|position| one[position] ^ other[position])
}
