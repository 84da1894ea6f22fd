//! The effect of a message on the story of its anime.

use std::collections::{BTreeMap, BTreeSet};

use catalogue::SharedCatalogue;
use catalogue::identify::{MatchReason, NameSearches};
use catalogue::seasons::AnimeEpisode;
use player_messages::{Event, Message, Subject};
use shared::Result;
use shared::auth::Access;
use shared::clock::Clock;
use shared::models::{Anime, AnimeId, EpisodeOfAnime, Origin, PlayerContent, UserId};

use super::matching::{FoundEpisode, MatchedBy, NamedVideo};
use super::memory::MatchMemory;
use super::outcome::{
    Effect, EpisodeMessage, Match, MessageTarget, PlaybackReason, PlaybackResult, has_library,
    is_same_name, of_anime,
};
use super::player::{Player, PlayerSettings, SeriesChoice};
use super::player_store::PlayerStore;
use super::series_name::SeriesName;
use crate::lists::story_batch::MAX_CHANGES;
use crate::lists::story_store::StoryStore;
use crate::lists::story_write::origin_of_change;

/// Receives the messages of players.
#[derive(Clone, Debug)]
pub struct PlaybackReceiver {
    /// The players, their reports and choices.
    pub players: PlayerStore,
    /// The stories.
    pub stories: StoryStore,
    /// The anime, their identifiers and seasons.
    pub catalogue: SharedCatalogue<Anime>,
    /// The current time.
    pub clock: Clock,
}

impl PlaybackReceiver {
    /// Handles a message that came to the address of a player. Nothing is written for a message that changes nothing
    /// and says nothing new. A dry run never writes.
    pub async fn receive(
        &self,
        player: &Player,
        message: &Message,
        is_dry_run: bool,
    ) -> Result<PlaybackResult> {
        let settings = &player.settings;
        let is_finished = is_finished(message, settings);
        let video = match &message.subject {
            Subject::Video(video) => Some(video),
            Subject::Whole(item) => Some(&item.video),
            Subject::NotAnEpisode(_) | Subject::Unusable(_) => None,
        };
        if video.and_then(|video| has_library(settings, video)) == Some(false) {
            let result = PlaybackResult::of(PlaybackReason::OtherLibrary);
            return self.report_first(player, message, result, is_dry_run).await;
        }
        let user = message.user.as_ref();
        let refused = match (user, &player.settings.server_user) {
            (Some(user), Some(named)) if !is_same_name(user, named) => {
                Some(PlaybackReason::OtherUser)
            }
            (Some(_), None) => Some(PlaybackReason::NoUserNamed),
            _ => None,
        };
        if let (Some(reason), Some(video)) = (refused, video) {
            if !is_dry_run {
                let is_video = matches!(message.subject, Subject::Video(_));
                let waiting = Some(video).filter(|_| is_finished && is_video);
                self.report_refused(player, message, reason, waiting)
                    .await?;
            }
            return Ok(PlaybackResult::of(reason));
        }
        let target = MessageTarget {
            access: None,
            owner: player.user_id,
            by: player.origin(),
            settings,
            is_dry_run,
        };
        if let Subject::Whole(item) = &message.subject
            && has_effect(message, settings)
        {
            return Box::pin(self.receive_whole(player, message, item, &target)).await;
        }
        let named = match name(message, settings) {
            Ok(named) => named,
            Err(reason) => {
                let result = PlaybackResult::of(reason);
                return self.report_first(player, message, result, is_dry_run).await;
            }
        };
        let series = named.series();
        let choice = self.choice(player.user_id, series.as_ref()).await?;
        let searches = &mut self.catalogue.name_searches();
        let found = self.find(&named, choice.as_ref(), searches).await?;
        let now = self.clock.now_ms();
        let result = match read_match(message, &named, found, settings, now) {
            Ok(matched) => self.apply_one(&target, &matched, searches).await?,
            Err(result) => result,
        };
        if !is_dry_run {
            let about = (series.as_ref(), named.episode());
            self.keep_and_report(player, message, about, &result, is_finished)
                .await?;
        }
        Ok(result)
    }

