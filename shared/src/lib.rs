//! The types and rules that every Lambda function shares: models, authentication, authorization, input and HTTP.
//!
//! The modules form three layers. The first has [`models`], [`Error`] and small modules such as [`clock`]; the second
//! has [`auth`] and [`input`]; the third has [`http`]. A module uses only modules of its own layer and of the layers
//! before it. This crate does not call DynamoDB or the trackers' APIs.

pub mod auth;
pub mod clock;
mod digest;
mod error;
pub mod fold;
mod grouped;
#[cfg(feature = "http")]
pub mod http;
pub mod input;
pub mod log_text;
pub mod models;
pub mod random;
pub mod times;
pub mod user_slots;
pub mod visible;

pub use digest::{digest, hex};
pub use error::{Error, FieldErrors, Missing, Result};
pub use grouped::grouped;
