//! Writing in batches, several of them under way at once.

use std::collections::HashMap;

use anyhow::Context;
use shared::catalogue::Resource;
use shared::store::{CatalogueStore, MAX_BATCH_WRITE, StoreError};
use tokio::task::JoinSet;

/// How many batches are under way at once.
const IN_FLIGHT: usize = 4;

/// What a source says of one document.
pub trait Facts: Send + 'static {
    /// The document.
    type Document: Resource + Clone;

    /// The document's identifier.
    fn id(&self) -> u64;

    /// The document with what the source says, and for the rest with what it said before; a new one
    /// where there was none.
    fn merge_into(self, known: Option<Self::Document>) -> Self::Document;
}

/// Writes documents. Each identifier may be given once only: the order of two batches is not
/// certain.
pub struct Writer<F: Facts> {
    store: CatalogueStore<F::Document>,
    batch: Vec<Write<F>>,
    under_way: JoinSet<Result<(), StoreError>>,
}

struct Write<F> {
    facts: F,
    is_known: bool,
}

impl<F: Facts> Writer<F> {
    /// Writes into this table.
    pub fn new(store: CatalogueStore<F::Document>) -> Self {
        Self {
            store,
            batch: Vec::new(),
            under_way: JoinSet::new(),
        }
    }

    /// Writes a document that is new.
    pub async fn add(&mut self, facts: F) -> anyhow::Result<()> {
        self.push(facts, false).await
    }

    /// Writes a document that is there with what the source says changed.
    pub async fn change(&mut self, facts: F) -> anyhow::Result<()> {
        self.push(facts, true).await
    }

    async fn push(&mut self, facts: F, is_known: bool) -> anyhow::Result<()> {
        self.batch.push(Write { facts, is_known });
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
    pub async fn finish(mut self) -> anyhow::Result<()> {
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

    async fn wait_for_one(&mut self) -> anyhow::Result<()> {
        if let Some(ended) = self.under_way.join_next().await {
            let table = <F::Document as Resource>::TABLE;
            ended?.with_context(|| format!("the table {table} cannot be written"))?;
        }
        Ok(())
    }
}

async fn write<F: Facts>(
    store: CatalogueStore<F::Document>,
    batch: Vec<Write<F>>,
) -> Result<(), StoreError> {
    let known = batch.iter().filter(|write| write.is_known);
    let known: Vec<u64> = known.map(|write| write.facts.id()).collect();
    let mut known: HashMap<u64, F::Document> = store
        .get_many_consistent(&known)
        .await?
        .into_iter()
        .map(|document| (document.id(), document))
        .collect();
    // A row that has been deleted meanwhile is new again.
    let merge = |write: Write<F>| {
        let document = known.remove(&write.facts.id());
        write.facts.merge_into(document)
    };
    let documents: Vec<F::Document> = batch.into_iter().map(merge).collect();
    store.put_many(&documents).await
}
