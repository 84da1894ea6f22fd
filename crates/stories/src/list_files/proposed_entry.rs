//! The proposal of an entry: the anime that it may mean, and the reason why it is not a story yet.

use std::fmt;

use catalogue::index::AnimeIndex;
use interchange::ListEntry;
use serde::{Deserialize, Serialize};
use shared::models::{AnimeFormat, AnimeId, StatedId};
use utoipa::ToSchema;

/// The reason why an entry is a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProposalReason {
    /// The anime was found by its title, with nothing against it.
    Title,
    /// Only the title leads to the anime, in a list that also has other things than anime. A show that is not an anime
    /// can have the same title.
    TitleAlone,
    /// The identifier is that of the first candidate, but the title is that of another anime.
    OtherTitle,
    /// The identifier is that of the first candidate, which is from another year.
    OtherYear,
    /// The identifier is that of the first candidate, which has another format.
    OtherFormat,
    /// Two identifiers of the entry are those of different anime.
    OtherId,
    /// The series has several anime, and nothing says which of them the entry means.
    SeveralAnime,
    /// The title may be that of several anime, or is only similar.
    Uncertain,
    /// No anime was found.
    NotFound,
    /// The anime was not searched, because the file has too many titles that are not in the catalogue.
    NotSearched,
}

impl ProposalReason {
    /// Returns true if only the title has led to the first candidate, and nothing contradicts it.
    fn is_by_title(self) -> bool {
        matches!(self, Self::Title | Self::TitleAlone)
    }
}

/// Formats the name, as in responses.
impl fmt::Display for ProposalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// The anime that an uncertain entry may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Proposal {
    /// The reason why the entry is not a story yet.
    pub reason: ProposalReason,
    /// The anime that may be meant, the most probable one first.
    pub candidates: Vec<AnimeId>,
    /// True if the title is that of the first candidate, and nothing contradicts it.
    pub is_titled: bool,
}

impl Proposal {
    /// Returns true if nothing contradicts the first candidate, so that only the user has to confirm it.
    pub(super) fn is_certain(&self) -> bool {
        self.reason == ProposalReason::Title
    }
}

/// An entry with its proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProposedEntry {
    /// The number among the proposals of the import, from 1.
    pub number: usize,
    /// The entry, which has a status. Its position is 0 in a stored proposal.
    pub entry: ListEntry,
    /// The proposal.
    pub proposal: Proposal,
}

impl ProposedEntry {
    /// Returns an entry with its proposal. If only the title has led to the anime, an `anime_id` of the entry is
    /// dropped, because it did not count. If it were kept, it would count when the file with the waiting entries is
    /// imported.
    pub(super) fn new(number: usize, entry: ListEntry, proposal: Proposal) -> Self {
        let anime_id = entry.anime_id.filter(|_| !proposal.reason.is_by_title());
        Self {
            number,
            entry: ListEntry { anime_id, ..entry },
            proposal,
        }
    }

    /// Returns the anime that the title names, if nothing contradicts it.
    pub(super) fn by_title(&self) -> Option<AnimeId> {
        let first = self.proposal.candidates.first().copied();
        first.filter(|_| self.proposal.is_titled)
    }
}

/// The values of a stored proposal that Kiroku JSON does not have.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredProposal {
    number: usize,
    reason: ProposalReason,
    candidates: Vec<AnimeId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ids: Vec<StatedId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    format: Option<AnimeFormat>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    year: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    season: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    episodes: Option<u32>,
}

impl From<&ProposedEntry> for StoredProposal {
    fn from(proposed: &ProposedEntry) -> Self {
        let (entry, proposal) = (&proposed.entry, &proposed.proposal);
        Self {
            number: proposed.number,
            reason: proposal.reason,
            candidates: proposal.candidates.clone(),
            ids: entry.ids.clone(),
            format: entry.format,
            year: entry.year,
            season: entry.season,
            episodes: entry.episodes,
        }
    }
}

impl StoredProposal {
    /// Returns the proposal of an entry that was read from the same row.
    pub(super) fn with_entry(self, entry: ListEntry) -> ProposedEntry {
        let entry = ListEntry {
            ids: self.ids,
            format: self.format,
            year: self.year,
            season: self.season,
            episodes: self.episodes,
            ..entry
        };
        let proposal = Proposal {
            reason: self.reason,
            candidates: self.candidates,
            is_titled: self.reason.is_by_title(),
        };
        ProposedEntry::new(self.number, entry, proposal)
    }
}

/// An anime that may be meant.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct ProposedAnime {
    /// Identifier of the anime.
    #[schema(value_type = u64, example = 2)]
    pub anime_id: AnimeId,
    /// Format.
    #[schema(value_type = Option<u8>, example = 0)]
    pub format: Option<AnimeFormat>,
    /// Year of the release.
    pub season_year: Option<u16>,
    /// Number of episodes; 0 if it is unknown.
    pub episodes_count: u32,
}

/// Returns the values of candidates that help to choose one.
pub(super) fn describe(candidates: &[AnimeId], index: &AnimeIndex) -> Vec<ProposedAnime> {
    let described = candidates.iter().map(|id| {
        let anime = index.indexed_anime(*id);
        ProposedAnime {
            anime_id: *id,
            format: anime.as_ref().map(|anime| anime.format),
            season_year: anime.as_ref().and_then(|anime| anime.year),
            episodes_count: anime.map_or(0, |anime| anime.episodes_count),
        }
    });
    described.collect()
}
