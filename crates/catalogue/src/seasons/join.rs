//! Converts the episode numbers of series to those of anime in the catalogue.

use std::sync::Arc;

use shared::models::{AnimeFormat, AnimeId, AnimeStatus};

use super::map::{AnidbEpisode, Candidates, SeasonMap};
use super::placement::Series;
use crate::identifiers::IdSource;
use crate::index::AnimeIndex;
use crate::mapping::{AnimeMapping, IdentifiedAnime};

/// An episode of an anime in the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnimeEpisode {
    /// The anime.
    pub anime: AnimeId,
    /// The number of the episode, from 1.
    pub episode: u32,
}

/// The season map, with the anime of the catalogue.
#[derive(Clone, Debug)]
pub struct AnimeSeasons {
    /// The places of anime in the seasons of series.
    pub map: Arc<SeasonMap>,
    /// The identifiers of the anime.
    pub mapping: Arc<AnimeMapping>,
    /// The anime.
    pub index: Arc<AnimeIndex>,
}

impl AnimeSeasons {
    /// Returns the anime episodes that can be the same as an episode of a series ([`SeasonMap::find`]). Season 0 has
    /// the specials.
    pub fn find(&self, series: Series, season: u16, episode: u32) -> Candidates<AnimeEpisode> {
        let limit_of = |anime: u32| {
            // If several anime of the catalogue share the identifier, their numbers of episodes do not count.
            let mut found = self.at_anidb(anime);
            found
                .next()
                .filter(|_| found.next().is_none())
                .and_then(|anime| self.last_episode(anime))
        };
        let found = self.map.find(series, season, episode, limit_of);
        let first = found.certain().copied();
        let is_certain = first.is_some_and(|first| self.at_anidb(first.anime).count() == 1);
        let episodes = found.episodes.into_iter();
        let episodes = episodes.flat_map(|AnidbEpisode { anime, episode }| {
            self.at_anidb(anime)
                .map(move |anime| AnimeEpisode { anime, episode })
        });
        Candidates::new(episodes, is_certain)
    }

    /// Returns the anime episodes that can be the same as a movie. `source` is [`IdSource::Database`] or
    /// [`IdSource::Imdb`].
    ///
    /// A movie is certain if one anime has its identifier. An anime with several episodes must state which of them
    /// the movie is.
    pub fn find_movie(&self, source: IdSource, id: u32) -> Candidates<AnimeEpisode> {
        let stated = self.map.find_movie(source, id);
        let mut found: Vec<(AnimeId, Option<u32>)> = stated
            .flat_map(|(anime, episode)| self.at_anidb(anime).map(move |anime| (anime, episode)))
            .filter(|(anime, episode)| {
                let last = self.last_episode(*anime);
                last.is_none_or(|last| episode.is_none_or(|episode| episode <= last))
            })
            .collect();
        for anime in self.mapping.find(source, id, None) {
            let mut ids = anime.identifiers.iter();
            let is_movie = ids.any(|known| {
                (known.source, known.id) == (source, id) && known.is_movie != Some(false)
            });
            if is_movie && found.iter().all(|(known, _)| *known != anime.id) {
                found.push((anime.id, None));
            }
        }
        let is_certain = match found.as_slice() {
            [(_, Some(_))] => true,
            [(anime, None)] => self.last_episode(*anime).is_none_or(|last| last == 1),
            _ => false,
        };
        let episodes = found.into_iter().map(|(anime, episode)| {
            let episode = episode.unwrap_or(1);
            AnimeEpisode { anime, episode }
        });
        Candidates::new(episodes, is_certain)
    }

    /// Returns the anime of the catalogue with this identifier at `AniDB`.
    pub(crate) fn at_anidb(&self, anime: u32) -> impl Iterator<Item = AnimeId> {
        let found = self.mapping.find(IdSource::Anidb, anime, None);
        found.map(|anime| anime.id)
    }

    /// Returns an anime with its identifiers at other services.
    pub(crate) fn identified(&self, anime: AnimeId) -> Option<&IdentifiedAnime> {
        let known = self.mapping.at_row(self.index.number_of(anime.get())?);
        known.filter(|known| known.id == anime)
    }

    /// Returns the final number of episodes of an anime; `None` if it is unknown, or if more episodes may be released.
    pub fn last_episode(&self, anime: AnimeId) -> Option<u32> {
        let known = self.index.indexed_anime(anime)?;
        let is_growing = matches!(
            known.status,
            AnimeStatus::Releasing | AnimeStatus::NotYetReleased
        );
        match known.episodes_count {
            0 if known.format == AnimeFormat::Movie => Some(1),
            0 => None,
            count => Some(count).filter(|_| !is_growing),
        }
    }
}
