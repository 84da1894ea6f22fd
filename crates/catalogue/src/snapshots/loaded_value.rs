//! The copy in memory of a published value, such as the season map.

use std::sync::Arc;

use dynamo::Database;
use serde::de::DeserializeOwned;
use shared::clock::Clock;
use shared::{Error, Result};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::snapshots::catalog_snapshot::Head;
use crate::snapshots::snapshot_store::{LONGEST_WAIT, SnapshotStore};
use crate::snapshots::value_snapshot::read_value;

/// The time between two checks for a newer value, in milliseconds: 10 minutes.
pub(crate) const MAX_AGE_MS: u64 = 600_000;

/// A published value in memory.
#[derive(Debug)]
pub(crate) struct LoadedValue<T> {
    snapshots: SnapshotStore,
    kind: &'static str,
    format: u64,
    clock: Clock,
    cached: Mutex<Option<CachedValue<T>>>,
}

#[derive(Debug)]
struct CachedValue<T> {
    value: Arc<T>,
    head: Option<Head>,
    /// The time of the last check for a newer snapshot, in milliseconds since the Unix epoch.
    checked_ms: u64,
}

impl<T: DeserializeOwned + Default> LoadedValue<T> {
    /// Creates a value that is not loaded yet. Snapshots of this kind are read only if they have this format.
    pub fn new(database: &Database, kind: &'static str, format: u64) -> Self {
        Self {
            snapshots: SnapshotStore::new(database, kind),
            kind,
            format,
            clock: database.clock.clone(),
            cached: Mutex::new(None),
        }
    }

    /// Returns the value. If the last check for a newer one was [`MAX_AGE_MS`] ago or more, checks again. Returns the
    /// default value if none is published.
    pub async fn get(&self) -> Result<Arc<T>> {
        let turn = timeout(LONGEST_WAIT, self.cached.lock()).await;
        let mut cached = turn.map_err(|_| {
            let kind = self.kind;
            Error::Unavailable(format!(
                "timed out waiting for another request to load the {kind}"
            ))
        })?;
        let now = self.clock.now_ms();
        if let Some(known) = &*cached
            && now.abs_diff(known.checked_ms) < MAX_AGE_MS
        {
            return Ok(Arc::clone(&known.value));
        }
        let head = self.snapshots.head().await?;
        let head = head.filter(|head| head.format == self.format);
        let value = match &*cached {
            Some(known) if known.head == head => Arc::clone(&known.value),
            _ => {
                let replaced = format!("the {} are being replaced", self.kind);
                Arc::new(read_value(&self.snapshots, head, &replaced).await?)
            }
        };
        *cached = Some(CachedValue {
            value: Arc::clone(&value),
            head,
            checked_ms: now,
        });
        Ok(value)
    }
}
