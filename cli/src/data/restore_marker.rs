//! The row that a service has while a backup is restored into it (docs/data-model.md, "CatalogSnapshot").

use anyhow::{Context, bail};
use catalogue::snapshots::ServiceRow;
use dynamo::{Database, text};

/// The attribute with the digest of the backup.
const DIGEST: &str = "file_version";

/// Returns the digest of the backup that is being restored, or whose restore was interrupted.
pub async fn read(database: &Database) -> anyhow::Result<Option<String>> {
    Ok(ServiceRow::RESTORE.read_text(database, DIGEST).await?)
}

/// Checks that no restore into this service was interrupted: its users and keys may be missing.
pub async fn check_absent(database: &Database) -> anyhow::Result<()> {
    match read(database).await? {
        None => Ok(()),
        Some(_) => bail!(
            "a restore into this service was interrupted: run `kiroku restore` with the same file again"
        ),
    }
}

/// Writes the marker.
pub async fn put(database: &Database, digest: &str) -> anyhow::Result<()> {
    let write = ServiceRow::RESTORE.set(database, DIGEST, text(digest));
    write.await.context("cannot begin the restore")
}

/// Deletes the marker.
pub async fn delete(database: &Database) -> anyhow::Result<()> {
    let deleted = ServiceRow::RESTORE.delete(database).await;
    deleted.context("cannot end the restore")
}
