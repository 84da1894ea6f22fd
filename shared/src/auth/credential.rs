//! The caller of a request, as a token or a session identifies it.

use crate::models::UserId;

/// The access token of a request (RFC 6750, section 2.1), not yet verified.
#[derive(Clone)]
pub struct Bearer(pub String);

/// The claims of a token or a session about its caller. The caller's row decides if they are still valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential {
    /// The user.
    pub user_id: UserId,
    /// The generation of the user's tokens that it belongs to.
    pub generation: u64,
    /// The token's identifier.
    pub token_id: String,
    /// The OAuth client that it was issued to; `None` if the user signed in directly.
    pub client: Option<GrantedClient>,
}

/// An OAuth client that acts for a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantedClient {
    /// The client's identifier.
    pub client_id: String,
    /// The generation of the grant's tokens that it belongs to.
    pub generation: u64,
}
