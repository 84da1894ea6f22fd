//! The content of a list file with the anime of its entries: what is certain, what is proposed, and what is left out.

use std::collections::HashMap;

use catalogue::Catalogue;
use interchange::{ListEntry, ListFile, SkippedEntry};
use shared::Result;
use shared::models::{Anime, AnimeId, IdKind, IdSource, TimeZone, WatchStatus};

use super::identified::{EntryAnime, EntryFinder};
use super::proposed_entry::{Proposal, ProposalReason, ProposedEntry};
use super::watched_episodes::{WatchedEntry, find_rows};
use super::watched_items::{NOT_CERTAIN, NOT_FOUND, count_remark};

const SEVERAL_ANIME: &str = "the series has several anime, so only its watched episodes count";

const WHICH_ANIME: &str =
    "the series has several anime, and the entry does not say which one is meant";

/// The content of a list file, with the anime of its entries.
#[derive(Debug, Default)]
pub(crate) struct ResolvedFile {
    /// The name of the format.
    pub format: &'static str,
    /// The entries whose anime are certain.
    pub entries: Vec<(AnimeId, ListEntry)>,
    /// The entries whose anime are not in the catalogue.
    pub missing: Vec<ListEntry>,
    /// The entries that wait for the user's answer.
    pub proposals: Vec<ProposedEntry>,
    /// The entries that cannot be used.
    pub skipped: Vec<SkippedEntry>,
    /// Sentences about the file as a whole.
    pub remarks: Vec<String>,
}

impl ResolvedFile {
    /// Returns a file with nothing but these entries.
    pub(crate) fn of_entries(entries: Vec<(AnimeId, ListEntry)>) -> Self {
        Self {
            entries,
            ..Self::default()
        }
    }

    /// Returns the number of entries.
    pub(super) fn len(&self) -> usize {
        let used = self.entries.len() + self.missing.len() + self.proposals.len();
        used + self.skipped.len()
    }

    fn propose(&mut self, entry: ListEntry, proposal: Proposal) {
        let number = self.proposals.len() + 1;
        self.proposals
            .push(ProposedEntry::new(number, entry, proposal));
    }

    /// Adds the details of an uncertain entry without a status, such as a rating, to the proposal of the same anime.
    /// Without one, the entry is skipped.
    fn add_details(&mut self, entry: ListEntry, proposal: &Proposal) {
        let first = |proposal: &Proposal| proposal.candidates.first().copied();
        // The rating of a series with several anime belongs to none of them.
        let is_of_series = proposal.reason == ProposalReason::SeveralAnime;
        let wanted = first(proposal).filter(|_| !is_of_series);
        let mut proposals = self.proposals.iter_mut();
        let same = proposals.find(|other| wanted.is_some() && first(&other.proposal) == wanted);
        if let Some(same) = same {
            combine(&mut same.entry, entry);
            return;
        }
        let reason = match proposal.reason {
            ProposalReason::SeveralAnime => WHICH_ANIME,
            ProposalReason::NotFound | ProposalReason::NotSearched => NOT_FOUND,
            _ => NOT_CERTAIN,
        };
        self.skip(entry, reason);
    }

    /// Skips an entry. The report states its year, which distinguishes it from another film with the same title.
    fn skip(&mut self, entry: ListEntry, reason: &str) {
        let title = entry.title.map(|title| match entry.year {
            Some(year) if !title.contains(&year.to_string()) => format!("{title} ({year})"),
            _ => title,
        });
        self.skipped.push(SkippedEntry {
            position: entry.position,
            title,
            reason: reason.to_owned(),
        });
    }
}

