//! The bytes of snapshots: postcard, compressed with zstd (docs/data-model.md, "Snapshots").

use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::Error;

use crate::snapshots::catalog_snapshot::Head;
use crate::snapshots::snapshot_store::{NewVersion, Snapshot, SnapshotSection, SnapshotStore};

/// The zstd level of snapshots. A high level makes them smaller. It takes more time to compress, but a snapshot is
/// compressed only once, and read at every cold start.
const ZSTD_LEVEL: i32 = 12;

/// The maximum size of a decompressed snapshot, in bytes: 1 GiB. It limits the memory that damaged data can take.
const MAX_SNAPSHOT_BYTES: usize = 1 << 30;

/// Serializes and compresses a section of a snapshot.
///
/// # Errors
/// [`Error::Internal`] if the value cannot be serialized.
pub fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>, Error> {
    let bytes = postcard::to_stdvec(value).map_err(Error::internal)?;
    zstd::bulk::compress(&bytes, ZSTD_LEVEL).map_err(Error::internal)
}

/// Reads what [`encode`] has serialized. Returns `None` if the bytes are damaged or decompress to more than 1 GiB.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let size =
        zstd::bulk::Decompressor::upper_bound(bytes).filter(|size| *size <= MAX_SNAPSHOT_BYTES)?;
    let unpacked = zstd::bulk::decompress(bytes, size).ok()?;
    postcard::from_bytes(&unpacked).ok()
}

/// Returns the value that [`publish_value`] has published; the default value without a head.
///
/// # Errors
/// [`Error::Unavailable`] with the message `replaced` if another value is being published.
pub(crate) async fn read_value<T: DeserializeOwned + Default>(
    snapshots: &SnapshotStore,
    head: Option<Head>,
    replaced: &str,
) -> Result<T, Error> {
    if head.is_none() {
        return Ok(T::default());
    }
    let value = snapshots.read(head, SnapshotSection::Index, decode).await?;
    value.ok_or_else(|| Error::Unavailable(replaced.into()))
}

/// Publishes a value with this number of rows as a snapshot, in place of an earlier one.
pub(crate) async fn publish_value<T: Serialize>(
    snapshots: &SnapshotStore,
    format: u64,
    rows: usize,
    value: &T,
) -> Result<(), Error> {
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
) -> Result<bool, Error> {
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
) -> Result<bool, Error> {
    let snapshot = Snapshot {
        format,
        rows,
        index: &encode(value)?,
        texts: &[],
        titles: &[],
    };
    snapshots.publish(new_version, snapshot).await
}
