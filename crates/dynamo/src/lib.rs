//! `DynamoDB`: items, conditions, transactions, pages and batches, and the declaration of tables. This crate knows no
//! table. Each table is declared and written by the crate of its domain: `accounts`, `catalogue` or `stories`.
//!
//! Every function that calls `DynamoDB` can fail with these errors. Other errors are listed at the functions.
//!
//! - [`Error::Contended`](shared::Error::Contended): a transaction conflicted with other transactions or was throttled
//!   in every attempt, or the update of one row ([`transaction::update_row`]) conflicted in every attempt.
//! - [`Error::Unavailable`](shared::Error::Unavailable): `DynamoDB` does not respond, or throttles the call in any
//!   other way.
//! - [`Error::Internal`](shared::Error::Internal): `DynamoDB` rejects a request as invalid.
//!
//! A strongly consistent read includes every write that has succeeded before it. An eventually consistent read,
//! such as every read of a secondary index, can miss the latest writes.
//!
//! A *row* is a record of a table. Its attributes and values form an [`Item`](item::Item).

pub mod batch;
pub mod database;
pub mod delete_rows;
pub mod errors;
pub mod get;
pub mod item;
pub mod listing;
pub mod retry;
pub mod row_count;
pub mod table;
pub mod table_names;
pub mod transaction;
