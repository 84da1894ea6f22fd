//! Merging what a source says into the rows that are there. A row is put only in the place of the one
//! that was merged with: what somebody else writes at the same time is merged with, too, not lost.
//!
//! One exception is for speed: an importer puts rows that are new by the batch, which takes no conditions,
//! right after it has seen that they are not there. A put for each would make it take half as long again.

use futures_util::future::try_join_all;
use shared::Error;
use store::{CatalogueStore, MAX_BATCH_READ, MAX_BATCH_WRITE, Stored};
use tokio::task::{JoinError, JoinSet};

use crate::Resource;

/// How many batches are under way at once.
const IN_FLIGHT: usize = 4;

/// How often rows that others write at the same time are merged with anew.
const ATTEMPTS: u32 = 4;

/// What a source says of one document.
pub trait Facts: Clone + Send + Sync + 'static {
    /// The document.
    type Document: Resource + Clone + PartialEq;

    /// The document's identifier.
    fn id(&self) -> u64;

    /// Whether this is about the document that has its identifier.
    fn is_about(&self, known: &Self::Document) -> bool;

    /// The document with what the source says, and for the rest with what it said before; a new one
    /// where there was none.
    fn merge_into(self, known: Option<Self::Document>) -> Self::Document;
}

/// What is to be written, beside what is there.
pub struct Plan<F: Facts> {
    writes: Vec<Write<F>>,
    unchanged: u64,
}

/// One write.
struct Write<F: Facts> {
    facts: F,
    document: F::Document,
    /// The revision of the row that it was merged with; `None` where there was none.
    revision: Option<u64>,
}

impl<F: Facts> Plan<F> {
    /// Reads the rows that the facts are about, no two about one, and merges. What would change nothing
    /// is not written.
    ///
    /// # Errors
    /// When DynamoDB does not answer, or has another document under one of the identifiers.
    pub async fn make(store: &CatalogueStore<F::Document>, facts: Vec<F>) -> Result<Self, Error> {
        let mut plan = Self {
            writes: Vec::with_capacity(facts.len()),
            unchanged: 0,
        };
        for batch in facts.chunks(MAX_BATCH_READ) {
            let ids: Vec<u64> = batch.iter().map(Facts::id).collect();
            let mut known = store.get_stored(&ids).await?;
            for facts in batch {
                plan.add(facts.clone(), known.remove(&facts.id()))?;
            }
        }
        Ok(plan)
    }

    fn add(&mut self, facts: F, known: Option<Stored<F::Document>>) -> Result<(), Error> {
        let revision = known.as_ref().map(|stored| stored.revision);
        let known = known.map(|stored| stored.document);
        if known.as_ref().is_some_and(|known| !facts.is_about(known)) {
            let why = "others have given the identifier away";
            return Err(Error::Unavailable(why.into()));
        }
        let document = facts.clone().merge_into(known.clone());
        if known.is_some_and(|known| known == document) {
            self.unchanged += 1;
            return Ok(());
        }
        self.writes.push(Write {
            facts,
            document,
            revision,
        });
        Ok(())
    }

    /// Whether there is nothing to write.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// The identifiers of the documents that are written.
    pub fn ids(&self) -> impl Iterator<Item = u64> {
        self.writes.iter().map(|write| write.facts.id())
    }

    /// How many documents are new.
    #[must_use]
    pub fn added(&self) -> u64 {
        let new = self.writes.iter().filter(|write| write.revision.is_none());
        new.count() as u64
    }

    /// How many documents say something else.
    #[must_use]
    pub fn changed(&self) -> u64 {
        self.writes.len() as u64 - self.added()
    }

    /// How many documents say the same.
    #[must_use]
    pub fn unchanged(&self) -> u64 {
        self.unchanged
    }

    /// Takes out the documents that are new.
    fn take_new(&mut self) -> Vec<F::Document> {
        let is_new = |write: &mut Write<F>| write.revision.is_none();
        let new = self.writes.extract_if(.., is_new);
        new.map(|write| write.document).collect()
    }

    /// Writes. A row that has changed since it was read is read and merged with again.
    ///
    /// # Errors
    /// When DynamoDB does not answer, or others do not cease to write the same rows; some documents may
    /// then be written.
    pub async fn carry_out(self, store: &CatalogueStore<F::Document>) -> Result<(), Error> {
        let mut plan = self;
        for _ in 0..ATTEMPTS {
            let puts = plan.writes.iter().map(|write| put(store, write));
            let late: Vec<F> = try_join_all(puts).await?.into_iter().flatten().collect();
            if late.is_empty() {
                return Ok(());
            }
            plan = Self::make(store, late).await?;
        }
        if plan.is_empty() {
            return Ok(());
        }
        Err(Error::Unavailable("others write the same rows".into()))
    }
}

/// Puts a document; the facts are back when it was too late.
async fn put<F: Facts>(
    store: &CatalogueStore<F::Document>,
    write: &Write<F>,
) -> Result<Option<F>, Error> {
    let is_put = store.put_over(&write.document, write.revision).await?;
    Ok((!is_put).then(|| write.facts.clone()))
}

/// Writes documents in batches, several of them under way at once. Each identifier may be given once
/// only: the order of two batches is not certain.
pub struct Writer<F: Facts> {
    store: CatalogueStore<F::Document>,
    batch: Vec<F>,
    under_way: JoinSet<Result<(), Error>>,
}

impl<F: Facts> Writer<F> {
    /// Writes into this table.
    #[must_use]
    pub fn new(store: CatalogueStore<F::Document>) -> Self {
        Self {
            store,
            batch: Vec::new(),
            under_way: JoinSet::new(),
        }
    }

    /// Writes what a source says of a document.
    ///
    /// # Errors
    /// When what was given before could not be written.
    pub async fn write(&mut self, facts: F) -> Result<(), Error> {
        self.batch.push(facts);
        if self.batch.len() < MAX_BATCH_WRITE {
            return Ok(());
        }
        if self.under_way.len() == IN_FLIGHT {
            self.wait_for_one().await?;
        }
        self.send();
        Ok(())
    }

    /// Waits until everything is written.
    ///
    /// # Errors
    /// When something could not be.
    pub async fn finish(mut self) -> Result<(), Error> {
        self.send();
        while !self.under_way.is_empty() {
            self.wait_for_one().await?;
        }
        Ok(())
    }

    fn send(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        if !batch.is_empty() {
            self.under_way.spawn(write(self.store.clone(), batch));
        }
    }

    async fn wait_for_one(&mut self) -> Result<(), Error> {
        match self.under_way.join_next().await {
            Some(ended) => ended.map_err(|error: JoinError| Error::internal(error))?,
            None => Ok(()),
        }
    }
}

async fn write<F: Facts>(store: CatalogueStore<F::Document>, batch: Vec<F>) -> Result<(), Error> {
    let mut plan = Plan::make(&store, batch).await?;
    store.put_many(&plan.take_new()).await?;
    plan.carry_out(&store).await
}
