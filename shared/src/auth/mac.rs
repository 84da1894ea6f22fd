//! Message authentication codes of texts that callers keep, such as the cookie of a session. Without a code, a caller
//! could name another user in such a text, and the service would read that user's rows before it could refuse the text.

use std::sync::Arc;

use aws_lc_rs::hmac::{HMAC_SHA256, Key, sign, verify};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::keys::Keys;
use crate::Result;
use crate::clock::Clock;

/// Computes and checks codes with HMAC-SHA-256 (RFC 2104) and the keys that sign tokens. A code names its key, so that
/// keys can be rotated.
#[derive(Clone, Debug)]
pub struct Authenticator {
    keys: Arc<Keys>,
    clock: Clock,
}

impl Authenticator {
    /// Returns an authenticator with these keys.
    pub fn new(keys: Arc<Keys>, clock: Clock) -> Self {
        Self { keys, clock }
    }

    /// Returns a text with its code: `TEXT.KEY.CODE`. `KEY` is the key's identifier, and the code is in Base64url.
    /// `context` states the purpose of the text. The code is wrong for every other purpose.
    pub async fn sign(&self, context: &str, text: &str) -> Result<String> {
        let ring = self.keys.ring().await?;
        let (kid, secret) = ring.key_in_use(self.clock.now_s(), "sign")?;
        let code = sign(&key(secret), message(context, text).as_bytes());
        let code = URL_SAFE_NO_PAD.encode(code);
        Ok(format!("{text}.{kid}.{code}"))
    }

    /// Returns the text of a result of [`Self::sign`] if its code is correct. `None` if the text was signed for another
    /// context, its key no longer exists, or it is malformed. The comparison takes constant time.
    pub async fn verify<'s>(&self, context: &str, signed: &'s str) -> Result<Option<&'s str>> {
        let Some((text, kid, code)) = split(signed) else {
            return Ok(None);
        };
        let ring = self.keys.ring().await?;
        let is_right = ring.get(kid).is_some_and(|secret| {
            verify(&key(secret), message(context, text).as_bytes(), &code).is_ok()
        });
        Ok(is_right.then_some(text))
    }
}

/// Splits a signed text into the text, the identifier of the key, and the code.
fn split(signed: &str) -> Option<(&str, u64, Vec<u8>)> {
    let (rest, code) = signed.rsplit_once('.')?;
    let (text, kid) = rest.rsplit_once('.')?;
    Some((text, kid.parse().ok()?, URL_SAFE_NO_PAD.decode(code).ok()?))
}

fn key(secret: &str) -> Key {
    Key::new(HMAC_SHA256, secret.as_bytes())
}

/// Returns the message of a code. It contains a line break. The signing input of a JSON Web Token never does (RFC 7515,
/// section 5.1), so a code is never the signature of a token, although both have the same key.
fn message(context: &str, text: &str) -> String {
    format!("{context}\n{text}")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Authenticator;
    use crate::auth::{KeyRing, KeySource, Keys};
    use crate::clock::Clock;
    use crate::random::Random;

    fn authenticator(random: &Random) -> Authenticator {
        let clock = Clock::manual(1_700_000_000_000);
        let source = KeySource::Fixed(Arc::new(KeyRing::new(random)));
        Authenticator::new(Arc::new(Keys::new(source, clock.clone())), clock)
    }

    #[tokio::test]
    async fn code_is_bound_to_text_purpose_and_key() {
        let random = Random::from_os().unwrap();
        let own = authenticator(&random);
        let signed = own.sign("session", "7.abc").await.unwrap();
        assert_eq!(own.verify("session", &signed).await.unwrap(), Some("7.abc"));
        assert_eq!(own.verify("other", &signed).await.unwrap(), None);
        let other = authenticator(&random);
        assert_eq!(other.verify("session", &signed).await.unwrap(), None);
        for forged in [
            signed.replacen('7', "8", 1),
            signed.replace("abc", "ab8"),
            signed.replacen(".0.", ".1.", 1),
            format!("{signed}A"),
            signed[..signed.len() - 2].to_owned(),
            "7.abc".to_owned(),
            "7.abc.0.".to_owned(),
            "7.x".to_owned(),
            String::new(),
        ] {
            assert_eq!(
                own.verify("session", &forged).await.unwrap(),
                None,
                "{forged}"
            );
        }
    }
}
