//! Who calls, and what they may do.
//!
//! A request brings a [`Credential`], which its signature vouches for. Whether it still holds, and
//! what its user may do, is said by the user's row: read beside the data, or, on a write, a
//! condition in the same transaction (design.md, "Data"). [`Access`] is the one rule for both.

mod access;
mod caller_address;
mod credential;
mod keys;
mod password;
mod permission;
mod seal;
mod token;

pub use access::{ABOVE, Access, CallerRow, GrantRow};
pub use caller_address::CallerAddress;
pub use credential::{Bearer, Credential, GrantedClient};
pub use keys::{FRESH_MS as KEYS_FRESH_MS, KeyRing, KeyRings, KeySource, Keys, LEAD_S, ReadSecret};
pub use password::{Passwords, check_policy};
pub use permission::{Action, Rule, least_role_to_act_on};
pub use seal::Sealer;
pub use token::{ACCESS_TOKEN_S, Claims, Purpose, Tokens, has_expired, user_of};
