//! The caller of a request, as a token or a session describes it.

use crate::models::UserId;

/// The token of a request (RFC 6750, section 2.1), not yet verified.
#[derive(Clone)]
pub struct Bearer(pub String);

/// Who calls, as far as the token (or the session) alone can say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential {
    /// The user.
    pub user_id: UserId,
    /// The generation of tokens that it belongs to.
    pub generation: u64,
    /// The token's own name.
    pub token_id: String,
    /// The OAuth client that it was issued to.
    pub client: Option<GrantedClient>,
}

/// An OAuth client that acts for a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantedClient {
    /// Which one.
    pub client_id: String,
    /// The generation of the grant's tokens that the token belongs to.
    pub generation: u64,
}
