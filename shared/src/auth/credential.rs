//! The identity of a caller, from an access token or from a session of the web pages.

use super::scope::Scope;
use crate::models::UserId;

/// The access token of a request (RFC 6750, section 2.1), not yet verified.
#[derive(Clone)]
pub struct Bearer(pub String);

/// The identity that a verified access token or a session states. The token or session may have been revoked since it
/// was issued, so [`super::Access::check`] compares the credential with the caller's row.
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
    /// The use of a profile token; `None` for every other token and for a session.
    pub profile_token: Option<ProfileTokenUse>,
    /// The scope of the token; `None` if the token allows everything that its caller may do.
    pub scope: Option<Scope>,
}

impl Credential {
    /// Returns true if the validity of the token also depends on a row in the table `OAuthGrant`, and not only on the
    /// user's row.
    pub fn has_grant(&self) -> bool {
        self.client.is_some() || self.profile_token.is_some()
    }
}

/// An OAuth client that acts for a user, under a grant of that user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantedClient {
    /// The client's identifier.
    pub client_id: String,
    /// The generation of the token under this grant.
    pub generation: u64,
}

/// A use of a profile token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileTokenUse {
    /// The slot of the token: its number among the user's profile tokens.
    pub slot: u8,
    /// The day of the use, in days since the Unix epoch.
    pub day: u64,
}
