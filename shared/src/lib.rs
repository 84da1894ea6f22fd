//! The vocabulary of every function: models, the rules of authentication and authorization, input, and HTTP.
//!
//! Modules depend on those above them only: [`models`] and [`error`], then [`auth`] and [`input`], then
//! [`http`]. Nothing in this crate knows DynamoDB or a tracker.

pub mod auth;
pub mod clock;
mod digest;
mod error;
pub mod fold;
pub mod http;
pub mod input;
pub mod models;
pub mod random;
pub mod visible;

pub use digest::digest;
pub use error::{Error, FieldErrors};
