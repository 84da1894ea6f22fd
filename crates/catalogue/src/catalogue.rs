//! Lists, documents and random picks of one kind of document, anime or songs.

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use shared::Error;
use shared::clock::Clock;
use shared::input::{ListFilter, PageRequest};
use shared::models::{Anime, Song};
use shared::random::Random;
use store::{CatalogueStore, Document, Head, SnapshotStore, TableNames};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::index::{AnimeFilter, AnimeIndex, ListIndex, SongFilter, SongIndex};

/// The time for which an index is used before a request checks for a newer snapshot, in milliseconds: 10
/// seconds (docs/data-model.md, "Snapshots").
pub const FRESH_MS: u64 = 10_000;

/// The maximum time that a request waits while another one loads the index. Together with one call to
/// DynamoDB that times out (1.4 s), the request ends within 3 s.
const LONGEST_WAIT: Duration = Duration::from_millis(1500);

/// The number of the layout of a snapshot's bytes. It must be increased with every change of the serialized
/// types. If the published snapshot has another layout, a function does not read it but builds its index from
/// the table.
const SNAPSHOT_FORMAT: u64 = 2;

/// The zstd level of snapshots. It is high, because a snapshot is compressed once and read at every cold
/// start.
const ZSTD_LEVEL: i32 = 12;

/// The maximum size of a decompressed snapshot, in bytes: 1 GiB. It limits the memory that damaged data can
/// take.
const MAX_SNAPSHOT: usize = 1 << 30;

/// A kind of document with an index in memory: anime or songs.
pub trait Resource: Document {
    /// The filters of the list.
    type Filter: ListFilter;
    /// The index in memory.
    type Index: ListIndex<Filter = Self::Filter> + FromIterator<Self::ListItem>;
}

impl Resource for Anime {
    type Filter = AnimeFilter;
    type Index = AnimeIndex;
}

impl Resource for Song {
    type Filter = SongFilter;
    type Index = SongIndex;
}

/// A catalogue that is shared by the handlers of its endpoints.
pub type SharedCatalogue<R> = Arc<Catalogue<R>>;

/// One page of a list.
#[derive(Debug)]
pub struct Page<R> {
    /// The documents, in list order.
    pub documents: Vec<R>,
    /// The number of matching documents on all pages.
    pub total: usize,
    /// The list key of the page's last row, if another page follows.
    pub next: Option<u64>,
}

/// The catalogue of one kind of document.
#[derive(Debug)]
pub struct Catalogue<R: Resource> {
    documents: CatalogueStore<R>,
    snapshots: SnapshotStore,
    clock: Clock,
    random: Random,
    cached: Mutex<Option<Cached<R::Index>>>,
}

#[derive(Debug)]
struct Cached<I> {
    index: Arc<I>,
    /// The snapshot that the index was loaded from; `None` if it was built from the table.
    head: Option<Head>,
    /// The time of the last check for a newer snapshot, in milliseconds since the Unix epoch.
    checked_ms: u64,
}

impl<R: Resource> Catalogue<R> {
    /// Creates the catalogue with these tables.
    #[must_use]
    pub fn new(client: Client, tables: &TableNames, clock: Clock, random: Random) -> Self {
        Self {
            documents: CatalogueStore::new(client.clone(), tables),
            snapshots: SnapshotStore::new(client, tables, R::KIND),
            clock,
            random,
            cached: Mutex::new(None),
        }
    }

    /// Returns the document with this identifier.
    pub async fn find(&self, id: u64) -> Result<Option<R>, Error> {
        Ok(self.documents_with(&[id]).await?.pop())
    }

    /// Returns a page of the list of documents that pass the filter.
    pub async fn list(&self, filter: &R::Filter, page: PageRequest) -> Result<Page<R>, Error> {
        let matches = self.index().await?.search(filter, page);
        let last = matches.list_keys.last().copied();
        Ok(Page {
            documents: self.documents_at(matches.list_keys).await?,
            total: matches.total,
            next: last.filter(|_| matches.more),
        })
    }

    /// Returns up to `amount` random documents. Each document has the same chance. `amount` must be at most
    /// 100, because DynamoDB reads at most 100 rows in one call.
    pub async fn random(&self, amount: usize) -> Result<Vec<R>, Error> {
        let index = self.index().await?;
        let positions = self.random.positions(index.len(), amount);
        let places = positions
            .into_iter()
            .filter_map(|position| index.list_key(position));
        self.documents_at(places.collect()).await
    }

