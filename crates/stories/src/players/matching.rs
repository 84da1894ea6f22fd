//! The episode of an anime that a video is (docs/players.md, "Matching").

use std::collections::BTreeSet;

use catalogue::Catalogue;
use catalogue::seasons::{
    AnimeEpisode, AnimeSeasons, Candidates, EpisodeName, MAX_GUESSES, NameSearches, Series,
};
use player_messages::Video;
use player_messages::file_name::FileName;
use serde::Serialize;
use shared::models::{Anime, AnimeFormat, AnimeId, EpisodeOfAnime, IdSource};
use shared::{Error, digest, fold};
use store::SeriesChoice;
use utoipa::ToSchema;

/// The maximum length of the title of a series in a row or report, in characters.
pub(crate) const MAX_TITLE_CHARACTERS: usize = 200;

/// The way in which the anime and the episode of a video were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MatchedBy {
    /// The user's own choice for the series and season.
    Choice,
    /// The identifier of the anime in this service.
    AnimeId,
    /// An identifier of the anime at another service.
    Ids,
    /// An identifier of the series, with the season and the episode.
    SeriesIds,
    /// The title.
    Title,
    /// The name of the file.
    File,
}

/// The result of a search for the episode of a video.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundEpisode {
    /// The episode that is certainly meant.
    pub matched: Option<(AnimeEpisode, MatchedBy)>,
    /// The episodes that may be meant, the most probable one first, at most three. Empty if one is certain.
    pub guesses: Vec<AnimeEpisode>,
    /// True if a search for a name was left out, because the request has done too much work.
    pub is_unsearched: bool,
}

impl FoundEpisode {
    /// Takes these candidates. Returns true if one of them is certain, or was before.
    fn take(&mut self, found: Candidates<AnimeEpisode>, by: MatchedBy) -> bool {
        if self.matched.is_none() {
            self.matched = found.certain().map(|episode| (*episode, by));
            for guess in found.episodes {
                if self.guesses.len() < MAX_GUESSES && !self.guesses.contains(&guess) {
                    self.guesses.push(guess);
                }
            }
        }
        if self.matched.is_some() {
            self.guesses.clear();
        }
        self.matched.is_some()
    }
}

/// A season of a series, or a movie, as the messages name it. Users choose anime for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeriesName {
    /// The title, an identifier such as `tvdb:275672` if there is none, or the title in the name of the file.
    pub title: String,
    /// The number of the season, `movie` or `none`.
    pub season: String,
}

impl SeriesName {
    /// Returns the name with a title and a season that a user has sent; `None` if they are no such name.
    #[must_use]
    pub fn read(title: &str, season: &str) -> Option<Self> {
        let is_season = matches!(season, "movie" | "none")
            || season
                .parse::<u16>()
                .is_ok_and(|number| number.to_string() == season);
        let length = title.chars().count();
        let fits = (1..=MAX_TITLE_CHARACTERS).contains(&length) && !title.contains('\0');
        (is_season && fits).then(|| Self {
            title: title.to_owned(),
            season: season.to_owned(),
        })
    }

    /// Returns the key of the rows about this season. Marks, case and spaces of the title do not count.
    #[must_use]
    pub fn key(&self) -> String {
        let title = fold::fold(&self.title);
        digest(&format!("{}\n{}", title.trim(), self.season))
    }
}

/// A video with what its file name says.
#[derive(Debug)]
pub(crate) struct NamedVideo<'v> {
    video: &'v Video,
    file: Option<FileName>,
}

impl<'v> NamedVideo<'v> {
    pub fn new(video: &'v Video) -> Self {
        let file = video.file.as_deref().and_then(FileName::parse);
        Self { video, file }
    }

    /// Returns true if nothing but the name of a file could name the episode, and does not.
    pub fn names_nothing(&self) -> bool {
        let Video { title, ids, .. } = self.video;
        let has_number = self.video.is_movie || self.episode().is_some();
        let has_ids = !ids.is_empty() || !self.video.series_ids.is_empty();
        let has_name = title.is_some() || has_ids || self.video.anime_id.is_some();
        self.file.is_none() && !(has_name && has_number)
    }

    /// Returns the number of the episode in its season; `None` for a movie.
    pub fn episode(&self) -> Option<u32> {
        let in_file = self.file.as_ref().and_then(|file| file.episode);
        self.video.episode.or(in_file)
    }

