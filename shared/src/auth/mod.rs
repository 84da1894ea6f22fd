//! Authentication and authorization: credentials, permissions, tokens, keys and passwords.
//!
//! A [`Credential`] identifies the caller. It comes from an access token, whose signature is verified without reading
//! the database, or from the session of a web page. The user's row in the database decides if the credential is still
//! valid and what the user may do. A request that only reads fetches this row at the same time as the data. A
//! write checks the row by a condition in the same transaction (docs/data-model.md, "Principles"). [`Access`]
//! decides in both cases.

mod access;
mod address;
mod caller_address;
mod credential;
mod keys;
mod mac;
mod password;
mod permission;
mod proof;
mod registration;
mod scope;
mod seal;
mod token;

pub use access::{Access, CallerRow, GrantRow, OWNER_ROLE_TOO_HIGH};
pub use address::{AddressSecret, AddressSecrets};
pub use caller_address::CallerAddress;
pub use credential::{Bearer, Credential, GrantedClient, ProfileTokenUse};
pub use keys::{KEY_LEAD_S, KEYS_FRESH_MS, KeyRing, KeyRings, KeySource, Keys, ReadSecret};
pub use mac::Authenticator;
pub use password::{Passwords, check_policy};
pub use permission::{Action, Rule, least_role_to_act_on};
pub use proof::{PROOF_RULES, ProofNeed, ProofReason, ProofRule, proof_need};
pub use registration::RegistrationMode;
pub use scope::Scope;
pub use seal::Sealer;
pub use token::{ACCESS_TOKEN_S, Claims, DAY_S, TokenPurpose, Tokens, has_expired, user_of};
