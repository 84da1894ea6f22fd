//! The operations on accounts that other folders extend, with the stores and services that they use.

pub(crate) mod accounts;
pub(crate) mod mail_links;
mod notices;

pub use self::accounts::{AccountService, Accounts};
