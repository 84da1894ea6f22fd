//! Who calls, and what they may do.
//!
//! A request brings a [`Credential`], which its signature vouches for. Whether it still holds, and
//! what its user may do, is said by the user's row: read beside the data, or, on a write, a
//! condition in the same transaction (design.md, "Data"). [`Access`] is the one rule for both.

mod access;
mod attempts;
mod bearer;
mod keys;
mod password;
mod permission;
mod seal;
mod session;
mod token;

pub use access::{Access, CallerRow, GrantRow};
pub use attempts::{
    Attempts, MAIL_ADDRESS, REGISTER_ADDRESS, SignIn, TRACKER_ADDRESS, attempt_keys,
};
pub use bearer::{Bearer, CallerAddress, OptionalBearer};
pub use keys::{
    FRESH_MS as KEYS_FRESH_MS, KeyRing, KeyRings, KeySource, Keys, LEAD_S, secret_text,
};
pub use password::{Passwords, check_policy};
pub use permission::{Action, Rule, least_role_to_act_on};
pub use seal::Sealer;
pub use session::{Csrf, MAX_RETURN_PATH, Sessions, SignedIn, Visitor};
pub use token::{
    ACCESS_TOKEN_S, Claims, Credential, GrantedClient, Purpose, Tokens, check_public_url,
    has_expired, user_of,
};
