//! The row that a service has while a backup is restored into it (docs/data-model.md, "CatalogSnapshot").

use anyhow::{Context, bail};
use aws_sdk_dynamodb::types::AttributeValue;
use dynamo::Database;

use crate::call_error::call_error;
use crate::service_row::ServiceRow;

/// The attribute with the digest of the backup.
const DIGEST: &str = "file_version";

/// The marker is not a row of a backup.
pub(crate) const MARKER: ServiceRow = ServiceRow("restore");

/// Returns the digest of the backup that is being restored, or whose restore was interrupted.
pub async fn read(database: &Database) -> anyhow::Result<Option<String>> {
    MARKER.read_text(database, DIGEST).await
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
    let digest = AttributeValue::S(digest.to_owned());
    let put = MARKER.set(database, DIGEST, digest).await;
    put.context("cannot begin the restore")
}

/// Deletes the marker.
pub async fn delete(database: &Database) -> anyhow::Result<()> {
    let request = database.client.delete_item();
    let request = request.table_name(ServiceRow::table(database));
    let deleted = request.set_key(Some(MARKER.key())).send().await;
    deleted
        .map(drop)
        .map_err(call_error)
        .context("cannot end the restore")
}