    /// Handles messages of a caller with a token, in their order. The result of each is at its position. The caller's
    /// access must have been checked, because messages that change nothing write nothing.
    pub async fn receive_all(
        &self,
        access: &Access,
        messages: &[Message],
        plays: PlayerContent,
        is_dry_run: bool,
    ) -> Result<Vec<PlaybackResult>> {
        let owner = access.credential.user_id;
        let settings = &PlayerSettings::new(String::new(), plays);
        let videos: Vec<_> = messages
            .iter()
            .map(|message| name(message, settings))
            .collect();
        let series = videos.iter().flatten().filter_map(NamedVideo::series);
        let keys: BTreeSet<String> = series.map(|series| series.key()).collect();
        let choices = self.players.choices_for(owner, &keys).await?;
        let now = self.clock.now_ms();
        let target = MessageTarget {
            access: Some(access),
            owner,
            by: origin_of_change(access, owner),
            settings,
            is_dry_run,
        };
        let mut results = Vec::with_capacity(messages.len());
        let mut by_anime: BTreeMap<AnimeId, Vec<(usize, Match)>> = BTreeMap::new();
        let searches = &mut self.catalogue.name_searches();
        for (position, (message, video)) in messages.iter().zip(videos).enumerate() {
            let result = match video {
                Err(reason) => PlaybackResult::of(reason),
                Ok(video) => {
                    let choice = video.series().and_then(|series| choices.get(&series.key()));
                    let found = self.find(&video, choice, searches).await?;
                    match read_match(message, &video, found, settings, now) {
                        Err(result) => result,
                        Ok(matched) => {
                            let result = matched.result(PlaybackReason::AlreadyWatched);
                            let group = by_anime.entry(matched.watched.episode.anime);
                            group.or_default().push((position, matched));
                            result
                        }
                    }
                }
            };
            results.push(result);
        }
        let mut groups: Vec<_> = by_anime.into_iter().collect();
        // The first message of a season decides which anime is meant.
        groups.sort_by_key(|(_, group)| group.first().map(|(position, _)| *position));
        let mut memory = MatchMemory::new(owner);
        for chunk in groups.chunks_mut(MAX_CHANGES) {
            let anime: Vec<AnimeId> = chunk.iter().map(|(anime, _)| *anime).collect();
            let stories = self.stories.find_many(owner, &anime).await?;
            for ((_, group), (_, story)) in chunk.iter_mut().zip(&stories) {
                let matches: Vec<&Match> = group.iter().map(|(_, matched)| matched).collect();
                let refused = self
                    .check_matches(&target, story.as_ref(), &matches, &mut memory, searches)
                    .await?;
                let mut refused = refused.into_iter();
                group.retain(|(position, _)| match refused.next().flatten() {
                    Some(refusal) => {
                        if let Some(result) = results.get_mut(*position) {
                            *result = refusal;
                        }
                        false
                    }
                    None => true,
                });
            }
            let watched = chunk.iter().map(|(_, group)| {
                let watched = group.iter().map(|(_, matched)| matched.watched);
                watched.collect::<Vec<_>>()
            });
            let watched: Vec<Vec<EpisodeMessage>> = watched.collect();
            let reasons = self.apply(&target, stories, &watched).await?;
            for ((_, group), reasons) in chunk.iter().zip(reasons) {
                for ((position, _), reason) in group.iter().zip(reasons) {
                    if let Some(result) = results.get_mut(*position) {
                        (result.reason, result.applied) = (reason, reason.is_change());
                    }
                }
            }
        }
        if !is_dry_run {
            self.save_memory(memory, now).await?;
        }
        Ok(results)
    }

    /// Applies the kept episodes of a series whose anime the user has now chosen, each with the time at which it was
    /// watched. The player that sent them may have been removed. Returns the number of episodes that have changed a
    /// story.
    pub(super) async fn receive_chosen(
        &self,
        owner: UserId,
        player: Option<&Player>,
        series: &SeriesName,
        episodes: &[(u32, EpisodeOfAnime, u64)],
    ) -> Result<usize> {
        let settings = PlayerSettings::new(String::new(), PlayerContent::Anime);
        let target = MessageTarget {
            access: None,
            owner,
            by: player.map_or(Origin::Owner, Player::origin),
            settings: player.map_or(&settings, |player| &player.settings),
            is_dry_run: false,
        };
        let now = self.clock.now_ms();
        let mut by_anime: BTreeMap<AnimeId, Vec<Match>> = BTreeMap::new();
        for (in_season, episode, at) in episodes {
            let watched = EpisodeMessage {
                episode: AnimeEpisode {
                    anime: episode.anime_id,
                    episode: episode.episode,
                },
                effect: Effect::Finished,
                at: (*at).min(now),
            };
            let of_anime = by_anime.entry(episode.anime_id).or_default();
            of_anime.push(Match {
                series: Some(series.clone()),
                in_season: *in_season,
                watched,
                by: MatchedBy::Choice,
                is_by_name_alone: false,
            });
        }
        let anime: Vec<AnimeId> = by_anime.keys().copied().collect();
        let stories = self.stories.find_many(owner, &anime).await?;
        let messages = |matches: &Vec<Match>| -> Vec<EpisodeMessage> {
            matches.iter().map(|matched| matched.watched).collect()
        };
        let watched: Vec<_> = by_anime.values().map(messages).collect();
        let reasons = self.apply(&target, stories, &watched).await?;
        let mut memory = MatchMemory::new(owner);
        memory.add(self.players.find_match(owner, &series.key()).await?);
        let mut count = 0;
        for (matches, reasons) in by_anime.values().zip(reasons) {
            let changes = matches.iter().zip(reasons);
            let changes = changes.filter(|(_, reason)| reason.is_change());
            // Only the last change is reported, because it shows the effect of all changes.
            let mut last = None;
            for (matched, reason) in changes {
                memory.confirm(matched, reason, now);
                count += 1;
                last = Some((matched, reason));
            }
            let Some((matched, reason)) = last else {
                continue;
            };
            if let Some(player) = player {
                let about = (Some(series), Some(matched.in_season));
                let result = matched.result(reason);
                self.report(player, None, about, &result).await?;
            }
        }
        self.save_memory(memory, now).await?;
        Ok(count)
    }

