//! Calls that several stores of this crate make.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue;
use dynamo::{Item, to_error};
use serde::de::DeserializeOwned;
use shared::{Error, Result};

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
