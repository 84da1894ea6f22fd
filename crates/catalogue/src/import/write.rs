//! Merging of facts into existing rows. A merged row is written only if the row in the table still has the revision
//! that was read. Otherwise the row is read and merged again, so that no concurrent write is lost.
//!
//! There is one exception, for speed: imports and refreshes from files write new rows in batches, which allow no
//! conditions, right after a read that did not find them. With single writes an import would take 1.5 times as long.

use dynamo::{MAX_BATCH_READ, MAX_BATCH_WRITE};
use futures_util::future::try_join_all;
use shared::{Error, Result};
use tokio::task::{JoinError, JoinSet};

use crate::index::Resource;
use crate::refresh::refresh_store::RefreshStore;
use crate::rows::document::{CatalogueRow, RowRevision};
use crate::rows::document_store::{CatalogueStore, StoredRow};

/// The maximum number of batches that are written at the same time.
const MAX_BATCHES_UNDER_WAY: usize = 2;

/// The maximum number of attempts to write rows that other runs change at the same time.
const ATTEMPTS: u32 = 4;

/// The facts of a source about one document.
pub trait DocumentFacts: Clone + Send + Sync + 'static {
    /// The document.
    type Document: Resource;

    /// Returns the document's identifier.
    fn id(&self) -> u64;

    /// Returns true if the facts are about `known`, the existing document with the same identifier. Returns
    /// false if `known` is another anime or song.
    fn is_about(&self, known: &Self::Document) -> bool;

    /// Returns `known` with the values of the facts. Fields without a fact keep their values. Without
    /// `known`, returns a new row, or `None` if the facts are not enough for one.
    fn merge_into(
        self,
        known: Option<CatalogueRow<Self::Document>>,
    ) -> Option<CatalogueRow<Self::Document>>;
}

/// The writes that merge a source's facts into the rows.
pub struct MergePlan<F: DocumentFacts> {
    writes: Vec<RowWrite<F>>,
    unchanged: u64,
}

/// A row to write, and the facts that were merged into it.
struct RowWrite<F: DocumentFacts> {
    facts: F,
    row: CatalogueRow<F::Document>,
    /// The revision of the row with which the facts were merged; `None` for a new row.
    known_revision: Option<RowRevision>,
}

impl<F: DocumentFacts> MergePlan<F> {
    /// Reads the rows that the facts are about, and merges the facts into them. The facts must have distinct
    /// identifiers. Rows that do not change are not part of the plan.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if one of the identifiers belongs to another document, which a concurrent run
    /// has written.
    pub async fn make(store: &CatalogueStore<F::Document>, facts: Vec<F>) -> Result<Self> {
        let mut plan = Self {
            writes: Vec::with_capacity(facts.len()),
            unchanged: 0,
        };
        for batch in facts.chunks(MAX_BATCH_READ) {
            let ids: Vec<u64> = batch.iter().map(DocumentFacts::id).collect();
            let mut known = store.get_current(&ids).await?;
            for facts in batch {
                plan.add(facts.clone(), known.remove(&facts.id()))?;
            }
        }
        Ok(plan)
    }

    fn add(&mut self, facts: F, stored: Option<StoredRow<F::Document>>) -> Result<()> {
        let known_revision = stored.as_ref().map(|stored| stored.revision);
        let row = stored.map(|stored| stored.row);
        let stated = row
            .as_ref()
            .map(CatalogueRow::without_corrections)
            .transpose()?;
        let is_about = |row: &CatalogueRow<F::Document>| facts.is_about(&row.document);
        // A song is recognized by its title. The source can state the corrected title, or the title that the row has
        // without corrections.
        if let (Some(row), Some(stated)) = (&row, &stated)
            && !is_about(row)
            && !is_about(stated)
        {
            let why = "a concurrent run has assigned the identifier to another document";
            return Err(Error::Unavailable(why.into()));
        }
        let merged = match (facts.clone().merge_into(stated), &row) {
            (Some(merged), Some(row)) => Some(merged.with_corrections_of(row)?),
            (merged, _) => merged,
        };
        match merged.filter(|merged| row.as_ref() != Some(merged)) {
            Some(row) => self.writes.push(RowWrite {
                facts,
                row,
                known_revision,
            }),
            None => self.unchanged += 1,
        }
        Ok(())
    }

    /// Returns true if there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// Returns the identifiers of the documents to write.
    pub fn ids(&self) -> impl Iterator<Item = u64> {
        self.writes.iter().map(|write| write.facts.id())
    }

    /// Returns the numbers of documents that the plan adds, changes and leaves unchanged.
    pub fn counts(&self) -> WriteCounts {
        let writes = self.writes.iter();
        let added = writes
            .filter(|write| write.known_revision.is_none())
            .count();
        WriteCounts {
            added: added as u64,
            changed: (self.writes.len() - added) as u64,
            unchanged: self.unchanged,
        }
    }

