//! Calls that several stores of this crate make, and the time limit of a deletion.

use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue;
use dynamo::{Item, to_error};
use serde::de::DeserializeOwned;
use shared::{Error, Result};
use tokio::time::timeout;

/// When a user or an OAuth client is deleted, the request deletes at most this many pages of 25 rows. The function
/// `account_sweep` deletes the rest.
pub(crate) const MAX_PAGES_AT_ONCE: usize = 20;

/// The maximum time that a request spends on deleting these rows.
const MAX_CLEARING_TIME: Duration = Duration::from_secs(3);

/// Deletes rows of a user or an OAuth client for at most 3 s. `rows` names them in the log. The function
/// `account_sweep` deletes the rows that are left, so an error is only logged.
pub(crate) async fn clear_within_request<T>(rows: &str, clearing: impl Future<Output = Result<T>>) {
    if let Ok(Err(error)) = timeout(MAX_CLEARING_TIME, clearing).await {
        tracing::warn!(%error, "{rows} are left to the sweep");
    }
}

/// Returns a query for the rows of a table, or of an index of it, whose partition key `name` has this value.
pub(crate) fn query_by(
    client: &Client,
    table: &str,
    name: &str,
    value: AttributeValue,
) -> QueryFluentBuilder {
    let query = client.query().table_name(table);
    query
        .key_condition_expression(format!("{name} = :{name}"))
        .expression_attribute_values(format!(":{name}"), value)
}

/// Writes a row. It replaces the row with the same key.
pub(crate) async fn put_row(client: &Client, table: &str, row: Item) -> Result<()> {
    let request = client.put_item().table_name(table).set_item(Some(row));
    request.send().await.map(drop).map_err(to_error)
}

/// Deletes the row with this key, if there is one.
pub(crate) async fn delete_row(client: &Client, table: &str, key: Item) -> Result<()> {
    let request = client.delete_item().table_name(table).set_key(Some(key));
    request.send().await.map(drop).map_err(to_error)
}

/// Reads one attribute of a row.
pub(crate) fn read_attribute<T: DeserializeOwned>(mut row: Item, name: &str) -> Result<T> {
    let value = row.remove(name).unwrap_or(AttributeValue::Null(true));
    serde_dynamo::from_attribute_value(value).map_err(Error::internal)
}
