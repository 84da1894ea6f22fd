//! Converts the episode numbers of series to those of anime at `AniDB`.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::placement::{DefaultSeason, PlacedEpisodes, Placement, PlacementBasis, Series};
use crate::identifiers::IdSource;

/// An episode of an anime at `AniDB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AnidbEpisode {
    /// The identifier of the anime at `AniDB`.
    pub anime: u32,
    /// The number of the episode within the anime, from 1.
    pub episode: u32,
}

/// The episodes that may be meant by a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidates<E> {
    /// The episodes, the most probable one first.
    pub episodes: Vec<E>,
    /// True if the first episode is certainly meant.
    pub is_certain: bool,
}

/// No episode.
impl<E> Default for Candidates<E> {
    fn default() -> Self {
        Self::new([], false)
    }
}

impl<E> Candidates<E> {
    /// Creates candidates. If `is_certain` is true, the first is certain.
    pub(crate) fn new(episodes: impl IntoIterator<Item = E>, is_certain: bool) -> Self {
        Self {
            episodes: episodes.into_iter().collect(),
            is_certain,
        }
    }

    /// Returns the episode that is certainly meant.
    pub fn certain(&self) -> Option<&E> {
        self.episodes.first().filter(|_| self.is_certain)
    }
}

/// The places of anime in the seasons of series, and the movies that are anime or parts of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeasonMap {
    /// The places, in order of their series.
    placements: Vec<Placement>,
    /// The movies, in ascending order.
    movies: Vec<MoviePart>,
}

/// A movie, and the anime of which it is the whole or a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct MoviePart {
    /// [`IdSource::Database`] or [`IdSource::Imdb`].
    pub source: IdSource,
    /// The identifier of the movie there.
    pub movie: u32,
    /// The identifier of the anime at `AniDB`.
    pub anime: u32,
    /// The number of the episode within the anime, from 1. `None` if the movie is the whole anime.
    pub episode: Option<u16>,
}

/// The episode that an anime has at a place, and the strength of the reason.
struct Claim {
    episode: AnidbEpisode,
    basis: PlacementBasis,
    has_limit: bool,
    is_doubtful: bool,
}

impl Claim {
    /// Returns the strength of the reason. The strongest comes first. Pairs and ranges of different anime are equally
    /// strong.
    fn rank(&self) -> PlacementBasis {
        self.basis.max(PlacementBasis::Range)
    }
}

impl SeasonMap {
    /// Creates a map.
    pub(crate) fn new(mut placements: Vec<Placement>, mut movies: Vec<MoviePart>) -> Self {
        placements.sort_by_key(|placement| placement.series);
        movies.sort_unstable();
        movies.dedup();
        Self { placements, movies }
    }

    /// Returns the number of places of anime in series.
    pub fn len(&self) -> usize {
        self.placements.len()
    }

    /// Returns true if no series and no movie is known.
    pub fn is_empty(&self) -> bool {
        self.placements.is_empty() && self.movies.is_empty()
    }

    /// Returns the series of an anime of `AniDB`: at most one at each service.
    pub fn series_of(&self, anime: u32) -> impl Iterator<Item = Series> {
        let placements = self.placements.iter();
        let placements = placements.filter(move |placement| placement.anime == anime);
        placements.map(|placement| placement.series)
    }

    /// Returns the anime of `AniDB` that have a place in this series.
    pub fn anime_of(&self, series: Series) -> impl Iterator<Item = u32> {
        let placements = self.placements_in(series).iter();
        placements.map(|placement| placement.anime)
    }

    /// Returns the anime of `AniDB` that have regular episodes in this season of a series. `None` stands for any season
    /// other than that of the specials.
    pub fn anime_of_season(
        &self,
        series: Series,
        season: Option<u16>,
    ) -> impl Iterator<Item = u32> {
        let placements = self.placements_in(series).iter();
        let placements = placements.filter(move |placement| placement.is_in(season));
        placements.map(|placement| placement.anime)
    }

    /// Returns the anime of `AniDB` that have successive places in the numbered seasons of a series, as pairs of an
    /// anime and its successor.
    pub(crate) fn successions(&self) -> Vec<(u32, u32)> {
        let mut places: Vec<(Series, u16, i32, u32)> = self
            .placements
            .iter()
            .filter_map(|placement| match placement.default {
                Some((DefaultSeason::Number(season), offset)) if season > 0 => {
                    Some((placement.series, season, offset, placement.anime))
                }
                _ => None,
            })
            .collect();
        places.sort_unstable();
        let successive = places.windows(2).filter_map(|pair| match pair {
            [
                (series, season, offset, one),
                (next_series, next_season, next_offset, next),
            ] => {
                let is_later = (season, offset) < (next_season, next_offset);
                let is_next = series == next_series && is_later && next_season - season <= 1;
                is_next.then_some((*one, *next))
            }
            _ => None,
        });
        successive.collect()
    }

