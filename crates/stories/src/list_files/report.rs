//! The report of an import.

use std::fmt;

use catalogue::index::AnimeIndex;
use interchange::{ListEntry, SkippedEntry};
use serde::Serialize;
use shared::models::{AnimeId, ReplacedValues, StoryId, StoryState};
use utoipa::ToSchema;

use super::merge_import::ImportMode;
use super::proposed_entry::{ProposalReason, ProposedAnime, ProposedEntry, describe};
use super::resolve::ResolvedFile;
use super::waiting_entries::KeptEntries;
use crate::lists::story_batch::OperationResult;

/// The maximum length of each list in a report. With titles and reasons of the maximum length, a report has less than
/// 4 MB, which is below Lambda's limit of 6 MB for a response.
pub const MAX_REPORTED: usize = 500;

/// The report of an import.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct ImportReport {
    /// Identifier of the import, as in the history of each story that it changed. Null for a dry run.
    #[schema(example = "0a1b2c3d4e5f6071")]
    pub import_id: Option<String>,
    /// True if nothing was written.
    pub dry_run: bool,
    /// Treatment of existing stories.
    pub mode: ImportMode,
    /// Format of the file.
    #[schema(example = "MyAnimeList XML")]
    pub format: &'static str,
    /// Numbers of entries by result.
    pub counts: ImportCounts,
    /// The new stories. This and the other lists have their first 500 elements; `counts` has the exact numbers.
    #[schema(max_items = 500)]
    pub added: Vec<ReportedStory>,
    /// The changed stories.
    #[schema(max_items = 500)]
    pub changed: Vec<ReportedStory>,
    /// The stories that already were as the import would have made them.
    #[schema(max_items = 500)]
    pub unchanged: Vec<ReportedStory>,
    /// The entries that could not be used.
    #[schema(max_items = 500)]
    pub skipped: Vec<ReportedSkip>,
    /// The entries whose anime is not in the catalogue. Those with an identifier at AniList or MyAnimeList are kept for
    /// 365 days, and become stories once their anime appears. `remarks` says how many could not be kept.
    #[schema(max_items = 500)]
    pub waiting: Vec<ReportedWaiting>,
    /// The entries that become stories only after the user has answered, because their anime is not certain or only
    /// their title names it. They are kept for 365 days (`GET /v1/user_story/import/proposals`).
    #[schema(max_items = 500)]
    pub proposals: Vec<ReportedProposal>,
    /// Sentences about the file as a whole, for example fields that are not imported.
    pub remarks: Vec<String>,
    /// The number of entries that the import has added to the user's waiting entries.
    #[serde(skip)]
    kept_waiting: usize,
}

/// The numbers of entries by result. `entries` is the sum of the other numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct ImportCounts {
    /// Entries of the file.
    pub entries: usize,
    /// New stories.
    pub added: usize,
    /// Changed stories.
    pub changed: usize,
    /// Unchanged stories.
    pub unchanged: usize,
    /// Further entries for an anime that an earlier entry has. They are merged into the earlier entry.
    pub duplicates: usize,
    /// Entries that could not be used.
    pub skipped: usize,
    /// Entries whose anime is not in the catalogue.
    pub waiting: usize,
    /// Entries that wait for the user's answer.
    pub proposals: usize,
}

/// A story in the report.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReportedStory {
    /// Position of the entry in the file, from 1. If several entries are for this anime, the position of the first.
    pub position: usize,
    /// Identifier of the story.
    #[schema(value_type = u64, example = 33_554_434)]
    pub story_id: StoryId,
    /// Identifier of the anime.
    #[schema(value_type = u64, example = 2)]
    pub anime_id: AnimeId,
    /// Title in the file, else in the catalogue.
    pub title: Option<String>,
    /// Names of the changed fields. Empty for new and unchanged stories.
    pub fields: Vec<&'static str>,
    /// A value of the file that was changed or left out, if there is one.
    #[schema(example = "the file has episode 13, but the anime has 12 episodes")]
    pub remark: Option<String>,
    /// State after the import, for pages.
    #[serde(skip)]
    pub state: Option<StoryState>,
}

/// An entry that could not be used. Watched items without a certain anime are one entry for each season.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReportedSkip {
    /// Position of the entry in the file, from 1.
    pub position: usize,
    /// Title, if the entry has one. A year that the file states follows it in parentheses.
    pub title: Option<String>,
    /// The reason.
    #[schema(example = "the score must be from 0 to 10")]
    pub reason: String,
}

