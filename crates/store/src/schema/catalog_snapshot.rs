//! The table CatalogSnapshot: published snapshots of the indexes, and the state of the refresh.
//!
//! The rows of a catalogue have the `kind` `anime` or `song`: part 0 is the head, the others are parts of
//! snapshots. Both are written by `snapshot.rs`. The rows of kind `refresh#anime` and `refresh#song` are
//! written by `refresh.rs`.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use shared::models::AnimeId;

use super::table::{Table, Type};
use crate::item::{Item, number, text};

/// The table.
pub const TABLE: Table = Table {
    name: "CatalogSnapshot",
    key: &["kind", "part"],
    indexes: &[],
    expires_at: None,
    attributes: &[
        ("kind", Type::S),
        ("part", Type::N),
        // In parts of snapshots.
        ("data", Type::B),
        // In the head.
        ("version", Type::N),
        ("parts", Type::N),
        ("format", Type::N),
        ("rows", Type::N),
        ("last_drawn", Type::N),
        // In the state of the refresh.
        ("watermark", Type::N),
        ("announced", Type::N),
        ("published", Type::N),
        ("pending", Type::Ns),
    ],
};

/// The description of the published snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The version. A later snapshot has a higher one.
    pub version: u64,
    /// The number of parts.
    pub parts: u64,
    /// The layout of the bytes.
    pub format: u64,
    /// The number of rows in the index. Absent from snapshots of earlier versions.
    pub rows: Option<u64>,
}

/// The state of a catalogue's refresh.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct RefreshState {
    /// Changes at the source before this time are in the tables: seconds since the Unix epoch, by the
    /// source's clock. `None` before the first refresh has finished.
    pub watermark: Option<u64>,
    /// The number of announced batches of writes.
    pub announced: u64,
    /// The last announcement whose writes are in the snapshot.
    pub published: u64,
    /// The anime that the refresh still has to ask about.
    pub pending: BTreeSet<AnimeId>,
}

impl RefreshState {
    /// Returns true if the snapshot may be older than the tables.
    #[must_use]
    pub fn must_publish(&self) -> bool {
        self.published < self.announced
    }
}

/// Returns the key of a row.
pub(crate) fn key(kind: &str, part: u64) -> Item {
    Item::from([
        ("kind".to_owned(), text(kind)),
        ("part".to_owned(), number(part)),
    ])
}
