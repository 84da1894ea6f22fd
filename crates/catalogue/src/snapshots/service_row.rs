//! The rows about all data of the service (docs/data-model.md, "CatalogSnapshot"). They are in the table
//! [`super::catalog_snapshot`], because it is the only one whose rows belong to no user, client or document.

use aws_sdk_dynamodb::operation::get_item::GetItemError;
use aws_sdk_dynamodb::types::AttributeValue;
use dynamo::{CallError, Database, Item, text};

use super::catalog_snapshot::TABLE;
use super::kind_rows::KindRows;

/// A row, by the value of `kind` in its key.
#[derive(Clone, Copy, Debug)]
pub struct ServiceRow(&'static str);

impl ServiceRow {
    /// The version of the data.
    pub const DATA: Self = Self("data");
    /// A text that only the right keys decrypt.
    pub const KEYS: Self = Self("keys");
    /// The marker of a service while a backup is restored into it.
    pub const RESTORE: Self = Self("restore");

    /// Returns true if this is the described row of a table.
    pub fn is(self, table: &str, item: &Item) -> bool {
        let kind = item.get("kind").and_then(|kind| kind.as_s().ok());
        table == TABLE.name && kind.is_some_and(|kind| kind == self.0)
    }

    /// Reads the row, by a strongly consistent read. Returns `None` if there is no row or no table yet.
    pub async fn read(self, database: &Database) -> Result<Option<Item>, CallError> {
        let rows = KindRows::new(database, self.0);
        let request = rows.client.get_item().table_name(&rows.table);
        let request = request.set_key(Some(rows.key(0))).consistent_read(true);
        match request.send().await {
            Ok(found) => Ok(found.item),
            Err(error)
                if error
                    .as_service_error()
                    .is_some_and(GetItemError::is_resource_not_found_exception) =>
            {
                Ok(None)
            }
            Err(error) => Err(CallError::new(error)),
        }
    }

    /// Reads an attribute of the row, a text.
    pub async fn read_text(
        self,
        database: &Database,
        attribute: &str,
    ) -> Result<Option<String>, CallError> {
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
    ) -> Result<(), CallError> {
        let request = KindRows::new(database, self.0).update("SET #attribute = :value");
        let request = request
            .expression_attribute_names("#attribute", attribute)
            .expression_attribute_values(":value", value);
        request.send().await.map(drop).map_err(CallError::new)
    }

    /// Writes the row with this text alone, if it still has the text `old`, or is still missing.
    pub async fn replace_text(
        self,
        database: &Database,
        attribute: &str,
        old: Option<String>,
        new: String,
    ) -> Result<(), CallError> {
        let rows = KindRows::new(database, self.0);
        let request = rows.client.put_item().table_name(&rows.table);
        let request = request
            .set_item(Some(rows.key(0)))
            .item(attribute, text(new))
            .expression_attribute_names("#attribute", attribute);
        let request = match old {
            None => request.condition_expression("attribute_not_exists(#attribute)"),
            Some(old) => request
                .condition_expression("#attribute = :old")
                .expression_attribute_values(":old", text(old)),
        };
        request.send().await.map(drop).map_err(CallError::new)
    }

    /// Deletes the row.
    pub async fn delete(self, database: &Database) -> Result<(), CallError> {
        let rows = KindRows::new(database, self.0);
        let request = rows.client.delete_item().table_name(&rows.table);
        let request = request.set_key(Some(rows.key(0)));
        request.send().await.map(drop).map_err(CallError::new)
    }
}
