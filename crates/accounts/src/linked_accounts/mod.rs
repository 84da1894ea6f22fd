//! Accounts at trackers that users link to their own.

mod lease_store;
mod link_store;
#[cfg(feature = "services")]
mod linking;

pub use self::lease_store::{DueUser, Lease, LeaseStore};
pub use self::link_store::LinkStore;
#[cfg(feature = "services")]
pub use self::linking::{Linking, NotLinked, ReturnParameters, open_tokens, seal_tokens};
