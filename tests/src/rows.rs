//! Rows of the tables, which tests read and write without the functions.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::Value;

use crate::service::Service;

/// A row, by attribute.
pub type Row = HashMap<String, AttributeValue>;

/// Returns a row with the fields of a JSON object.
pub fn row(fields: Value) -> Row {
    serde_dynamo::to_item(fields).unwrap()
}

impl Service {
    /// Returns the rows of a table.
    pub async fn rows(&self, table: &str) -> Vec<Row> {
        let scan = self.client.scan().table_name(self.tables.of(table));
        let rows = scan.consistent_read(true).into_paginator().items().send();
        rows.collect::<Result<_, _>>().await.unwrap()
    }

    /// Returns the row with this key, if there is one.
    pub async fn row(&self, table: &str, key: Value) -> Option<Row> {
        let get = self.client.get_item().table_name(self.tables.of(table));
        let get = get.set_key(Some(row(key))).consistent_read(true);
        get.send().await.unwrap().item
    }

    /// Writes a row.
    pub async fn put_row(&self, table: &str, row: Row) {
        let put = self.client.put_item().table_name(self.tables.of(table));
        put.set_item(Some(row)).send().await.unwrap();
    }

    /// Changes the attributes of a row. Null removes an attribute.
    pub async fn change_row(&self, table: &str, key: Value, values: Row) {
        let stored = self.row(table, key.clone()).await;
        let mut changed = stored.unwrap_or_else(|| row(key));
        changed.extend(values);
        changed.retain(|_, value| !value.is_null());
        self.put_row(table, changed).await;
    }

    /// Deletes a row.
    pub async fn delete_row(&self, table: &str, key: Value) {
        let delete = self.client.delete_item();
        let delete = delete.table_name(self.tables.of(table));
        delete.set_key(Some(row(key))).send().await.unwrap();
    }
}
