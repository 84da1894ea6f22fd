//! The episode of an anime that a video is (docs/players.md, "Matching").

use catalogue::Catalogue;
use catalogue::identify::{EpisodeName, Evidence, Identification, MatchReason, NameSearches};
use catalogue::seasons::{AnimeEpisode, AnimeSeasons};
use player_messages::file_name::{FileName, Readings};
use player_messages::{SourceId, Video};
use serde::Serialize;
use shared::Result;
use shared::models::{Anime, AnimeFormat, EpisodeOfAnime, IdKind, StatedId};
use utoipa::ToSchema;

use super::player::SeriesChoice;
use super::series_name::{MAX_TITLE_CHARACTERS, SeriesName};

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
    /// The reason why it is certain; `None` if the user has chosen the anime.
    pub reason: Option<MatchReason>,
    /// The episodes that may be meant, the most probable one first, at most three. Empty if one is certain.
    pub guesses: Vec<AnimeEpisode>,
    /// True if the title is only similar to those of the guesses.
    pub is_only_similar: bool,
    /// True if a search for a name was left out, because the request has done too much work.
    pub is_unsearched: bool,
}

impl From<Identification> for FoundEpisode {
    fn from(identified: Identification) -> Self {
        let by = identified.certain.map(|reason| match reason {
            MatchReason::AnimeId => MatchedBy::AnimeId,
            MatchReason::Id(_) => MatchedBy::Ids,
            MatchReason::SeriesId(_) => MatchedBy::SeriesIds,
            _ if identified.is_by_file => MatchedBy::File,
            _ => MatchedBy::Title,
        });
        let matched = identified.certain().zip(by);
        Self {
            reason: identified.certain,
            guesses: if matched.is_some() {
                Vec::new()
            } else {
                identified.candidates
            },
            matched,
            is_only_similar: identified.is_only_similar,
            is_unsearched: false,
        }
    }
}

/// A video with what its file name says.
#[derive(Debug)]
pub(crate) struct NamedVideo<'v> {
    video: &'v Video,
    file: Readings,
}

impl<'v> NamedVideo<'v> {
    pub fn new(video: &'v Video) -> Self {
        let file = video.file.as_deref().map(FileName::read);
        let file = file.unwrap_or_default();
        Self { video, file }
    }

    /// Returns the video.
    pub fn video(&self) -> &'v Video {
        self.video
    }

    /// Returns true if only the name of a file could name the episode, and it does not.
    pub fn names_nothing(&self) -> bool {
        let Video { title, ids, .. } = self.video;
        let has_number = self.video.is_movie || self.episode().is_some();
        let has_ids = !ids.is_empty() || !self.video.series_ids.is_empty();
        let has_name = title.is_some() || has_ids || self.video.anime_id.is_some();
        self.file.best.is_none() && !(has_name && has_number)
    }

    /// Returns the number of the episode in its season; `None` for a movie.
    pub fn episode(&self) -> Option<u32> {
        let in_file = self.file.best.as_ref().and_then(|file| file.episode);
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
        let labeled = |id: &SourceId| format!("{}:{}", id.source.name(), id.id);
        let ids = if *is_movie { ids } else { series_ids };
        let id = ids.iter().min();
        let in_file = self.file.best.as_ref().map(|file| file.title.clone());
        let title = title.clone().or_else(|| id.map(labeled)).or(in_file)?;
        let season = self.video.season;
        let season = season.or_else(|| self.file.best.as_ref().and_then(|file| file.season));
        Some(SeriesName {
            title: title.chars().take(MAX_TITLE_CHARACTERS).collect(),
            season: match season {
                _ if *is_movie => "movie".to_owned(),
                Some(season) => season.to_string(),
                None => "none".to_owned(),
            },
        })
    }

    /// Finds the episode. `choice` is the user's choice for the series. `searches` are the searches of the request
    /// ([`Catalogue::name_searches`]). Lets other requests go on after a few milliseconds of work.
    pub async fn find(
        &self,
        catalogue: &Catalogue<Anime>,
        choice: Option<&SeriesChoice>,
        searches: &mut NameSearches,
    ) -> Result<FoundEpisode> {
        if let Some(choice) = choice {
            let seasons = catalogue.seasons().await?;
            return Ok(self.find_chosen(&seasons, choice));
        }
        let evidence = self.evidence();
        // Only names need the texts of the index, which are loaded once.
        let seasons = if evidence.titles.is_empty() && evidence.readings.is_empty() {
            catalogue.seasons().await?
        } else {
            catalogue.seasons_with_names().await?
        };
        let identified = seasons.identify(&evidence, searches);
        if searches.is_pause_due() {
            tokio::task::yield_now().await;
        }
        let unsearched = || FoundEpisode {
            is_unsearched: true,
            ..FoundEpisode::default()
        };
        Ok(identified.map_or_else(unsearched, FoundEpisode::from))
    }

    fn find_chosen(&self, seasons: &AnimeSeasons, choice: &SeriesChoice) -> FoundEpisode {
        let chosen = choice.find(self.episode().unwrap_or(1));
        // The user knows better than every other source. An episode that the anime does not have is not a guess.
        let chosen = chosen.filter(|chosen| {
            let is_known = seasons.index.episodes_count(chosen.anime_id).is_some();
            let last = seasons.last_episode(chosen.anime_id);
            is_known && chosen.episode > 0 && last.is_none_or(|last| chosen.episode <= last)
        });
        let chosen = chosen.map(|EpisodeOfAnime { anime_id, episode }| AnimeEpisode {
            anime: anime_id,
            episode,
        });
        FoundEpisode {
            matched: chosen.map(|chosen| (chosen, MatchedBy::Choice)),
            ..FoundEpisode::default()
        }
    }

    /// Returns what the video and the name of its file say.
    fn evidence(&self) -> Evidence {
        let Video {
            is_movie,
            ids,
            series_ids,
            ..
        } = self.video;
        let stated = |&SourceId { source, id }: &SourceId, kind: IdKind| StatedId {
            source,
            kind: match kind {
                IdKind::Movie | IdKind::Series if source.is_of_anime() => IdKind::Anime,
                kind => kind,
            },
            id,
        };
        // An identifier of an episode says nothing about its anime.
        let own_kind = if *is_movie {
            IdKind::Movie
        } else {
            IdKind::Episode
        };
        let own = ids.iter().map(|id| stated(id, own_kind));
        let of_series = series_ids.iter().map(|id| stated(id, IdKind::Series));
        let episode = self.episode();
        let can_have_title = self.video.anime_id.is_none() && (*is_movie || episode.is_some());
        let title = self.video.title.clone().filter(|_| can_have_title);
        let can_read = self.video.anime_id.is_none();
        let readings = self.file.all.iter().filter(|_| can_read);
        let in_file = self.file.ids.iter().filter(|_| can_read).copied();
        // The number in the file name counts through all seasons, unless the sender names the series itself.
        let is_absolute = self.file.is_absolute && series_ids.is_empty();
        Evidence {
            anime_id: self.video.anime_id,
            ids: own.chain(of_series).chain(in_file).collect(),
            titles: title.into_iter().collect(),
            season: self.video.season.filter(|_| !is_absolute),
            episode,
            year: self.video.year,
            format: is_movie.then_some(AnimeFormat::Movie),
            readings: readings.map(reading).collect(),
            ..Evidence::default()
        }
    }
}

fn reading(file: &FileName) -> EpisodeName {
    EpisodeName {
        title: file.title.clone(),
        season: file.season,
        episode: file.episode,
        year: file.year,
        format: file.format,
    }
}
