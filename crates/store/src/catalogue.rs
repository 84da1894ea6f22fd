//! The tables of the catalogue: documents by id, and the list index that orders them.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::types::{PutRequest, WriteRequest};
use futures_util::future::try_join_all;
use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::Error;
use shared::models::{AnimeId, Song};

use crate::batch::{batch_get, batch_write};
use crate::errors::failed;
use crate::item::{Item, as_number, number, read, write};
use crate::schema::Table;
use crate::table_names::TableNames;

/// Over how many partitions of the list index the rows are spread, so that an import does not
/// write to one alone (1,000 write units a second each).
pub const LIST_SHARDS: u64 = 8;

/// The most rows that one `BatchGetItem` brings.
pub const MAX_BATCH_READ: usize = 100;

/// Counts up with each change of a row. No answer shows it.
const REVISION: &str = "revision";

/// The most rows that one `BatchWriteItem` takes.
pub const MAX_BATCH_WRITE: usize = 25;

/// A document as it is stored, for whoever changes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored<R> {
    /// The document.
    pub document: R,
    /// How often it was changed; 0 where that was not counted.
    pub revision: u64,
}

/// A document of the catalogue: what its store and its list need to know.
pub trait Document: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The table.
    const TABLE: &'static Table;
    /// The index that holds the list order.
    const LIST_INDEX: &'static str;
    /// The name in cursors and snapshots.
    const KIND: &'static str;
    /// The attributes that the list index projects.
    type ListItem: DeserializeOwned + Send;

    /// Its identifier.
    fn id(&self) -> u64;
    /// Its key in the list order, ascending. Contains the identifier, see [`Document::id_at`].
    fn list_key(&self) -> u64;
    /// The identifier in a list key.
    fn id_at(list_key: u64) -> u64;
}

/// One catalogue's table.
#[derive(Clone, Debug)]
pub struct CatalogueStore<R> {
    client: Client,
    table: String,
    resource: std::marker::PhantomData<fn() -> R>,
}

impl<R: Document> CatalogueStore<R> {
    /// The table of the resource.
    #[must_use]
    pub fn new(client: Client, tables: &TableNames) -> Self {
        Self {
            client,
            table: tables.of(R::TABLE.name),
            resource: std::marker::PhantomData,
        }
    }

    /// The document with this identifier. Costs half a read unit for every 4 KB.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
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

    /// The documents with these identifiers, at most 100, in the same order. What has been deleted
    /// meanwhile is left out. Costs half a read unit for every 4 KB of each.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn get_many(&self, ids: &[u64]) -> Result<Vec<R>, Error> {
        let mut found = HashMap::with_capacity(ids.len());
        let keys = ids.iter().map(|id| key(*id)).collect();
        for item in batch_get(&self.client, &self.table, keys, false).await? {
            let document: R = read(item)?;
            found.insert(document.id(), document);
        }
        Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
    }

    /// The documents with these identifiers, at most [`MAX_BATCH_READ`], as they are at this moment: for
    /// whoever changes them. Costs a read unit for every 4 KB of each.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
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

    /// Every row of the list index, in no order: what the index in memory is built from. Costs half
    /// a read unit for every 4 KB of it.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn list_items(&self) -> Result<Vec<R::ListItem>, Error> {
        let shards = (0..LIST_SHARDS).map(|shard| self.list_shard(shard));
        Ok(try_join_all(shards).await?.into_iter().flatten().collect())
    }

    async fn list_shard(&self, shard: u64) -> Result<Vec<R::ListItem>, Error> {
        let mut rows = Vec::new();
        let mut start = None;
        loop {
            let page = self
                .client
                .query()
                .table_name(&self.table)
                .index_name(R::LIST_INDEX)
                .key_condition_expression("list_shard = :shard")
                .expression_attribute_values(":shard", number(shard))
                .set_exclusive_start_key(start)
                .send()
                .await
                .map_err(failed)?;
            for item in page.items.unwrap_or_default() {
                rows.push(read(item)?);
            }
            start = page.last_evaluated_key;
            if start.is_none() {
                return Ok(rows);
            }
        }
    }

    /// Every document, a page of up to 1 MB at a time and strongly consistent: for the importer,
    /// which has to compare with all of them. Each page is handed to `each`.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn scan(&self, mut each: impl FnMut(R)) -> Result<(), Error> {
        let mut start = None;
        loop {
            let page = self
                .client
                .scan()
                .table_name(&self.table)
                .consistent_read(true)
                .set_exclusive_start_key(start)
                .send()
                .await
                .map_err(failed)?;
            for item in page.items.unwrap_or_default() {
                each(read(item)?);
            }
            start = page.last_evaluated_key;
            if start.is_none() {
                return Ok(());
            }
        }
    }

    /// Writes a whole document in the place of the one with this revision, or where there is none.
    /// `false` when there is another by now: nothing is written then.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn put_over(&self, document: &R, revision: Option<u64>) -> Result<bool, Error> {
        let next = revision.unwrap_or_default() + 1;
        let request = self.client.put_item().table_name(&self.table);
        let request = request.set_item(Some(row(document)?));
        let request = request.item(REVISION, number(next));
        let request = match revision {
            None => request.condition_expression("attribute_not_exists(id)"),
            Some(0) => request
                .condition_expression("attribute_exists(id) AND attribute_not_exists(revision)"),
            Some(revision) => request
                .condition_expression("revision = :revision")
                .expression_attribute_values(":revision", number(revision)),
        };
        match request.send().await {
            Ok(_) => Ok(true),
            Err(error) if is_condition_failed(&error) => Ok(false),
            Err(error) => Err(failed(error)),
        }
    }

    /// Writes whole documents, whatever is there, at most [`MAX_BATCH_WRITE`] of them and no two with one identifier.
    /// A write takes the place of what was there.
    ///
    /// # Errors
    /// When DynamoDB does not answer; some of the documents may then be written.
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

fn is_condition_failed<R>(error: &SdkError<PutItemError, R>) -> bool {
    let service = error.as_service_error();
    service.is_some_and(PutItemError::is_conditional_check_failed_exception)
}

impl CatalogueStore<Song> {
    /// The songs of an anime, as they are at this moment, in no order; one that was added in the last
    /// moments may be missing. Costs half a read unit, and one for each song.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn of_anime(&self, anime: AnimeId) -> Result<Vec<Song>, Error> {
        let mut songs = Vec::new();
        let mut start = None;
        loop {
            let page = self
                .client
                .query()
                .table_name(&self.table)
                .index_name("ByAnime")
                .key_condition_expression("anime_id = :anime")
                .expression_attribute_values(":anime", number(anime.get()))
                .set_exclusive_start_key(start)
                .send()
                .await
                .map_err(failed)?;
            let ids = page.items().iter().filter_map(|item| item.get("id"));
            let ids: Vec<u64> = ids.filter_map(as_number).collect();
            for ids in ids.chunks(MAX_BATCH_READ) {
                let stored = self.get_stored(ids).await?;
                songs.extend(stored.into_values().map(|stored| stored.document));
            }
            start = page.last_evaluated_key;
            if start.is_none() {
                return Ok(songs);
            }
        }
    }
}

/// A document as an item: its fields, and the keys of the list index.
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
