//! Accounts at trackers that users link to their own.

mod lease_store;
mod link_store;
mod link_update;
pub(crate) mod tracker_link;

pub use self::lease_store::{DueUser, Lease, LeaseStore};
pub use self::link_store::LinkStore;
pub use self::link_update::{NewLink, Unlink};
pub use self::tracker_link::{Link, LinkReport};
