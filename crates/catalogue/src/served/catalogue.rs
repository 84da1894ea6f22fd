//! Lists, documents and random picks of one kind of document, anime or songs.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dynamo::{Database, MAX_BATCH_READ, pack_value, unpack_value};
use shared::clock::Clock;
use shared::input::PageRequest;
use shared::models::{Anime, AnimeId};
use shared::random::Random;
use shared::{Error, Result};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::community::{CommunityCounts, LoadedCommunity, unloaded_community};
use crate::identify::{NameLimits, NameSearches};
use crate::index::{
    AnimeIndex, AnimeSelection, IndexedRow, ListIndex, MainTitles, Matches, Resource,
};
use crate::mapping::{AnimeMapping, LoadedMapping};
use crate::rows::document_store::CatalogueStore;
use crate::seasons::{AnimeSeasons, LoadedSeasons, unloaded_seasons};
use crate::served::documents::{CachedDocument, Documents, FRESH_MS, entity_tag, parse_documents};
use crate::served::summaries::AnimeSummaries;
use crate::snapshots::catalog_snapshot::Head;
use crate::snapshots::loaded_value::MAX_AGE_MS;
use crate::snapshots::snapshot_store::{
    LONGEST_WAIT, PublishedSnapshot, Snapshot, SnapshotSection, SnapshotStore,
};

/// The number of the layout of a snapshot's bytes. It must be increased with every change of the serialized types. If
/// the published snapshot has another layout, a function does not read it but builds its index from the table.
const SNAPSHOT_FORMAT: u64 = 10;

/// A catalogue that is shared by the handlers of its endpoints.
pub type SharedCatalogue<R> = Arc<Catalogue<R>>;

/// The catalogue of one kind of document.
#[derive(Debug)]
pub struct Catalogue<R: Resource> {
    documents: Documents<R>,
    snapshots: SnapshotStore,
    mapping: LoadedMapping,
    /// The season map is on the heap, because most futures that have a catalogue never use it.
    seasons: Box<LoadedSeasons>,
    /// The counts are on the heap for the same reason.
    community: Box<LoadedCommunity>,
    name_limits: NameLimits,
    clock: Clock,
    random: Random,
    cached: Mutex<Option<CachedIndex<R::Index>>>,
    /// True once `cached` has an index.
    is_loaded: AtomicBool,
    /// The version that [`Catalogue::version`] returns as long as no index is loaded.
    published_version: Mutex<Option<PublishedVersion>>,
}

/// The version of the published snapshot when it was last read.
#[derive(Clone, Copy, Debug)]
struct PublishedVersion {
    /// The version. `None` if there is no snapshot, or none in [`SNAPSHOT_FORMAT`].
    version: Option<u64>,
    /// The time of the read, in milliseconds since the Unix epoch.
    read_ms: u64,
}

#[derive(Debug)]
struct CachedIndex<I> {
    loaded: Arc<LoadedIndex<I>>,
    /// The time of the last check for a newer snapshot, in milliseconds since the Unix epoch.
    checked_ms: u64,
}

/// An index, and where it comes from.
#[derive(Debug)]
struct LoadedIndex<I> {
    index: Arc<I>,
    /// The head of the published snapshot when the index was loaded. The index is from that snapshot, or from the
    /// table if there is no head or its snapshot cannot be read.
    head: Option<Head>,
    /// The ids of documents that a moderator has corrected, if the correction may be missing from the snapshot.
    unpublished: BTreeSet<u64>,
}

impl<I: ListIndex> LoadedIndex<I> {
    /// Returns a row of the index, without its revision if the snapshot may lack a correction of the document.
    /// Without a revision, a cached document is used for only [`FRESH_MS`] and then read again.
    fn without_stale_revision(&self, row: IndexedRow) -> IndexedRow {
        let revision = row.revision;
        IndexedRow {
            revision: revision.filter(|_| !self.unpublished.contains(&row.id)),
            ..row
        }
    }

    /// Returns the row of a document, also if the index does not have it.
    fn row_of(&self, id: u64) -> IndexedRow {
        let row = self.index.find(id);
        row.map_or(IndexedRow::unknown(id), |row| {
            self.without_stale_revision(row)
        })
    }

    /// Returns true if the index has the current version of this document, as far as a process can know.
    fn is_current(&self, id: u64) -> bool {
        !self.unpublished.contains(&id) && self.index.find(id).is_some()
    }

