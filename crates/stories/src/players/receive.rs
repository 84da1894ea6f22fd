//! The effect of a message on the story of its anime.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use catalogue::SharedCatalogue;
use catalogue::identify::{NameSearches, Reason};
use catalogue::index::AnimeIndex;
use catalogue::seasons::AnimeEpisode;
use player_messages::{Event, Message, Sender, Subject, Video};
use shared::Error;
use shared::auth::Access;
use shared::clock::Clock;
use shared::models::{
    Anime, AnimeId, AnimeStatus, DetailsChange, EpisodeOfAnime, Origin, PartialDate, PlayerContent,
    StoryChange, StoryId, StoryState, TimeZone, UserId, WatchStatus,
};
use store::{
    MAX_CHANGES, MAX_KEPT_EPISODES, Player, PlayerReport, PlayerSettings, PlayerStore,
    SeriesChoice, Step, Story, StoryStore, UNMATCHED_KEPT_S, UnmatchedSeries, origin_of_change,
};

use super::matching::{FoundEpisode, MatchedBy, NamedVideo, SeriesName};
use super::memory::MatchMemory;
use super::outcome::{
    Effect, Match, PlaybackReason, PlaybackResult, Target, Watched, has_library, is_same_name,
    of_anime,
};
use crate::rules::step::{hold_position, unwatch_episode, watch_again, watch_episode};

/// The time between two writes of a position in an episode, in milliseconds: a minute.
const POSITION_MS: u64 = 60_000;

/// The time after the completion of an anime from which its first episode starts it again, in milliseconds: an hour.
/// Messages about one episode can repeat or come late.
const AGAIN_MS: u64 = 60 * 60 * 1000;

/// The time for which reports and unmatched series are kept, in seconds: 30 days.
pub(super) const KEPT_S: u64 = UNMATCHED_KEPT_S;

