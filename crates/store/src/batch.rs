//! Batches, sent again for what DynamoDB leaves undone.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{KeysAndAttributes, WriteRequest};
use shared::Error;

use crate::errors::failed;
use crate::item::Item;
use crate::retry::pause_before;

/// How often a read is sent for what DynamoDB left undone. A caller waits for it: with the pauses
/// between, 175 ms in all.
const READ_ATTEMPTS: u32 = 4;

/// How often a write is sent for what DynamoDB left undone. Imports wait for it, and deletions, which
/// have a limit of their own: with the pauses between, 3 s in all.
const WRITE_ATTEMPTS: u32 = 8;

/// The items with these keys, at most 100, in no order. Those that are not there are left out.
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

/// Makes these writes, at most 25.
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

/// Waits before another attempt, longer each time: what a batch leaves undone was throttled, or
/// more than one answer holds (`BatchGetItem` in DynamoDB's API reference). The SDK takes that for
/// a success and does not wait.
async fn back_off(attempt: u32) {
    if let Some(pause) = pause_before(attempt) {
        tokio::time::sleep(pause).await;
    }
}

fn all_done(done: bool) -> Result<(), Error> {
    let undone = || Error::Unavailable("a batch that stays undone".into());
    done.then_some(()).ok_or_else(undone)
}