    /// Returns the season of the series for which a user can choose an anime; `None` if the video names its anime.
    pub fn series(&self) -> Option<SeriesName> {
        let Video {
            title,
            ids,
            series_ids,
            is_movie,
            ..
        } = self.video;
        if self.video.anime_id.is_some() {
            return None;
        }
        let labeled = |(source, id): (IdSource, u32)| {
            let mut all = IdSource::ALL.into_iter();
            let (name, _) = all.find(|(_, known)| *known == source)?;
            Some(format!("{name}:{id}"))
        };
        let own = ids.iter().map(|id| (id.source, id.id));
        let of_series = series_ids.iter().map(|id| (id.source, id.id));
        let id = if *is_movie {
            own.min()
        } else {
            of_series.min()
        };
        let in_file = self.file.as_ref().map(|file| file.title.clone());
        let title = title.clone().or_else(|| id.and_then(labeled)).or(in_file)?;
        let season = self.video.season;
        let season = season.or_else(|| self.file.as_ref().and_then(|file| file.season));
        Some(SeriesName {
            title: title.chars().take(MAX_TITLE_CHARACTERS).collect(),
            season: match season {
                _ if *is_movie => "movie".to_owned(),
                Some(season) => season.to_string(),
                None => "none".to_owned(),
            },
        })
    }

    /// Finds the episode. `choice` is the user's choice for the series. `searches` are those of the request
    /// ([`Catalogue::name_searches`]). Lets other requests go on after a few milliseconds of work.
    pub async fn find(
        &self,
        catalogue: &Catalogue<Anime>,
        choice: Option<&SeriesChoice>,
        searches: &mut NameSearches,
    ) -> Result<FoundEpisode, Error> {
        let mut found = FoundEpisode::default();
        let seasons = catalogue.seasons().await?;
        if let Some(choice) = choice {
            let chosen = choice.find(self.episode().unwrap_or(1));
            let chosen = chosen.map(|EpisodeOfAnime { anime_id, episode }| AnimeEpisode {
                anime: anime_id,
                episode,
            });
            let chosen = chosen.map(|chosen| checked(&seasons, chosen));
            // The user knows better than every other source. An episode that the anime does not have is no guess.
            found.take(
                chosen
                    .filter(|chosen| chosen.is_certain)
                    .unwrap_or_default(),
                MatchedBy::Choice,
            );
            return Ok(found);
        }
        if let Some(anime) = self.video.anime_id {
            let episode = self.video.episode.unwrap_or(1);
            let episode = AnimeEpisode { anime, episode };
            found.take(checked(&seasons, episode), MatchedBy::AnimeId);
            return Ok(found);
        }
        let by_ids = self.find_by_ids(&seasons).unwrap_or_default();
        if found.take(by_ids, MatchedBy::Ids)
            || found.take(self.find_by_series(&seasons), MatchedBy::SeriesIds)
        {
            return Ok(found);
        }
        let names = [
            (self.title_name(), MatchedBy::Title),
            (self.file_name(), MatchedBy::File),
        ];
        for (name, by) in names {
            let Some(name) = name else { continue };
            // Only names need the texts of the index, which are loaded once.
            let seasons = catalogue.seasons_with_names().await?;
            let Some(mut named) = seasons.find_by_name(&name, searches) else {
                found.is_unsearched = true;
                break;
            };
            if searches.is_pause_due() {
                tokio::task::yield_now().await;
            }
            // Another series can have the same title, such as one with actors.
            named.is_certain &= !named
                .episodes
                .first()
                .is_some_and(|found| self.is_contradicted(&seasons, found.anime));
            if found.take(named, by) {
                break;
            }
        }
        Ok(found)
    }

    /// Finds the episode by identifiers of the anime itself.
    fn find_by_ids(&self, seasons: &AnimeSeasons) -> Option<Candidates<AnimeEpisode>> {
        if self.video.is_movie {
            return Some(self.find_movie(seasons));
        }
        // An identifier of an episode says nothing about its anime, so only those of the series count.
        let of_anime = self
            .video
            .series_ids
            .iter()
            .filter(|id| is_of_anime(id.source));
        let episode = self.episode().filter(|_| self.video.season != Some(0))?;
        let mut anime = BTreeSet::new();
        for id in of_anime {
            let known = seasons.mapping.find(id.source, id.id, None);
            anime.extend(known.map(|known| known.id));
        }
        let mut anime = anime.into_iter();
        let only = anime.next().filter(|_| anime.next().is_none())?;
        let episode = AnimeEpisode {
            anime: only,
            episode,
        };
        Some(checked(seasons, episode))
    }

