//! The published season map, and its copy in memory.

use dynamo::Database;
use shared::Result;

use super::map::SeasonMap;
use crate::refresh::refresh_store::RefreshStore;
use crate::snapshots::loaded_value::LoadedValue;
use crate::snapshots::snapshot_store::SnapshotStore;
use crate::snapshots::value_snapshot::publish_value;

/// The kind of the snapshot.
const KIND: &str = "seasons";

/// The number of the layout of the snapshot's bytes. It must be increased with every change of [`SeasonMap`]. A
/// function ignores a snapshot of another layout.
const FORMAT: u64 = 1;

/// The season map in memory. It is empty if none is published.
pub(crate) type LoadedSeasons = LoadedValue<SeasonMap>;

/// Returns a season map that is not loaded yet.
pub(crate) fn unloaded_seasons(database: &Database) -> LoadedSeasons {
    LoadedValue::new(database, KIND, FORMAT)
}

/// Publishes a season map for all functions. It replaces the map that was published before. After that,
/// [`crate::story_lines::derive_story_lines`] is due.
///
/// # Errors
/// As [`SnapshotStore::publish`].
pub async fn publish_seasons(database: &Database, map: &SeasonMap) -> Result<()> {
    let snapshots = SnapshotStore::new(database, KIND);
    publish_value(&snapshots, FORMAT, map.len(), map).await?;
    RefreshStore::of_derivation(database).announce().await?;
    Ok(())
}
