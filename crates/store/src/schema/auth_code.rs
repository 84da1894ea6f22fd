//! The table AuthCode: OAuth authorizations in progress, from the consent page to the exchange of the code.
//! Written by `codes.rs`. Of every secret it holds the SHA-256 only.
//!
//! The attribute `stage` tells the two kinds of rows apart: a pending consent and an issued code. An
//! exchanged code stays as long as its token can live, so that a second exchange is detected and ends the
//! token (docs/oauth.md, "Rule 19").

use serde::{Deserialize, Serialize};
use shared::models::UserId;

use super::table::{Table, Type};
use crate::item::{Item, text};

/// The table.
pub const TABLE: Table = Table {
    name: "AuthCode",
    key: &["code_hash"],
    indexes: &[],
    expires_at: Some("expires_at"),
    attributes: &[
        ("code_hash", Type::S),
        // `consent` or `code`.
        ("stage", Type::S),
        ("user_id", Type::N),
        ("client_id", Type::S),
        ("redirect_uri", Type::S),
        ("code_challenge", Type::S),
        ("expires_at", Type::N),
        // In consents.
        ("session", Type::S),
        ("implicit", Type::Bool),
        ("fragment", Type::Bool),
        ("state", Type::S),
        // In codes.
        ("user_generation", Type::N),
        ("client_generation", Type::N),
        ("token_id", Type::S),
    ],
};

/// The stage of a pending consent.
pub(crate) const CONSENT: &str = "consent";

/// The stage of an issued code.
pub(crate) const CODE: &str = "code";

/// A consent that a page asks for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Consent {
    /// SHA-256 of the page's secret.
    #[serde(rename = "code_hash")]
    pub id_hash: String,
    /// The user.
    pub user_id: UserId,
    /// The session in which the page was opened.
    pub session: String,
    /// The request.
    #[serde(flatten)]
    pub request: AuthorizationRequest,
    /// Seconds since the Unix epoch.
    pub expires_at: u64,
}

/// A client's authorization request (RFC 6749, sections 4.1.1 and 4.2.1).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AuthorizationRequest {
    /// The client.
    pub client_id: String,
    /// The address that the response goes to.
    pub redirect_uri: String,
    /// Returns a token instead of a code: the implicit grant.
    pub implicit: bool,
    /// The client asked for the response in the fragment (`response_mode=fragment`). Absent from the rows
    /// of earlier versions.
    #[serde(default)]
    pub fragment: bool,
    /// The client's `state`, percent-encoded.
    pub state: Option<String>,
    /// The challenge that the exchange has to prove (RFC 7636, section 4.3).
    pub code_challenge: Option<String>,
}

/// An issued code.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct IssuedCode {
    pub(crate) code_hash: String,
    pub(crate) user_id: UserId,
    pub(crate) user_generation: u64,
    pub(crate) client_id: String,
    pub(crate) client_generation: u64,
    pub(crate) redirect_uri: String,
    pub(crate) code_challenge: Option<String>,
    /// The token that it was exchanged for.
    pub(crate) token_id: Option<String>,
    pub(crate) expires_at: u64,
}

/// Returns the key of a row.
pub(crate) fn key(hash: &str) -> Item {
    Item::from([("code_hash".to_owned(), text(hash))])
}