/// An entry whose anime is not in the catalogue.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReportedWaiting {
    /// Position of the entry in the file, from 1.
    pub position: usize,
    /// Title, if the entry has one.
    pub title: Option<String>,
    /// Identifier in this service, if the entry has one.
    #[schema(value_type = Option<u64>)]
    pub anime_id: Option<AnimeId>,
    /// Identifier at AniList, if the entry has one.
    pub anilist_id: Option<u32>,
    /// Identifier at MyAnimeList, if the entry has one.
    pub mal_id: Option<u32>,
}

/// An entry that waits for the user's answer.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReportedProposal {
    /// Position of the entry in the file, from 1.
    pub position: usize,
    /// Title in the file.
    pub title: Option<String>,
    /// True if nothing contradicts the first candidate, so that only the user has to confirm it.
    pub certain: bool,
    /// Reason why the entry is not a story yet.
    pub reason: ProposalReason,
    /// The anime that may be meant, the most probable one first.
    pub candidates: Vec<ReportedCandidate>,
}

/// An anime that may be meant.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReportedCandidate {
    /// The anime.
    #[serde(flatten)]
    pub anime: ProposedAnime,
    /// Title in the catalogue.
    pub title: Option<String>,
}

impl ImportReport {
    /// Returns the report of an import that has no results yet. `id` is `None` for a dry run.
    pub(crate) fn new(file: &ResolvedFile, mode: ImportMode, id: Option<&str>) -> Self {
        Self {
            import_id: id.map(str::to_owned),
            dry_run: id.is_none(),
            mode,
            format: file.format,
            counts: ImportCounts {
                entries: file.len(),
                ..ImportCounts::default()
            },
            remarks: file.remarks.clone(),
            ..Self::default()
        }
    }

    pub(crate) fn add_skipped(&mut self, entries: Vec<SkippedEntry>) {
        self.counts.skipped = entries.len();
        let skipped = entries.into_iter().take(MAX_REPORTED);
        self.skipped = skipped
            .map(|entry| ReportedSkip {
                position: entry.position,
                title: entry.title,
                reason: entry.reason,
            })
            .collect();
    }

    pub(crate) fn add_waiting(&mut self, entries: &[ListEntry]) {
        self.counts.waiting = entries.len();
        let waiting = entries.iter().take(MAX_REPORTED);
        self.waiting = waiting
            .map(|entry| ReportedWaiting {
                position: entry.position,
                title: entry.title.clone(),
                anime_id: entry.anime_id,
                anilist_id: entry.trackers.a,
                mal_id: entry.trackers.b,
            })
            .collect();
    }

    /// Adds an entry that waits for the user's answer.
    pub(crate) fn add_proposal(&mut self, proposed: &ProposedEntry, index: &AnimeIndex) {
        self.counts.proposals += 1;
        if self.proposals.len() < MAX_REPORTED {
            let candidates = describe(&proposed.proposal.candidates, index).into_iter();
            let candidates = candidates.map(|anime| ReportedCandidate { anime, title: None });
            self.proposals.push(ReportedProposal {
                position: proposed.entry.position,
                title: proposed.entry.title.clone(),
                certain: proposed.proposal.is_certain(),
                reason: proposed.proposal.reason,
                candidates: candidates.collect(),
            });
        }
    }

    /// Sets the number of new waiting entries, and adds remarks about entries that are not kept. `unidentified` is
    /// the number of entries without an identifier at a tracker.
    pub(crate) fn add_kept(&mut self, counts: KeptEntries, unidentified: usize) {
        let KeptEntries { added, left_out } = counts;
        self.kept_waiting = added;
        if unidentified > 0 {
            self.remarks.push(format!(
                "Entries that are not kept until their anime appears, because they have no identifier at AniList or \
                 MyAnimeList: {unidentified}."
            ));
        }
        if left_out > 0 {
            self.remarks.push(format!(
                "Entries that are not kept, because at most 5,000 entries and 300 KB are kept for each user: \
                 {left_out}."
            ));
        }
    }

    /// Returns true if the import has changed anything that can be undone.
    pub fn can_be_undone(&self) -> bool {
        let changed = self.counts.added + self.counts.changed + self.kept_waiting;
        self.import_id.is_some() && changed > 0
    }

