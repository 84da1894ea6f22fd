//! The summary of the last refresh of the catalogue, which the page for administrators shows, in the table
//! [`crate::snapshots::catalog_snapshot`].

use dynamo::{Database, to_error, write};
use shared::Result;

use crate::snapshots::catalog_snapshot::RefreshSummary;
use crate::snapshots::kind_rows::KindRows;

/// The store of the summary.
#[derive(Clone, Debug)]
pub struct RefreshSummaryStore(KindRows);

impl RefreshSummaryStore {
    /// Creates the store of the summary of the last refresh.
    pub fn new(database: &Database) -> Self {
        Self(KindRows::new(database, "refresh"))
    }

    /// Returns the summary of the last refresh that has ended, by a strongly consistent read; `None` before the first
    /// one.
    pub async fn read(&self) -> Result<Option<RefreshSummary>> {
        self.0.state().await
    }

    /// Stores the summary of a refresh. If two refreshes run at the same time, the summary of the refresh that ends
    /// later is kept.
    pub async fn put(&self, summary: &RefreshSummary) -> Result<()> {
        let mut row = write(summary)?;
        row.extend(self.0.key(0));
        let request = self.0.client.put_item().table_name(&self.0.table);
        request.set_item(Some(row)).send().await.map_err(to_error)?;
        Ok(())
    }
}