    fn search(&self, filter: &I::Filter, page: PageRequest) -> Option<Matches> {
        let mut found = self.index.search(filter, page)?;
        for row in &mut found.rows {
            *row = self.without_stale_revision(*row);
        }
        Some(found)
    }
}

/// A page of a list, with its documents.
#[derive(Debug)]
pub struct DocumentPage {
    /// The documents, at most 100. Empty if the client has the page already ([`Catalogue::page`]).
    pub documents: Vec<CachedDocument>,
    /// The entity tag of the page, if it is known.
    pub tag: Option<String>,
    /// The number of documents on all pages.
    pub total: usize,
    /// The position of the page's last document, if another page follows.
    pub next: Option<u128>,
}

impl<R: Resource> Catalogue<R> {
    /// Returns a catalogue that reads from this database. `cache_size` is the size of its cache of documents, in bytes.
    pub fn new(database: &Database, cache_size: u64) -> Self {
        Self {
            documents: Documents::new(database, cache_size),
            snapshots: SnapshotStore::new(database, R::KIND),
            mapping: LoadedMapping::new(database),
            seasons: Box::new(unloaded_seasons(database)),
            community: Box::new(unloaded_community(database)),
            name_limits: NameLimits::default(),
            clock: database.clock.clone(),
            random: database.random.clone(),
            cached: Mutex::new(None),
            is_loaded: AtomicBool::new(false),
            published_version: Mutex::new(None),
        }
    }

    /// Sets the limits on the searches for names in a request.
    #[must_use]
    pub fn with_name_limits(mut self, limits: NameLimits) -> Self {
        self.name_limits = limits;
        self
    }

    /// Returns the document with this identifier. Does not load the index, because that would cost more than a read of
    /// the document.
    pub async fn find(&self, id: u64) -> Result<Option<CachedDocument>> {
        let row = if self.is_loaded.load(Ordering::Relaxed) {
            self.get_with(SnapshotSection::Index).await?.row_of(id)
        } else {
            IndexedRow::unknown(id)
        };
        Ok(self.documents.get(&[row]).await?.pop())
    }

    /// Returns the documents with these identifiers, at most 100, in this order. Documents without a row are left out.
    /// If there are several, loads the index: without the revisions in it, they would have to be read again after
    /// [`FRESH_MS`].
    pub async fn find_many(&self, ids: &[u64]) -> Result<Vec<CachedDocument>> {
        match ids {
            [] => Ok(Vec::new()),
            [id] => Ok(self.find(*id).await?.into_iter().collect()),
            _ => {
                let loaded = self.get_with(SnapshotSection::Index).await?;
                let rows: Vec<IndexedRow> = ids.iter().map(|id| loaded.row_of(*id)).collect();
                self.documents.get(&rows).await
            }
        }
    }

    /// Returns a page of the list of documents that pass the filter. Reads no document.
    pub async fn list(&self, filter: &R::Filter, page: PageRequest) -> Result<Matches> {
        let loaded = self.get_with(SnapshotSection::Index).await?;
        if let Some(found) = loaded.search(filter, page) {
            return Ok(found);
        }
        let loaded = self.get_with(SnapshotSection::Texts).await?;
        let found = loaded.search(filter, page);
        found.ok_or_else(|| Error::internal("the index has no texts for a search"))
    }

    /// Returns a page of the list with its documents. Reads no document if `is_known` returns true for the entity tag
    /// of the page: the client already has the page.
    pub async fn page(
        &self,
        filter: &R::Filter,
        page: PageRequest,
        is_known: impl Fn(Option<&str>) -> bool,
    ) -> Result<DocumentPage> {
        let found = self.list(filter, page).await?;
        let (total, next) = (found.total, found.next);
        let tag = entity_tag::<R>(found.rows.iter().map(IndexedRow::version));
        let is_known = is_known(tag.as_deref());
        let mut page = DocumentPage {
            documents: Vec::new(),
            tag,
            total,
            next,
        };
        if !is_known {
            page.documents = self.documents(&found.rows).await?;
            // The rows may have changed since the index was built, so the tag is made from the documents that were
            // read.
            page.tag = entity_tag::<R>(page.documents.iter().map(CachedDocument::version));
        }
        Ok(page)
    }

    /// Returns the store of the table.
    pub fn store(&self) -> &CatalogueStore<R> {
        self.documents.store()
    }

