//! Secrets in addresses that programs call without signing in: a random part, which is stored encrypted and not as a
//! digest, so that users can copy the address again for another device.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::seal::Sealer;
use crate::random::Random;
use crate::{Result, digest};

const RANDOM_BYTES: usize = 16;

/// Makes, encrypts and compares the random parts of secrets. The context of an encryption names the row and the
/// generation of its owner's tokens ([`Sealer::seal`]), so an address stops working when the tokens end.
#[derive(Debug)]
pub struct AddressSecrets {
    sealer: Sealer,
    random: Random,
}

/// The random part of a secret, and its encryption.
#[derive(Clone, Debug)]
pub struct AddressSecret {
    /// The random part, in Base64url.
    pub random: String,
    /// The encryption.
    pub sealed: String,
}

impl AddressSecrets {
    /// Creates the operations with these keys.
    pub fn new(sealer: Sealer, random: Random) -> Self {
        Self { sealer, random }
    }

    /// Makes a new random part.
    pub async fn make(&self, context: &str) -> Result<AddressSecret> {
        let random = URL_SAFE_NO_PAD.encode(self.random.bytes::<RANDOM_BYTES>());
        let sealed = self.sealer.seal(context, &random).await?;
        Ok(AddressSecret { random, sealed })
    }

    /// Decrypts a random part; `None` if the encryption has another context.
    pub async fn open(&self, context: &str, sealed: &str) -> Result<Option<String>> {
        self.sealer.open(context, sealed).await
    }

    /// Returns true if `random` is the random part that is encrypted in `sealed`. The duration does not reveal how many
    /// characters of a guess are right, because digests are compared.
    pub async fn is_same(&self, context: &str, sealed: &str, random: &str) -> Result<bool> {
        let expected = self.open(context, sealed).await?;
        Ok(expected.is_some_and(|expected| digest(&expected) == digest(random)))
    }
}
