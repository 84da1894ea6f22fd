//! Digests of client secrets, codes and session cookies.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// Returns the SHA-256 of a secret in Base64 (RFC 4648, section 5). Only the digest is stored. The secrets
/// are random and long, so it needs no salt and no slow hash.
#[must_use]
pub fn digest(secret: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(secret.as_bytes()))
}
