//! The runtime of the functions: the AWS Lambda loop, the [`Environment`] that builds every part, AWS clients
//! and logs.
//!
//! The features `catalogue`, `trackers` and `accounts` choose what the environment can build, so that a
//! function compiles only what it uses.

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
