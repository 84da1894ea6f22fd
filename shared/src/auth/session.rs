//! Who is signed in on the web pages: cookies, and the tokens that keep other sites from sending
//! forms in their place.
//!
//! A session is no token of the API and none of those is a session: its cookie holds a random text of
//! which the table Session has the digest. It ends a week after it was last used, 30 days after it
//! was begun, when the user signs out, and with whatever ends the user's tokens.

use std::convert::Infallible;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::try_join;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::{Digest, Sha256};

use super::access::{Access, CallerRow};
use super::permission::Action;
use super::token::Credential;
use crate::clock::Clock;
use crate::error::ApiError;
use crate::models::{Account, UserId};
use crate::oauth::digest;
use crate::random::Random;
use crate::store::{Session, SessionStore, UserStore};

/// How long a session lasts that is not used, in seconds.
const IDLE_S: u64 = 7 * 24 * 60 * 60;

/// How long a session lasts at the most, in seconds.
const ABSOLUTE_S: u64 = 30 * 24 * 60 * 60;

/// The longest path that a visitor comes back to: encoded once more as a parameter it still fits into
/// what API Gateway takes of a request's line and headers, 10,240 bytes.
pub const MAX_RETURN_PATH: usize = 4096;

/// What is encoded of such a path.
const IN_PARAMETER: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// How long a session is used before that is noted, in seconds: one write an hour is enough.
const NOTED_S: u64 = 60 * 60;

/// Bytes of the digest in a form's token, and of its mask.
const CSRF_BYTES: usize = 32;

const SESSION: &str = "session";
const FORM: &str = "form";

/// What names a browser: the cookies that came with a request.
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

/// A cookie of this name is sent by this host alone, over TLS, and set by no other (RFC 6265bis,
/// section 4.1.3.2).
const HOST_PREFIX: &str = "__Host-";

/// Somebody who is signed in.
#[derive(Clone, Debug)]
pub struct SignedIn {
    /// Who.
    pub account: Account,
    /// What stands for them in a write's condition, as a token does for a caller of the API.
    pub credential: Credential,
}

impl SignedIn {
    /// What it takes for them to do something to what is their own.
    #[must_use]
    pub fn access(&self, action: Action) -> Access {
        Access::new(&self.credential, action, self.credential.user_id)
    }
}

/// What a page with a form needs.
#[derive(Clone)]
pub struct Csrf {
    /// What the form's hidden field `csrf` holds.
    pub token: String,
    /// The cookie that has to go with the page, when the visitor has none yet.
    pub set_cookie: Option<HeaderValue>,
}

/// The sessions of the web pages.
#[derive(Clone, Debug)]
pub struct Sessions {
    store: SessionStore,
    users: UserStore,
    public_url: String,
    clock: Clock,
    random: Random,
}

impl Sessions {
    /// The sessions of the service at a public address.
    #[must_use]
    pub fn new(
        store: SessionStore,
        users: UserStore,
        public_url: &str,
        clock: Clock,
        random: Random,
    ) -> Self {
        Self {
            store,
            users,
            public_url: public_url.to_owned(),
            clock,
            random,
        }
    }

