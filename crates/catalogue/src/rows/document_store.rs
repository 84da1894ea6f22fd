//! Documents of the catalogue, anime and songs: the store of the tables [`super::anime`] and [`super::song`].

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aws_lc_rs::digest::{SHA256, digest};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{PutRequest, TransactWriteItem, WriteRequest};
use dynamo::{
    Condition, Database, Item, MAX_BATCH_READ, as_number, batch_get, batch_write, number, read,
    read_all, to_error, was_written, write,
};
use futures_util::future::try_join_all;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use shared::models::{AnimeId, Song};
use shared::{Error, Result};

use super::document::{CatalogueDocument, CatalogueRow, RowRevision};

/// The number of partition keys of the list index. Rows are spread over several keys, because one partition accepts
/// only 1,000 write units per second, and an import needs more (docs/data-model.md, "Hot partitions").
pub const LIST_SHARDS: u64 = 8;

/// The attribute with the revision of a row. No response contains it.
const REVISION: &str = "revision";

/// The maximum number of reads of the list index while it lacks written rows. The index usually follows the table
/// within a second.
const LIST_INDEX_READS: u32 = 20;

/// The pause after a read of the list index that lacks written rows.
const LIST_INDEX_PAUSE: Duration = Duration::from_millis(500);

/// A row and its revision, for code that writes the row only if it has not changed, and for caches.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredRow<R: CatalogueDocument> {
    /// The row.
    pub row: CatalogueRow<R>,
    /// The revision.
    pub revision: RowRevision,
}

/// The store of one kind of document.
#[derive(Clone, Debug)]
pub struct CatalogueStore<R> {
    pub(crate) client: Client,
    pub(crate) table: String,
    /// The identifiers of the rows that this store and its clones have written, with the revisions of these rows.
    written: Arc<Mutex<HashMap<u64, RowRevision>>>,
    resource: std::marker::PhantomData<fn() -> R>,
}

/// The revision of a row in the list index.
#[derive(Deserialize)]
struct ListedRevision {
    id: u64,
    revision: RowRevision,
}

impl<R: CatalogueDocument> CatalogueStore<R> {
    /// Creates the store of one kind of document.
    pub fn new(database: &Database) -> Self {
        Self {
            client: database.client.clone(),
            table: database.tables.of(R::TABLE.name),
            written: Arc::default(),
            resource: std::marker::PhantomData,
        }
    }

    /// Returns the rows with these identifiers, at most [`MAX_BATCH_READ`], by identifier. Identifiers without a row
    /// are left out. The read is eventually consistent. Costs half a read unit for every 4 KB of each row.
    pub async fn get_many(&self, ids: &[u64]) -> Result<HashMap<u64, StoredRow<R>>> {
        self.get_batch(ids, false).await
    }

    /// Returns the rows with these identifiers, at most [`MAX_BATCH_READ`], by identifier. The read is strongly
    /// consistent. Costs one read unit for every 4 KB of each row.
    pub async fn get_current(&self, ids: &[u64]) -> Result<HashMap<u64, StoredRow<R>>> {
        self.get_batch(ids, true).await
    }

    async fn get_batch(&self, ids: &[u64], consistent: bool) -> Result<HashMap<u64, StoredRow<R>>> {
        let keys = ids.iter().map(|id| key(*id)).collect();
        let items = batch_get(&self.client, &self.table, keys, consistent).await?;
        let mut found = HashMap::with_capacity(items.len());
        for item in items {
            let stored: StoredRow<R> = read_stored(item)?;
            found.insert(stored.row.document.id(), stored);
        }
        Ok(found)
    }

    /// Returns every row of the list index, in any order. The index in memory is built from these rows. Costs half a
    /// read unit for every 4 KB.
    pub async fn list_items(&self) -> Result<Vec<R::ListItem>> {
        self.read_list_index().await
    }

