//! The table `WaitingList`: the entries of imports that wait for their anime, because the anime is not in the
//! catalogue yet or has fewer episodes there. It has one row for each user with such entries.
//! `WaitingStore::edit` writes the whole row or deletes it; `WaitingStore::delete` and `crate::deletion` delete
//! it.

use dynamo::{Item, Table, Type, number};
use serde::{Deserialize, Serialize};
use shared::models::UserId;

/// The table.
pub const TABLE: Table = Table {
    name: "WaitingList",
    key: &["user_id"],
    indexes: &[],
    expires_at: Some("expires_at"),
    attributes: &[
        ("user_id", Type::N),
        // Each write sets another random text.
        ("version", Type::S),
        ("expires_at", Type::N),
        ("entry_count", Type::N),
        ("contents", Type::B),
    ],
};

/// The waiting entries of a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingList {
    /// The user.
    pub user_id: UserId,
    /// The version. No two versions of a row are equal, even if the row was deleted in between.
    pub(crate) version: String,
    /// The time at which the last of the entries expires, in seconds since the Unix epoch. DynamoDB can delete the row
    /// days later.
    pub expires_at: u64,
    /// The number of entries.
    pub entry_count: u64,
    /// The entries. `waiting_entries.rs` chooses the encoding.
    #[serde(skip)]
    pub contents: Vec<u8>,
}

/// Returns the key of a row.
pub(crate) fn key(user: UserId) -> Item {
    Item::from([("user_id".to_owned(), number(user.get()))])
}
