//! Documents of the catalogue, anime and songs: the store of the tables [`crate::schema::anime`] and
//! [`crate::schema::song`].

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{PutRequest, WriteRequest};
use futures_util::future::try_join_all;
use shared::Error;
use shared::models::{AnimeId, Song};

use crate::batch::{batch_get, batch_write};
use crate::document::Document;
use crate::errors::{failed, was_written};
use crate::item::{Item, as_number, number, read, write};
use crate::listing::all;
use crate::table_names::TableNames;

/// The number of partition keys of the list index. Rows are spread over them, because one partition accepts
/// only 1,000 write units per second, which an import exceeds (docs/data-model.md, "Hot partitions").
pub const LIST_SHARDS: u64 = 8;

/// The maximum number of rows that one `BatchGetItem` returns.
pub const MAX_BATCH_READ: usize = 100;

/// The attribute with the revision of a row. No response contains it.
const REVISION: &str = "revision";

/// The maximum number of rows that one `BatchWriteItem` writes.
pub const MAX_BATCH_WRITE: usize = 25;

/// A document and the revision of its row, for code that writes the row only if it has not changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored<R> {
    /// The document.
    pub document: R,
    /// The number of writes by [`CatalogueStore::put_over`]; 0 for a row that was written in a batch and not
    /// changed since.
    pub revision: u64,
}

/// The store of one kind of document.
#[derive(Clone, Debug)]
pub struct CatalogueStore<R> {
    client: Client,
    table: String,
    resource: std::marker::PhantomData<fn() -> R>,
}

impl<R: Document> CatalogueStore<R> {
    /// Creates the store.
    #[must_use]
    pub fn new(client: Client, tables: &TableNames) -> Self {
        Self {
            client,
            table: tables.of(R::TABLE.name),
            resource: std::marker::PhantomData,
        }
    }

    /// Returns the document with this identifier, by an eventually consistent read. Costs half a read unit
    /// for every 4 KB.
    pub async fn get(&self, id: u64) -> Result<Option<R>, Error> {
        let answer = self
            .client
            .get_item()
            .table_name(&self.table)
            .key("id", number(id))
            .send()
            .await
            .map_err(failed)?;
        answer.item.map(read).transpose()
    }

    /// Returns the documents with these identifiers, at most 100, in the order of the identifiers.
    /// Identifiers without a document are left out. The read is eventually consistent. Costs half a read unit
    /// for every 4 KB of each document.
    pub async fn get_many(&self, ids: &[u64]) -> Result<Vec<R>, Error> {
        let mut found = HashMap::with_capacity(ids.len());
        let keys = ids.iter().map(|id| key(*id)).collect();
        for item in batch_get(&self.client, &self.table, keys, false).await? {
            let document: R = read(item)?;
            found.insert(document.id(), document);
        }
        Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
    }

    /// Returns the documents with these identifiers, at most [`MAX_BATCH_READ`], as they are at this moment,
    /// with their revisions, by identifier. Costs one read unit for every 4 KB of each document.
    pub async fn get_stored(&self, ids: &[u64]) -> Result<HashMap<u64, Stored<R>>, Error> {
        let keys = ids.iter().map(|id| key(*id)).collect();
        let items = batch_get(&self.client, &self.table, keys, true).await?;
        let mut found = HashMap::with_capacity(items.len());
        for item in items {
            let revision = item.get(REVISION).and_then(as_number).unwrap_or_default();
            let document: R = read(item)?;
            found.insert(document.id(), Stored { document, revision });
        }
        Ok(found)
    }

    /// Returns every row of the list index, in no order. The index in memory is built from them. Costs half a
    /// read unit for every 4 KB.
    pub async fn list_items(&self) -> Result<Vec<R::ListItem>, Error> {
        let shards = (0..LIST_SHARDS).map(|shard| self.list_shard(shard));
        Ok(try_join_all(shards).await?.into_iter().flatten().collect())
    }

    async fn list_shard(&self, shard: u64) -> Result<Vec<R::ListItem>, Error> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .index_name(R::LIST_INDEX)
            .key_condition_expression("list_shard = :shard")
            .expression_attribute_values(":shard", number(shard));
        all(query, read).await
    }

    /// Passes every document to `each`, as it is at this moment. The import of files compares its entries
    /// with all of them. Reads 1 MB at a time. Costs one read unit for every 4 KB.
    pub async fn scan(&self, mut each: impl FnMut(R)) -> Result<(), Error> {
        let scan = self.client.scan().table_name(&self.table);
        let mut items = scan.consistent_read(true).into_paginator().items().send();
        while let Some(item) = items.next().await {
            each(read(item.map_err(failed)?)?);
        }
        Ok(())
    }

    /// Writes a whole document if its row still has this revision; with `None`, if there is no row. Otherwise
    /// writes nothing and returns false.
    pub async fn put_over(&self, document: &R, revision: Option<u64>) -> Result<bool, Error> {
        let next = revision.unwrap_or_default() + 1;
        let request = self.client.put_item().table_name(&self.table);
        let request = request.set_item(Some(row(document)?));
        let request = request.item(REVISION, number(next));
        let request = match revision {
            None => request.condition_expression("attribute_not_exists(id)"),
            // A row that was written in a batch has no `revision`.
            Some(0) => request
                .condition_expression("attribute_exists(id) AND attribute_not_exists(revision)"),
            Some(revision) => request
                .condition_expression("revision = :revision")
                .expression_attribute_values(":revision", number(revision)),
        };
        was_written(request.send().await)
    }

    /// Writes at most [`MAX_BATCH_WRITE`] whole documents with distinct identifiers. There are no conditions:
    /// existing rows are overwritten and lose their revision.
    ///
    /// # Errors
    /// After an error, some of the documents may have been written.
    pub async fn put_many(&self, documents: &[R]) -> Result<(), Error> {
        let mut writes = Vec::with_capacity(documents.len());
        for document in documents {
            let put = PutRequest::builder().set_item(Some(row(document)?)).build();
            let put = put.map_err(Error::internal)?;
            writes.push(WriteRequest::builder().put_request(put).build());
        }
        batch_write(&self.client, &self.table, writes).await
    }
}

impl CatalogueStore<Song> {
    /// Returns the songs of an anime as they are at this moment, in no order. A song that was added a moment
    /// ago can be missing, because a secondary index finds the songs. Costs half a read unit for every 4 KB
    /// of keys, and one for every 4 KB of each song.
    pub async fn of_anime(&self, anime: AnimeId) -> Result<Vec<Song>, Error> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .index_name("ByAnime")
            .key_condition_expression("anime_id = :anime")
            .expression_attribute_values(":anime", number(anime.get()));
        let ids = all(query, |item| Ok(item.get("id").and_then(as_number))).await?;
        let ids: Vec<u64> = ids.into_iter().flatten().collect();
        let mut songs = Vec::with_capacity(ids.len());
        for ids in ids.chunks(MAX_BATCH_READ) {
            let stored = self.get_stored(ids).await?;
            songs.extend(stored.into_values().map(|stored| stored.document));
        }
        Ok(songs)
    }
}

/// Returns the row of a document: its fields, and the keys of the list index.
fn row<R: Document>(document: &R) -> Result<Item, Error> {
    let mut item = write(document)?;
    let shard = document.id() % LIST_SHARDS;
    item.insert("list_shard".into(), number(shard));
    item.insert("list_order".into(), number(document.list_key()));
    Ok(item)
}

fn key(id: u64) -> Item {
    HashMap::from([("id".to_owned(), number(id))])
}
