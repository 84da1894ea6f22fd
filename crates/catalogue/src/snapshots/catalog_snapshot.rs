//! The table CatalogSnapshot: published snapshots of the indexes in memory, and the state of the refresh
//! (docs/data-model.md, "CatalogSnapshot").
//!
//! | `kind` | rows | written by |
//! |---|---|---|
//! | `anime`, `song` | part 0 is the head, the others are parts of snapshots | `SnapshotStore` |
//! | `mapping` | the same, for the identifiers in the mapping file | `SnapshotStore` |
//! | `seasons` | the same, for the season map | `SnapshotStore` |
//! | `relations` | the same, for the relations of the anime-offline-database | `SnapshotStore` |
//! | `community` | the same, for the counts of users and scores | `SnapshotStore` |
//! | `refresh#anime`, `refresh#song` | part 0 is the state of the refresh | `RefreshStore` |
//! | `refresh#relations` | part 0 is the state of the derived sequels and prequels | `RefreshStore` |
//! | `refresh` | part 0 is the summary of the last refresh | `RefreshSummaryStore` |
//! | `source#` and the name of a source | part 0 is the state of the source | `SourceStore` |
//! | `data` | part 0 has the number of `migrations` that have been applied to the data, and a digest of its `tables` | `ServiceRow` |
//! | `keys` | part 0 has a text that only the right keys decrypt, in `sealed` | `ServiceRow` |
//! | `restore` | part 0 has the digest of a backup in `file_version` while it is restored | `ServiceRow` |

use std::collections::BTreeSet;

use dynamo::{Item, Table, Type, number, text};
use serde::{Deserialize, Serialize};
use shared::models::AnimeId;

/// The table.
pub const TABLE: Table = Table {
    name: "CatalogSnapshot",
    key: &["kind", "part"],
    indexes: &[],
    expires_at: None,
    attributes: &[
        ("kind", Type::S),
        ("part", Type::N),
        // Only in parts of snapshots. Written by SnapshotStore::publish.
        ("data", Type::B),
        // In the head. Written by SnapshotStore::publish.
        ("version", Type::N),
        ("parts", Type::N),
        ("text_parts", Type::N),
        ("title_parts", Type::N),
        ("format", Type::N),
        ("rows", Type::N),
        // Written by SnapshotStore::draw_version.
        ("last_drawn", Type::N),
        // CorrectionDesk::correct adds marks, and SnapshotStore::publish removes them.
        ("unpublished", Type::Ss),
        // In the state of the refresh. Written by RefreshStore::move_watermark; in the state of a source, by
        // SourceStore::move_watermark.
        ("watermark", Type::N),
        // Written by RefreshStore::announce.
        ("announced", Type::N),
        // Written by RefreshStore::set_published.
        ("published", Type::N),
        // Written by RefreshStore::add_pending and remove_pending.
        ("pending", Type::Ns),
        // In the state of a source. The next three attributes are written by SourceStore::claim_run. A complete
        // read and a moved watermark remove `failing_since`.
        ("first_asked_at", Type::N),
        ("asked_at", Type::N),
        ("failing_since", Type::N),
        // In the summary of the last refresh. Written by RefreshSummaryStore::put.
        ("began_at", Type::N),
        ("ended_at", Type::N),
        ("error", Type::S),
        ("sources", Type::L),
        // The next six attributes are written by SourceStore::record_read.
        ("read_at", Type::N),
        ("downloaded_at", Type::N),
        ("file_version", Type::S),
        ("entries", Type::N),
        ("file_digest", Type::S),
        // Also written by SourceStore::record_data.
        ("data_at", Type::N),
        // In the rows about all data. Written by ServiceRow.
        ("migrations", Type::N),
        ("tables", Type::S),
        ("sealed", Type::S),
    ],
};

/// The sources that are files, by the names of their states ([`SourceState`]).
pub const FILE_SOURCES: [&str; 4] = [
    "offline_database",
    "anidb_titles",
    "anime_mapping",
    "anime_seasons",
];

/// The age of the data of a file after which the operator is warned, in seconds: 30 days. The files are published every
/// week or more often, so the publisher has stopped or the file is no longer read.
pub const MAX_DATA_AGE_S: u64 = 30 * 24 * 60 * 60;

