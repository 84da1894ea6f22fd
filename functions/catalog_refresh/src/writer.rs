//! Writes the facts about anime that a source states.

use std::collections::HashMap;

use catalogue::import::{AnimeFacts, AnimeIds, MergePlan, MergeReport, Skip};
use catalogue::refresh::RefreshStore;
use catalogue::rows::{CatalogueStore, FactSource};
use dynamo::MAX_BATCH_READ;
use shared::Result;
use shared::models::{Anime, AnimeId, Song};

use crate::context::{RefreshContext, RefreshProgress, RefreshScope, StageUnit};
use crate::relations::{FoundRelations, TrackerRelations};

/// Merges the facts of one source into the rows.
pub struct AnimeWriter<'r> {
    store: CatalogueStore<Anime>,
    progress: RefreshStore,
    /// The store that records the written anime, so that the refresh of the songs requests their songs. `None` if
    /// their songs need not be requested, or the run refreshes no songs or the songs of all anime.
    song_progress: Option<RefreshStore>,
    show: &'r (dyn Fn(RefreshProgress) + Sync),
    lapsed: &'r [FactSource],
    /// The known anime, including those that were added in this run.
    pub ids: &'r mut AnimeIds,
    /// For each anime, all related anime that the source names, and the related anime that have been written
    /// to its row.
    relations: HashMap<AnimeId, (TrackerRelations, FoundRelations)>,
    added: Vec<AnimeFacts>,
    counts: &'r mut MergeReport,
}

impl<'r> AnimeWriter<'r> {
    /// Creates a writer. `requests_songs` is true if the songs of the written anime must be requested.
    pub fn new(
        context: &'r RefreshContext<'r>,
        ids: &'r mut AnimeIds,
        counts: &'r mut MergeReport,
        requests_songs: bool,
    ) -> Self {
        // A full refresh requests the songs of all anime anyway.
        let requests_songs =
            requests_songs && context.reads_songs && context.scope == RefreshScope::Changed;
        Self {
            store: context.anime.clone(),
            progress: context.progress::<Anime>(),
            song_progress: requests_songs.then(|| context.progress::<Song>()),
            show: context.show,
            lapsed: &context.lapsed,
            ids,
            relations: HashMap::new(),
            added: Vec::new(),
            counts,
        }
    }

    /// Adds the facts about an anime to the next batch. A batch must have at most one entry for each anime.
    pub fn add(&mut self, mut facts: AnimeFacts) {
        facts.lapsed = self.lapsed.to_vec();
        self.ids
            .insert_with(facts.id, facts.trackers, &facts.fields);
        self.added.push(facts);
    }

    /// Adds the facts about an anime to the next batch, with its relations.
    pub fn add_related(&mut self, facts: AnimeFacts, relations: TrackerRelations) {
        self.relations
            .insert(facts.id, (relations, FoundRelations::default()));
        self.add(facts);
    }

    /// Counts an entry with this number at the source as skipped.
    pub fn skip(&mut self, number: u64, skip: &Skip) {
        self.counts.skip(number, skip);
    }

    pub fn show(&self, stage: &'static str, length: u64, position: u64) {
        (self.show)(RefreshProgress {
            stage,
            unit: StageUnit::Share,
            length,
            position,
            entries: self.counts.read_count(),
        });
    }

    /// Merges and writes the batch.
    pub async fn write(&mut self) -> Result<()> {
        let added = std::mem::take(&mut self.added);
        // Relations are looked up only when the batch is complete, because an anime may name a related anime
        // of the same batch.
        let facts = added
            .into_iter()
            .map(|facts| match self.relations.get_mut(&facts.id) {
                Some((relations, found)) => {
                    *found = relations.find(self.ids);
                    found.clone().add_to(facts)
                }
                None => facts,
            });
        let plan = MergePlan::make(&self.store, facts.collect()).await?;
        self.counts.add_written(plan.counts());
        self.carry_out(plan).await
    }

    /// Writes the relations that could not be written with their anime, because the related anime was read later.
    pub async fn write_missing_relations(&mut self) -> Result<()> {
        let mut facts = Vec::new();
        for (relations, written) in self.relations.values() {
            let found = relations.find(self.ids);
            if found != *written {
                facts.push(relations.facts(found, self.ids));
            }
        }
        for facts in facts.chunks(MAX_BATCH_READ) {
            let plan = MergePlan::make(&self.store, facts.to_vec()).await?;
            self.carry_out(plan).await?;
        }
        Ok(())
    }

    async fn carry_out(&self, plan: MergePlan<AnimeFacts>) -> Result<()> {
        if plan.is_empty() {
            return Ok(());
        }
        // The pending songs and the announcement are recorded before the rows are written. So if the run ends in
        // between, the next run requests the songs and publishes.
        if let Some(songs) = &self.song_progress {
            let anime: Vec<AnimeId> = plan.ids().filter_map(AnimeId::new).collect();
            songs.add_pending(&anime).await?;
        }
        self.progress.announce().await?;
        plan.carry_out(&self.store).await
    }
}
