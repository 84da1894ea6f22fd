//! Batch reads and writes, which are repeated until DynamoDB has processed every item.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{KeysAndAttributes, WriteRequest};
use shared::Error;

use crate::errors::failed;
use crate::item::Item;
use crate::retry::pause_before;

/// The number of times that a read is sent while DynamoDB leaves keys unprocessed. A caller waits for it: the
/// pauses between the attempts are 175 ms in all.
const READ_ATTEMPTS: u32 = 4;

/// The number of times that a write is sent while DynamoDB leaves items unprocessed. Imports and deletions
/// wait for it, which can afford more time: the pauses between the attempts are about 3 s in all.
const WRITE_ATTEMPTS: u32 = 8;

/// Returns the items with these keys, at most 100, in no order. Keys without an item are left out.
pub async fn batch_get(
    client: &Client,
    table: &str,
    mut keys: Vec<Item>,
    consistent: bool,
) -> Result<Vec<Item>, Error> {
    let mut items = Vec::with_capacity(keys.len());
    for attempt in 0..READ_ATTEMPTS {
        if keys.is_empty() {
            break;
        }
        back_off(attempt).await;
        let wanted = KeysAndAttributes::builder()
            .set_keys(Some(keys))
            .consistent_read(consistent)
            .build()
            .map_err(Error::internal)?;
        let request = client.batch_get_item().request_items(table, wanted);
        let answer = request.send().await.map_err(failed)?;
        let tables = answer.responses.unwrap_or_default();
        items.extend(tables.into_values().flatten());
        let left = answer.unprocessed_keys.unwrap_or_default();
        keys = left.into_values().flat_map(|left| left.keys).collect();
    }
    all_done(keys.is_empty()).map(|()| items)
}

/// Makes these writes, at most 25 of them.
pub async fn batch_write(
    client: &Client,
    table: &str,
    mut writes: Vec<WriteRequest>,
) -> Result<(), Error> {
    for attempt in 0..WRITE_ATTEMPTS {
        if writes.is_empty() {
            break;
        }
        back_off(attempt).await;
        let request = client.batch_write_item().request_items(table, writes);
        let answer = request.send().await.map_err(failed)?;
        let left = answer.unprocessed_items.unwrap_or_default();
        writes = left.into_values().flatten().collect();
    }
    all_done(writes.is_empty())
}

/// Waits before a retry, longer each time. DynamoDB leaves keys unprocessed when it throttles or when the
/// response would be too large (`BatchGetItem` in its API reference). The SDK treats such a response as a
/// success, so it does not wait itself.
async fn back_off(attempt: u32) {
    if let Some(pause) = pause_before(attempt) {
        tokio::time::sleep(pause).await;
    }
}

fn all_done(done: bool) -> Result<(), Error> {
    let undone = || {
        Error::Unavailable("DynamoDB left a part of a batch unprocessed in every attempt".into())
    };
    done.then_some(()).ok_or_else(undone)
}
