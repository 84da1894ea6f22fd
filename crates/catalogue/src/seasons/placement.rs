//! The place of an anime in the seasons of a series.

use serde::{Deserialize, Serialize};

use crate::identifiers::IdSource;

/// A series at a service that numbers episodes by season.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Series {
    /// The service: [`IdSource::Tvdb`] or [`IdSource::Database`]. No series is known at other sources.
    pub source: IdSource,
    /// The identifier of the series there.
    pub id: u32,
}

/// The place of an anime in the seasons of a series. Numbers of episodes are at most 65,535.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Placement {
    /// The series.
    pub series: Series,
    /// The identifier of the anime at `AniDB`.
    pub anime: u32,
    /// The season of the episodes about which `pairs` and `ranges` state nothing, and the number of an episode there
    /// minus its number in the anime. `None` if the file has no season for them.
    pub default: Option<(DefaultSeason, i32)>,
    /// Statements about single episodes.
    pub pairs: Vec<EpisodePair>,
    /// Statements about ranges of episodes.
    pub ranges: Vec<EpisodeRange>,
}

/// The season of most episodes of an anime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum DefaultSeason {
    /// The number of the season; 0 for specials.
    Number(u16),
    /// The series numbers its episodes absolutely, across all seasons.
    Absolute,
}

/// A statement: an episode of the anime is this episode of the series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EpisodePair {
    /// The episode of the anime.
    pub anime_episode: u16,
    /// True if it is a special of the anime, which has its own numbers.
    pub is_special: bool,
    /// The season of the series.
    pub season: u16,
    /// The episode of the season; 0 if the series lacks the episode.
    pub episode: u16,
}

/// A statement: consecutive episodes of the anime are consecutive episodes of a season.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EpisodeRange {
    /// The first episode of the anime.
    pub first: u16,
    /// The last episode of the anime; `u16::MAX` if the range is open.
    pub last: u16,
    /// True if they are specials of the anime, which have their own numbers.
    pub is_special: bool,
    /// The season of the series.
    pub season: u16,
    /// The number of an episode in the season minus its number in the anime.
    pub offset: i32,
}

/// The reasons why an anime has an episode at a place, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PlacementBasis {
    /// A statement about the episode alone.
    Pair,
    /// A statement about a range that has the episode.
    Range,
    /// The season of the anime.
    Season,
    /// Absolute numbers.
    Absolute,
}

/// The episodes that an anime has at a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PlacedEpisodes {
    /// The regular episodes of the anime, from 1, each with its reason.
    pub episodes: Vec<(PlacementBasis, u32)>,
    /// True if a special of the anime is there.
    pub is_special: bool,
}

impl Placement {
    /// Returns the anime's episodes that correspond to an episode of a season. A pair counts more than a range, and a
    /// range more than the default. Specials have no default.
    pub fn place(&self, season: u16, episode: u32) -> PlacedEpisodes {
        let mut placed = PlacedEpisodes::default();
        let Some(episode) = u16::try_from(episode).ok().filter(|episode| *episode > 0) else {
            return placed;
        };
        let pairs = self.pairs.iter();
        for pair in pairs.filter(|pair| (pair.season, pair.episode) == (season, episode)) {
            placed.add(pair.anime_episode, pair.is_special, PlacementBasis::Pair);
        }
        for range in self.ranges.iter().filter(|range| range.season == season) {
            let found = subtract(episode, range.offset).filter(|number| range.contains(*number));
            let found = found.filter(|number| !self.has_pair(*number, range.is_special));
            if let Some(number) = found {
                placed.add(number, range.is_special, PlacementBasis::Range);
            }
        }
        // A special is at this place, and no regular episode: the default does not apply.
        if placed.is_special && placed.episodes.is_empty() {
            return placed;
        }
        let Some((default, offset)) = self.default else {
            return placed;
        };
        let basis = match default {
            DefaultSeason::Number(number) if number == season => PlacementBasis::Season,
            DefaultSeason::Absolute if season > 0 && !self.has_ranges_in(season) => {
                PlacementBasis::Absolute
            }
            _ => return placed,
        };
        let has_rule = |number: u16| {
            let mut ranges = self.ranges.iter();
            self.has_pair(number, false)
                || ranges.any(|range| !range.is_special && range.contains(number))
        };
        if let Some(number) = subtract(episode, offset).filter(|number| !has_rule(*number)) {
            placed.add(number, false, basis);
        }
        placed
    }

    /// Returns true if the anime has regular episodes in this season. `None` stands for any season other than that
    /// of the specials.
    pub fn is_in(&self, season: Option<u16>) -> bool {
        let is_wanted = |number: u16| season.map_or(number > 0, |season| number == season);
        let default = self.default.map(|(default, _)| match default {
            DefaultSeason::Number(number) => number,
            DefaultSeason::Absolute => 1,
        });
        let mut pairs = self.pairs.iter();
        let mut ranges = self.ranges.iter();
        default.is_some_and(is_wanted)
            || pairs.any(|pair| !pair.is_special && pair.episode > 0 && is_wanted(pair.season))
            || ranges.any(|range| !range.is_special && is_wanted(range.season))
    }

    fn has_pair(&self, anime_episode: u16, is_special: bool) -> bool {
        let wanted = (anime_episode, is_special);
        let mut pairs = self.pairs.iter();
        pairs.any(|pair| (pair.anime_episode, pair.is_special) == wanted)
    }

    /// Returns true if the file states where this season begins.
    fn has_ranges_in(&self, season: u16) -> bool {
        let mut ranges = self.ranges.iter();
        ranges.any(|range| !range.is_special && range.season == season)
    }
}

impl PlacementBasis {
    /// Returns true for a statement about the episode itself, as opposed to one about its season.
    pub fn is_stated(self) -> bool {
        matches!(self, Self::Pair | Self::Range)
    }
}

impl PlacedEpisodes {
    fn add(&mut self, anime_episode: u16, is_special: bool, basis: PlacementBasis) {
        if is_special {
            self.is_special = true;
        } else {
            self.episodes.push((basis, anime_episode.into()));
        }
    }
}

impl EpisodeRange {
    fn contains(&self, anime_episode: u16) -> bool {
        (self.first..=self.last).contains(&anime_episode)
    }
}

/// Returns the number of an episode in the anime, from 1.
fn subtract(episode: u16, offset: i32) -> Option<u16> {
    let number = i32::from(episode).checked_sub(offset)?;
    u16::try_from(number).ok().filter(|number| *number > 0)
}