/// Finds the anime of the entries and watched rows of a file. `zone` is the time zone of the owner's days, and `now` is
/// in milliseconds since the Unix epoch.
pub(super) async fn resolve(
    catalogue: &Catalogue<Anime>,
    file: ListFile,
    zone: TimeZone,
    now: u64,
) -> Result<ResolvedFile> {
    let seasons = catalogue.seasons_with_names().await?;
    let mut finder = EntryFinder::new(seasons, catalogue.name_searches(), file.format);
    let mut resolved = ResolvedFile {
        format: file.format.title(),
        skipped: file.skipped,
        remarks: file.remarks,
        ..ResolvedFile::default()
    };
    let (mut watched, left_out) = find_rows(&mut finder, &file.watched, zone, now).await;
    resolved.skipped.extend(left_out);
    if !file.watched.is_empty() {
        resolved.remarks.push(count_remark(file.watched.len()));
    }
    let by_id = watched.iter().enumerate();
    let by_id = by_id.filter(|(_, watched)| !watched.is_by_title);
    let positions: HashMap<AnimeId, usize> = by_id
        .map(|(position, watched)| (watched.anime, position))
        .collect();
    let mut details = Vec::new();
    for entry in file.entries {
        if finder.is_pause_due() {
            tokio::task::yield_now().await;
        }
        match finder.find(&entry) {
            EntryAnime::Certain(anime) => match positions.get(&anime) {
                Some(position) => combine(&mut watched[*position].entry, entry),
                None => resolved.entries.push((anime, entry)),
            },
            EntryAnime::Proposed(proposal) => {
                if proposal.reason == ProposalReason::SeveralAnime {
                    // The status of a series is that of the anime that was watched last.
                    if let Some(last) = last_of_series(&mut watched, &entry) {
                        let is_stopped = is_stopped(entry.status) && !entry.is_details_only;
                        if is_stopped && last.entry.status == WatchStatus::Current {
                            last.entry.status = entry.status;
                        } else {
                            resolved.skip(entry, SEVERAL_ANIME);
                        }
                        continue;
                    }
                }
                if entry.is_details_only {
                    details.push((entry, proposal));
                } else {
                    resolved.propose(with_name(entry), proposal);
                }
            }
            EntryAnime::Missing if entry.is_details_only => resolved.skip(entry, NOT_FOUND),
            EntryAnime::Missing => resolved.missing.push(entry),
            EntryAnime::NotFound => resolved.skip(entry, NOT_FOUND),
        }
    }
    for watched in watched {
        let WatchedEntry { anime, entry, .. } = watched;
        if watched.is_by_title {
            let proposal = Proposal {
                reason: if watched.is_confirmed {
                    ProposalReason::Title
                } else {
                    ProposalReason::TitleAlone
                },
                candidates: vec![anime],
                is_titled: true,
            };
            resolved.propose(entry, proposal);
        } else {
            resolved.entries.push((anime, entry));
        }
    }
    for (entry, proposal) in details {
        resolved.add_details(entry, &proposal);
    }
    resolved.entries.sort_by_key(|(_, entry)| entry.position);
    resolved.skipped.sort_by_key(|skipped| skipped.position);
    Ok(resolved)
}

/// Returns true for the statuses with which users stop watching a series.
fn is_stopped(status: WatchStatus) -> bool {
    matches!(status, WatchStatus::Dropped | WatchStatus::Paused)
}

/// Returns the anime of the series of an entry that was watched last.
fn last_of_series<'w>(
    watched: &'w mut [WatchedEntry],
    entry: &ListEntry,
) -> Option<&'w mut WatchedEntry> {
    let same = watched.iter_mut().filter(|watched| {
        let mut ids = entry.ids.iter();
        ids.any(|id| id.kind == IdKind::Series && watched.ids.contains(id))
    });
    same.max_by_key(|watched| (watched.last_at, watched.entry.position))
}

/// Adds what an entry states about an anime to the entry made from its watched episodes. The progress comes from the
/// episodes. The entry adds only what no episode shows: that the user has stopped or watches again, and the details.
fn combine(watched: &mut ListEntry, entry: ListEntry) {
    if !entry.is_details_only {
        let is_further = match entry.status {
            WatchStatus::Planning | WatchStatus::Current => false,
            WatchStatus::Repeating => true,
            _ => watched.status != WatchStatus::Completed,
        };
        if is_further {
            watched.status = entry.status;
            watched.changed_at_ms = entry.changed_at_ms;
        }
        watched.current_episode = match entry.status {
            WatchStatus::Repeating => entry.current_episode.or(watched.current_episode),
            _ => watched.current_episode.max(entry.current_episode),
        };
    }
    let (old, new) = (&mut watched.details, entry.details);
    let stated = |new: Option<Option<_>>| new.filter(Option::is_some);
    old.score = new.score.filter(Option::is_some).or(old.score);
    old.started_on = stated(new.started_on).or(old.started_on);
    old.finished_on = stated(new.finished_on).or(old.finished_on);
    old.repeats = new.repeats.max(old.repeats);
    old.notes = new.notes.or_else(|| old.notes.take());
    old.private = new.private.or(old.private);
    watched.title = entry.title.or_else(|| watched.title.take());
    watched.created_at_ms = watched.created_at_ms.or(entry.created_at_ms);
}

