//! The numbers of users and stories, for the page for administrators.

use accounts::tables::USER;
use aws_sdk_dynamodb::Client;
use dynamo::database::Database;
use dynamo::errors::to_error;
use futures_util::try_join;
use shared::Error;

use crate::lists::user_story;

/// The numbers of rows of tables. DynamoDB updates them every six hours, and the embedded engine at once. The rows of
/// deleted users and stories count until they are removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableSizes {
    /// Users.
    pub users: u64,
    /// Stories.
    pub stories: u64,
}

impl TableSizes {
    /// Returns the numbers of rows. Costs no request units.
    pub async fn read(database: &Database) -> Result<TableSizes, Error> {
        let of = |name| row_count(&database.client, database.tables.of(name));
        let (users, stories) = try_join!(of(USER.name), of(user_story::TABLE.name))?;
        Ok(TableSizes { users, stories })
    }
}

async fn row_count(client: &Client, table: String) -> Result<u64, Error> {
    let answer = client.describe_table().table_name(table).send().await;
    let table = answer.map_err(to_error)?.table;
    let count = table.and_then(|table| table.item_count).unwrap_or_default();
    Ok(u64::try_from(count).unwrap_or_default())
}