    /// Returns the titles that are still missing, of the listed stories and of the candidates of proposals, each with
    /// its anime.
    pub(crate) fn untitled(&mut self) -> impl Iterator<Item = (AnimeId, &mut Option<String>)> {
        let lists = [&mut self.added, &mut self.changed, &mut self.unchanged];
        let stories = lists.into_iter().flatten();
        let stories = stories.map(|story| (story.anime_id, &mut story.title));
        let candidates = self.proposals.iter_mut();
        let candidates = candidates.flat_map(|proposal| &mut proposal.candidates);
        let candidates =
            candidates.map(|candidate| (candidate.anime.anime_id, &mut candidate.title));
        stories
            .chain(candidates)
            .filter(|(_, title)| title.is_none())
    }

    /// Adds the result for one anime.
    pub(crate) fn add_result(
        &mut self,
        story_id: StoryId,
        position: usize,
        title: Option<String>,
        remark: Option<String>,
        result: &OperationResult,
    ) {
        let mut fields = Vec::new();
        let (list, count) = match (&result.before, &result.after) {
            (None, _) => (&mut self.added, &mut self.counts.added),
            (Some(before), Some(after)) if before != after => {
                fields = changed_fields(before, after);
                (&mut self.changed, &mut self.counts.changed)
            }
            _ => (&mut self.unchanged, &mut self.counts.unchanged),
        };
        *count += 1;
        if list.len() < MAX_REPORTED {
            list.push(ReportedStory {
                position,
                story_id,
                anime_id: story_id.anime(),
                title,
                fields,
                remark,
                state: result.after.clone(),
            });
        }
    }
}

/// Returns the names of the fields that differ.
fn changed_fields(before: &StoryState, after: &StoryState) -> Vec<&'static str> {
    let mut fields = ReplacedValues::between(before, after).field_names();
    if before.current_episode_ticks != after.current_episode_ticks {
        fields.push("current_episode_ticks");
    }
    fields
}

/// Formats the report for a terminal.
impl fmt::Display for ImportReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.counts;
        let done = if self.dry_run {
            "Would import"
        } else {
            "Imported"
        };
        writeln!(
            f,
            "{done} {} of {} entries ({}): {} added, {} changed, {} unchanged, {} duplicates, {} skipped, {} waiting, \
             {} proposals.",
            counts.entries - counts.skipped - counts.waiting - counts.proposals,
            counts.entries,
            self.format,
            counts.added,
            counts.changed,
            counts.unchanged,
            counts.duplicates,
            counts.skipped,
            counts.waiting,
            counts.proposals,
        )?;
        for remark in &self.remarks {
            writeln!(f, "{remark}")?;
        }
        let title = |title: &Option<String>| title.clone().unwrap_or_else(|| "no title".to_owned());
        for story in [&self.added, &self.changed, &self.unchanged]
            .into_iter()
            .flatten()
        {
            if let Some(remark) = &story.remark {
                let (position, title) = (story.position, title(&story.title));
                writeln!(f, "Entry {position} ({title}): {remark}")?;
            }
        }
        for entry in &self.skipped {
            let (position, title) = (entry.position, title(&entry.title));
            writeln!(f, "Skipped entry {position} ({title}): {}", entry.reason)?;
        }
        for entry in &self.waiting {
            let id = |id: Option<u32>| id.map_or_else(|| "-".to_owned(), |id| id.to_string());
            writeln!(
                f,
                "Not in the catalogue: entry {} ({}), AniList {}, MyAnimeList {}",
                entry.position,
                title(&entry.title),
                id(entry.anilist_id),
                id(entry.mal_id),
            )?;
        }
        for entry in &self.proposals {
            let candidates = entry.candidates.iter();
            let candidates: Vec<String> = candidates.map(|one| title(&one.title)).collect();
            let candidates = match candidates.as_slice() {
                [] => "no anime".to_owned(),
                some => some.join(", "),
            };
            let (position, title, reason) = (entry.position, title(&entry.title), entry.reason);
            writeln!(
                f,
                "Waits for an answer: entry {position} ({title}), {reason}: {candidates}"
            )?;
        }
        if let Some(id) = &self.import_id {
            writeln!(f, "Import {id}")?;
        }
        Ok(())
    }
}
