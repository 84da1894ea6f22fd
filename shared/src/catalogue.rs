//! The catalogue as handlers see it: lists, documents and random picks of one resource.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::clock::Clock;
use crate::index::{
    AnimeFilter, AnimeIndex, AnimeListItem, ListIndex, SongFilter, SongIndex, SongListItem,
    anime_list_order, song_list_order,
};
use crate::models::{ANIME_ID_BITS, Anime, SONG_ID_BITS, Song};
use crate::page::PageRequest;
use crate::query::Params;
use crate::random::Random;
use crate::store::{CatalogueStore, Head, SnapshotStore, StoreError, TableNames};

/// How long an index is used before somebody looks for a newer one, in milliseconds (design.md,
/// "Data").
pub const FRESH_MS: u64 = 10_000;

/// How long a request waits while another one loads the index. With the call that it then makes
/// itself, should nobody answer that one either, it ends within 3 s.
const LONGEST_WAIT: Duration = Duration::from_millis(1500);

/// The layout of a snapshot's bytes. Counts up with every change to what is serialized, so that a
/// function never reads another one's layout: it builds its index from the table instead.
const SNAPSHOT_FORMAT: u64 = 2;

/// How hard snapshots are compressed: published once, read by every cold function.
const ZSTD_LEVEL: i32 = 12;

/// The most bytes that a snapshot may unpack to: the memory of the largest function is below it.
const MAX_SNAPSHOT: usize = 1 << 30;

/// A resource of the catalogue: what lists, snapshots and tables need to know of it.
pub trait Resource: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Its name in cursors and snapshots.
    const KIND: &'static str;
    /// Its table.
    const TABLE: &'static str;
    /// The index of its table that holds the list order.
    const LIST_INDEX: &'static str;
    /// What the list index projects.
    type ListItem: DeserializeOwned + Send;
    /// Its filters.
    type Filter;
    /// Its index in memory.
    type Index: ListIndex<Filter = Self::Filter> + FromIterator<Self::ListItem>;

    /// Its identifier.
    fn id(&self) -> u64;
    /// Reads its filters out of a query string.
    fn read_filter(params: &mut Params) -> Self::Filter;
    /// Its place in the list order. Holds the identifier, see [`Resource::id_at`].
    fn place(&self) -> u64;
    /// The identifier of what stands at a place of the list order.
    fn id_at(place: u64) -> u64;
}

macro_rules! resource {
    ($resource:ident, $kind:literal, $list_index:literal, $item:ident, $filter:ident, $index:ident, $id_bits:ident, $place:expr) => {
        impl Resource for $resource {
            const KIND: &'static str = $kind;
            const TABLE: &'static str = stringify!($resource);
            const LIST_INDEX: &'static str = $list_index;
            type ListItem = $item;
            type Filter = $filter;
            type Index = $index;

            fn id(&self) -> u64 {
                self.id.get()
            }

            fn read_filter(params: &mut Params) -> Self::Filter {
                $filter::read(params)
            }

            fn place(&self) -> u64 {
                let place: fn(&Self) -> u64 = $place;
                place(self)
            }

            fn id_at(place: u64) -> u64 {
                place & ((1 << $id_bits) - 1)
            }
        }
    };
}

resource!(
    Anime,
    "anime",
    "ByScore",
    AnimeListItem,
    AnimeFilter,
    AnimeIndex,
    ANIME_ID_BITS,
    |anime| { anime_list_order(anime.score, anime.id) }
);
resource!(
    Song,
    "song",
    "BySeason",
    SongListItem,
    SongFilter,
    SongIndex,
    SONG_ID_BITS,
    |song| { song_list_order(song.year, song.season, song.id) }
);

/// One page of a list.
#[derive(Debug)]
pub struct Page<R> {
    /// The documents, in list order.
    pub documents: Vec<R>,
    /// How many match in all.
    pub total: usize,
    /// The place of the page's last row, when another page follows.
    pub next: Option<u64>,
}

/// The catalogue of one resource.
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
    /// The snapshot that the index came from; `None` when it was built from the table.
    head: Option<Head>,
    checked_ms: u64,
}

