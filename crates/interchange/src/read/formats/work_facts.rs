//! The facts that a list of watched episodes states about a series, a season or a movie.

use shared::models::{AnimeFormat, WatchStatus};

use crate::collector::EntryCollector;
use crate::draft::EntryDraft;
use crate::entry::{ReadResult, WatchedRow};
use crate::field::EntryField;

/// The facts that a list of watched episodes states about a series, a season or a movie.
pub struct WorkFacts {
    /// The title, the year, the identifiers and the season.
    work: WatchedRow,
    pub is_planned: bool,
    pub is_dropped: bool,
    pub score: Option<String>,
    pub notes: Option<String>,
}

impl WorkFacts {
    /// Returns the facts about the series, season or movie of a row, without status, score and notes.
    pub fn of(work: WatchedRow) -> Self {
        Self {
            work,
            is_planned: false,
            is_dropped: false,
            score: None,
            notes: None,
        }
    }

    /// Adds an entry with a status and the other facts, if there are any. An entry without a status has only details.
    pub fn add_to(self, collector: &mut EntryCollector, status: Option<WatchStatus>) -> ReadResult {
        if status.is_none() && self.score.is_none() && self.notes.is_none() {
            return Ok(());
        }
        let mut draft = EntryDraft {
            status: Some(status.unwrap_or(WatchStatus::Current)),
            is_details_only: status.is_none(),
            ids: self.work.ids,
            year: self.work.year,
            format: self.work.is_movie.then_some(AnimeFormat::Movie),
            season: self.work.season,
            ..EntryDraft::default()
        };
        draft.set(EntryField::Title, self.work.title);
        draft.set(EntryField::Score, self.score);
        draft.set(EntryField::Notes, self.notes);
        if status == Some(WatchStatus::Planning) {
            draft.set(EntryField::CurrentEpisode, Some("0"));
        }
        collector.add(&draft)
    }
}
