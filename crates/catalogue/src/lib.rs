//! The catalogue: lists and random picks from an index in memory, documents from DynamoDB, and the merging of
//! imported facts.
//!
//! An import or refresh ([`import`]) writes rows, then publishes a snapshot of the index. A function loads
//! the snapshot at its first request and checks for a newer one every 10 seconds ([`Catalogue::index`]).

mod catalogue;
pub mod genres;
pub mod import;
pub mod index;

pub use catalogue::{Catalogue, FRESH_MS, Page, Resource, SharedCatalogue, decode, encode};
