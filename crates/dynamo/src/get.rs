//! Strongly consistent reads of single rows.

use aws_sdk_dynamodb::Client;
use shared::Error;

use crate::errors::to_error;
use crate::item::Item;

/// Returns the row with this key, by a strongly consistent read. Costs one read unit for every 4 KB.
pub async fn get(client: &Client, table: &str, key: Item) -> Result<Option<Item>, Error> {
    let request = client.get_item().table_name(table).set_key(Some(key));
    let answer = request
        .consistent_read(true)
        .send()
        .await
        .map_err(to_error)?;
    Ok(answer.item)
}
