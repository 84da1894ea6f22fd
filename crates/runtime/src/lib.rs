//! What runs a function: the Lambda runtime, the [`Environment`] that every part is built from, AWS clients and
//! logs.
//!
//! The features choose what the environment can build, so that a function compiles only what it uses:
//! `catalogue`, `trackers` and `accounts`.

pub mod aws;
mod environment;
pub mod observability;
mod run;

#[cfg(feature = "accounts")]
pub use environment::MailSettings;
pub use environment::{Environment, LOCAL_SENDER, Overrides, TABLE_PREFIX};
#[cfg(feature = "catalogue")]
pub use run::run_catalogue;
pub use run::{run, run_accounts, warm};
