//! The published season map, and its copy in memory.

use std::sync::Arc;

use dynamo::Database;
use shared::clock::Clock;
use shared::{Error, Result};
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::map::SeasonMap;
use crate::refresh::refresh_store::RefreshStore;
use crate::snapshots::catalog_snapshot::Head;
use crate::snapshots::snapshot_store::{LONGEST_WAIT, SnapshotStore};
use crate::snapshots::value_snapshot::{publish_value, read_value};

/// The kind of the snapshot.
const KIND: &str = "seasons";

/// The number of the layout of the snapshot's bytes. It must be increased with every change of [`SeasonMap`]. A
/// function ignores a snapshot of another layout.
const FORMAT: u64 = 1;

/// The time between two checks for a newer map, in milliseconds: 10 minutes.
pub(crate) const MAX_AGE_MS: u64 = 600_000;

/// The season map in memory.
#[derive(Debug)]
pub(crate) struct LoadedSeasons {
    snapshots: SnapshotStore,
    clock: Clock,
    cached: Mutex<Option<CachedSeasons>>,
}

#[derive(Debug)]
struct CachedSeasons {
    map: Arc<SeasonMap>,
    head: Option<Head>,
    /// The time of the last check for a newer snapshot, in milliseconds since the Unix epoch.
    checked_ms: u64,
}

impl LoadedSeasons {
    /// Creates a map that is not loaded yet.
    pub fn new(database: &Database) -> Self {
        Self {
            snapshots: SnapshotStore::new(database, KIND),
            clock: database.clock.clone(),
            cached: Mutex::new(None),
        }
    }

    /// Returns the map. If the last check for a newer one was [`MAX_AGE_MS`] ago or more, checks again. If none is
    /// published, the map is empty.
    pub async fn map(&self) -> Result<Arc<SeasonMap>> {
        let turn = timeout(LONGEST_WAIT, self.cached.lock()).await;
        let mut cached = turn.map_err(|_| {
            Error::Unavailable("timed out waiting for another request to load the seasons".into())
        })?;
        let now = self.clock.now_ms();
        if let Some(known) = &*cached
            && now.abs_diff(known.checked_ms) < MAX_AGE_MS
        {
            return Ok(Arc::clone(&known.map));
        }
        let head = self.snapshots.head().await?;
        let head = head.filter(|head| head.format == FORMAT);
        let map = match &*cached {
            Some(known) if known.head == head => Arc::clone(&known.map),
            _ => {
                let replaced = "the seasons are being replaced";
                Arc::new(read_value(&self.snapshots, head, replaced).await?)
            }
        };
        *cached = Some(CachedSeasons {
            map: Arc::clone(&map),
            head,
            checked_ms: now,
        });
        Ok(map)
    }
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
