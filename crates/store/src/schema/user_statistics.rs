//! The table `UserStatistics`: the statistics of users' stories as they were last computed, one row for each user
//! whose statistics were requested. `StatisticsStore::put` writes the whole row; `deletion.rs` deletes the row of a
//! deleted user.
//!
//! Statistics are not in the user's row, because every write of a story pays for the size of that row.

use serde::{Deserialize, Serialize};
use shared::models::UserId;

use super::table::{Table, Type};
use crate::item::{Item, number};

/// The table.
pub const TABLE: Table = Table {
    name: "UserStatistics",
    key: &["user_id"],
    indexes: &[],
    expires_at: None,
    attributes: &[
        ("user_id", Type::N),
        ("computed_at", Type::N),
        ("change_number", Type::N),
        ("catalogue_version", Type::N),
        ("story_count", Type::N),
        ("contents", Type::B),
    ],
};

/// The statistics of a user, and the versions of the data from which they were computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredStatistics {
    /// The user.
    pub user_id: UserId,
    /// The time of the computation, in milliseconds since the Unix epoch.
    pub computed_at: u64,
    /// The number of the last change of the user's stories. It was read before the stories, so the statistics contain
    /// at least the changes up to this one.
    pub change_number: u64,
    /// The version of the catalogue's snapshot; `None` if there was no snapshot.
    #[serde(default)]
    pub catalogue_version: Option<u64>,
    /// The number of the user's stories.
    pub story_count: u64,
    /// The statistics. The function that computes them chooses the encoding.
    // `StatisticsStore` reads and writes it as binary.
    #[serde(skip)]
    pub contents: Vec<u8>,
}

/// Returns the key of a row.
pub(crate) fn key(user: UserId) -> Item {
    Item::from([("user_id".to_owned(), number(user.get()))])
}