/// Returns an entry with a text that names it: its title, or its identifier if it has no title.
fn with_name(entry: ListEntry) -> ListEntry {
    let id = entry.ids.first().filter(|_| entry.title.is_none());
    let title = id.map(|id| {
        let service = match id.source {
            IdSource::Anidb => "AniDB",
            IdSource::TrackerA => "AniList",
            IdSource::TrackerB => "MyAnimeList",
            IdSource::Database => "The Movie Database",
            IdSource::Imdb => "IMDb",
            IdSource::Kitsu => "Kitsu",
            IdSource::Tvdb => "TheTVDB",
        };
        format!("{service} {}", id.id)
    });
    ListEntry {
        title: entry.title.or(title),
        ..entry
    }
}

#[cfg(test)]
mod tests {
    use shared::models::WatchStatus::{
        self, Completed, Current, Dropped, Paused, Planning, Repeating,
    };
    use shared::models::{AnimeId, PartialDate, UserScore};

    use super::{ListEntry, ResolvedFile, combine};
    use crate::list_files::proposed_entry::{Proposal, ProposalReason};

    fn entry(status: WatchStatus, current_episode: Option<u32>) -> ListEntry {
        ListEntry {
            current_episode,
            ..ListEntry::new(1, status)
        }
    }

    #[test]
    fn episodes_say_how_far_and_the_entry_says_why_it_stopped() {
        let cases = [
            (Current, Planning, Current),
            (Current, Current, Current),
            (Current, Dropped, Dropped),
            (Current, Paused, Paused),
            (Current, Completed, Completed),
            (Completed, Dropped, Completed),
            (Completed, Current, Completed),
            (Completed, Repeating, Repeating),
        ];
        for (by_episodes, stated, expected) in cases {
            let mut watched = entry(by_episodes, Some(4));
            combine(&mut watched, entry(stated, None));
            let result = (watched.status, watched.current_episode);
            assert_eq!(result, (expected, Some(4)), "{by_episodes:?} {stated:?}");
        }
    }

    #[test]
    fn rating_goes_to_the_proposal_of_its_anime() {
        let proposal = |reason, anime| Proposal {
            reason,
            candidates: AnimeId::new(anime).into_iter().collect(),
            is_titled: true,
        };
        let rated = || {
            let mut rated = entry(Planning, None);
            rated.is_details_only = true;
            rated.details.score = Some(UserScore::from_tenths(900));
            rated
        };
        let mut file = ResolvedFile::default();
        file.propose(
            entry(Completed, Some(1)),
            proposal(ProposalReason::Title, 2),
        );
        file.add_details(rated(), &proposal(ProposalReason::Title, 2));
        assert_eq!(file.proposals.len(), 1);
        let proposed = &file.proposals[0].entry;
        assert_eq!(proposed.status, Completed);
        assert_eq!(proposed.details.score, rated().details.score);
        file.add_details(rated(), &proposal(ProposalReason::Title, 3));
        file.add_details(rated(), &proposal(ProposalReason::SeveralAnime, 2));
        assert_eq!((file.proposals.len(), file.skipped.len()), (1, 2));
    }

    #[test]
    fn entry_without_a_status_gives_its_details() {
        let day = PartialDate::new(2020, Some(5), Some(3));
        let mut watched = entry(Current, Some(4));
        watched.details.started_on = Some(day);
        let mut rated = entry(Dropped, None);
        rated.is_details_only = true;
        rated.details.score = Some(UserScore::from_tenths(900));
        rated.details.started_on = Some(None);
        combine(&mut watched, rated);
        assert_eq!(watched.status, Current);
        assert_eq!(watched.details.score, Some(UserScore::from_tenths(900)));
        assert_eq!(watched.details.started_on, Some(day));
    }
}
