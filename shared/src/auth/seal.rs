//! Encryption of short texts, such as the tokens of linked tracker accounts and the `state` with which linking begins.

use std::sync::Arc;

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use super::keys::Keys;
use crate::clock::Clock;
use crate::random::Random;
use crate::{Error, Result};

/// Encrypts and decrypts texts with AES-256-GCM (NIST SP 800-38D). An encrypted text names its key, so that
/// keys can be rotated.
#[derive(Debug)]
pub struct Sealer {
    keys: Arc<Keys>,
    clock: Clock,
    random: Random,
}

impl Sealer {
    /// Returns a sealer with these keys.
    pub fn new(keys: Arc<Keys>, clock: Clock, random: Random) -> Self {
        Self {
            keys,
            clock,
            random,
        }
    }

    /// Reads the keys, so that the first request does not wait for them.
    pub async fn warm(&self) -> Result<()> {
        self.keys.ring().await.map(|_| ())
    }

    /// Encrypts a text. `context` states to what the text belongs, for example `tracker_a tokens of user 7`. The text
    /// can be decrypted only with the same `context`, so an attacker who can write to a table cannot use the text in
    /// another row. The result has the form `KEY.NONCE_AND_TEXT`: `KEY` is the key's identifier, and the nonce and the
    /// encrypted text are in Base64.
    pub async fn seal(&self, context: &str, text: &str) -> Result<String> {
        let ring = self.keys.ring().await?;
        let (kid, secret) = ring.key_in_use(self.clock.now_s(), "encrypt")?;
        // Random nonces of 96 bits are safe for up to 2^32 texts per key (SP 800-38D, section 8.3).
        let nonce = self.random.bytes::<NONCE_LEN>();
        let mut sealed = text.as_bytes().to_vec();
        derive_key(secret)?
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(context.as_bytes()),
                &mut sealed,
            )
            .map_err(|_| Error::internal("cannot encrypt the text"))?;
        let whole = [&nonce[..], &sealed].concat();
        Ok(format!("{kid}.{}", STANDARD_NO_PAD.encode(whole)))
    }

    /// Decrypts a text. Returns `None` if it was encrypted with another `context`, if its key no longer exists,
    /// or if it is malformed.
    pub async fn open(&self, context: &str, sealed: &str) -> Result<Option<String>> {
        let ring = self.keys.ring().await?;
        Ok(decrypt(context, sealed, |kid| ring.get(kid)))
    }
}

fn decrypt<'k>(
    context: &str,
    sealed: &str,
    secret_of: impl FnOnce(u64) -> Option<&'k str>,
) -> Option<String> {
    let (kid, whole) = sealed.split_once('.')?;
    let secret = secret_of(kid.parse().ok()?)?;
    let whole = STANDARD_NO_PAD.decode(whole).ok()?;
    let (nonce, sealed) = whole.split_first_chunk::<NONCE_LEN>()?;
    let mut sealed = sealed.to_vec();
    let nonce = Nonce::assume_unique_for_key(*nonce);
    let context = Aad::from(context.as_bytes());
    let text = derive_key(secret)
        .ok()?
        .open_in_place(nonce, context, &mut sealed)
        .ok()?;
    String::from_utf8(text.to_vec()).ok()
}

/// Derives the 256-bit key from a key of the ring. A generated key has about 381 bits of entropy, so one
/// digest is enough.
fn derive_key(secret: &str) -> Result<LessSafeKey> {
    let bits = digest(&SHA256, secret.as_bytes());
    let key = UnboundKey::new(&AES_256_GCM, bits.as_ref());
    key.map(LessSafeKey::new)
        .map_err(|_| Error::internal("AES does not accept the key"))
}
