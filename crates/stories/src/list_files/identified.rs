//! The anime of an entry of a list file (docs/api.md, "Which anime an entry is").

use std::iter;

use catalogue::identify::{Contradiction, Evidence, Identification, MatchReason, NameSearches};
use catalogue::index::AnimeIndex;
use catalogue::seasons::AnimeSeasons;
use interchange::{ListEntry, ListFormat};
use shared::models::{AnimeId, IdKind, IdSource, StatedId, TrackerName};

use super::proposed_entry::{Proposal, ProposalReason};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EntryAnime {
    /// The anime is certain by an identifier.
    Certain(AnimeId),
    /// The user has to say which anime it is.
    Proposed(Proposal),
    /// The anime is not in the catalogue. It is found later if the entry has an identifier at a tracker.
    Missing,
    /// The entry is of a series or movie that is not an anime in the catalogue.
    NotFound,
}

/// Finds the anime of the entries of a file.
pub(super) struct EntryFinder {
    seasons: AnimeSeasons,
    searches: NameSearches,
    /// True if `anime_id` in this file is an identifier of this service.
    has_own_ids: bool,
    /// True if the list also has other things than anime.
    has_other_media: bool,
}

impl EntryFinder {
    /// Returns a finder. `seasons` has the names of anime.
    pub(super) fn new(seasons: AnimeSeasons, searches: NameSearches, format: ListFormat) -> Self {
        Self {
            seasons,
            searches,
            has_own_ids: matches!(format, ListFormat::KirokuJson | ListFormat::Csv),
            has_other_media: matches!(format, ListFormat::Mixed(_)),
        }
    }

    /// Returns true about every 5 ms of work. The caller then lets other requests go on.
    pub(super) fn is_pause_due(&mut self) -> bool {
        self.searches.is_pause_due()
    }

    pub(super) fn seasons(&self) -> &AnimeSeasons {
        &self.seasons
    }

    /// Returns what the evidence leads to, and true if a title was not searched because the file has too many titles.
    pub(super) fn identify(&mut self, evidence: &Evidence) -> (Identification, bool) {
        if let Some(identified) = self.seasons.identify(evidence, &mut self.searches) {
            return (identified, false);
        }
        // Identifiers need no search.
        let untitled = Evidence {
            titles: Vec::new(),
            ..evidence.clone()
        };
        let identified = self.seasons.identify(&untitled, &mut self.searches);
        (identified.unwrap_or_default(), true)
    }

    /// Returns the anime of an entry.
    pub(super) fn find(&mut self, entry: &ListEntry) -> EntryAnime {
        let own_id = self.own_id(entry);
        let evidence = evidence_of(entry, own_id);
        let (identified, is_unsearched) = self.identify(&evidence);
        let candidates = identified.candidates.iter().map(|episode| episode.anime);
        let candidates: Vec<AnimeId> = candidates.collect();
        let propose = |reason, candidates| {
            EntryAnime::Proposed(Proposal {
                reason,
                candidates,
                is_titled: false,
            })
        };
        match (identified.certain, candidates.first().copied()) {
            (Some(MatchReason::AnimeId), Some(anime)) => {
                return match self.other_by_title(entry, anime) {
                    Some(other) => propose(ProposalReason::OtherTitle, vec![anime, other]),
                    None => EntryAnime::Certain(anime),
                };
            }
            (Some(MatchReason::Id(_) | MatchReason::SeriesId(_)), Some(anime)) => {
                return EntryAnime::Certain(anime);
            }
            (Some(reason), Some(anime)) => {
                let may_be_other = self.has_other_media || has_only_series_ids(entry);
                let others = self.others_of_series(entry, anime);
                // A rating of a series with several anime is not a rating of one of them.
                let is_of_series = entry.is_details_only && !others.is_empty();
                let is_confirmed = !may_be_other || reason == MatchReason::TitleAndDetails;
                let (reason, candidates) = if is_confirmed && !is_of_series {
                    (ProposalReason::Title, candidates)
                } else if others.is_empty() {
                    (ProposalReason::TitleAlone, candidates)
                } else {
                    // The title is also that of the series.
                    let all = iter::once(anime).chain(others);
                    (ProposalReason::SeveralAnime, all.collect())
                };
                return EntryAnime::Proposed(Proposal {
                    reason,
                    candidates,
                    is_titled: true,
                });
            }
            _ => {}
        }
        if let Some(conflict) = identified.conflicts.first() {
            let (reason, other) = match conflict.contradiction {
                Contradiction::Id(other) => (ProposalReason::OtherId, Some(other)),
                Contradiction::Title(other) => (ProposalReason::OtherTitle, Some(other)),
                Contradiction::Year(_) => (ProposalReason::OtherYear, None),
                Contradiction::Format(_) => (ProposalReason::OtherFormat, None),
            };
            let mut named = vec![conflict.by_id];
            for other in other.into_iter().chain(candidates) {
                if !named.contains(&other) {
                    named.push(other);
                }
            }
            return propose(reason, named);
        }
        if let Some(anime) = find_at_tracker(entry, &self.seasons.index) {
            // Several anime have the identifier.
            return EntryAnime::Certain(anime);
        }
        if entry.trackers.a.is_some() || entry.trackers.b.is_some() {
            return EntryAnime::Missing;
        }
        if has_only_series_ids(entry) {
            let several = self.anime_of_series(entry);
            if several.is_empty() {
                return EntryAnime::NotFound;
            }
            return propose(ProposalReason::SeveralAnime, several);
        }
        // Most entries of such a list are not anime, but many of their titles are similar to the title of an anime.
        if entry.is_details_only || (self.has_other_media && entry.ids.is_empty()) {
            return EntryAnime::NotFound;
        }
        if !candidates.is_empty() {
            return propose(ProposalReason::Uncertain, candidates);
        }
        if entry.title.is_none() && entry.ids.is_empty() {
            return EntryAnime::Missing;
        }
        propose(
            if is_unsearched {
                ProposalReason::NotSearched
            } else {
                ProposalReason::NotFound
            },
            Vec::new(),
        )
    }