/// The head: it describes the published snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The version. A later snapshot has a higher one.
    pub version: u64,
    /// The number of parts of the index.
    pub parts: u64,
    /// The number of parts with the texts for searches, which come after the parts of the index. The attribute is
    /// absent if an earlier version of the service has published the snapshot.
    #[serde(default)]
    pub text_parts: u64,
    /// The number of parts with the titles for exports, which come last. The attribute is absent if an earlier version
    /// of the service has published the snapshot.
    #[serde(default)]
    pub title_parts: u64,
    /// The number of the layout of the bytes. A function reads only the layout that it knows.
    pub format: u64,
    /// The number of rows in the index; `None` if an earlier version of the service has published the snapshot.
    pub rows: Option<u64>,
}

/// The state of the refresh for one kind of document, or of the derived sequels and prequels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct RefreshState {
    /// The watermark, in seconds since the Unix epoch by the source's clock: all changes that the source made before
    /// this time are in the catalogue. `None` before the first refresh has finished.
    pub watermark: Option<u64>,
    /// The number of batches of writes that refreshes have announced.
    pub announced: u64,
    /// The number of the last announced batch whose writes are in the published snapshot.
    pub published: u64,
    /// The anime whose songs the refresh still has to request. Used in `refresh#song` only.
    pub pending: BTreeSet<AnimeId>,
}

/// The state of a source of the refresh. Times are in seconds since the Unix epoch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct SourceState {
    /// Time of the first request.
    pub first_asked_at: Option<u64>,
    /// Time of the last run that was allowed to make requests.
    pub asked_at: Option<u64>,
    /// Start of the first run since the last success; `None` if no run has started since then. A run succeeds when it
    /// reads the source completely or moves the watermark.
    pub failing_since: Option<u64>,
    /// Start of the last run that read the source completely, or found that it has not changed.
    pub read_at: Option<u64>,
    /// Start of the last run that downloaded and read the whole file. Files only.
    pub downloaded_at: Option<u64>,
    /// The version of the file that was downloaded at `downloaded_at`, in a format that the caller chooses. Files only.
    pub file_version: Option<String>,
    /// The number of entries in the file that was downloaded at `downloaded_at`. Files only.
    pub entries: Option<u64>,
    /// The SHA-256 digest of that file.
    pub file_digest: Option<String>,
    /// The time of the data in that file, as the file, its server or the file system states it; otherwise the time at
    /// which this content was first read. Files only.
    pub data_at: Option<u64>,
    /// The watermark: all changes that the source made before this time, by its own clock, are in the catalogue.
    pub watermark: Option<u64>,
}

/// The summary of a refresh. Times are in seconds since the Unix epoch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefreshSummary {
    /// Time of the start.
    pub began_at: u64,
    /// Time of the end.
    pub ended_at: u64,
    /// The reason why the refresh ended early; `None` if it has asked all sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The sources that are configured, in the order in which they were read.
    pub sources: Vec<SourceSummary>,
}

/// The result of a refresh at a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceSummary {
    /// The name, as people know it.
    pub name: String,
    /// The outcome.
    pub outcome: ReadOutcome,
    /// The reason of a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The time up to which the catalogue has the changes of the source, in seconds since the Unix epoch.
    pub current_at: u64,
    /// The number of entries that were added.
    pub added: u64,
    /// The number of entries that were changed.
    pub changed: u64,
    /// The number of entries that were skipped.
    pub skipped: u64,
}

/// The outcome of reading a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadOutcome {
    /// The source was read completely.
    Read,
    /// The source has not changed.
    Unchanged,
    /// The source was not asked, because too little time has passed since the last request.
    NotDue,
    /// The source was not read completely.
    Failed,
}

impl SourceState {
    /// Returns the time since which changes at the source may be missing in the catalogue: the time of its last
    /// complete read, or else of its first request. `None` before the first request.
    pub fn stale_since(&self) -> Option<u64> {
        self.read_at.or(self.first_asked_at)
    }
}

impl RefreshState {
    /// Returns true if the published snapshot may lack writes of a refresh.
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
