//! Batch reads and writes. The part of a batch that DynamoDB leaves unprocessed is sent again.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{DeleteRequest, KeysAndAttributes, WriteRequest};
use shared::{Error, Result};

use crate::errors::to_error;
use crate::item::{AttributeSelection, Item};
use crate::retry::pause_before;

/// The maximum number of attempts to read a batch. The pauses between them are only 175 ms in all, because requests
/// wait for these reads.
const READ_ATTEMPTS: u32 = 4;

/// The maximum number of attempts to write a batch. The pauses between them are about 3 s in all, because only imports
/// and deletions wait for these writes, and both can take that long.
const WRITE_ATTEMPTS: u32 = 8;

/// Returns the rows with these keys, at most 100 of them, in any order. Keys without a row are left out. `consistent`
/// makes the read strongly consistent, for twice the cost.
pub async fn batch_get(
    client: &Client,
    table: &str,
    keys: Vec<Item>,
    consistent: bool,
) -> Result<Vec<Item>> {
    batch_get_attributes(client, table, keys, consistent, &[]).await
}

/// Does the same as [`batch_get`], but returns only these attributes of the rows; all attributes if the list is
/// empty. Costs as much as [`batch_get`].
pub async fn batch_get_attributes(
    client: &Client,
    table: &str,
    mut keys: Vec<Item>,
    consistent: bool,
    attributes: &[&str],
) -> Result<Vec<Item>> {
    let selection = (!attributes.is_empty()).then(|| AttributeSelection::of(attributes));
    let selected = selection.map(|selection| (selection.expression, selection.names));
    let (expression, names) = selected.unzip();
    let mut items = Vec::with_capacity(keys.len());
    for attempt in 0..READ_ATTEMPTS {
        if keys.is_empty() {
            break;
        }
        back_off(attempt).await;
        let wanted = KeysAndAttributes::builder()
            .set_keys(Some(keys))
            .consistent_read(consistent)
            .set_projection_expression(expression.clone())
            .set_expression_attribute_names(names.clone())
            .build()
            .map_err(Error::internal)?;
        let request = client.batch_get_item().request_items(table, wanted);
        let response = request.send().await.map_err(to_error)?;
        let tables = response.responses.unwrap_or_default();
        items.extend(tables.into_values().flatten());
        let left = response.unprocessed_keys.unwrap_or_default();
        keys = left.into_values().flat_map(|left| left.keys).collect();
    }
    check_complete(keys.is_empty()).map(|()| items)
}

/// Makes these writes, at most 25 of them and each to another row. The writes have no conditions and are not a
/// transaction: after an error, some of them may have been made.
pub async fn batch_write(
    client: &Client,
    table: &str,
    mut writes: Vec<WriteRequest>,
) -> Result<()> {
    for attempt in 0..WRITE_ATTEMPTS {
        if writes.is_empty() {
            break;
        }
        back_off(attempt).await;
        let request = client.batch_write_item().request_items(table, writes);
        let response = request.send().await.map_err(to_error)?;
        let left = response.unprocessed_items.unwrap_or_default();
        writes = left.into_values().flatten().collect();
    }
    check_complete(writes.is_empty())
}

/// Deletes the rows with these keys. As with [`batch_write`], some rows may be deleted after an error.
pub async fn batch_delete(client: &Client, table: &str, keys: Vec<Item>) -> Result<()> {
    for keys in keys.chunks(MAX_BATCH_WRITE) {
        let delete = |key: &Item| {
            let delete = DeleteRequest::builder().set_key(Some(key.clone()));
            let delete = delete.build().map_err(Error::internal)?;
            Ok(WriteRequest::builder().delete_request(delete).build())
        };
        let deletes: Result<Vec<_>> = keys.iter().map(delete).collect();
        batch_write(client, table, deletes?).await?;
    }
    Ok(())
}

/// Waits before a retry, twice as long each time. DynamoDB leaves a part of a batch unprocessed when it throttles, or
/// when the response to a read would be larger than 16 MB (`BatchGetItem` in its API reference). The SDK treats such a
/// response as a success, so it neither waits nor retries.
async fn back_off(attempt: u32) {
    if let Some(pause) = pause_before(attempt) {
        tokio::time::sleep(pause).await;
    }
}

fn check_complete(is_complete: bool) -> Result<()> {
    let undone = || {
        Error::Unavailable("DynamoDB left a part of a batch unprocessed in every attempt".into())
    };
    is_complete.then_some(()).ok_or_else(undone)
}

/// The maximum number of rows that one `BatchGetItem` returns.
pub const MAX_BATCH_READ: usize = 100;

/// The maximum number of rows that one `BatchWriteItem` writes.
pub const MAX_BATCH_WRITE: usize = 25;
