//! Accounts: users, their registration, the ways to sign in, sessions, mail, linked accounts at trackers, and OAuth
//! applications. The API's endpoints and the web pages share this code.
//!
//! Only this crate writes the tables of [`tables`]. Transactions of other crates check the caller with the functions of
//! [`users`]. A function that takes an [`Access`](shared::auth::Access) returns the errors of
//! [`Access::check`](shared::auth::Access::check) if the caller has no access. Database calls fail with the errors of
//! the crate [`dynamo`].

pub mod applications;
mod clearing;
pub mod deletion;
pub mod errors;
pub mod grants;
pub mod invitations;
pub mod linked_accounts;
#[cfg(feature = "services")]
pub mod linking;
#[cfg(feature = "services")]
pub mod mail;
#[cfg(feature = "services")]
pub mod registration;
mod rows;
#[cfg(feature = "services")]
pub mod second_factor;
#[cfg(feature = "services")]
pub mod service;
pub mod sessions;
#[cfg(feature = "services")]
pub mod sign_in;
pub mod tables;
pub mod throttling;
pub mod users;
