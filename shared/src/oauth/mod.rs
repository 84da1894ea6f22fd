//! OAuth 2.0 as far as several functions have to do with it: the clients, and what their owners and
//! their users do with them.

mod applications;
mod client;
mod redirect_uri;

pub use applications::{Applications, Connection};
pub use client::{Client, ClientDetails, ClientKind, is_client_id};
pub use redirect_uri::RedirectUri;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// What is kept of a secret, a code or a session: its SHA-256, in Base64. They are random and long, so
/// that nobody finds them out by trying.
#[must_use]
pub fn digest(secret: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(secret.as_bytes()))
}
