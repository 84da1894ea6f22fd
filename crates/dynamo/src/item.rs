//! Conversions between DynamoDB's attribute values and Rust values.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::{Error, Result};

/// The attributes of a row, or its key, by name.
pub type Item = HashMap<String, AttributeValue>;

/// Returns a number as an attribute value.
pub fn number(number: u64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

/// Returns a number that can be negative as an attribute value.
pub fn signed_number(number: i64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

/// Returns the number in an attribute value; `None` if it holds none.
pub fn as_number(value: &AttributeValue) -> Option<u64> {
    value.as_n().ok()?.parse().ok()
}

/// Returns a text as an attribute value.
pub fn text(text: impl Into<String>) -> AttributeValue {
    AttributeValue::S(text.into())
}

/// Reads a row or a part of it.
pub fn read<T: DeserializeOwned>(item: Item) -> Result<T> {
    serde_dynamo::from_item(item).map_err(Error::internal)
}

/// Returns the fields of a row as an item, without the fields that are null: DynamoDB does not accept null in a key of
/// an index. [`read`] reads an absent field as null again.
pub fn write<T: Serialize>(row: &T) -> Result<Item> {
    let mut item: Item = serde_dynamo::to_item(row).map_err(Error::internal)?;
    item.retain(|_, value| !value.is_null());
    Ok(item)
}

/// Returns a value that consists of fields as a map.
pub fn map<T: Serialize>(value: &T) -> Result<AttributeValue> {
    write(value).map(AttributeValue::M)
}

/// The attributes that a read returns. Each has a placeholder, because some names are reserved words in DynamoDB.
pub struct AttributeSelection {
    /// The projection expression.
    pub expression: String,
    /// The names of the placeholders.
    pub names: HashMap<String, String>,
}

impl AttributeSelection {
    /// Creates the selection of these attributes.
    pub fn of(attributes: &[&str]) -> Self {
        let placeholder = |name: &&str| format!("#{name}");
        let placeholders: Vec<String> = attributes.iter().map(placeholder).collect();
        let names = attributes.iter().map(|name| (*name).to_owned());
        Self {
            expression: placeholders.join(", "),
            names: placeholders.iter().cloned().zip(names).collect(),
        }
    }
}
