//! The CSRF tokens that prevent other sites from sending forms on the visitor's behalf.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use cookie::Cookie;
use sha2::{Digest, Sha256};
use shared::{Error, Result};

use crate::sessions::{FORM_COOKIE, PageSessions, SESSION_COOKIE, Visitor};

/// The reason for which the CSRF token of a form is refused.
pub(crate) const FORM_EXPIRED: &str = "This form has expired or comes from another site. Go back, reload the page and \
    try again. Your browser must accept cookies.";

/// Length of the digest in a CSRF token, and of its mask, in bytes.
const CSRF_BYTES: usize = 32;

/// The CSRF token of a page's forms.
#[derive(Clone)]
pub struct Csrf {
    /// The value of the hidden field `csrf`.
    pub token: String,
    /// The cookie to set with the page, if the visitor has none yet.
    pub set_cookie: Option<Cookie<'static>>,
}

impl PageSessions {
    /// Returns a CSRF token for a page with forms. The session must have been looked up before ([`Self::find`]).
    pub fn csrf(&self, visitor: &Visitor) -> Csrf {
        let mask = self.inner.random.bytes::<CSRF_BYTES>();
        if let Some(secret) = self.csrf_secret(visitor) {
            return Csrf {
                token: new_csrf_token(secret, mask),
                set_cookie: None,
            };
        }
        let secret = URL_SAFE_NO_PAD.encode(self.inner.random.bytes::<32>());
        Csrf {
            token: new_csrf_token(&secret, mask),
            set_cookie: Some(self.new_cookie(FORM_COOKIE, secret, None)),
        }
    }

    /// Checks the CSRF token of a form. The token must come from a page that was sent to this visitor. Another site
    /// cannot read such a page, and browsers do not send the visitor's cookie with the other site's forms (`SameSite`).
    ///
    /// # Errors
    /// [`Error::Forbidden`] if the token is missing, or belongs to another visitor or to a session that has ended.
    pub async fn check_csrf(&self, visitor: &Visitor, token: &str) -> Result<()> {
        self.find(visitor).await?;
        check_csrf_token(self.csrf_secret(visitor), token)
    }

    /// Checks the CSRF token of a form that changes nothing unless a user is signed in. Without a session, accepts
    /// every form, so that it leads to the sign-in page and not to an error. The caller must not trust the values of
    /// the form then: another site may have sent them.
    ///
    /// # Errors
    /// [`Error::Forbidden`] if a user is signed in, and the token is missing or belongs to another visitor.
    pub async fn check_csrf_if_signed_in(&self, visitor: &Visitor, token: &str) -> Result<()> {
        if self.find(visitor).await?.is_none() {
            return Ok(());
        }
        check_csrf_token(self.csrf_secret(visitor), token)
    }

    /// Checks the CSRF token of a form as [`Self::check_csrf`] does. Also accepts a token of a session that has ended,
    /// so that the values of such a form can be kept.
    ///
    /// # Errors
    /// [`Error::Forbidden`] if the token is missing or belongs to another visitor.
    pub async fn check_csrf_of_user(&self, visitor: &Visitor, token: &str) -> Result<()> {
        let ended = self.cookie(visitor, SESSION_COOKIE);
        match self.check_csrf(visitor, token).await {
            Err(Error::Forbidden(_)) => check_csrf_token(ended, token),
            checked => checked,
        }
    }
}

/// Checks a CSRF token that was computed from the cookie `secret`.
fn check_csrf_token(secret: Option<&str>, token: &str) -> Result<()> {
    let expected = secret.map(csrf_digest);
    // The comparison takes constant time, so that the time does not reveal how many bytes of a guess are right.
    let is_same = expected
        .zip(read_csrf_token(token))
        .is_some_and(|(expected, sent)| verify_slices_are_equal(&expected, &sent).is_ok());
    is_same.then_some(()).ok_or(Error::Forbidden(FORM_EXPIRED))
}

/// Returns the digest of a cookie for CSRF tokens. The digest does not reveal the cookie.
fn csrf_digest(cookie: &str) -> [u8; CSRF_BYTES] {
    Sha256::digest(format!("csrf {cookie}").as_bytes()).into()
}

/// Returns a CSRF token: a random mask, then the masked digest. The token differs on every page. Otherwise, an attacker
/// whose text a page repeats could learn the token from the size of the compressed page (the BREACH attack).
fn new_csrf_token(cookie: &str, mask: [u8; CSRF_BYTES]) -> String {
    let masked = xor(csrf_digest(cookie), mask);
    URL_SAFE_NO_PAD.encode([mask, masked].concat())
}

/// Returns the digest in a CSRF token, or `None` if the text is not a token.
fn read_csrf_token(token: &str) -> Option<[u8; CSRF_BYTES]> {
    let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
    let (mask, masked) = bytes.split_first_chunk::<CSRF_BYTES>()?;
    Some(xor(masked.try_into().ok()?, *mask))
}

fn xor(one: [u8; CSRF_BYTES], other: [u8; CSRF_BYTES]) -> [u8; CSRF_BYTES] {
    std::array::from_fn(|position| one[position] ^ other[position])
}
