//! What is kept encrypted: the tokens of trackers.

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use super::keys::Keys;
use crate::Error;
use crate::clock::Clock;
use crate::random::Random;

/// Encrypts with AES-256-GCM (NIST SP 800-38D), under the key in use, which the result names.
#[derive(Debug)]
pub struct Sealer {
    keys: Keys,
    clock: Clock,
    random: Random,
}

impl Sealer {
    /// Encrypts with these keys.
    #[must_use]
    pub fn new(keys: Keys, clock: Clock, random: Random) -> Self {
        Self {
            keys,
            clock,
            random,
        }
    }

    /// Reads the keys, so that the first request need not wait for them.
    ///
    /// # Errors
    /// As [`Keys::ring`].
    pub async fn warm(&self) -> Result<(), Error> {
        self.keys.ring().await.map(|_| ())
    }

    /// Encrypts a text for one place, as `tracker_a_token of user 7`: anywhere else it cannot be
    /// opened. `KEY.NONCE_AND_TEXT`, the latter in Base64.
    ///
    /// # Errors
    /// As [`Keys::ring`].
    pub async fn seal(&self, place: &str, text: &str) -> Result<String, Error> {
        let ring = self.keys.ring().await?;
        let (kid, secret) = ring
            .current(self.clock.now_s())
            .ok_or_else(|| Error::internal("there is no key to encrypt with"))?;
        // 96 random bits are good for 2^32 texts under one key (SP 800-38D, section 8.3).
        let nonce = self.random.bytes::<NONCE_LEN>();
        let mut sealed = text.as_bytes().to_vec();
        key(secret)?
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(place.as_bytes()),
                &mut sealed,
            )
            .map_err(|_| Error::internal("a text that cannot be encrypted"))?;
        let whole = [&nonce[..], &sealed].concat();
        Ok(format!("{kid}.{}", STANDARD_NO_PAD.encode(whole)))
    }

    /// Decrypts a text for its place. `None` when it was not encrypted for it, or by a key that is
    /// gone.
    ///
    /// # Errors
    /// As [`Keys::ring`].
    pub async fn open(&self, place: &str, sealed: &str) -> Result<Option<String>, Error> {
        let ring = self.keys.ring().await?;
        Ok(open(place, sealed, |kid| ring.get(kid)))
    }
}

fn open<'k>(
    place: &str,
    sealed: &str,
    secret_of: impl FnOnce(u64) -> Option<&'k str>,
) -> Option<String> {
    let (kid, whole) = sealed.split_once('.')?;
    let secret = secret_of(kid.parse().ok()?)?;
    let whole = STANDARD_NO_PAD.decode(whole).ok()?;
    let (nonce, sealed) = whole.split_first_chunk::<NONCE_LEN>()?;
    let mut sealed = sealed.to_vec();
    let nonce = Nonce::assume_unique_for_key(*nonce);
    let place = Aad::from(place.as_bytes());
    let text = key(secret)
        .ok()?
        .open_in_place(nonce, place, &mut sealed)
        .ok()?;
    String::from_utf8(text.to_vec()).ok()
}

/// The 256 bits of a key. Its 64 random characters hold more, so one digest is enough.
fn key(secret: &str) -> Result<LessSafeKey, Error> {
    let bits = digest(&SHA256, secret.as_bytes());
    let key = UnboundKey::new(&AES_256_GCM, bits.as_ref());
    key.map(LessSafeKey::new)
        .map_err(|_| Error::internal("a key that AES does not take"))
}
