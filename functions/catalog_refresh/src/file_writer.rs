//! Writes the facts about anime that the entries of a file state.
//!
//! A file has all its entries at once, so several batches are merged and written at the same time, new rows in the
//! batches of DynamoDB ([`Writer`]). The pages of a tracker are written one after the other
//! ([`crate::writer::AnimeWriter`]).

use catalogue::import::{AnimeFacts, AnimeIds, MergeReport, Skip, Writer};
use shared::models::Anime;

use crate::context::{RefreshContext, RefreshProgress, StageUnit};
use crate::source::{SourceError, SourceRun};

/// Number of entries between two checks of the time, and between two reports of the progress.
const ENTRIES_BETWEEN: u64 = 100;

/// Merges the facts of a file into the rows.
pub struct FileWriter<'r> {
    context: &'r RefreshContext<'r>,
    /// The end of the part, in milliseconds since the Unix epoch.
    until: u64,
    /// The known anime, including those that were added in this run.
    ids: &'r mut AnimeIds,
    writer: Writer<AnimeFacts>,
    counts: &'r mut MergeReport,
    read: u64,
}

impl<'r> FileWriter<'r> {
    /// Creates a writer for a part of a run, which fails when the part's time is over. `unit` is the word before the
    /// number of a skipped entry.
    pub fn new(run: &'r mut SourceRun<'_>, unit: &'static str) -> Self {
        run.counts = MergeReport::new(unit);
        let context = run.context;
        let writer = Writer::new(context.anime.clone());
        Self {
            context,
            until: run.until,
            ids: &mut *run.ids,
            writer: writer.announcing(context.progress::<Anime>()),
            counts: &mut run.counts,
            read: 0,
        }
    }

    /// Adds the facts about an anime. A file must have at most one entry for each anime.
    pub async fn add(&mut self, mut facts: AnimeFacts) -> Result<(), SourceError> {
        facts.lapsed.clone_from(&self.context.lapsed);
        self.ids
            .insert_with(facts.id, facts.trackers, &facts.fields);
        self.writer.write(facts).await?;
        self.read += 1;
        if self.read.is_multiple_of(ENTRIES_BETWEEN) {
            self.context.check_time(self.until)?;
        }
        Ok(())
    }

    /// Counts an entry with this number in the file as skipped.
    pub fn skip(&mut self, number: u64, skip: &Skip) {
        self.counts.skip(number, skip);
    }

    pub fn show(&self, stage: &'static str, length: u64, position: u64) {
        if position.is_multiple_of(ENTRIES_BETWEEN) || position == length {
            (self.context.show)(RefreshProgress {
                stage,
                unit: StageUnit::Share,
                length,
                position,
                entries: position,
            });
        }
    }

    /// Waits until everything is written, and counts it, even if the reading has failed. Returns the error of the
    /// reading or else of the writing.
    pub async fn finish_after(self, read: Result<(), SourceError>) -> Result<(), SourceError> {
        let (written, ended) = self.writer.finish().await;
        self.counts.add_written(written);
        read.and(ended.map_err(SourceError::from))
    }
}