    fn find_movie(&self, seasons: &AnimeSeasons) -> Candidates<AnimeEpisode> {
        let found = self.video.ids.iter().map(|id| {
            if matches!(id.source, IdSource::Database | IdSource::Imdb) {
                return seasons.find_movie(id.source, id.id);
            }
            if !is_of_anime(id.source) {
                return Candidates::default();
            }
            let known = seasons.mapping.find(id.source, id.id, None);
            let episode = |anime| AnimeEpisode { anime, episode: 1 };
            let episodes: Vec<_> = known.map(|known| episode(known.id)).collect();
            let is_single = |anime| seasons.last_episode(anime).is_none_or(|last| last == 1);
            Candidates {
                is_certain: matches!(episodes.as_slice(), [only] if is_single(only.anime)),
                episodes,
            }
        });
        agreed(found)
    }

    /// Finds the episode by identifiers of the series, its season and its episode.
    fn find_by_series(&self, seasons: &AnimeSeasons) -> Candidates<AnimeEpisode> {
        let episode = self.episode();
        let found = self
            .video
            .series_ids
            .iter()
            .filter(|id| id.source.has_seasons())
            .filter_map(|id| {
                let series = Series {
                    source: id.source,
                    id: id.id,
                };
                let mut anime = seasons.map.anime_of(series);
                // Without a season, the number counts from the first episode of the series.
                let is_single = anime.next().is_some() && anime.next().is_none();
                let season = match self.video.season {
                    None if is_single => 1,
                    season => season?,
                };
                Some(seasons.find(series, season, episode?))
            });
        agreed(found)
    }

    /// Returns true if an identifier of the video is not that of an anime.
    fn is_contradicted(&self, seasons: &AnimeSeasons, anime: AnimeId) -> bool {
        let Video {
            ids, series_ids, ..
        } = self.video;
        let contradicts = |source, id| seasons.mapping.contradicts(anime, source, id);
        if self.video.is_movie {
            ids.iter().any(|id| contradicts(id.source, id.id))
        } else {
            series_ids.iter().any(|id| contradicts(id.source, id.id))
        }
    }

    fn title_name(&self) -> Option<EpisodeName> {
        let title = self.video.title.clone()?;
        let episode = self.episode();
        if episode.is_none() && !self.video.is_movie {
            return None;
        }
        Some(EpisodeName {
            title,
            season: self.video.season,
            episode,
            year: self.video.year,
            format: self.video.is_movie.then_some(AnimeFormat::Movie),
        })
    }

    fn file_name(&self) -> Option<EpisodeName> {
        let file = self.file.clone()?;
        Some(EpisodeName {
            title: file.title,
            season: file.season,
            episode: file.episode,
            year: file.year,
            format: file.format,
        })
    }
}

/// Returns the episode, which is certain if the anime has it.
fn checked(seasons: &AnimeSeasons, episode: AnimeEpisode) -> Candidates<AnimeEpisode> {
    let is_known = seasons.index.episodes_count(episode.anime).is_some();
    let last = seasons.last_episode(episode.anime);
    let has_it = episode.episode > 0 && last.is_none_or(|last| episode.episode <= last);
    Candidates {
        episodes: is_known.then_some(episode).into_iter().collect(),
        is_certain: is_known && has_it,
    }
}

/// Returns true if an identifier at this service is that of an anime, not of a series with several.
fn is_of_anime(source: IdSource) -> bool {
    !source.has_seasons() && source != IdSource::Imdb
}

/// Returns the candidates of several identifiers together. One is certain if all identifiers that lead to a certain
/// episode lead to the same.
fn agreed(found: impl Iterator<Item = Candidates<AnimeEpisode>>) -> Candidates<AnimeEpisode> {
    let found: Vec<Candidates<AnimeEpisode>> = found.collect();
    let mut certain: Vec<AnimeEpisode> = Vec::new();
    for episode in found.iter().filter_map(Candidates::certain) {
        if !certain.contains(episode) {
            certain.push(*episode);
        }
    }
    let is_certain = certain.len() == 1;
    let mut episodes = certain;
    for candidates in &found {
        let others = candidates.episodes.iter();
        let others: Vec<_> = others
            .filter(|other| !episodes.contains(other))
            .copied()
            .collect();
        episodes.extend(others);
    }
    Candidates {
        episodes,
        is_certain,
    }
}
