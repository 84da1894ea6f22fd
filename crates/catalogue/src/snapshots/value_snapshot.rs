//! Snapshots of single values, such as the season map (docs/data-model.md, "Snapshots").

use dynamo::{pack_value, unpack_value};
use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::{Error, Result};

use crate::snapshots::catalog_snapshot::Head;
use crate::snapshots::snapshot_store::{NewVersion, Snapshot, SnapshotSection, SnapshotStore};

/// Returns the value that [`publish_value`] has published; the default value without a head.
///
/// # Errors
/// [`Error::Unavailable`] with the message `replaced` if another value is being published.
pub(crate) async fn read_value<T: DeserializeOwned + Default>(
    snapshots: &SnapshotStore,
    head: Option<Head>,
    replaced: &str,
) -> Result<T> {
    if head.is_none() {
        return Ok(T::default());
    }
    let value = snapshots
        .read(head, SnapshotSection::Index, unpack_value)
        .await?;
    value.ok_or_else(|| Error::Unavailable(replaced.into()))
}

/// Publishes a value with this number of rows as a snapshot, in place of an earlier one.
pub(crate) async fn publish_value<T: Serialize>(
    snapshots: &SnapshotStore,
    format: u64,
    rows: usize,
    value: &T,
) -> Result<()> {
    let new_version = snapshots.draw_version().await?;
    publish_as(snapshots, new_version, format, rows, value).await?;
    Ok(())
}

/// Publishes a value that was made from the value with this head, and replaces that value. Returns false if another
/// value has been published since the head was read.
pub(crate) async fn replace_value<T: Serialize>(
    snapshots: &SnapshotStore,
    head: Option<Head>,
    format: u64,
    rows: usize,
    value: &T,
) -> Result<bool> {
    let mut new_version = snapshots.draw_version().await?;
    new_version.replace_only(head);
    publish_as(snapshots, new_version, format, rows, value).await
}

async fn publish_as<T: Serialize>(
    snapshots: &SnapshotStore,
    new_version: NewVersion,
    format: u64,
    rows: usize,
    value: &T,
) -> Result<bool> {
    let snapshot = Snapshot {
        format,
        rows,
        index: &pack_value(value)?,
        texts: &[],
        titles: &[],
    };
    snapshots.publish(new_version, snapshot).await
}
