//! Grants: the OAuth clients and the profile tokens that may act for a user.

pub(crate) mod grant_store;
pub(crate) mod oauth_grant;

pub use self::grant_store::GrantStore;
pub use self::oauth_grant::{Grant, MAX_PROFILE_TOKENS, ProfileToken};
