//! Rows of the table CatalogSnapshot that are about all data of the service (docs/data-model.md, "CatalogSnapshot").

use aws_sdk_dynamodb::operation::get_item::GetItemError;
use aws_sdk_dynamodb::types::AttributeValue;
use catalogue::tables::CATALOG_SNAPSHOT;
use dynamo::{Database, Item};

use crate::call_error::call_error;

/// A row, by the value of `kind` in its key.
#[derive(Clone, Copy, Debug)]
pub struct ServiceRow(pub &'static str);

impl ServiceRow {
    /// Returns true if this is the described row of a table.
    pub fn is(self, table: &str, item: &Item) -> bool {
        let kind = item.get("kind").and_then(|kind| kind.as_s().ok());
        table == CATALOG_SNAPSHOT.name && kind.is_some_and(|kind| kind == self.0)
    }

    /// Returns the key.
    pub fn key(self) -> Item {
        Item::from([
            ("kind".to_owned(), AttributeValue::S(self.0.to_owned())),
            ("part".to_owned(), AttributeValue::N("0".to_owned())),
        ])
    }

    /// Returns the full name of the table.
    pub fn table(database: &Database) -> String {
        database.tables.of(CATALOG_SNAPSHOT.name)
    }

    /// Reads the row, by a strongly consistent read. Returns `None` if there is no row or no table yet.
    pub async fn read(self, database: &Database) -> anyhow::Result<Option<Item>> {
        let request = database.client.get_item();
        let request = request.table_name(Self::table(database));
        let request = request.set_key(Some(self.key())).consistent_read(true);
        match request.send().await {
            Ok(found) => Ok(found.item),
            Err(error)
                if error
                    .as_service_error()
                    .is_some_and(GetItemError::is_resource_not_found_exception) =>
            {
                Ok(None)
            }
            Err(error) => Err(call_error(error)),
        }
    }

    /// Reads an attribute of the row, a text.
    pub async fn read_text(
        self,
        database: &Database,
        attribute: &str,
    ) -> anyhow::Result<Option<String>> {
        let row = self.read(database).await?;
        let value = row.and_then(|mut row| row.remove(attribute));
        Ok(value.and_then(|value| value.as_s().cloned().ok()))
    }

    /// Sets an attribute of the row, which is created if it is missing.
    pub async fn set(
        self,
        database: &Database,
        attribute: &str,
        value: AttributeValue,
    ) -> anyhow::Result<()> {
        let request = database.client.update_item();
        let request = request
            .table_name(Self::table(database))
            .set_key(Some(self.key()))
            .update_expression("SET #attribute = :value")
            .expression_attribute_names("#attribute", attribute)
            .expression_attribute_values(":value", value);
        request.send().await.map(drop).map_err(call_error)
    }
}
