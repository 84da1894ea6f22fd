//! Seasons and series that a server marks or rates as a whole.

use catalogue::identify::NameSearches;
use player_messages::{Event, Message, WholeItem};
use shared::Result;
use shared::models::AnimeId;

use super::matching::NamedVideo;
use super::outcome::{Match, MessageTarget, PlaybackReason, PlaybackResult};
use super::player::Player;
use super::receive::{PlaybackReceiver, is_finished, read_match};
use super::series::MAX_PARTS;
use super::series_name::SeriesName;

/// The maximum number of seasons of a series that is marked as a whole.
const MAX_SEASONS: u16 = 50;

/// The last episode of each anime of a season, or the result of the message if the season has no anime.
type FoundSeason = Result<Vec<Match>, (Option<SeriesName>, PlaybackResult)>;

impl PlaybackReceiver {
    /// Handles a message about a season or a series as a whole. Returns the result of its last change, or of its first
    /// anime if nothing changed.
    pub(super) async fn receive_whole(
        &self,
        player: &Player,
        message: &Message,
        item: &WholeItem,
        target: &MessageTarget<'_>,
    ) -> Result<PlaybackResult> {
        let searches = &mut self.catalogue.name_searches();
        let first = item.video.season.unwrap_or(1);
        let last = if item.is_series { MAX_SEASONS } else { first };
        let mut parts: Vec<Match> = Vec::new();
        for season in first..=last {
            let find = self.find_season(message, item, season, target, &parts, searches);
            match Box::pin(find).await? {
                Ok(season_parts) => parts.extend(season_parts),
                Err((series, result)) if parts.is_empty() => {
                    if !target.is_dry_run {
                        let about = (series.as_ref(), None);
                        self.keep_and_report(player, message, about, &result, false)
                            .await?;
                    }
                    return Ok(result);
                }
                Err(_) => break,
            }
        }
        let is_rated = matches!(message.event, Event::Rated(_));
        if is_rated && parts.len() > 1 {
            // Nothing says which of the anime the message means.
            return Ok(PlaybackResult::of(PlaybackReason::NotCertain));
        }
        let mut last = None;
        for part in &parts {
            let result = self.apply_one(target, part, searches).await?;
            if !target.is_dry_run {
                let about = (part.series.as_ref(), Some(part.in_season));
                let is_finished = is_finished(message, target.settings);
                self.keep_and_report(player, message, about, &result, is_finished)
                    .await?;
            }
            if result.applied || last.is_none() {
                last = Some(result);
            }
        }
        Ok(last.unwrap_or_else(|| PlaybackResult::of(PlaybackReason::EndUnknown)))
    }

    /// Finds the anime of a season. By the season map, each of them must be in the series of the first anime, and its
    /// number of episodes must be known.
    async fn find_season(
        &self,
        message: &Message,
        item: &WholeItem,
        season: u16,
        target: &MessageTarget<'_>,
        earlier_parts: &[Match],
        searches: &mut NameSearches,
    ) -> Result<FoundSeason> {
        let seasons = self.catalogue.seasons().await?;
        let is_rated = matches!(message.event, Event::Rated(_));
        let now = self.clock.now_ms();
        let mut video = item.video.clone();
        (video.season, video.episode) = (Some(season), Some(1));
        let series = NamedVideo::new(&video).series();
        let choice = self.choice(target.owner, series.as_ref()).await?;
        let mut parts: Vec<Match> = Vec::new();
        let mut in_season = 1;
        while parts.len() < MAX_PARTS {
            video.episode = Some(in_season);
            let named = NamedVideo::new(&video);
            let found = self.find(&named, choice.as_ref(), searches).await?;
            let mut matched = match read_match(message, &named, found, target.settings, now) {
                Ok(matched) => matched,
                Err(result) if parts.is_empty() => return Ok(Err((series, result))),
                Err(_) => break,
            };
            let episode = matched.watched.episode;
            let before: Vec<AnimeId> = earlier_parts
                .iter()
                .chain(&parts)
                .map(|part| part.watched.episode.anime)
                .collect();
            let first = before.first().copied();
            let is_sibling = first.is_none_or(|first| {
                let siblings = seasons.anime_in_series_of(first, searches);
                siblings.contains(&episode.anime)
            });
            if !is_sibling || before.contains(&episode.anime) {
                break;
            }
            let last = seasons.last_episode(episode.anime);
            let Some(last) = last.filter(|last| *last >= episode.episode) else {
                if is_rated {
                    parts.push(matched);
                }
                break;
            };
            in_season += last - episode.episode;
            matched.in_season = in_season;
            matched.watched.episode.episode = last;
            parts.push(matched);
            in_season += 1;
        }
        if parts.is_empty() {
            let result = PlaybackResult::of(PlaybackReason::EndUnknown);
            return Ok(Err((series, result)));
        }
        Ok(Ok(parts))
    }
}
