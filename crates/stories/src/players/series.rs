//! The answers of users about series whose anime is not known, or was found wrong.

use shared::auth::Access;
use shared::models::AnimeId;
use shared::{Error, Result};

use super::player::{ChosenPart, SeriesChoice};
use super::receive::PlaybackReceiver;
use super::series_name::SeriesName;
use crate::errors::NO_ANIME;

/// The answer of a user about a season of a series, or about a movie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesAnswer {
    /// An episode of the season is this episode of an anime. The episodes before and after it follow the same
    /// numbering.
    Anime {
        /// The number of the episode in the season, from 1.
        in_season: u32,
        /// The anime.
        anime_id: AnimeId,
        /// The number of the episode in the anime, from 1.
        episode: u32,
    },
    /// The series is not an anime.
    NotAnAnime,
    /// The user takes an earlier answer back.
    TakeBack,
}

/// The maximum number of anime of a season.
pub(super) const MAX_PARTS: usize = 20;

impl PlaybackReceiver {
    /// Stores an answer of the caller, and applies it to the episodes that are kept for the season. Returns the number
    /// of episodes that have changed a story.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the anime does not exist, [`Error::Invalid`] if the season already has 20 anime,
    /// [`Error::Conflict`] if the user already has `MAX_CHOICES` choices.
    pub async fn answer(
        &self,
        access: &Access,
        series: &SeriesName,
        answer: SeriesAnswer,
    ) -> Result<usize> {
        let (user, key) = (access.credential.user_id, series.key());
        let part = match answer {
            SeriesAnswer::TakeBack => {
                self.players.take_back_choice(access, &key).await?;
                return Ok(0);
            }
            SeriesAnswer::NotAnAnime => None,
            SeriesAnswer::Anime {
                in_season,
                anime_id,
                episode,
            } => {
                let index = self.catalogue.index().await?;
                if index.episodes_count(anime_id).is_none() {
                    return Err(NO_ANIME);
                }
                let offset = i64::from(episode) - i64::from(in_season);
                let first = u32::try_from(1 - offset).unwrap_or(0).max(1);
                Some(ChosenPart {
                    first,
                    offset,
                    anime_id,
                })
            }
        };
        let decide = |before: Option<SeriesChoice>| {
            let mut parts = before.map_or_else(Vec::new, |choice| choice.parts);
            match part {
                Some(part) => {
                    parts.retain(|other| {
                        other.first != part.first && other.anime_id != part.anime_id
                    });
                    parts.push(part);
                    parts.sort_by_key(|part| part.first);
                }
                None => parts.clear(),
            }
            if parts.len() > MAX_PARTS {
                return Err(Error::invalid(
                    "anime_id",
                    "must be one of at most 20 anime of a season",
                ));
            }
            Ok(SeriesChoice::new(user, series.clone(), parts))
        };
        let choice = self.players.edit_choice(access, &key, decide).await?;
        self.apply_answer(&choice).await
    }

    /// Applies a choice to the episodes that are kept for its season.
    async fn apply_answer(&self, choice: &SeriesChoice) -> Result<usize> {
        let user = choice.user_id;
        let mut unmatched = self.players.unmatched(user).await?.into_iter();
        let row = unmatched.find(|row| row.key() == choice.key());
        let Some(row) = row else { return Ok(0) };
        let episodes = row.episodes().into_iter();
        let episodes =
            episodes.filter_map(|(in_season, at)| Some((in_season, choice.find(in_season)?, at)));
        let episodes: Vec<_> = episodes.collect();
        let mut changes = 0;
        if !episodes.is_empty() {
            let players = self.players.list(user).await?;
            let player = players.iter().find(|player| player.id() == row.player);
            let applied = self.receive_chosen(user, player, &row.series, &episodes);
            changes = Box::pin(applied).await?;
        }
        // The episodes before the first anime of the choice wait for another answer.
        let rest = row.with_episodes(|episode| choice.find(episode).is_none());
        match rest.filter(|_| !choice.parts.is_empty()) {
            Some(rest) if !episodes.is_empty() => self.players.replace_unmatched(&rest).await?,
            Some(_) => {}
            None => self.players.forget_unmatched(user, choice.key()).await?,
        }
        Ok(changes)
    }
}
