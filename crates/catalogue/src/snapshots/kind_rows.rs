//! The rows of one kind in the table [`super::catalog_snapshot`].

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::types::ReturnValue;
use dynamo::{Database, Item, as_number, get, number, read, to_error, was_written};
use serde::de::DeserializeOwned;
use shared::{Error, Result};

use super::catalog_snapshot::{TABLE, key};

/// The rows of one kind. Part 0 is a head or a state.
#[derive(Clone, Debug)]
pub(crate) struct KindRows {
    pub client: Client,
    pub table: String,
    pub kind: String,
}

impl KindRows {
    pub fn new(database: &Database, kind: impl Into<String>) -> Self {
        Self {
            client: database.client.clone(),
            table: database.tables.of(TABLE.name),
            kind: kind.into(),
        }
    }

    pub fn key(&self, part: u64) -> Item {
        key(&self.kind, part)
    }

    /// Returns part 0, by a strongly consistent read.
    pub async fn get_first(&self) -> Result<Option<Item>> {
        get(&self.client, &self.table, self.key(0)).await
    }

    /// Returns part 0 as a state, by a strongly consistent read.
    pub async fn state<T: DeserializeOwned>(&self) -> Result<Option<T>> {
        self.get_first().await?.map(read).transpose()
    }

    /// Returns an update of part 0.
    pub fn update(&self, expression: impl Into<String>) -> UpdateItemFluentBuilder {
        let request = self.client.update_item().table_name(&self.table);
        request
            .set_key(Some(self.key(0)))
            .update_expression(expression)
    }

    /// Adds 1 to a counter in part 0. Returns the counter's new value, and the row.
    pub async fn count(&self, counter: &str) -> Result<(u64, Item)> {
        let request = self.update(format!("ADD {counter} :one"));
        let request = request.expression_attribute_values(":one", number(1));
        let request = request.return_values(ReturnValue::AllNew);
        let response = request.send().await.map_err(to_error)?;
        let row = response.attributes.unwrap_or_default();
        let count = row.get(counter).and_then(as_number).ok_or_else(|| {
            Error::internal(format!(
                "the update of the counter {counter} returned no number"
            ))
        })?;
        Ok((count, row))
    }

    /// Sets an attribute of part 0 to a higher number. Does nothing if the attribute already has this number or a
    /// higher one, so that a slower run does not set it back.
    pub async fn raise(&self, attribute: &str, to: u64) -> Result<()> {
        let request = self
            .update("SET #attribute = :to")
            .condition_expression("attribute_not_exists(#attribute) OR #attribute < :to")
            .expression_attribute_names("#attribute", attribute)
            .expression_attribute_values(":to", number(to));
        was_written(request.send().await).map(|_| ())
    }
}