impl<R: Resource> Catalogue<R> {
    /// The catalogue in these tables.
    #[must_use]
    pub fn new(
        client: aws_sdk_dynamodb::Client,
        tables: &TableNames,
        clock: Clock,
        random: Random,
    ) -> Self {
        Self {
            documents: CatalogueStore::new(client.clone(), tables),
            snapshots: SnapshotStore::new(client, tables, R::KIND),
            clock,
            random,
            cached: Mutex::new(None),
        }
    }

    /// The document with this identifier.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn find(&self, id: u64) -> Result<Option<R>, StoreError> {
        self.documents.get(id).await
    }

    /// A page of the list.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn list(&self, filter: &R::Filter, page: PageRequest) -> Result<Page<R>, StoreError> {
        let matches = self.index().await?.search(filter, page);
        let last = matches.places.last().copied();
        Ok(Page {
            documents: self.documents_at(matches.places).await?,
            total: matches.total,
            next: last.filter(|_| matches.more),
        })
    }

    /// Up to `amount` documents, at most 100, each with the same chance.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn random(&self, amount: usize) -> Result<Vec<R>, StoreError> {
        let index = self.index().await?;
        let positions = self.random.positions(index.len(), amount);
        let places = positions
            .into_iter()
            .filter_map(|position| index.place(position));
        self.documents_at(places.collect()).await
    }

    async fn documents_at(&self, places: Vec<u64>) -> Result<Vec<R>, StoreError> {
        let ids: Vec<u64> = places.into_iter().map(R::id_at).collect();
        self.documents.get_many(&ids).await
    }

    /// The index, no older than [`FRESH_MS`]. Whoever comes while it is being loaded waits for it
    /// instead of loading it too.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn index(&self) -> Result<Arc<R::Index>, StoreError> {
        let turn = timeout(LONGEST_WAIT, self.cached.lock()).await;
        let mut cached = turn.map_err(|_| StoreError::Unavailable("others wait too".into()))?;
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

    /// The index out of the snapshot, or out of the table when there is none that can be read.
    async fn load(&self, head: Option<Head>) -> Result<R::Index, StoreError> {
        if let Some(head) = head {
            for consistent in [false, true] {
                if let Some(index) = self.load_snapshot(head, consistent).await? {
                    return Ok(index);
                }
            }
        }
        tracing::warn!(
            kind = R::KIND,
            "no snapshot to read: building the index from the table"
        );
        self.build().await
    }

    async fn load_snapshot(
        &self,
        head: Head,
        consistent: bool,
    ) -> Result<Option<R::Index>, StoreError> {
        let bytes = self.snapshots.load(head, consistent).await?;
        Ok(bytes.and_then(|bytes| decode(&bytes)))
    }

    async fn build(&self) -> Result<R::Index, StoreError> {
        Ok(self.documents.list_items().await?.into_iter().collect())
    }

    /// Builds the index from the table and publishes it for every function to load. Answers the
    /// number of rows.
    ///
    /// # Errors
    /// When DynamoDB does not answer; the snapshot published before is then untouched.
    pub async fn publish(&self) -> Result<usize, StoreError> {
        let version = self.snapshots.next_version().await?;
        let index = self.build().await?;
        let bytes = encode(&index)?;
        self.snapshots
            .publish(version, SNAPSHOT_FORMAT, index.len(), &bytes)
            .await?;
        Ok(index.len())
    }
}

/// An index as a snapshot's bytes.
///
/// # Errors
/// When it cannot be serialized.
pub fn encode<I: ListIndex>(index: &I) -> Result<Vec<u8>, StoreError> {
    let bytes = postcard::to_stdvec(index).map_err(|error| StoreError::Fault(error.to_string()))?;
    zstd::bulk::compress(&bytes, ZSTD_LEVEL).map_err(|error| StoreError::Fault(error.to_string()))
}

/// An index out of a snapshot's bytes. `None` when they are damaged.
#[must_use]
pub fn decode<I: ListIndex>(bytes: &[u8]) -> Option<I> {
    let size = zstd::bulk::Decompressor::upper_bound(bytes).filter(|size| *size <= MAX_SNAPSHOT)?;
    let unpacked = zstd::bulk::decompress(bytes, size).ok()?;
    postcard::from_bytes(&unpacked).ok()
}