    /// Returns the documents of these rows, at most 100, in this order.
    pub async fn documents(&self, rows: &[IndexedRow]) -> Result<Vec<CachedDocument>> {
        self.documents.get(rows).await
    }

    /// Returns the resource of a document, for a page. The process remembers the resources that pages have shown last.
    ///
    /// # Errors
    /// [`Error::Internal`] if the document is of another kind.
    pub fn parse(&self, document: &CachedDocument) -> Result<Arc<R>> {
        self.documents.parse(document)
    }

    /// Returns the resources of these rows like [`Self::documents`] returns their documents.
    pub async fn resources(&self, rows: &[IndexedRow]) -> Result<Vec<Arc<R>>> {
        let documents = self.documents(rows).await?;
        documents
            .iter()
            .map(|document| self.parse(document))
            .collect()
    }

    /// Returns up to `amount` random documents. Each document has the same chance. `amount` must be at most
    /// 100, because DynamoDB reads at most 100 rows in one call.
    pub async fn random(&self, amount: usize) -> Result<Vec<CachedDocument>> {
        let loaded = self.get_with(SnapshotSection::Index).await?;
        let numbers = self.random.pick_positions(loaded.index.len(), amount);
        let rows = numbers.into_iter();
        let rows = rows
            .filter_map(|number| Some(loaded.without_stale_revision(loaded.index.row(number)?)));
        self.documents.get(&rows.collect::<Vec<_>>()).await
    }

    /// Returns the index. If the last check for a newer snapshot was [`FRESH_MS`] ago or more, checks again.
    /// While one request checks and loads, others wait for it instead of loading the index as well.
    pub async fn index(&self) -> Result<Arc<R::Index>> {
        Ok(self.index_and_version().await?.0)
    }

    /// Returns the index like [`Catalogue::index`] does, and the version of the published snapshot: a number that
    /// increases with every publication. The version is `None` if there was no snapshot in a format that this
    /// version of the service can read. If the snapshot was damaged, the index was built from the table, but the
    /// version is returned all the same.
    pub async fn index_and_version(&self) -> Result<(Arc<R::Index>, Option<u64>)> {
        let loaded = self.get_with(SnapshotSection::Index).await?;
        let version = loaded.head.map(|head| head.version);
        Ok((Arc::clone(&loaded.index), version))
    }

    /// Returns the version of [`Catalogue::index_and_version`] without loading the index. The version can be up to
    /// [`FRESH_MS`] old.
    pub async fn version(&self) -> Result<Option<u64>> {
        if self.is_loaded.load(Ordering::Relaxed) {
            return Ok(self.index_and_version().await?.1);
        }
        let mut last_read = self.published_version.lock().await;
        let now = self.clock.now_ms();
        if let Some(PublishedVersion { version, read_ms }) = *last_read
            && now.abs_diff(read_ms) < FRESH_MS
        {
            return Ok(version);
        }
        let head = self.read_published().await?.head;
        let version = head.map(|head| head.version);
        *last_read = Some(PublishedVersion {
            version,
            read_ms: now,
        });
        Ok(version)
    }

    /// Returns the published snapshot. Leaves out its head if this version of the service cannot read the snapshot.
    async fn read_published(&self) -> Result<PublishedSnapshot> {
        let mut published = self.snapshots.published().await?;
        published.head = published.head.filter(|head| head.format == SNAPSHOT_FORMAT);
        Ok(published)
    }

    /// Returns the index like [`Catalogue::index`] does, with this section of the snapshot.
    async fn get_with(&self, section: SnapshotSection) -> Result<Arc<LoadedIndex<R::Index>>> {
        let turn = timeout(LONGEST_WAIT, self.cached.lock()).await;
        let mut cached = turn.map_err(|_| {
            Error::Unavailable("timed out waiting for another request to load the index".into())
        })?;
        let now = self.clock.now_ms();
        if let Some(known) = &*cached
            && now.abs_diff(known.checked_ms) < FRESH_MS
            && has_section(&*known.loaded.index, section)
        {
            return Ok(Arc::clone(&known.loaded));
        }
        // The future is on the heap, because a large one would slow down the requests that find the index in memory.
        let reloaded = Box::pin(self.reload(cached.as_ref(), section, now)).await?;
        let loaded = Arc::clone(&reloaded.loaded);
        *cached = Some(reloaded);
        self.is_loaded.store(true, Ordering::Relaxed);
        Ok(loaded)
    }