    /// Returns the identifier of the anime in this service, if it counts. Another installation has other identifiers,
    /// so the identifier is ignored if another identifier of the entry contradicts it.
    fn own_id(&self, entry: &ListEntry) -> Option<AnimeId> {
        let stated = entry.trackers;
        let agrees = |anime: &AnimeId| {
            let differs = |id: Option<u32>, stated: Option<u32>| {
                id.zip(stated).is_some_and(|(id, stated)| id != stated)
            };
            let ids = self.seasons.index.trackers(*anime);
            ids.is_some_and(|ids| !differs(ids.a, stated.a) && !differs(ids.b, stated.b))
        };
        entry.anime_id.filter(|_| self.has_own_ids).filter(agrees)
    }

    /// Returns another anime that has the title of an entry with the `anime_id` of this anime. Returns `None` if an
    /// identifier at a tracker confirms the `anime_id`.
    fn other_by_title(&mut self, entry: &ListEntry, anime: AnimeId) -> Option<AnimeId> {
        let ids = self.seasons.index.trackers(anime).unwrap_or_default();
        let is_same = |id: Option<u32>, stated| id.is_some() && id == stated;
        if is_same(ids.a, entry.trackers.a) || is_same(ids.b, entry.trackers.b) {
            return None;
        }
        let titled = Evidence {
            is_entry: true,
            titles: entry.title.iter().cloned().collect(),
            ..Evidence::default()
        };
        let identified = self.seasons.identify(&titled, &mut self.searches)?;
        let other = identified.certain()?.anime;
        let mut candidates = identified.candidates.iter();
        let is_candidate = candidates.any(|episode| episode.anime == anime);
        (!is_candidate).then_some(other)
    }

    /// Returns the other anime of the series that the identifiers of an entry name, if they name only series or movies.
    fn others_of_series(&mut self, entry: &ListEntry, anime: AnimeId) -> Vec<AnimeId> {
        if !has_only_series_ids(entry) {
            return Vec::new();
        }
        let mut others = self.anime_of_series(entry);
        others.retain(|other| *other != anime);
        others
    }

    /// Returns the anime that an entry may mean by its identifiers alone.
    fn anime_of_series(&mut self, entry: &ListEntry) -> Vec<AnimeId> {
        let evidence = Evidence {
            titles: Vec::new(),
            ..evidence_of(entry, None)
        };
        let (identified, _) = self.identify(&evidence);
        let candidates = identified.candidates.iter();
        candidates.map(|episode| episode.anime).collect()
    }
}

/// Returns the anime with an entry's identifier at a tracker. If several have it, the first in the list order counts.
pub(super) fn find_at_tracker(entry: &ListEntry, index: &AnimeIndex) -> Option<AnimeId> {
    let stated = entry.trackers;
    let by_tracker = |tracker, id: Option<u32>| index.find_by_tracker(tracker, id?);
    by_tracker(TrackerName::A, stated.a).or_else(|| by_tracker(TrackerName::B, stated.b))
}

/// Returns true if the entry has identifiers of series or movies and none of an anime.
fn has_only_series_ids(entry: &ListEntry) -> bool {
    !entry.ids.is_empty() && entry.ids.iter().all(|id| id.kind != IdKind::Anime)
}

fn evidence_of(entry: &ListEntry, anime_id: Option<AnimeId>) -> Evidence {
    let at_tracker = |source, id: Option<u32>| {
        id.map(|id| StatedId {
            source,
            kind: IdKind::Anime,
            id,
        })
    };
    let ids = at_tracker(IdSource::TrackerA, entry.trackers.a).into_iter();
    let ids = ids.chain(at_tracker(IdSource::TrackerB, entry.trackers.b));
    Evidence {
        is_entry: true,
        anime_id,
        ids: ids.chain(entry.ids.iter().copied()).collect(),
        titles: entry.title.iter().cloned().collect(),
        season: entry.season,
        year: entry.year,
        format: entry.format,
        episodes: entry.episodes,
        ..Evidence::default()
    }
}
