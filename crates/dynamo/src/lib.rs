//! `DynamoDB`: items, conditions, transactions, pages and batches, and the declaration of tables. This crate knows no
//! table. Each table is declared and written by the crate of its domain: `accounts`, `catalogue` or `stories`.
//!
//! Every function that calls `DynamoDB` can fail with these errors. Other errors are listed at the functions.
//!
//! - [`Error::Contended`](shared::Error::Contended): a transaction conflicted with other transactions or was throttled
//!   in every attempt, or the update of one row ([`update_row`]) conflicted in every attempt.
//! - [`Error::Unavailable`](shared::Error::Unavailable): `DynamoDB` does not respond, or throttles the call in any
//!   other way.
//! - [`Error::Internal`](shared::Error::Internal): `DynamoDB` rejects a request as invalid.
//!
//! A strongly consistent read includes every write that has succeeded before it. An eventually consistent read,
//! such as every read of a secondary index, can miss the latest writes.
//!
//! A *row* is a record of a table. Its attributes and values form an [`Item`].

mod batch;
mod database;
mod delete_rows;
mod errors;
mod item;
#[cfg(feature = "packing")]
mod packing;
mod reads;
mod retry;
mod table;
mod transaction;

pub use self::batch::{
    MAX_BATCH_READ, MAX_BATCH_WRITE, batch_delete, batch_get, batch_get_attributes, batch_write,
};
pub use self::database::{Database, TableNames};
pub use self::delete_rows::{DeletionProgress, delete_rows};
pub use self::errors::{CallError, to_error, was_written};
pub use self::item::{
    AttributeSelection, Item, as_number, map, number, read, signed_number, text, write,
};
#[cfg(feature = "packing")]
pub use self::packing::{pack_value, unpack_value};
pub use self::reads::{
    ListPage, MAX_FILTERED_ROWS, get, peek, query, read_all, read_first_page, read_page, row_count,
};
pub use self::retry::pause_before;
pub use self::table::{Attribute, Index, Projection, Table, Type};
pub use self::transaction::{
    ActionName, Condition, Outcome, RefusedActions, RowOutcome, TargetRow, Transaction,
    WriteAttempts, try_update_row, update_row,
};
