//! Digests of random secrets: client secrets, authorization codes, consents and session cookies.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// Returns the SHA-256 of a secret in Base64url (RFC 4648, section 5), without padding. Tables store this
/// digest instead of the secret. The secrets are long and random, so the digest needs neither a salt nor a
/// slow hash.
#[must_use]
pub fn digest(secret: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(secret.as_bytes()))
}