    /// Returns the anime episodes that can be the same as an episode of a series. `limit_of` returns the final number
    /// of episodes of an anime of `AniDB`, if it is known: no later episode is a candidate.
    ///
    /// A season can be shared by several anime, and each of them states only where it begins. An episode is certain if
    /// one anime remains by these rules:
    /// 1. A statement about the episode itself counts more than one about its season.
    /// 2. An anime whose number of episodes is known, and has room for the episode, counts more than one whose number
    ///    is unknown, unless both begin at the same episode.
    /// 3. The anime that begins last counts.
    ///
    /// Rules 2 and 3 do not apply to season 0 and to statements about the episode itself.
    ///
    /// Two cases are never certain, because a comparison with other sources showed that most of them are wrong:
    /// - A number within season 2 or later of a series that is numbered absolutely, if the file does not state where
    ///   its seasons begin. Players count from the beginning of the season.
    /// - An episode of season 0 after the first one of an anime with an unknown number of episodes. Season 0 mixes
    ///   the specials of all anime of the series.
    pub fn find(
        &self,
        series: Series,
        season: u16,
        episode: u32,
        limit_of: impl Fn(u32) -> Option<u32>,
    ) -> Candidates<AnidbEpisode> {
        let mut claims = Vec::new();
        let mut is_special = false;
        for placement in self.placements_in(series) {
            let placed = placement.place(season, episode);
            is_special |= placed.is_special;
            let limit = limit_of(placement.anime);
            claims.extend(choose_episode(placement.anime, &placed, season, limit));
        }
        if is_special && season > 0 {
            // The file states that the episode is a special of an anime, so it is not a regular episode of another
            // anime.
            claims.retain(|claim| claim.basis.is_stated());
        }
        rank(claims, season)
    }

    /// Returns the anime of `AniDB` that a movie belongs to, each with the episode that the movie is; `None` if the
    /// movie is the whole anime. `source` is [`IdSource::Database`] or [`IdSource::Imdb`].
    pub fn find_movie(
        &self,
        source: IdSource,
        movie: u32,
    ) -> impl Iterator<Item = (u32, Option<u32>)> {
        let wanted = (source, movie);
        let start = self
            .movies
            .partition_point(|part| (part.source, part.movie) < wanted);
        let same = self.movies[start..].iter();
        same.take_while(move |part| (part.source, part.movie) == wanted)
            .map(|part| (part.anime, part.episode.map(u32::from)))
    }

    fn placements_in(&self, series: Series) -> &[Placement] {
        let start = self
            .placements
            .partition_point(|placement| placement.series < series);
        let rest = &self.placements[start..];
        &rest[..rest.partition_point(|placement| placement.series == series)]
    }
}

/// Chooses between several episodes of an anime that may be the same episode of a series: the one with the strongest
/// reason, among those within the anime's number of episodes. If several have the same reason, `AniDB` has an episode
/// for the whole and others for its parts, or two episodes were released as one. Then the last episode within the
/// anime's number of episodes is chosen. If that number is unknown, the first is chosen, because too little progress is
/// the smaller error.
fn choose_episode(
    anime: u32,
    placed: &PlacedEpisodes,
    season: u16,
    limit: Option<u32>,
) -> Option<Claim> {
    let basis = placed.episodes.iter().map(|(basis, _)| *basis).min()?;
    let fitting = placed.episodes.iter().copied();
    let fitting = fitting.filter(|(_, episode)| limit.is_none_or(|limit| *episode <= limit));
    let (_, episode) = match limit {
        Some(_) => fitting.min_by_key(|(basis, episode)| (*basis, Reverse(*episode))),
        None => fitting.min(),
    }?;
    let is_doubtful = match basis {
        PlacementBasis::Pair | PlacementBasis::Range => false,
        PlacementBasis::Season => season == 0 && episode > 1 && limit.is_none(),
        PlacementBasis::Absolute => season != 1,
    };
    Some(Claim {
        episode: AnidbEpisode { anime, episode },
        basis,
        has_limit: limit.is_some(),
        is_doubtful,
    })
}

/// Orders the claims by the rules of [`SeasonMap::find`].
fn rank(mut claims: Vec<Claim>, season: u16) -> Candidates<AnidbEpisode> {
    // The anime that begins last has the lowest number here.
    claims.sort_by_key(|claim| {
        let AnidbEpisode { anime, episode } = claim.episode;
        let has_no_limit = !claim.has_limit;
        let basis = claim.rank();
        (claim.is_doubtful, basis, has_no_limit, episode, anime)
    });
    let is_certain = claims.split_first().is_some_and(|(first, others)| {
        let can_share = season > 0 && !first.basis.is_stated();
        let is_rival = |other: &Claim| {
            let has_same_basis = !other.is_doubtful && other.rank() == first.rank();
            has_same_basis && !(can_share && other.episode.episode != first.episode.episode)
        };
        !first.is_doubtful && !others.iter().any(is_rival)
    });
    Candidates::new(claims.iter().map(|claim| claim.episode), is_certain)
}
