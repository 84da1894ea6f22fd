//! The number of rows of a table.

use aws_sdk_dynamodb::Client;
use shared::Error;

use crate::errors::to_error;

/// Returns the number of rows of a table, as `DynamoDB` has counted them in the last six hours. Costs no request units.
pub async fn row_count(client: &Client, table: &str) -> Result<u64, Error> {
    let answer = client.describe_table().table_name(table).send().await;
    let table = answer.map_err(to_error)?.table;
    let count = table.and_then(|table| table.item_count).unwrap_or_default();
    Ok(u64::try_from(count).unwrap_or_default())
}