    /// Waits until the list index has all rows that this store and its clones have written. DynamoDB updates an
    /// index a moment after the table. A snapshot must not be built before that, because functions compare the
    /// revisions in the snapshot with those of their cached documents.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the index still lacks a row after 20 reads with pauses of 10 s in all.
    pub async fn wait_for_list_index(&self) -> Result<()> {
        let written = || self.written.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..LIST_INDEX_READS {
            let mut missing = written().clone();
            if missing.is_empty() {
                return Ok(());
            }
            let listed: Vec<ListedRevision> = self.read_list_index().await?;
            let listed = listed.into_iter().map(|row| (row.id, row.revision));
            let listed: HashMap<u64, RowRevision> = listed.collect();
            missing.retain(|id, revision| listed.get(id) != Some(revision));
            // Another writer may have changed a row since then. In that case, the index need only have the current
            // revision of the row.
            let ids: Vec<u64> = missing.keys().copied().collect();
            let mut current = HashMap::with_capacity(ids.len());
            for ids in ids.chunks(MAX_BATCH_READ) {
                let stored = self.get_current(ids).await?.into_iter();
                current.extend(stored.map(|(id, stored)| (id, stored.revision)));
            }
            missing.retain(|id, _| current.get(id) != listed.get(id));
            written().retain(|id, _| missing.contains_key(id));
            if missing.is_empty() {
                return Ok(());
            }
            tokio::time::sleep(LIST_INDEX_PAUSE).await;
        }
        let why = "the list index does not have all written rows yet";
        Err(Error::Unavailable(why.into()))
    }

    async fn read_list_index<T: DeserializeOwned>(&self) -> Result<Vec<T>> {
        let shards = (0..LIST_SHARDS).map(|shard| self.read_list_shard(shard));
        Ok(try_join_all(shards).await?.into_iter().flatten().collect())
    }

    async fn read_list_shard<T: DeserializeOwned>(&self, shard: u64) -> Result<Vec<T>> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .index_name(R::LIST_INDEX)
            .key_condition_expression("list_shard = :shard")
            .expression_attribute_values(":shard", number(shard));
        read_all(query, read).await
    }

    /// Passes every row to `each`, by strongly consistent reads of up to 1 MB. Costs one read unit for every 4 KB.
    pub async fn scan(&self, mut each: impl FnMut(CatalogueRow<R>)) -> Result<()> {
        let scan = self.client.scan().table_name(&self.table);
        let mut items = scan.consistent_read(true).into_paginator().items().send();
        while let Some(item) = items.next().await {
            each(read_stored(item.map_err(to_error)?)?.row);
        }
        Ok(())
    }

    /// Writes a whole row if the stored row still has this revision: `None` stands for no stored row, and
    /// `Some(None)` for a stored row without a revision. Otherwise writes nothing and returns false.
    pub async fn put_if_unchanged(
        &self,
        row: &CatalogueRow<R>,
        revision: Option<RowRevision>,
    ) -> Result<bool> {
        let request = self.client.put_item().table_name(&self.table);
        let request = request.set_item(Some(item_of(row)?));
        let request = match revision {
            None => request.condition_expression("attribute_not_exists(id)"),
            Some(None) => request
                .condition_expression("attribute_exists(id) AND attribute_not_exists(revision)"),
            Some(Some(revision)) => request
                .condition_expression("revision = :revision")
                .expression_attribute_values(":revision", number(revision.into())),
        };
        let is_written = was_written(request.send().await)?;
        if is_written {
            self.record_written(std::slice::from_ref(row))?;
        }
        Ok(is_written)
    }

    /// Returns the action that writes a whole row if the stored row still has this revision. Also returns the new
    /// revision.
    pub(crate) fn put_action(
        &self,
        row: &CatalogueRow<R>,
        revision: RowRevision,
    ) -> Result<(TransactWriteItem, u32)> {
        let condition = match revision {
            None => Condition::new("attribute_exists(id) AND attribute_not_exists(revision)"),
            Some(revision) => {
                Condition::new("revision = :revision").value("revision", number(revision.into()))
            }
        };
        let action = condition.put(&self.table, item_of(row)?)?;
        Ok((action, revision_of(row)?))
    }

    fn record_written(&self, rows: &[CatalogueRow<R>]) -> Result<()> {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        for row in rows {
            written.insert(row.document.id(), Some(revision_of(row)?));
        }
        Ok(())
    }

    /// Writes at most [`MAX_BATCH_WRITE`] whole rows with distinct identifiers. Existing rows are overwritten
    /// without a condition.
    ///
    /// # Errors
    /// After an error, some of the rows may have been written.
    pub async fn put_many(&self, rows: &[CatalogueRow<R>]) -> Result<()> {
        let mut writes = Vec::with_capacity(rows.len());
        for row in rows {
            let put = PutRequest::builder().set_item(Some(item_of(row)?)).build();
            let put = put.map_err(Error::internal)?;
            writes.push(WriteRequest::builder().put_request(put).build());
        }
        batch_write(&self.client, &self.table, writes).await?;
        self.record_written(rows)
    }
}