    /// Returns the choice of a user for a season.
    pub(super) async fn choice(
        &self,
        user: UserId,
        series: Option<&SeriesName>,
    ) -> Result<Option<SeriesChoice>> {
        match series {
            Some(series) => self.players.choice(user, &series.key()).await,
            None => Ok(None),
        }
    }

    pub(super) async fn find(
        &self,
        named: &NamedVideo<'_>,
        choice: Option<&SeriesChoice>,
        searches: &mut NameSearches,
    ) -> Result<Option<FoundEpisode>> {
        if choice.is_some_and(|choice| choice.parts.is_empty()) {
            return Ok(None);
        }
        // The future is on the heap, because the searches are large.
        Box::pin(named.find(&self.catalogue, choice, searches))
            .await
            .map(Some)
    }
}

/// Returns true if a message has an event that counts with these settings.
fn has_effect(message: &Message, settings: &PlayerSettings) -> bool {
    match message.event {
        Event::Playing | Event::Stopped | Event::Finished => true,
        Event::Unwatched => settings.takes_back,
        // The rating of an episode says nothing about its anime.
        Event::Rated(_) => {
            let is_episode = matches!(&message.subject, Subject::Video(video) if !video.is_movie);
            settings.takes_ratings && !is_episode
        }
        Event::Other => false,
    }
}

/// Returns the video of a message, or the reason why it changes nothing.
fn name<'m>(
    message: &'m Message,
    settings: &PlayerSettings,
) -> Result<NamedVideo<'m>, PlaybackReason> {
    if !has_effect(message, settings) {
        return Err(PlaybackReason::OtherEvent);
    }
    let video = match &message.subject {
        Subject::Video(video) => video,
        // Only players mark a season as a whole.
        Subject::Whole(_) | Subject::NotAnEpisode(_) => return Err(PlaybackReason::NotAnEpisode),
        Subject::Unusable(_) => return Err(PlaybackReason::Unusable),
    };
    let named = NamedVideo::new(video);
    if named.names_nothing() {
        return Err(PlaybackReason::NotAnEpisode);
    }
    Ok(named)
}

/// Returns true if a message says that its video was watched to its end, or far enough to count as watched.
pub(super) fn is_finished(message: &Message, settings: &PlayerSettings) -> bool {
    let is_far = || {
        let (position, duration) = (message.position_ms?, message.duration_ms?);
        let percent = u128::from(settings.finished_percent);
        Some(u128::from(position) * 100 >= u128::from(duration) * percent)
    };
    match message.event {
        Event::Finished => true,
        Event::Playing | Event::Stopped => is_far().unwrap_or(false),
        Event::Unwatched | Event::Rated(_) | Event::Other => false,
    }
}

/// Returns what was watched, or the result of a message whose episode is not known.
pub(super) fn read_match(
    message: &Message,
    named: &NamedVideo<'_>,
    found: Option<FoundEpisode>,
    settings: &PlayerSettings,
    now: u64,
) -> Result<Match, PlaybackResult> {
    let Some(found) = found else {
        return Err(PlaybackResult::of(PlaybackReason::NotAnAnime));
    };
    let is_in_library = has_library(settings, named.video()) == Some(true);
    let Some((episode, by)) = found.matched else {
        // Most series that are not anime have a title that is similar to the title of an anime.
        let is_other =
            settings.plays == PlayerContent::Mixed && found.is_only_similar && !is_in_library;
        let guesses = found.guesses.into_iter().filter(|_| !is_other);
        let guesses: Vec<EpisodeOfAnime> = guesses.map(of_anime).collect();
        let reason = if found.is_unsearched {
            PlaybackReason::NotSearched
        } else if guesses.is_empty() {
            PlaybackReason::NoMatch
        } else {
            PlaybackReason::NotCertain
        };
        return Err(PlaybackResult {
            guesses,
            ..PlaybackResult::of(reason)
        });
    };
    let effect = match message.event {
        Event::Unwatched => Effect::Unwatched,
        Event::Rated(score) => Effect::Rated(score),
        _ if is_finished(message, settings) => Effect::Finished,
        _ => Effect::Position(message.position_ms.unwrap_or(0)),
    };
    // A live-action series can also have the title and the year of an anime.
    let is_by_name = |reason: MatchReason| {
        reason.is_by_name_alone() || matches!(reason, MatchReason::TitleAndDetails)
    };
    let is_by_name_alone = found.reason.is_some_and(is_by_name) && !is_in_library;
    Ok(Match {
        series: named.series(),
        in_season: named.episode().unwrap_or(1),
        watched: EpisodeMessage {
            episode,
            effect,
            at: message.at_ms.unwrap_or(now).min(now),
        },
        by,
        is_by_name_alone,
    })
}