    async fn documents_at(&self, places: Vec<u64>) -> Result<Vec<R>, Error> {
        let ids: Vec<u64> = places.into_iter().map(R::id_at).collect();
        self.documents_with(&ids).await
    }

    /// Returns the documents with these identifiers, in the order of the identifiers. Identifiers without a
    /// document are left out.
    async fn documents_with(&self, ids: &[u64]) -> Result<Vec<R>, Error> {
        let mut found = self.documents.get_many(ids).await?;
        let in_order = ids.iter().filter_map(|id| found.remove(id));
        Ok(in_order.map(|stored| stored.row.document).collect())
    }

    /// Returns the index. If the last check for a newer snapshot was [`FRESH_MS`] ago or more, checks again.
    /// While one request checks and loads, others wait for it instead of loading the index as well.
    pub async fn index(&self) -> Result<Arc<R::Index>, Error> {
        let turn = timeout(LONGEST_WAIT, self.cached.lock()).await;
        let mut cached = turn.map_err(|_| {
            Error::Unavailable("timed out waiting for another request to load the index".into())
        })?;
        let now = self.clock.now_ms();
        if let Some(cached) = &*cached
            && now.saturating_sub(cached.checked_ms) < FRESH_MS
        {
            return Ok(Arc::clone(&cached.index));
        }
        let head = self
            .snapshots
            .head()
            .await?
            .filter(|head| head.format == SNAPSHOT_FORMAT);
        let index = match &*cached {
            // Without a snapshot, the index is always built again, so that changes of the table show.
            Some(cached) if head.is_some() && cached.head == head => Arc::clone(&cached.index),
            _ => Arc::new(self.load(head).await?),
        };
        *cached = Some(Cached {
            index: Arc::clone(&index),
            head,
            checked_ms: now,
        });
        Ok(index)
    }

    /// Returns the index from the snapshot, or built from the table if no snapshot can be read.
    async fn load(&self, head: Option<Head>) -> Result<R::Index, Error> {
        if let Some(head) = head {
            // An eventually consistent read costs half, but can miss a part that has just been written. If
            // so, read again.
            for consistent in [false, true] {
                if let Some(index) = self.load_snapshot(head, consistent).await? {
                    return Ok(index);
                }
            }
        }
        tracing::warn!(
            kind = R::KIND,
            "no readable snapshot; building the index from the table"
        );
        self.build().await
    }

    async fn load_snapshot(&self, head: Head, consistent: bool) -> Result<Option<R::Index>, Error> {
        let bytes = self.snapshots.load(head, consistent).await?;
        Ok(bytes.and_then(|bytes| decode(&bytes)))
    }

    async fn build(&self) -> Result<R::Index, Error> {
        Ok(self.documents.list_items().await?.into_iter().collect())
    }

    /// Builds the index from the table and publishes it as a snapshot for all functions. Returns the number
    /// of rows.
    ///
    /// # Errors
    /// As [`SnapshotStore::publish`].
    pub async fn publish(&self) -> Result<usize, Error> {
        // An import writes its rows, then draws the version, and only then reads the table. So a snapshot has
        // the rows of all imports that drew a lower version.
        let version = self.snapshots.next_version().await?;
        let index = self.build().await?;
        let bytes = encode(&index)?;
        self.snapshots
            .publish(version, SNAPSHOT_FORMAT, index.len(), &bytes)
            .await?;
        Ok(index.len())
    }
}

/// Serializes an index to the bytes of a snapshot.
///
/// # Errors
/// [`Error::Internal`] if the index cannot be serialized.
pub fn encode<I: ListIndex>(index: &I) -> Result<Vec<u8>, Error> {
    let bytes = postcard::to_stdvec(index).map_err(Error::internal)?;
    zstd::bulk::compress(&bytes, ZSTD_LEVEL).map_err(Error::internal)
}

/// Reads an index from the bytes of a snapshot. Returns `None` if they are damaged or decompress to more than
/// 1 GiB.
#[must_use]
pub fn decode<I: ListIndex>(bytes: &[u8]) -> Option<I> {
    let size = zstd::bulk::Decompressor::upper_bound(bytes).filter(|size| *size <= MAX_SNAPSHOT)?;
    let unpacked = zstd::bulk::decompress(bytes, size).ok()?;
    postcard::from_bytes(&unpacked).ok()
}
