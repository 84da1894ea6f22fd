//! The summary of the last refresh of the catalogue, which the page for administrators shows, in the table
//! [`crate::snapshots::catalog_snapshot`].

use aws_sdk_dynamodb::Client;
use dynamo::{Database, Item, get, read, to_error, write};
use shared::Error;

use crate::snapshots::catalog_snapshot::{RefreshSummary, TABLE, key};

/// The store of the summary.
#[derive(Clone, Debug)]
pub struct RefreshSummaryStore {
    client: Client,
    table: String,
}

impl RefreshSummaryStore {
    /// Creates the store of the summary of the last refresh.
    #[must_use]
    pub fn new(database: &Database) -> Self {
        Self {
            client: database.client.clone(),
            table: database.tables.of(TABLE.name),
        }
    }

    /// Returns the summary of the last refresh that has ended, by a strongly consistent read; `None` before the first
    /// one.
    pub async fn read(&self) -> Result<Option<RefreshSummary>, Error> {
        let row = get(&self.client, &self.table, summary_key()).await?;
        row.map(read).transpose()
    }

    /// Stores the summary of a refresh. Of two refreshes at the same time, the one that ends later stays.
    pub async fn put(&self, summary: &RefreshSummary) -> Result<(), Error> {
        let mut row = write(summary)?;
        row.extend(summary_key());
        let request = self.client.put_item().table_name(&self.table);
        request.set_item(Some(row)).send().await.map_err(to_error)?;
        Ok(())
    }
}

fn summary_key() -> Item {
    key("refresh", 0)
}
