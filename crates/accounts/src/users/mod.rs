//! Users: their rows, and the conditions under which a caller may act.

mod caller;
pub(crate) mod conditions;
mod email_change;
pub(crate) mod factors;
mod list_versions;
mod list_write;
pub(crate) mod picture;
mod picture_format;
mod picture_metadata;
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

pub use self::factors::OtherSessions;
pub use self::list_versions::{ListDigests, UserListVersion};
pub use self::list_write::{DigestDifferences, ListChange, ListOwner, OwnerCondition, WriteRight};
pub use self::picture::Picture;
pub use self::picture_format::PictureFormat;
pub use self::unique::{
    EMAIL_PREFIX, IDENTITY_PREFIX, PICTURE_PREFIX, USERNAME_PREFIX, of_identity,
};
pub use self::user::{Account, MAX_FAVORITES};
pub use self::user_change::UserChange;
pub use self::user_creation::{NewAccount, UsedInvitation};
pub use self::user_list::UsernamePattern;
pub use self::user_store::UserStore;
