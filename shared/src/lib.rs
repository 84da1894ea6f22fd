//! What every function of Kiroku shares: models, envelope and errors, the catalogue's index,
//! the stores, and the layers around each router.
//!
//! Knowledge flows one way: an HTTP handler (in `functions/`) asks the [`catalogue`], which asks
//! the [`index`] and the [`store`]. A handler never sees an `AttributeValue`, a store never sees a
//! status code.

pub mod accounts;
pub mod auth;
pub mod aws;
pub mod body;
pub mod catalogue;
pub mod catalogue_import;
pub mod clock;
pub mod cursor;
pub mod endpoint;
pub mod envelope;
pub mod error;
pub mod event;
pub mod fold;
pub mod genres;
pub mod html;
pub mod http;
pub mod index;
pub mod lambda;
pub mod linking;
pub mod mail;
pub mod models;
pub mod oauth;
pub mod observability;
pub mod openapi;
pub mod page;
pub mod query;
pub mod random;
pub mod routing;
pub mod store;
pub mod sync;
pub mod trackers;
pub mod visible;
