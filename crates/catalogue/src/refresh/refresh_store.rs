//! The progress of the catalogue's refresh (docs/trackers.md, "Refresh of the catalogue"), in the table
//! [`crate::snapshots::catalog_snapshot`].
//!
//! A refresh increases the counter `announced` before it makes a batch of writes. A publisher reads this counter, then
//! the catalogue, and after the publication stores the counter's value in `published`. So if a refresh ends after
//! its writes and before it publishes, `published` is lower than `announced`, and the next run publishes.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};
use dynamo::{Database, Item, as_number, get, number, read, to_error, was_written};
use shared::Error;
use shared::models::AnimeId;

use crate::rows::document::CatalogueDocument;
use crate::snapshots::catalog_snapshot::{RefreshState, TABLE, key};

/// The maximum number of identifiers that one update adds to `pending` or removes from it.
const MAX_IDS_PER_UPDATE: usize = 1_000;

/// The store of the refresh state for one kind of document.
#[derive(Clone, Debug)]
pub struct RefreshStore {
    client: Client,
    table: String,
    kind: String,
}

impl RefreshStore {
    /// Creates the store of the refresh state for the documents `R`.
    #[must_use]
    pub fn new<R: CatalogueDocument>(database: &Database) -> Self {
        Self::refresh_of(database, R::KIND)
    }

    /// Creates the store of the state of the derived sequels and prequels. `announced` counts the changes of
    /// the relations, the season map and the mapping. `published` is its value before the last complete derivation.
    #[must_use]
    pub fn of_derivation(database: &Database) -> Self {
        Self::refresh_of(database, "relations")
    }

    fn refresh_of(database: &Database, kind: &str) -> Self {
        Self {
            client: database.client.clone(),
            table: database.tables.of(TABLE.name),
            kind: format!("refresh#{kind}"),
        }
    }

    /// Returns the state, by a strongly consistent read. Costs one read unit for every 4 KB, so more than one if
    /// many anime are pending.
    pub async fn state(&self) -> Result<RefreshState, Error> {
        let row = get(&self.client, &self.table, self.key()).await?;
        row.map_or_else(|| Ok(RefreshState::default()), read)
    }

    /// Announces a batch of writes. Must be called before the batch is written. Returns the new value of `announced`.
    pub async fn announce(&self) -> Result<u64, Error> {
        let answer = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(self.key()))
            .update_expression("ADD announced :one")
            .expression_attribute_values(":one", number(1))
            .return_values(ReturnValue::UpdatedNew)
            .send()
            .await
            .map_err(to_error)?;
        let announced = answer
            .attributes
            .as_ref()
            .and_then(|new| new.get("announced"));
        announced.and_then(as_number).ok_or_else(|| {
            Error::internal("the update of the counter announced returned no number")
        })
    }

    /// Records that the published snapshot contains all writes up to this value of `announced`.
    pub async fn set_published(&self, announcement: u64) -> Result<(), Error> {
        self.raise_attribute("published", announcement).await
    }

    /// Moves the watermark forward to a time in seconds since the Unix epoch. Does nothing if it is at that
    /// time or later already.
    pub async fn move_watermark(&self, to: u64) -> Result<(), Error> {
        self.raise_attribute("watermark", to).await
    }

    /// Adds anime to `pending`, the anime whose songs the refresh still has to request.
    pub async fn add_pending(&self, anime: &[AnimeId]) -> Result<(), Error> {
        self.change_pending("ADD pending :anime", anime).await
    }

    /// Removes anime from `pending`, the anime whose songs the refresh still has to request.
    pub async fn remove_pending(&self, anime: &[AnimeId]) -> Result<(), Error> {
        self.change_pending("DELETE pending :anime", anime).await
    }

    async fn change_pending(&self, change: &'static str, anime: &[AnimeId]) -> Result<(), Error> {
        for anime in anime.chunks(MAX_IDS_PER_UPDATE) {
            let numbers = anime.iter().map(|id| id.get().to_string()).collect();
            self.client
                .update_item()
                .table_name(&self.table)
                .set_key(Some(self.key()))
                .update_expression(change)
                .expression_attribute_values(":anime", AttributeValue::Ns(numbers))
                .send()
                .await
                .map_err(to_error)?;
        }
        Ok(())
    }

    /// Sets an attribute to a higher number. Does nothing if the attribute has this number or a higher one
    /// already, so that a slower run does not set it back.
    async fn raise_attribute(&self, field: &'static str, to: u64) -> Result<(), Error> {
        let raised = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(self.key()))
            .update_expression("SET #field = :to")
            .condition_expression("attribute_not_exists(#field) OR #field < :to")
            .expression_attribute_names("#field", field)
            .expression_attribute_values(":to", number(to))
            .send()
            .await;
        was_written(raised).map(|_| ())
    }

    fn key(&self) -> Item {
        key(&self.kind, 0)
    }
}
