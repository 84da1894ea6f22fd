//! The progress of the catalogue's refresh (docs/trackers.md, "Refresh of the catalogue"), in the table
//! [`crate::snapshots::catalog_snapshot`].
//!
//! A refresh increases the counter `announced` before it makes a batch of writes. A publisher reads this counter, then
//! the catalogue, and after the publication stores the counter's value in `published`. So if a refresh ends after
//! its writes and before it publishes, `published` is lower than `announced`, and the next run publishes.

use aws_sdk_dynamodb::types::AttributeValue;
use dynamo::{Database, to_error};
use shared::Result;
use shared::models::AnimeId;

use crate::rows::document::CatalogueDocument;
use crate::snapshots::catalog_snapshot::RefreshState;
use crate::snapshots::kind_rows::KindRows;

/// The maximum number of identifiers that one update adds to `pending` or removes from it.
const MAX_IDS_PER_UPDATE: usize = 1_000;

/// The store of the refresh state for one kind of document.
#[derive(Clone, Debug)]
pub struct RefreshStore(KindRows);

impl RefreshStore {
    /// Creates the store of the refresh state for the documents `R`.
    pub fn new<R: CatalogueDocument>(database: &Database) -> Self {
        Self(KindRows::new(database, format!("refresh#{}", R::KIND)))
    }

    /// Creates the store of the state of the derived sequels and prequels. `announced` counts the changes of
    /// the relations, the season map and the mapping. `published` is its value before the last complete derivation.
    pub fn of_derivation(database: &Database) -> Self {
        Self(KindRows::new(database, "refresh#relations"))
    }

    /// Returns the state, by a strongly consistent read. Costs one read unit for every 4 KB, so more than one unit if
    /// many anime are pending.
    pub async fn state(&self) -> Result<RefreshState> {
        Ok(self.0.state().await?.unwrap_or_default())
    }

    /// Announces a batch of writes. Must be called before the batch is written. Returns the new value of `announced`.
    pub async fn announce(&self) -> Result<u64> {
        Ok(self.0.count("announced").await?.0)
    }

    /// Records that the published snapshot contains all writes up to this value of `announced`.
    pub async fn set_published(&self, announcement: u64) -> Result<()> {
        self.0.raise("published", announcement).await
    }

    /// Moves the watermark forward to a time in seconds since the Unix epoch. Does nothing if it is already at that
    /// time or later.
    pub async fn move_watermark(&self, to: u64) -> Result<()> {
        self.0.raise("watermark", to).await
    }

    /// Adds anime to `pending`, the anime whose songs the refresh still has to request.
    pub async fn add_pending(&self, anime: &[AnimeId]) -> Result<()> {
        self.change_pending("ADD pending :anime", anime).await
    }

    /// Removes anime from `pending`, the anime whose songs the refresh still has to request.
    pub async fn remove_pending(&self, anime: &[AnimeId]) -> Result<()> {
        self.change_pending("DELETE pending :anime", anime).await
    }

    async fn change_pending(&self, change: &'static str, anime: &[AnimeId]) -> Result<()> {
        for anime in anime.chunks(MAX_IDS_PER_UPDATE) {
            let numbers = anime.iter().map(|id| id.get().to_string()).collect();
            let update = self.0.update(change);
            let update = update.expression_attribute_values(":anime", AttributeValue::Ns(numbers));
            update.send().await.map_err(to_error)?;
        }
        Ok(())
    }
}
