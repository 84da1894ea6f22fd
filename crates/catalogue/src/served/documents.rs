//! Documents as the JSON of responses, in a bounded cache of the process (docs/architecture.md, "The catalogue:
//! import, table, snapshot, index").
//!
//! A cached document is used while the index states its revision, however old it is: a new snapshot does not invalidate
//! documents that have not changed. If the index states another revision or none, a cached document is used for
//! [`FRESH_MS`] after it was read. So an outdated document is served for at most that time after the publication of its
//! change, and a row that was written but not published yet is not read again on every request.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use dynamo::Database;
use quick_cache::sync::{Cache, DefaultLifecycle, EntryAction, EntryResult, PlaceholderGuard};
use quick_cache::{DefaultHashBuilder, Weighter};
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use shared::clock::Clock;
use shared::{Error, Result, digest};
use tokio::time::timeout;

use crate::index::{IndexedRow, Resource};
use crate::rows::document::RowRevision;
use crate::rows::document_store::CatalogueStore;
use crate::snapshots::snapshot_store::LONGEST_WAIT;

/// The time for which an index is used before a request checks for a newer snapshot, in milliseconds: 10 seconds
/// (docs/data-model.md, "Snapshots"). A cached document whose revision is not known to be current is used for the
/// same time.
pub const FRESH_MS: u64 = 10_000;

/// The bytes that a cached document takes besides its JSON.
const OVERHEAD_BYTES: u64 = 128;

/// The expected size of a cached document, in bytes. The cache uses it to choose the sizes of its parts.
const EXPECTED_BYTES: u64 = 1500;

/// The maximum size of the cache of parsed documents, in bytes. It holds about 2,000 of them. Only pages need them.
const MAX_PARSED_BYTES: u64 = 16 * 1024 * 1024;

/// The memory of a parsed document for each byte of its JSON, about: its texts, and the nodes that hold them.
const PARSED_FACTOR: u64 = 3;

/// A document from the cache, serialized as JSON.
#[derive(Clone, Debug)]
pub struct CachedDocument(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    json: Box<RawValue>,
    id: u64,
    revision: RowRevision,
    /// The time at which the row was read, in milliseconds since the Unix epoch.
    read_ms: u64,
}

impl CachedDocument {
    /// Returns the JSON.
    pub fn json(&self) -> &str {
        self.0.json.get()
    }

    /// Returns the resource, or a part of it.
    ///
    /// # Errors
    /// [`Error::Internal`] if the document is of another kind.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_str(self.json()).map_err(Error::internal)
    }

    /// Returns the JSON of the document with one more field, a list of other documents.
    ///
    /// # Errors
    /// [`Error::Internal`] if the document is not a JSON object.
    pub fn json_with_list(&self, field: &str, others: &[Self]) -> Result<Box<RawValue>> {
        let object = self.json().strip_suffix('}');
        let object = object.ok_or_else(|| Error::internal("a document is not an object"))?;
        let others: Vec<&str> = others.iter().map(Self::json).collect();
        let json = format!("{object},\"{field}\":[{}]}}", others.join(","));
        RawValue::from_string(json).map_err(Error::internal)
    }

    /// Returns the identifier and the revision of the row.
    pub fn version(&self) -> (u64, RowRevision) {
        (self.0.id, self.0.revision)
    }
}

impl Serialize for CachedDocument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.json.serialize(serializer)
    }
}

/// Returns the resources of these documents.
///
/// # Errors
/// [`Error::Internal`] if a document is of another kind.
pub fn parse_documents<R: Resource>(documents: &[CachedDocument]) -> Result<Vec<R>> {
    documents.iter().map(CachedDocument::parse).collect()
}

/// Returns the entity tag of a response with these versions of documents; `None` if a revision is unknown.
pub fn entity_tag<R: Resource>(
    versions: impl IntoIterator<Item = (u64, RowRevision)>,
) -> Option<String> {
    let mut text = format!("{} {}", R::KIND, R::LAYOUT);
    for (id, revision) in versions {
        write!(text, " {id} {}", revision?).ok()?;
    }
    Some(digest(&text))
}

/// Documents that were found in a cache of this process. Statistics of a process have no other place: each function has
/// caches of its own.
static HITS: AtomicU64 = AtomicU64::new(0);