impl CatalogueStore<Song> {
    /// Returns the songs of an anime, in any order. Their identifiers are read from a secondary index, so a song that
    /// was added a moment ago can be missing. Their rows are then read by strongly consistent reads. Costs half a read
    /// unit for every 4 KB of keys, and one read unit for every 4 KB of each song.
    pub async fn songs_of_anime(&self, anime: AnimeId) -> Result<Vec<CatalogueRow<Song>>> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .index_name("ByAnime")
            .key_condition_expression("anime_id = :anime")
            .expression_attribute_values(":anime", number(anime.get()));
        let ids = read_all(query, |item| Ok(item.get("id").and_then(as_number))).await?;
        let ids: Vec<u64> = ids.into_iter().flatten().collect();
        let mut songs = Vec::with_capacity(ids.len());
        for ids in ids.chunks(MAX_BATCH_READ) {
            let stored = self.get_current(ids).await?;
            songs.extend(stored.into_values().map(|stored| stored.row));
        }
        Ok(songs)
    }
}

/// Returns a row as an item: the document, the notes, the revision and the keys of the list index.
fn item_of<R: CatalogueDocument>(row: &CatalogueRow<R>) -> Result<Item> {
    let mut item = write(&row.document)?;
    // A field of the document with the name of a note follows from the notes, so it is not stored.
    item.retain(|name, _| !R::NOTES.contains(&name.as_str()));
    item.extend(write(&row.notes)?);
    let shard = row.document.id() % LIST_SHARDS;
    item.insert("list_shard".into(), number(shard));
    item.insert("list_order".into(), number(row.document.list_key()));
    item.insert(REVISION.into(), number(revision_of(row)?.into()));
    Ok(item)
}

fn read_stored<R: CatalogueDocument>(mut item: Item) -> Result<StoredRow<R>> {
    let revision = item.get(REVISION).and_then(as_number);
    let notes = R::NOTES.iter().filter_map(|name| item.remove_entry(*name));
    let notes = read(notes.collect())?;
    let document = read(item)?;
    Ok(StoredRow {
        row: CatalogueRow { document, notes }.with_derived_fields(),
        revision: revision.and_then(|revision| u32::try_from(revision).ok()),
    })
}

/// Returns the revision of a row: the first 32 bits of a digest of the row. That is enough, because a revision is only
/// compared with the revisions of the same row from about the same time.
fn revision_of<R: CatalogueDocument>(row: &CatalogueRow<R>) -> Result<u32> {
    let bytes = serde_json::to_vec(&(&row.document, &row.notes)).map_err(Error::internal)?;
    let digest = digest(&SHA256, &bytes);
    let start = digest.as_ref().first_chunk().copied().unwrap_or_default();
    Ok(u32::from_be_bytes(start))
}

pub(crate) fn key(id: u64) -> Item {
    HashMap::from([("id".to_owned(), number(id))])
}
