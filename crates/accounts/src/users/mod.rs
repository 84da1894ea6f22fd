//! Users: their rows, the conditions under which a caller may act, and their deletion.

#[cfg(feature = "services")]
pub(crate) mod accounts;
mod caller;
pub(crate) mod conditions;
pub(crate) mod deletion;
mod email_change;
mod factors;
mod list_versions;
mod list_write;
mod questions;
pub(crate) mod unique;
pub(crate) mod user;
pub(crate) mod user_change;
pub(crate) mod user_creation;
mod user_list;
mod user_markers;
mod user_roles;
pub(crate) mod user_store;
mod username_folding;

#[cfg(feature = "services")]
pub use self::accounts::{Accounts, AccountsWithMail};
pub use self::deletion::DeletionStore;
pub use self::list_versions::{ListDigests, UserListVersion};
pub use self::list_write::{DigestDifferences, ListChange, ListOwner, OwnerCondition, WriteRight};
pub use self::unique::{EMAIL_PREFIX, IDENTITY_PREFIX, USERNAME_PREFIX, of_identity};
pub use self::user::Account;
pub use self::user_change::{NewLink, Unlink, UserChange};
pub use self::user_creation::NewAccount;
pub use self::user_list::UsernamePattern;
pub use self::user_store::UserStore;
