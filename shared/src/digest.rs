//! Digests of texts, among them secrets, and of files.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// Returns the SHA-256 of a text or a file in Base64url (RFC 4648, section 5), without padding. Tables store this
/// digest instead of client secrets, authorization codes, consents and session cookies. These secrets are long and
/// random, so their digests need neither a salt nor a slow hash.
pub fn digest(content: &(impl AsRef<[u8]> + ?Sized)) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(content.as_ref()))
}

/// Returns bytes in lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
