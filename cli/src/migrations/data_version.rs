//! The row with the version of the data.

use anyhow::Context;
use aws_sdk_dynamodb::types::AttributeValue;
use catalogue::snapshots::ServiceRow;
use dynamo::Database;
use shared::digest;

use crate::data::schema;

/// The attribute with the number of migrations that have been applied to the data.
const MIGRATIONS_MADE: &str = "migrations";

/// The attribute with the digest of the declarations of the tables.
const TABLES: &str = "tables";

/// The version of the data. No migration has been applied to data of a version without the row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataVersion {
    /// The number of migrations that have been applied to the data.
    pub migrations: usize,
    tables: Option<String>,
}

impl DataVersion {
    /// Reads the version.
    pub(super) async fn read(database: &Database) -> anyhow::Result<Self> {
        let mut row = ServiceRow::DATA.read(database).await?.unwrap_or_default();
        Ok(Self {
            migrations: match row.get(MIGRATIONS_MADE) {
                Some(AttributeValue::N(number)) => number.parse()?,
                _ => 0,
            },
            tables: match row.remove(TABLES) {
                Some(AttributeValue::S(tables)) => Some(tables),
                _ => None,
            },
        })
    }

    /// Returns true if `kiroku serve` has made the tables as this version declares them.
    pub fn has_current_tables(&self) -> bool {
        self.tables == Some(digest_of_declarations())
    }

    /// Records that the tables are as this version declares them.
    pub async fn record_tables(database: &Database) -> anyhow::Result<()> {
        let tables = AttributeValue::S(digest_of_declarations());
        record(database, TABLES, tables).await
    }

    /// Records that this number of migrations have been applied to the data.
    pub async fn record_migrations(database: &Database, number: usize) -> anyhow::Result<()> {
        let number = AttributeValue::N(number.to_string());
        record(database, MIGRATIONS_MADE, number).await
    }
}

async fn record(database: &Database, attribute: &str, value: AttributeValue) -> anyhow::Result<()> {
    let recorded = ServiceRow::DATA.set(database, attribute, value).await;
    recorded.context("cannot record the version of the data")
}

fn digest_of_declarations() -> String {
    digest(&format!("{:?}", schema::TABLES))
}