    /// Reads the head and loads what is missing. The head is read even if only another section than the index is
    /// missing: a newer snapshot may have replaced the cached one, whose sections are then gone.
    async fn reload(
        &self,
        cached: Option<&CachedIndex<R::Index>>,
        section: SnapshotSection,
        now: u64,
    ) -> Result<CachedIndex<R::Index>> {
        let PublishedSnapshot { head, unpublished } = self.read_published().await?;
        let known = cached.map(|cached| &cached.loaded);
        let mut index = match known {
            // Without a snapshot, the index is always built again, so that changes of the table show.
            Some(known) if head.is_some() && known.head == head => Arc::clone(&known.index),
            _ => Arc::new(self.load(head).await?),
        };
        if !has_section(&*index, section) && !self.load_section(head, section, &*index).await? {
            index = Arc::new(self.build_without_snapshot().await?);
        }
        let loaded = Arc::new(LoadedIndex {
            index,
            head,
            unpublished,
        });
        Ok(CachedIndex {
            loaded,
            checked_ms: now,
        })
    }

    /// Returns the index from the snapshot, or built from the table if no snapshot can be read.
    async fn load(&self, head: Option<Head>) -> Result<R::Index> {
        let read = |bytes: &[u8]| unpack_value(bytes).filter(R::Index::is_consistent);
        let section = SnapshotSection::Index;
        match self.snapshots.read(head, section, read).await? {
            Some(index) => Ok(index),
            None => self.build_without_snapshot().await,
        }
    }

    /// Loads another section for an index that was loaded from a snapshot. Returns false if it cannot be read.
    async fn load_section(
        &self,
        head: Option<Head>,
        section: SnapshotSection,
        index: &R::Index,
    ) -> Result<bool> {
        let rows = index.len();
        let load = |bytes: &[u8]| match section {
            SnapshotSection::Index => true,
            SnapshotSection::Texts => index.texts().load(bytes, rows),
            SnapshotSection::Titles => index
                .main_titles()
                .is_none_or(|titles| titles.load(bytes, rows)),
        };
        let decode = |bytes: &[u8]| load(bytes).then_some(());
        let loaded = self.snapshots.read(head, section, decode).await?;
        Ok(loaded.is_some())
    }

    async fn build_without_snapshot(&self) -> Result<R::Index> {
        tracing::warn!(
            kind = R::KIND,
            "no readable snapshot; building the index from the table"
        );
        build_index(self.documents.store()).await
    }
}

impl Catalogue<Anime> {
    /// Returns the identifiers of all anime at other services. If the last check for a newer mapping was [`FRESH_MS`]
    /// ago or more, checks again.
    pub async fn mapping(&self) -> Result<Arc<AnimeMapping>> {
        let index = self.index().await?;
        self.mapping.mapping_for(index, FRESH_MS).await
    }

    /// Returns the season map with the anime of the catalogue. If the last check for a newer map or newer identifiers
    /// was 10 minutes ago or more, checks again. They rarely change, and a check costs as much as the rest of a
    /// message from a player. If no map is published, no series is known.
    pub async fn seasons(&self) -> Result<AnimeSeasons> {
        let index = self.index().await?;
        self.join_seasons(index).await
    }

    /// Returns the season map as [`Self::seasons`] does, for lookups by name ([`AnimeSeasons::identify`]). Also
    /// loads the texts for searches, if no request has loaded them yet.
    pub async fn seasons_with_names(&self) -> Result<AnimeSeasons> {
        let loaded = self.get_with(SnapshotSection::Texts).await?;
        self.join_seasons(Arc::clone(&loaded.index)).await
    }

    /// Returns how many users have each anime on their lists, and the spread of their scores. If the last check for
    /// newer counts was 10 minutes ago or more, checks again. They are published once a day.
    pub async fn community(&self) -> Result<Arc<CommunityCounts>> {
        self.community.get().await
    }

    /// Returns a page of a selection of anime, in its order. Reads no document. The page must be the first page or a
    /// page with a number: [`Matches::next`] is `None`.
    pub async fn select(
        &self,
        selection: &AnimeSelection<'_>,
        page: PageRequest,
    ) -> Result<Matches> {
        let section = match selection.filter.search {
            Some(_) => SnapshotSection::Texts,
            None => SnapshotSection::Index,
        };
        let loaded = self.get_with(section).await?;
        let found = loaded.index.select(selection, page);
        let mut found =
            found.ok_or_else(|| Error::internal("the index has no texts for a search"))?;
        for row in &mut found.rows {
            *row = loaded.without_stale_revision(*row);
        }
        Ok(found)
    }