/// Documents that were not found in a cache of this process.
static MISSES: AtomicU64 = AtomicU64::new(0);

/// The look-ups in all caches of documents in this process, since its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheLookups {
    /// Documents that were found.
    pub hits: u64,
    /// Documents that were read, by this request or by another request at the same time.
    pub misses: u64,
}

/// Returns the look-ups in the caches of this process.
pub fn cache_lookups() -> CacheLookups {
    CacheLookups {
        hits: HITS.load(Ordering::Relaxed),
        misses: MISSES.load(Ordering::Relaxed),
    }
}

/// The documents of one kind: the table, and the caches in front of it.
#[derive(Debug)]
pub struct Documents<R: Resource> {
    store: CatalogueStore<R>,
    cache: DocumentCache,
    /// The resources that pages have parsed last.
    parsed: Cache<u64, ParsedDocument<R>, ParsedWeight>,
    clock: Clock,
}

/// A parsed document.
#[derive(Clone, Debug)]
struct ParsedDocument<R> {
    /// The document. A later document with the same identifier can have other content.
    document: Weak<Inner>,
    resource: Arc<R>,
    bytes: u64,
}

/// Measures parsed documents in bytes.
#[derive(Clone, Debug)]
struct ParsedWeight;

impl<R> Weighter<u64, ParsedDocument<R>> for ParsedWeight {
    fn weight(&self, _: &u64, parsed: &ParsedDocument<R>) -> u64 {
        parsed.bytes
    }
}

type DocumentCache = Cache<u64, CachedDocument, Weight>;
type Guard<'c> = PlaceholderGuard<
    'c,
    u64,
    CachedDocument,
    Weight,
    DefaultHashBuilder,
    DefaultLifecycle<u64, CachedDocument>,
>;

/// Measures cached documents in bytes.
#[derive(Clone, Debug)]
struct Weight;

impl Weighter<u64, CachedDocument> for Weight {
    fn weight(&self, _: &u64, document: &CachedDocument) -> u64 {
        document.json().len() as u64 + OVERHEAD_BYTES
    }
}

/// The result of looking up a document in the cache.
enum CacheLookup<'c> {
    Found(CachedDocument),
    /// The document is not in the cache, or is too old. The holder of the guard reads it.
    Missing(Guard<'c>),
    /// Another request is reading the document.
    Awaited,
}

impl<R: Resource> Documents<R> {
    /// Creates the documents of this database, with a cache of this size in bytes.
    pub fn new(database: &Database, cache_size: u64) -> Self {
        let expected =
            |size: u64, each: u64| usize::try_from(size / each).unwrap_or(usize::MAX).max(1);
        let parsed_size = MAX_PARSED_BYTES.min(cache_size);
        let expected_parsed = expected(parsed_size, EXPECTED_BYTES * PARSED_FACTOR);
        Self {
            store: CatalogueStore::new(database),
            cache: Cache::with_weighter(expected(cache_size, EXPECTED_BYTES), cache_size, Weight),
            parsed: Cache::with_weighter(expected_parsed, parsed_size, ParsedWeight),
            clock: database.clock.clone(),
        }
    }

    /// Returns the resource of a document. Remembers it, so that the pages that show it again need not parse it.
    pub fn parse(&self, document: &CachedDocument) -> Result<Arc<R>> {
        let id = document.0.id;
        let is_same = |parsed: &ParsedDocument<R>| {
            std::ptr::eq(parsed.document.as_ptr(), Arc::as_ptr(&document.0))
        };
        if let Some(parsed) = self.parsed.get(&id).filter(is_same) {
            return Ok(parsed.resource);
        }
        let resource: Arc<R> = Arc::new(document.parse()?);
        let parsed = ParsedDocument {
            // The weak reference keeps the address from being used for another document.
            document: Arc::downgrade(&document.0),
            resource: Arc::clone(&resource),
            bytes: document.json().len() as u64 * PARSED_FACTOR + OVERHEAD_BYTES,
        };
        self.parsed.insert(id, parsed);
        Ok(resource)
    }

    /// Returns the store.
    pub fn store(&self) -> &CatalogueStore<R> {
        &self.store
    }

