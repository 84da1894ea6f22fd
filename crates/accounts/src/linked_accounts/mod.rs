//! Accounts at trackers that users link to their own.

mod lease_store;
mod link_store;
mod link_update;
#[cfg(feature = "services")]
mod linking;
pub(crate) mod tracker_link;

pub use self::lease_store::{DueUser, Lease, LeaseStore};
pub use self::link_store::LinkStore;
pub use self::link_update::{NewLink, Unlink};
#[cfg(feature = "services")]
pub use self::linking::{Linking, NotLinked, ReturnParameters, open_tokens, seal_tokens};
pub use self::tracker_link::{Link, LinkReport};