    /// Who is signed in, if anybody is.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn find(&self, visitor: &Visitor) -> Result<Option<SignedIn>, ApiError> {
        let cookie = self.cookie(visitor, SESSION);
        let Some((user_id, cookie)) = cookie.and_then(user_of_cookie) else {
            return Ok(None);
        };
        let id_hash = digest(cookie);
        let session = self.store.find(&id_hash);
        let (session, account) = try_join!(session, self.users.account(user_id))?;
        let now = self.clock.now_s();
        let own = |session: &Session| session.user_id == user_id && session.expires_at > now;
        let Some((session, account)) = session.filter(own).zip(account) else {
            return Ok(None);
        };
        let mut signed_in = SignedIn {
            credential: Credential {
                user_id,
                generation: session.generation,
                token_id: id_hash,
                client: None,
            },
            account,
        };
        let row = CallerRow::from(&signed_in.account);
        if signed_in
            .access(Action::ReadOwnAccount)
            .check(Some(&row))
            .is_err()
        {
            return Ok(None);
        }
        // The session that changed the password is kept, though it is of the generation before: what is
        // issued in it is of the present one.
        signed_in.credential.generation = signed_in.account.token_generation;
        let until = lasts_until(session.begun_at, now);
        if until >= session.expires_at + NOTED_S {
            // Without it the session ends sooner, and nothing else.
            if let Err(error) = self.store.prolong(&session.id_hash, until).await {
                tracing::warn!(%error, "a session is not prolonged");
            }
        }
        Ok(Some(signed_in))
    }

    /// Who is signed in; a page that is for them alone.
    ///
    /// # Errors
    /// [`ApiError::SignInFirst`] where nobody is: then the visitor comes back to `path`.
    pub async fn require(&self, visitor: &Visitor, path: &str) -> Result<SignedIn, ApiError> {
        let found = self.find(visitor).await?;
        found.ok_or_else(|| self.sign_in_first(path))
    }

    /// Sends the visitor to sign in, and then to `path`.
    #[must_use]
    pub fn sign_in_first(&self, path: &str) -> ApiError {
        let next = utf8_percent_encode(path, IN_PARAMETER);
        ApiError::SignInFirst(format!("{}/sign-in?next={next}", self.public_url))
    }

    /// Begins a session of somebody who has just signed in. Answers its cookie, which is always a new
    /// one: whatever the visitor had before is worth nothing now.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn begin(
        &self,
        visitor: &Visitor,
        account: &Account,
    ) -> Result<HeaderValue, ApiError> {
        let user = account.user.id;
        let cookie = format!("{}.{}", user.get(), self.random_text());
        let now = self.clock.now_s();
        let session = Session {
            id_hash: digest(&cookie),
            user_id: user,
            generation: account.token_generation,
            begun_at: now,
            expires_at: lasts_until(now, now),
        };
        try_join!(self.store.begin(&session), self.forget(visitor))?;
        self.set_cookie(SESSION, &cookie, Some(ABSOLUTE_S))
    }

    /// Ends the visitor's session. Answers the cookie that takes theirs away.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn end(&self, visitor: &Visitor) -> Result<HeaderValue, ApiError> {
        self.forget(visitor).await?;
        self.set_cookie(SESSION, "", Some(0))
    }

    async fn forget(&self, visitor: &Visitor) -> Result<(), crate::store::StoreError> {
        match self.cookie(visitor, SESSION) {
            Some(cookie) => self.store.end(&digest(cookie)).await,
            None => Ok(()),
        }
    }

    /// What a page with a form needs.
    ///
    /// # Errors
    /// Never: the cookie is one that can be sent.
    pub fn csrf(&self, visitor: &Visitor) -> Result<Csrf, ApiError> {
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

    /// Checks what a form's field `csrf` holds: it has to be of a page that this visitor was sent. No
    /// other site can read one, or have the cookie that it belongs to sent along.
    ///
    /// # Errors
    /// [`ApiError::Forbidden`] when it is not.
    pub fn check_csrf(&self, visitor: &Visitor, token: &str) -> Result<(), ApiError> {
        let expected = self.secret(visitor).map(csrf_digest);
        let same = expected
            .zip(unmasked(token))
            .is_some_and(|(expected, sent)| verify_slices_are_equal(&expected, &sent).is_ok());
        let too_old = "This page was open for too long, or comes from elsewhere. Go back, reload it, and try again. Your browser has to accept cookies.";
        same.then_some(()).ok_or(ApiError::Forbidden(too_old))
    }

    /// What only this browser and the service know.
    fn secret<'v>(&self, visitor: &'v Visitor) -> Option<&'v str> {
        let session = self.cookie(visitor, SESSION);
        session.or_else(|| self.cookie(visitor, FORM))
    }

    /// A cookie under its full name: without the prefix, a neighbour of the host could have set it.
    fn cookie<'v>(&self, Visitor(cookies): &'v Visitor, name: &str) -> Option<&'v str> {
        let is_it = |key: &str| key.strip_prefix(self.prefix()) == Some(name);
        let mut cookies = cookies.iter();
        cookies
            .find(|(key, _)| is_it(key))
            .map(|(_, value)| value.as_str())
    }

    /// A browser takes the prefix over TLS only, which a developer's machine does not have.
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

    /// Rule by rule what RFC 6265bis advises. Only a developer's machine has no TLS.
    fn set_cookie(
        &self,
        name: &str,
        value: &str,
        seconds: Option<u64>,
    ) -> Result<HeaderValue, ApiError> {
        let age = seconds.map_or_else(String::new, |seconds| format!("; Max-Age={seconds}"));
        let prefix = self.prefix();
        let secure = if prefix.is_empty() { "" } else { "; Secure" };
        let cookie = format!("{prefix}{name}={value}; Path=/{secure}; HttpOnly; SameSite=Lax{age}");
        HeaderValue::from_str(&cookie).map_err(ApiError::internal)
    }
}

/// A digest that says nothing of the cookie that it is made of.
fn csrf_digest(cookie: &str) -> [u8; CSRF_BYTES] {
    Sha256::digest(format!("csrf {cookie}").as_bytes()).into()
}

/// A form's token: a random mask, then the digest under that mask. It differs in every page, so that the
/// size of a compressed page that also repeats a caller's text reveals nothing about it (the BREACH
/// attack).
fn masked_token(cookie: &str, mask: [u8; CSRF_BYTES]) -> String {
    let masked = xor(csrf_digest(cookie), mask);
    URL_SAFE_NO_PAD.encode([mask, masked].concat())
}

/// The digest in a form's token. `None` where the text is no token.
fn unmasked(token: &str) -> Option<[u8; CSRF_BYTES]> {
    let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
    let (mask, masked) = bytes.split_first_chunk::<CSRF_BYTES>()?;
    Some(xor(masked.try_into().ok()?, *mask))
}

fn xor(one: [u8; CSRF_BYTES], other: [u8; CSRF_BYTES]) -> [u8; CSRF_BYTES] {
    std::array::from_fn(|position| one[position] ^ other[position])
}

/// The user that a session's cookie names: their row is read beside the session's.
fn user_of_cookie(cookie: &str) -> Option<(UserId, &str)> {
    let (user, _) = cookie.split_once('.')?;
    Some((user.parse().ok().and_then(UserId::new)?, cookie))
}

fn lasts_until(begun_at: u64, now: u64) -> u64 {
    (now + IDLE_S).min(begun_at + ABSOLUTE_S)
}