    /// Returns these documents, at most 100, in this order. Documents without a row are left out. Reads only
    /// documents that are missing from the cache or too old. Each is read by only one request at a time.
    pub async fn get(&self, listed: &[IndexedRow]) -> Result<Vec<CachedDocument>> {
        let mut found: Vec<Option<CachedDocument>> = vec![None; listed.len()];
        let (mut missing, mut awaited) = (Vec::new(), Vec::new());
        for (position, row) in listed.iter().enumerate() {
            match self.look_up(*row) {
                CacheLookup::Found(document) => found[position] = Some(document),
                CacheLookup::Missing(guard) => missing.push((position, guard)),
                CacheLookup::Awaited => awaited.push(position),
            }
        }
        let misses = missing.len() + awaited.len();
        MISSES.fetch_add(misses as u64, Ordering::Relaxed);
        HITS.fetch_add((listed.len() - misses) as u64, Ordering::Relaxed);
        // The futures are on the heap, because large futures would slow down the requests that find all documents in
        // the cache.
        if !missing.is_empty() {
            for (position, document) in Box::pin(self.read(listed, missing)).await? {
                found[position] = Some(document);
            }
        }
        // The request waits for others only after it has read its own documents, so that two requests never wait for
        // each other.
        if !awaited.is_empty() {
            let all = Box::pin(self.wait_for(listed, &awaited, &mut found));
            timeout(LONGEST_WAIT, all).await.map_err(|_| {
                Error::Unavailable("timed out waiting for another request to read a row".into())
            })??;
        }
        Ok(found.into_iter().flatten().collect())
    }

    fn look_up(&self, listed: IndexedRow) -> CacheLookup<'_> {
        let now = self.clock.now_ms();
        if let Some(document) = self.cache.get(&listed.id)
            && is_current(&document, listed.revision, now)
        {
            return CacheLookup::Found(document);
        }
        let check = |_: &u64, document: &mut CachedDocument| {
            if is_current(document, listed.revision, now) {
                EntryAction::Retain(document.clone())
            } else {
                EntryAction::ReplaceWithGuard
            }
        };
        // The lookup does not wait, so a timeout means that another request is reading the document.
        match self.cache.entry(&listed.id, Some(Duration::ZERO), check) {
            EntryResult::Retained(document) => CacheLookup::Found(document),
            EntryResult::Vacant(guard) | EntryResult::Replaced(guard, _) => {
                CacheLookup::Missing(guard)
            }
            EntryResult::Timeout | EntryResult::Removed(..) => CacheLookup::Awaited,
        }
    }

    /// Reads missing documents, puts them into the cache and returns them with their positions.
    async fn read(
        &self,
        listed: &[IndexedRow],
        missing: Vec<(usize, Guard<'_>)>,
    ) -> Result<Vec<(usize, CachedDocument)>> {
        let ids: Vec<u64> = missing.iter().map(|(at, _)| listed[*at].id).collect();
        let read_ms = self.clock.now_ms();
        let mut rows = self.store.get_many(&ids).await?;
        let mut documents = Vec::with_capacity(rows.len());
        for (position, guard) in missing {
            if let Some(stored) = rows.remove(&listed[position].id) {
                let json = to_raw_value(&stored.row.document).map_err(Error::internal)?;
                let document = CachedDocument(Arc::new(Inner {
                    json,
                    id: listed[position].id,
                    revision: stored.revision,
                    read_ms,
                }));
                // An error means that the entry was removed meanwhile.
                let _ = guard.insert(document.clone());
                documents.push((position, document));
            }
        }
        Ok(documents)
    }

    /// Waits for the documents that other requests are reading. Reads a document itself if the other request has
    /// failed or has found no row.
    async fn wait_for(
        &self,
        listed: &[IndexedRow],
        awaited: &[usize],
        found: &mut [Option<CachedDocument>],
    ) -> Result<()> {
        for &position in awaited {
            match self
                .cache
                .get_value_or_guard_async(&listed[position].id)
                .await
            {
                Ok(document) => found[position] = Some(document),
                Err(guard) => {
                    let read = self.read(listed, vec![(position, guard)]).await?;
                    found[position] = read.into_iter().next().map(|(_, document)| document);
                }
            }
        }
        Ok(())
    }
}

fn is_current(document: &CachedDocument, revision: RowRevision, now_ms: u64) -> bool {
    let is_same = revision.is_some() && document.0.revision == revision;
    is_same || now_ms.abs_diff(document.0.read_ms) < FRESH_MS
}