    /// Returns what exports state about any number of anime. Reads only the documents of anime that the index does not
    /// have yet, and of those with a correction that it may lack.
    pub async fn summaries(&self, ids: &[AnimeId]) -> Result<AnimeSummaries> {
        let loaded = self.get_with(SnapshotSection::Titles).await?;
        let unlisted: BTreeSet<u64> = ids
            .iter()
            .map(|id| id.get())
            .filter(|id| !loaded.is_current(*id))
            .collect();
        let rows: Vec<IndexedRow> = unlisted.into_iter().map(IndexedRow::unknown).collect();
        let mut read = Vec::new();
        for rows in rows.chunks(MAX_BATCH_READ) {
            read.extend(parse_documents(&self.documents.get(rows).await?)?);
        }
        Ok(AnimeSummaries::new(Arc::clone(&loaded.index), read))
    }

    /// Returns the searches for the names of a request.
    pub fn name_searches(&self) -> NameSearches {
        NameSearches::new(self.name_limits)
    }

    async fn join_seasons(&self, index: Arc<AnimeIndex>) -> Result<AnimeSeasons> {
        let mapping = self.mapping.mapping_for(Arc::clone(&index), MAX_AGE_MS);
        Ok(AnimeSeasons {
            mapping: mapping.await?,
            map: self.seasons.get().await?,
            index,
        })
    }
}

/// Returns true if an index has this section of its snapshot.
fn has_section<I: ListIndex>(index: &I, section: SnapshotSection) -> bool {
    match section {
        SnapshotSection::Index => true,
        SnapshotSection::Texts => index.texts().is_loaded(),
        SnapshotSection::Titles => index.main_titles().is_none_or(MainTitles::is_loaded),
    }
}

async fn build_index<R: Resource>(store: &CatalogueStore<R>) -> Result<R::Index> {
    Ok(store.list_items().await?.into_iter().collect())
}

/// Returns true if the published snapshot may lack corrections. Costs as much as [`SnapshotStore::head`].
pub async fn has_unpublished<R: Resource>(database: &Database) -> Result<bool> {
    let snapshots = SnapshotStore::new(database, R::KIND);
    Ok(!snapshots.published().await?.unpublished.is_empty())
}

/// Returns true if no snapshot is published, or one in the format of another version. Costs as much as
/// [`SnapshotStore::head`].
pub async fn is_snapshot_outdated<R: Resource>(database: &Database) -> Result<bool> {
    let head = SnapshotStore::new(database, R::KIND).head().await?;
    Ok(head.is_none_or(|head| head.format != SNAPSHOT_FORMAT))
}

/// Builds the index from the table and publishes it as a snapshot for all functions, unless a run with a higher
/// version has published a snapshot in the meantime. Returns the number of rows in the index.
///
/// # Errors
/// As [`SnapshotStore::publish`].
pub async fn publish<R: Resource>(database: &Database) -> Result<usize> {
    let snapshots = SnapshotStore::new(database, R::KIND);
    // An import writes its rows before it calls this function. This function draws the version before it reads the
    // table. So a snapshot also has the rows of every import whose snapshot has a lower version.
    let mut new_version = snapshots.draw_version().await?;
    let store = CatalogueStore::new(database);
    let index = build_index::<R>(&store).await?;
    // DynamoDB's list index, from which `index` was built, can lag behind the latest corrections. So a correction
    // counts as published only if `index` has the current revision of the corrected row.
    let corrected: Vec<u64> = new_version.unpublished().into_iter().collect();
    let mut current = HashMap::new();
    for ids in corrected.chunks(MAX_BATCH_READ) {
        current.extend(store.get_current(ids).await?);
    }
    new_version.mark_contained(|id| {
        let listed = index.find(id).map(|row| row.revision);
        listed == current.get(&id).map(|stored| stored.revision)
    });
    let titles = index.main_titles().map(MainTitles::to_bytes).transpose()?;
    let snapshot = Snapshot {
        format: SNAPSHOT_FORMAT,
        rows: index.len(),
        index: &pack_value(&index)?,
        texts: &index.texts().to_bytes()?,
        titles: &titles.unwrap_or_default(),
    };
    snapshots.publish(new_version, snapshot).await?;
    Ok(index.len())
}