/// The time for which a message is kept until the owner of the player names the server's user, in seconds: a day.
const WAITING_S: u64 = 24 * 60 * 60;

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
    /// Handles a message that came to the address of a player. A message that changes nothing and says nothing new
    /// writes nothing. A dry run never writes.
    pub async fn receive(
        &self,
        player: &Player,
        message: &Message,
        is_dry_run: bool,
    ) -> Result<PlaybackResult, Error> {
        let rules = &player.settings;
        let is_finished = is_finished(message, rules);
        let video = match &message.subject {
            Subject::Video(video) => Some(video),
            Subject::Whole(item) => Some(&item.video),
            Subject::NotAnEpisode(_) | Subject::Unusable(_) => None,
        };
        if video.and_then(|video| has_library(rules, video)) == Some(false) {
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
        let target = Target {
            access: None,
            owner: player.user_id,
            by: player.origin(),
            rules,
            is_dry_run,
        };
        if let Subject::Whole(item) = &message.subject
            && has_effect(message, rules)
        {
            return Box::pin(self.receive_whole(player, message, item, &target)).await;
        }
        let named = match name(message, rules) {
            Ok(named) => named,
            Err(reason) => {
                let result = PlaybackResult::of(reason);
                return self.report_first(player, message, result, is_dry_run).await;
            }
        };
        let series = named.series();
        let choice = match &series {
            Some(series) => self.players.choice(player.user_id, &series.key()).await?,
            None => None,
        };
        let searches = &mut self.catalogue.name_searches();
        let found = self.find(&named, choice.as_ref(), searches).await?;
        let now = self.clock.now_ms();
        let result = match read_match(message, &named, found, rules, now) {
            Ok(found) => self.apply_one(&target, &found, searches).await?,
            Err(result) => result,
        };
        if !is_dry_run {
            let about = (series.as_ref(), named.episode());
            self.keep_and_report(player, message, about, &result, is_finished)
                .await?;
        }
        Ok(result)
    }

    /// Reports the first message of a player, although it changes nothing. Returns its result.
    async fn report_first(
        &self,
        player: &Player,
        message: &Message,
        result: PlaybackResult,
        is_dry_run: bool,
    ) -> Result<PlaybackResult, Error> {
        if !is_dry_run && player.report_count == 0 {
            let episode = match &message.subject {
                Subject::Video(video) => NamedVideo::new(video).episode(),
                Subject::Whole(_) | Subject::NotAnEpisode(_) | Subject::Unusable(_) => None,
            };
            let (user, about) = (message.user.as_ref(), (None, episode));
            self.report(player, user, about, &result).await?;
        }
        Ok(result)
    }

    /// Keeps an episode about which the user is asked, and reports a message that says something new. `about` is the
    /// season of the series, and the episode in it.
    pub(super) async fn keep_and_report(
        &self,
        player: &Player,
        message: &Message,
        about: (Option<&SeriesName>, Option<u32>),
        result: &PlaybackResult,
        is_finished: bool,
    ) -> Result<(), Error> {
        let (series, episode) = about;
        let mut says_new = player.report_count == 0
            || (result.applied && result.reason != PlaybackReason::PositionKept);
        let is_kept = result.reason.is_question() && is_finished;
        if let Some(series) = series.filter(|_| is_kept) {
            let at = message.at_ms.unwrap_or(u64::MAX);
            let episode = (episode.unwrap_or(1), at);
            says_new |= self.keep(player, series, episode, result).await?;
        }
        if says_new {
            let user = message.user.as_ref();
            self.report(player, user, about, result).await?;
        }
        Ok(())
    }

    /// Handles messages of a caller with a token, in their order. The result of each is at its position. The caller's
    /// access must have been checked, because messages that change nothing write nothing.
    pub async fn receive_all(
        &self,
        access: &Access,
        messages: &[Message],
        plays: PlayerContent,
        is_dry_run: bool,
    ) -> Result<Vec<PlaybackResult>, Error> {
        let owner = access.credential.user_id;
        let rules = &PlayerSettings::new(String::new(), plays);
        let named: Vec<_> = messages
            .iter()
            .map(|message| name(message, rules))
            .collect();
        let series = named.iter().flatten().filter_map(NamedVideo::series);
        let keys: BTreeSet<String> = series.map(|series| series.key()).collect();
        let choices = self.players.choices_for(owner, &keys).await?;
        let now = self.clock.now_ms();
        let target = Target {
            access: Some(access),
            owner,
            by: origin_of_change(access, owner),
            rules,
            is_dry_run,
        };
        let mut results = Vec::with_capacity(messages.len());
        let mut by_anime: BTreeMap<AnimeId, Vec<(usize, Match)>> = BTreeMap::new();
        let searches = &mut self.catalogue.name_searches();
        for (position, (message, named)) in messages.iter().zip(named).enumerate() {
            let result = match named {
                Err(reason) => PlaybackResult::of(reason),
                Ok(named) => {
                    let choice = named.series().and_then(|series| choices.get(&series.key()));
                    let found = self.find(&named, choice, searches).await?;
                    match read_match(message, &named, found, rules, now) {
                        Err(result) => result,
                        Ok(found) => {
                            let result = found.result(PlaybackReason::AlreadyWatched);
                            let anime = found.watched.episode.anime;
                            by_anime.entry(anime).or_default().push((position, found));
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
        for groups in groups.chunks_mut(MAX_CHANGES) {
            let anime: Vec<AnimeId> = groups.iter().map(|(anime, _)| *anime).collect();
            let present = self.stories.find_many(owner, &anime).await?;
            for ((_, group), (_, present)) in groups.iter_mut().zip(&present) {
                let matches: Vec<&Match> = group.iter().map(|(_, found)| found).collect();
                let refused = self
                    .check_matches(&target, present.as_ref(), &matches, &mut memory, searches)
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
            let watched = groups.iter().map(|(_, group)| {
                let watched = group.iter().map(|(_, found)| found.watched);
                watched.collect::<Vec<_>>()
            });
            let watched: Vec<Vec<Watched>> = watched.collect();
            let reasons = self.apply(&target, present, &watched).await?;
            for ((_, group), reasons) in groups.iter().zip(reasons) {
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

    /// Applies the messages that were kept until the owner of a player has named the user of the server. Each of them
    /// is handled as if it came now.
    pub async fn receive_kept(&self, player: &Player) -> Result<(), Error> {
        let reports = self.players.reports(player).await?;
        let named = player.settings.server_user.as_deref().unwrap_or_default();
        for report in reports.into_iter().rev() {
            let (Some(message), Some(user)) = (&report.message, &report.user_name) else {
                continue;
            };
            let Some(video) = serde_json::from_str::<Video>(message).ok() else {
                continue;
            };
            if !is_same_name(user, named) {
                continue;
            }
            let message = Message {
                sender: Sender::Kiroku,
                user: Some(user.clone()),
                event: Event::Finished,
                subject: Subject::Video(video),
                position_ms: None,
                duration_ms: None,
                at_ms: Some(report.at),
            };
            self.receive(player, &message, false).await?;
            self.players.delete_report(player, report.number).await?;
        }
        Ok(())
    }

    /// Applies episodes that were kept for a user, who has chosen their anime by now, each with the time at which it
    /// was watched. The player that has sent them may have been removed. Returns the number of episodes that have
    /// changed a story.
    pub(super) async fn receive_chosen(
        &self,
        owner: UserId,
        player: Option<&Player>,
        series: &SeriesName,
        episodes: &[(u32, EpisodeOfAnime, u64)],
    ) -> Result<usize, Error> {
        let rules = PlayerSettings::new(String::new(), PlayerContent::Anime);
        let target = Target {
            access: None,
            owner,
            by: player.map_or(Origin::Owner, Player::origin),
            rules: player.map_or(&rules, |player| &player.settings),
            is_dry_run: false,
        };
        let now = self.clock.now_ms();
        let mut by_anime: BTreeMap<AnimeId, Vec<Match>> = BTreeMap::new();
        for (in_season, episode, at) in episodes {
            let watched = Watched {
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
        let present = self.stories.find_many(owner, &anime).await?;
        let watched = by_anime.values().map(|matches| {
            let watched = matches.iter().map(|found| found.watched);
            watched.collect::<Vec<_>>()
        });
        let watched: Vec<Vec<Watched>> = watched.collect();
        let reasons = self.apply(&target, present, &watched).await?;
        let mut memory = MatchMemory::new(owner);
        memory.add(self.players.find_match(owner, &series.key()).await?);
        let mut count = 0;
        for (matches, reasons) in by_anime.values().zip(reasons) {
            let changes = matches.iter().zip(reasons);
            let changes = changes.filter(|(_, reason)| reason.is_change());
            // The last change says what all of them did.
            let mut last = None;
            for (found, reason) in changes {
                memory.confirm(found, reason, now);
                count += 1;
                last = Some((found, reason));
            }
            let Some((found, reason)) = last else {
                continue;
            };
            if let Some(player) = player {
                let about = (Some(series), Some(found.in_season));
                let result = found.result(reason);
                self.report(player, None, about, &result).await?;
            }
        }
        self.save_memory(memory, now).await?;
        Ok(count)
    }

    pub(super) async fn find(
        &self,
        named: &NamedVideo<'_>,
        choice: Option<&SeriesChoice>,
        searches: &mut NameSearches,
    ) -> Result<Option<FoundEpisode>, Error> {
        if choice.is_some_and(|choice| choice.parts.is_empty()) {
            return Ok(None);
        }
        // On the heap, because the searches are large.
        Box::pin(named.find(&self.catalogue, choice, searches))
            .await
            .map(Some)
    }

    /// Applies one message, unless it has to wait. Its story is read with an eventually consistent read. A stale one is
    /// noticed when it is written.
    pub(super) async fn apply_one(
        &self,
        target: &Target<'_>,
        found: &Match,
        searches: &mut NameSearches,
    ) -> Result<PlaybackResult, Error> {
        let (anime, now) = (found.watched.episode.anime, self.clock.now_ms());
        let present = self.stories.peek(StoryId::of(target.owner, anime)).await?;
        let mut memory = MatchMemory::new(target.owner);
        let refused = self
            .check_matches(target, present.as_ref(), &[found], &mut memory, searches)
            .await?;
        if let Some(refusal) = refused.into_iter().flatten().next() {
            return Ok(refusal);
        }
        let reasons = self
            .apply(target, vec![(anime, present)], &[vec![found.watched]])
            .await?;
        let reason = reasons.into_iter().flatten().next();
        let reason = reason.unwrap_or(PlaybackReason::NoSuchEpisode);
        if !target.is_dry_run {
            self.save_memory(memory, now).await?;
        }
        Ok(found.result(reason))
    }

    /// Returns the reason for each of the messages about an anime, if they were applied to this story now.
    pub(super) async fn foresee(
        &self,
        target: &Target<'_>,
        present: Option<&Story>,
        matches: &[&Match],
    ) -> Result<Vec<PlaybackReason>, Error> {
        let Some(first) = matches.first() else {
            return Ok(Vec::new());
        };
        let index = self.catalogue.index().await?;
        let watched: Vec<Watched> = matches.iter().map(|found| found.watched).collect();
        let (anime, now) = (first.watched.episode.anime, self.clock.now_ms());
        let at = (TimeZone::UTC, now);
        Ok(fold(&index, anime, present, &watched, target.rules, at).1)
    }

    /// Applies messages to the stories about their anime. `watched` has the messages about each of them, in order.
    /// Returns the reason for each message.
    async fn apply(
        &self,
        target: &Target<'_>,
        stories: Vec<(AnimeId, Option<Story>)>,
        watched: &[Vec<Watched>],
    ) -> Result<Vec<Vec<PlaybackReason>>, Error> {
        let index = self.catalogue.index().await?;
        let now = self.clock.now_ms();
        let anime: Vec<AnimeId> = stories.iter().map(|(anime, _)| *anime).collect();
        // The time zone is read only for messages that set a date, which few do.
        let sets_date = stories
            .iter()
            .zip(watched)
            .any(|((anime, present), watched)| {
                let (present, zone) = (present.as_ref(), TimeZone::UTC);
                let (state, _) = fold(&index, *anime, present, watched, target.rules, (zone, now));
                dates(present.map(|story| &story.state)) != dates(state.as_ref())
            });
        let zone = if sets_date {
            self.stories.time_zone(target.owner).await?
        } else {
            TimeZone::UTC
        };
        let reasons = Mutex::new(vec![Vec::new(); stories.len()]);
        let decide = |position: usize, present: Option<&Story>| {
            let (Some(watched), Some(anime)) = (watched.get(position), anime.get(position)) else {
                return Ok(Step::Keep);
            };
            let (state, each) = fold(&index, *anime, present, watched, target.rules, (zone, now));
            let mut reasons = reasons.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(known) = reasons.get_mut(position) {
                *known = each;
            }
            let before = present.map(|story| &story.state);
            Ok(match state.filter(|state| Some(state) != before) {
                Some(state) => Step::Save {
                    state,
                    changed_at: now,
                    created_at: now,
                },
                None => Step::Keep,
            })
        };
        if target.is_dry_run {
            for (position, (_, present)) in stories.iter().enumerate() {
                let step: Result<Step, Error> = decide(position, present.as_ref());
                step?;
            }
        } else {
            let changed = self.stories.edit_many(
                target.access,
                target.owner,
                stories,
                &target.by,
                decide,
                now,
            );
            for changed in changed.await? {
                changed?;
            }
        }
        Ok(reasons.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Keeps an episode whose anime is not known, with the time at which it was watched. Returns true if it is later
    /// than those that were kept before, or if the user is asked about the series now and was not asked before.
    async fn keep(
        &self,
        player: &Player,
        series: &SeriesName,
        (episode, at): (u32, u64),
        result: &PlaybackResult,
    ) -> Result<bool, Error> {
        let now = self.clock.now_ms();
        let (user, key) = (player.user_id, series.key());
        let present = self.players.find_unmatched(user, &key).await?;
        let known = present.as_ref().map(UnmatchedSeries::episodes);
        let known = known.unwrap_or_default();
        let is_new = !known.contains_key(&episode) && known.len() < MAX_KEPT_EPISODES;
        let was_question = present.as_ref().is_some_and(|present| present.is_question);
        // A player that plays other things, too, has many series that are no anime.
        let is_question = was_question
            || player.settings.plays == PlayerContent::Anime
            || (result.reason != PlaybackReason::NoMatch
                && !self.is_no_anime(user, series).await?);
        if !is_new && is_question == was_question {
            return Ok(false);
        }
        let last = known.last_key_value();
        let is_last = is_new && last.is_none_or(|(last, _)| *last < episode);
        let mut new = BTreeMap::new();
        if is_new {
            new.insert(episode, at.min(now));
        }
        // A row of an earlier version has its only episode outside of the others.
        if let Some(old) = present.as_ref().filter(|old| old.watched.is_empty()) {
            new.insert(old.episode, old.at);
        }
        let title = (series.title.clone(), series.season.clone());
        let (guesses, expires_at) = (result.guesses.clone(), now / 1000 + KEPT_S);
        let mut row =
            UnmatchedSeries::new(user, &key, title, &new, guesses, player.id(), expires_at);
        row.is_question = is_question;
        if let Some(present) = present.as_ref().filter(|_| !is_last) {
            (row.episode, row.at) = present.last();
            if present.guesses.is_empty() {
                // The guesses are about the last episode.
                let later = row.episode.saturating_sub(episode);
                for guess in &mut row.guesses {
                    guess.episode = guess.episode.saturating_add(later);
                }
            } else {
                row.guesses.clone_from(&present.guesses);
            }
        }
        self.players.keep_unmatched(&row, present.is_none()).await?;
        Ok(is_last || is_question != was_question)
    }

    /// Returns true if the user has said of another season of this series that it is no anime.
    async fn is_no_anime(&self, user: UserId, series: &SeriesName) -> Result<bool, Error> {
        let mut choices = self.players.choices(user).await?.into_iter();
        Ok(choices.any(|choice| {
            let is_series = choice.season != "movie" && series.season != "movie";
            is_series && choice.parts.is_empty() && series.has_title(&choice.title)
        }))
    }

    /// Reports a message that does not count because of its user. A message about another user leaves only the name.
    async fn report_refused(
        &self,
        player: &Player,
        message: &Message,
        reason: PlaybackReason,
        waiting: Option<&Video>,
    ) -> Result<(), Error> {
        let user = message.user.as_ref();
        let is_new_name = user.is_some_and(|user| player.can_keep_user(user));
        let waiting = waiting.filter(|_| reason == PlaybackReason::NoUserNamed);
        if waiting.is_none() && !is_new_name && player.report_count > 0 {
            return Ok(());
        }
        let now = self.clock.now_ms();
        let at = message.at_ms.unwrap_or(now).min(now);
        let mut report = PlayerReport {
            at,
            outcome: reason.name(),
            user_name: message.user.clone(),
            expires_at: now / 1000 + WAITING_S,
            ..PlayerReport::default()
        };
        if let Some(video) = waiting {
            let named = NamedVideo::new(video);
            describe(&mut report, named.series().as_ref(), named.episode());
            report.message = Some(serde_json::to_string(video).map_err(Error::internal)?);
        }
        self.players.add_report(player, &report).await
    }

    /// Reports what a message did. `user` is the name of the server's user, if the message has one.
    async fn report(
        &self,
        player: &Player,
        user: Option<&String>,
        (series, episode): (Option<&SeriesName>, Option<u32>),
        result: &PlaybackResult,
    ) -> Result<(), Error> {
        let now = self.clock.now_ms();
        let mut report = PlayerReport {
            at: now,
            outcome: result.reason.name(),
            user_name: user.cloned(),
            anime_id: result.matched.map(|matched| matched.episode.anime_id),
            anime_episode: result.matched.map(|matched| matched.episode.episode),
            expires_at: now / 1000 + KEPT_S,
            ..PlayerReport::default()
        };
        describe(&mut report, series, episode);
        self.players.add_report(player, &report).await
    }
}

fn describe(report: &mut PlayerReport, series: Option<&SeriesName>, episode: Option<u32>) {
    if let Some(series) = series {
        report.title = Some(series.title.clone());
        report.season = Some(series.season.clone());
    }
    report.episode = episode;
}

/// Returns true if a message has an event that counts with these rules.
fn has_effect(message: &Message, rules: &PlayerSettings) -> bool {
    match message.event {
        Event::Playing | Event::Stopped | Event::Finished => true,
        Event::Unwatched => rules.takes_back,
        // The rating of an episode says nothing about its anime.
        Event::Rated(_) => {
            let is_episode = matches!(&message.subject, Subject::Video(video) if !video.is_movie);
            rules.takes_ratings && !is_episode
        }
        Event::Other => false,
    }
}

/// Returns the video of a message, or the reason why it changes nothing.
fn name<'m>(
    message: &'m Message,
    rules: &PlayerSettings,
) -> Result<NamedVideo<'m>, PlaybackReason> {
    if !has_effect(message, rules) {
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

/// Returns true if a message says that its video was watched to its end, or so far that it counts as watched.
pub(super) fn is_finished(message: &Message, rules: &PlayerSettings) -> bool {
    let is_far = || {
        let (position, duration) = (message.position_ms?, message.duration_ms?);
        let percent = u128::from(rules.finished_percent);
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
    rules: &PlayerSettings,
    now: u64,
) -> Result<Match, PlaybackResult> {
    let Some(found) = found else {
        return Err(PlaybackResult::of(PlaybackReason::NotAnAnime));
    };
    let is_in_library = has_library(rules, named.video()) == Some(true);
    let Some((episode, by)) = found.matched else {
        // Most series that are no anime have a title that is similar to that of one.
        let is_other =
            rules.plays == PlayerContent::Mixed && found.is_only_similar && !is_in_library;
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
        _ if is_finished(message, rules) => Effect::Finished,
        _ => Effect::Position(message.position_ms.unwrap_or(0)),
    };
    // A series with actors can have the year of an anime, too.
    let is_by_name =
        |reason: Reason| reason.is_by_name_alone() || matches!(reason, Reason::TitleAndDetails);
    let is_by_name_alone = found.reason.is_some_and(is_by_name) && !is_in_library;
    Ok(Match {
        series: named.series(),
        in_season: named.episode().unwrap_or(1),
        watched: Watched {
            episode,
            effect,
            at: message.at_ms.unwrap_or(now).min(now),
        },
        by,
        is_by_name_alone,
    })
}

/// Returns the dates of a story.
fn dates(state: Option<&StoryState>) -> [Option<PartialDate>; 2] {
    let details = state.map(|state| &state.details);
    let dates = details.map(|details| [details.started_on, details.finished_on]);
    dates.unwrap_or_default()
}

/// Returns the state of a story after messages about its anime, and the reason for each message. `zone` is the time
/// zone of the owner's days.
fn fold(
    index: &AnimeIndex,
    anime: AnimeId,
    present: Option<&Story>,
    watched: &[Watched],
    rules: &PlayerSettings,
    (zone, now): (TimeZone, u64),
) -> (Option<StoryState>, Vec<PlaybackReason>) {
    let mut state = present.map(|story| story.state.clone());
    let Some(known) = index.indexed_anime(anime) else {
        return (state, vec![PlaybackReason::NoSuchEpisode; watched.len()]);
    };
    let facts = (known.episodes_count, known.status);
    let mut changed_at = present.map_or(0, Story::last_changed_at);
    let mut reasons = Vec::with_capacity(watched.len());
    for watched in watched {
        let (next, reason) = watch(
            state.as_ref(),
            changed_at,
            *watched,
            facts,
            rules,
            (zone, now),
        );
        if let Some(next) = next {
            (state, changed_at) = (Some(next), watched.at);
        }
        reasons.push(reason);
    }
    (state, reasons)
}

/// Returns the state after one message, and the reason; no state if nothing changes. `changed_at` is the time of the
/// last change of the story.
fn watch(
    state: Option<&StoryState>,
    changed_at: u64,
    watched: Watched,
    (episodes_count, status): (u32, AnimeStatus),
    rules: &PlayerSettings,
    (zone, now): (TimeZone, u64),
) -> (Option<StoryState>, PlaybackReason) {
    let episode = watched.episode.episode;
    match watched.effect {
        Effect::Finished => {}
        Effect::Position(position) => {
            let is_due = now.saturating_sub(changed_at) >= POSITION_MS;
            let held = state.filter(|_| is_due);
            let held = held.and_then(|state| hold_position(state, episode, position));
            let reason = match held {
                Some(_) => PlaybackReason::PositionKept,
                None => PlaybackReason::NotFinished,
            };
            return (held, reason);
        }
        Effect::Unwatched => {
            let change = state.and_then(|state| unwatch_episode(state, episode, episodes_count));
            return match change {
                Some(change) => {
                    let next = change.apply(state, zone.day_of(watched.at));
                    (Some(next), PlaybackReason::TakenBack)
                }
                None => (None, PlaybackReason::NotLastWatched),
            };
        }
        Effect::Rated(score) => {
            let Some(state) = state else {
                return (None, PlaybackReason::NotListed);
            };
            if state.details.score == Some(score) {
                return (None, PlaybackReason::AlreadyRated);
            }
            let mut next = state.clone();
            next.details.score = Some(score);
            return (Some(next), PlaybackReason::Rated);
        }
    }
    let is_again = rules.starts_again && episode == 1;
    let again = state
        .filter(|_| is_again && watched.at >= changed_at.saturating_add(AGAIN_MS))
        .and_then(|state| watch_again(state, episodes_count));
    let is_restart = again.is_some();
    let change = again.or_else(|| watch_episode(state, episode, episodes_count, status));
    let Some(change) = change else {
        let has_it = state.is_some_and(|state| episode <= state.progress());
        let reason = if has_it {
            PlaybackReason::AlreadyWatched
        } else {
            PlaybackReason::NoSuchEpisode
        };
        return (None, reason);
    };
    let is_private = state.is_none() && rules.makes_private;
    let change = StoryChange {
        details: DetailsChange {
            private: is_private.then_some(true),
            ..change.details
        },
        ..change
    };
    let next = change.apply(state, zone.day_of(watched.at));
    let reason = match next.status {
        _ if is_restart => PlaybackReason::StartedAgain,
        WatchStatus::Completed => PlaybackReason::Completed,
        _ => PlaybackReason::Watched,
    };
    (Some(next), reason)
}
