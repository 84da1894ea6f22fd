//! The table AuthCode: OAuth authorizations in progress, from the consent page to the exchange of the code. The table
//! contains only the SHA-256 of each secret.
//!
//! | attributes | written by |
//! |---|---|
//! | all of [`Consent`] and `stage` | `CodeStore::put_consent` |
//! | all of `IssuedCode` except `token_id`, and `stage` | `CodeStore::grant_consent`, which also deletes the consent |
//! | `token_id`, `expires_at` | `CodeStore::exchange` |
//!
//! The attribute `stage` distinguishes the two kinds of rows: a pending consent and an issued code. After a code is
//! exchanged, its row stays for the 30 days for which the token is valid. So a second exchange of the code is
//! detected, and then all tokens of the grant end (docs/oauth.md, "Rule 19").

use dynamo::{Item, Table, Type, text};
use serde::{Deserialize, Serialize};
use shared::auth::Scope;
use shared::models::UserId;

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
        // Absent if the client asked for no scope.
        ("scope", Type::S),
        ("expires_at", Type::N),
        // Only in consents.
        ("session", Type::S),
        ("implicit", Type::Bool),
        ("fragment", Type::Bool),
        ("state", Type::S),
        // Only in codes.
        ("user_generation", Type::N),
        ("client_generation", Type::N),
        ("token_id", Type::S),
    ],
};

/// The stage of a pending consent.
pub(crate) const CONSENT: &str = "consent";

/// The stage of an issued code.
pub(crate) const CODE: &str = "code";

/// A pending consent: a consent page is open, and the user has not answered yet.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Consent {
    /// The SHA-256 of the secret in the page, in Base64url.
    #[serde(rename = "code_hash")]
    pub id_hash: String,
    /// The user.
    pub user_id: UserId,
    /// The digest of the session in which the page was opened.
    pub session: String,
    /// The authorization request that the page shows.
    #[serde(flatten)]
    pub request: AuthorizationRequest,
    /// The time of expiry, in seconds since the Unix epoch.
    pub expires_at: u64,
}

/// A client's authorization request (RFC 6749, sections 4.1.1 and 4.2.1).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AuthorizationRequest {
    /// The client.
    pub client_id: String,
    /// The redirect URI, to which the response is sent.
    pub redirect_uri: String,
    /// True for the implicit grant, whose response has a token instead of a code.
    pub implicit: bool,
    /// True if the client asks for the response in the fragment of the redirect URI (`response_mode=fragment`).
    /// Absent from rows of earlier versions of the service.
    #[serde(default)]
    pub fragment: bool,
    /// The parameter `state`, percent-encoded, which is returned to the client.
    pub state: Option<String>,
    /// The PKCE challenge. The token request must have the verifier for this challenge (RFC 7636, section 4.3).
    pub code_challenge: Option<String>,
    /// The scope; `None` if the client asked for no scope, which means every right.
    pub scope: Option<Scope>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct IssuedCode {
    pub(crate) code_hash: String,
    pub(crate) user_id: UserId,
    pub(crate) user_generation: u64,
    pub(crate) client_id: String,
    pub(crate) client_generation: u64,
    pub(crate) redirect_uri: String,
    pub(crate) code_challenge: Option<String>,
    pub(crate) scope: Option<Scope>,
    /// The identifier of the token for which the code was exchanged; `None` before that.
    pub(crate) token_id: Option<String>,
    pub(crate) expires_at: u64,
}

pub(crate) fn key(hash: &str) -> Item {
    Item::from([("code_hash".to_owned(), text(hash))])
}