    /// Removes the new documents from the plan and returns them.
    fn take_new(&mut self) -> Vec<CatalogueRow<F::Document>> {
        let is_new = |write: &mut RowWrite<F>| write.known_revision.is_none();
        let new = self.writes.extract_if(.., is_new);
        new.map(|write| write.row).collect()
    }

    /// Makes the writes. A row that has changed since it was read is read and merged again.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the same rows are changed concurrently in every attempt. After an error,
    /// some documents may have been written.
    pub async fn carry_out(self, store: &CatalogueStore<F::Document>) -> Result<()> {
        let mut plan = self;
        for _ in 0..ATTEMPTS {
            let puts = plan.writes.iter().map(|write| put(store, write));
            let outdated: Vec<F> = try_join_all(puts).await?.into_iter().flatten().collect();
            if outdated.is_empty() {
                return Ok(());
            }
            plan = Self::make(store, outdated).await?;
        }
        if plan.is_empty() {
            return Ok(());
        }
        Err(Error::Unavailable(
            "concurrent runs wrote the same rows in every attempt".into(),
        ))
    }
}

/// Writes a document. Returns the facts if the row has changed since it was read.
async fn put<F: DocumentFacts>(
    store: &CatalogueStore<F::Document>,
    write: &RowWrite<F>,
) -> Result<Option<F>> {
    let is_put = store
        .put_if_unchanged(&write.row, write.known_revision)
        .await?;
    Ok((!is_put).then(|| write.facts.clone()))
}

/// The numbers of documents that a [`Writer`] has added, changed and left unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteCounts {
    /// The number of new documents.
    pub added: u64,
    /// The number of existing documents that have changed.
    pub changed: u64,
    /// The number of documents that stayed the same, or whose facts are not enough for a new row.
    pub unchanged: u64,
}

/// Merges facts into the table in batches, several batches at the same time. The facts must have distinct
/// identifiers, because the order of the batches is not defined.
pub struct Writer<F: DocumentFacts> {
    store: CatalogueStore<F::Document>,
    announcements: Option<RefreshStore>,
    batch: Vec<F>,
    under_way: JoinSet<Result<WriteCounts>>,
    written: WriteCounts,
}

impl<F: DocumentFacts> Writer<F> {
    /// Creates a writer to this store.
    pub fn new(store: CatalogueStore<F::Document>) -> Self {
        Self {
            store,
            announcements: None,
            batch: Vec::new(),
            under_way: JoinSet::new(),
            written: WriteCounts::default(),
        }
    }

    /// Announces each batch of changes in this store before it is written. So if the run ends before it has published,
    /// the next refresh publishes.
    #[must_use]
    pub fn announcing(mut self, announcements: RefreshStore) -> Self {
        self.announcements = Some(announcements);
        self
    }

    /// Adds the facts about a document to the current batch. Begins to write the batch once it is full, and
    /// waits if too many batches are being written.
    ///
    /// # Errors
    /// The error of an earlier batch.
    pub async fn write(&mut self, facts: F) -> Result<()> {
        self.batch.push(facts);
        if self.batch.len() < MAX_BATCH_READ {
            return Ok(());
        }
        if self.under_way.len() == MAX_BATCHES_UNDER_WAY {
            self.wait_for_batch().await?;
        }
        self.start_batch();
        Ok(())
    }

    /// Writes the last batch, waits until all batches are written, and waits until the list index has them, so that
    /// a snapshot can be published. Returns the numbers of documents in the batches that have been written. After an
    /// error, it returns them together with the error.
    pub async fn finish(mut self) -> (WriteCounts, Result<()>) {
        self.start_batch();
        let mut ended = Ok(());
        while !self.under_way.is_empty() {
            ended = ended.and(self.wait_for_batch().await);
        }
        if ended.is_ok() {
            ended = self.store.wait_for_list_index().await;
        }
        (self.written, ended)
    }

    fn start_batch(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        if !batch.is_empty() {
            let announcements = self.announcements.clone();
            let write = write_batch(self.store.clone(), announcements, batch);
            self.under_way.spawn(write);
        }
    }

    async fn wait_for_batch(&mut self) -> Result<()> {
        if let Some(ended) = self.under_way.join_next().await {
            let batch = ended.map_err(|error: JoinError| Error::internal(error))??;
            self.written.added += batch.added;
            self.written.changed += batch.changed;
            self.written.unchanged += batch.unchanged;
        }
        Ok(())
    }
}

async fn write_batch<F: DocumentFacts>(
    store: CatalogueStore<F::Document>,
    announcements: Option<RefreshStore>,
    batch: Vec<F>,
) -> Result<WriteCounts> {
    let mut plan = MergePlan::make(&store, batch).await?;
    let written = plan.counts();
    if let Some(announcements) = announcements.filter(|_| !plan.is_empty()) {
        announcements.announce().await?;
    }
    let new = plan.take_new();
    try_join_all(new.chunks(MAX_BATCH_WRITE).map(|new| store.put_many(new))).await?;
    plan.carry_out(&store).await?;
    Ok(written)
}
