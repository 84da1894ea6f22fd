//! The identity of a caller, from an access token or from a session of the web pages.

use crate::models::UserId;

/// The access token of a request (RFC 6750, section 2.1), not yet verified.
#[derive(Clone)]
pub struct Bearer(pub String);

/// The identity that a valid access token or a session states. It may have been revoked since:
/// [`super::Access::check`] compares it with the caller's row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential {
    /// The user.
    pub user_id: UserId,
    /// The generation of the user's tokens to which this token or session belongs.
    pub generation: u64,
    /// The identifier of the token (`jti`), or the digest of the session's cookie.
    pub token_id: String,
    /// The OAuth client to which the token was issued; `None` if the user signed in directly.
    pub client: Option<GrantedClient>,
}

/// An OAuth client that acts for a user, under a grant of that user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantedClient {
    /// The client's identifier.
    pub client_id: String,
    /// The generation of the grant's tokens to which the token belongs.
    pub generation: u64,
}
