//! The runtime of the Lambda functions: the loop that handles events, the [`Environment`] that builds stores
//! and services, AWS clients, and logs.
//!
//! The Cargo features `catalogue`, `trackers` and `accounts` choose what the environment can build, so that a
//! function compiles only the crates that it uses.

pub mod aws;
mod environment;
pub mod observability;
mod run;

#[cfg(feature = "accounts")]
pub use environment::MailSettings;
#[cfg(feature = "trackers")]
pub use environment::max_download;
pub use environment::{Environment, LOCAL_SENDER, Overrides, TABLE_PREFIX};
pub use run::{run, run_api, warm};
