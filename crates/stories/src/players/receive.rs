//! The effect of a message on the story of its anime.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use catalogue::SharedCatalogue;
use catalogue::identify::NameSearches;
use catalogue::index::AnimeIndex;
use catalogue::seasons::AnimeEpisode;
use player_messages::{Event, Message, Sender, Subject, Video};
use serde::Serialize;
use shared::Error;
use shared::auth::Access;
use shared::clock::Clock;
use shared::models::{
    Anime, AnimeId, AnimeStatus, DetailsChange, EpisodeOfAnime, Origin, PartialDate, StoryChange,
    StoryId, StoryState, TimeZone, UserId, WatchStatus,
};
use store::{
    FINISHED_PERCENT, MAX_CHANGES, Player, PlayerReport, PlayerStore, SeriesChoice, Step, Story,
    StoryStore, UnmatchedSeries, origin_of_change,
};
use utoipa::ToSchema;

use super::matching::{FoundEpisode, MatchedBy, NamedVideo, SeriesName};
use crate::rules::step::{hold_position, watch_again, watch_episode};

/// The time between two writes of a position in an episode, in milliseconds: a minute.
const POSITION_MS: u64 = 60_000;

/// The time after the completion of an anime from which its first episode starts it again, in milliseconds: an hour.
/// Messages about one episode can repeat or come late.
const AGAIN_MS: u64 = 60 * 60 * 1000;

/// The time for which reports and unmatched series are kept, in seconds: 30 days.
const KEPT_S: u64 = 30 * 24 * 60 * 60;

/// The time for which a message is kept until the owner of the player names the server's user, in seconds: a day.
const WAITING_S: u64 = 24 * 60 * 60;

/// The reason why a message has changed a story, or has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlaybackReason {
    /// The progress of the story is the episode now.
    Watched,
    /// The episode was the last one, and the story is completed now.
    Completed,
    /// The anime was completed before, and is being watched again.
    StartedAgain,
    /// The position in the next episode is kept.
    PositionKept,
    /// The story has this episode already.
    AlreadyWatched,
    /// The video was not watched to its end, and its position changes nothing.
    NotFinished,
    /// The anime has no such episode.
    NoSuchEpisode,
    /// No anime was found.
    NoMatch,
    /// Several anime or episodes may be meant.
    NotCertain,
    /// The user has chosen that the series is no anime.
    NotAnAnime,
    /// The item is no episode and no movie: music, a trailer, live TV, an opening.
    NotAnEpisode,
    /// The event changes no list.
    OtherEvent,
    /// The title, the season or the episode is missing or wrong.
    Unusable,
    /// The message is about another user of the server.
    OtherUser,
    /// The owner of the player has not named the user of the server yet. The message is kept for a day.
    NoUserNamed,
    /// The titles of earlier messages in the request took too long to search. Send the message again, in a request of
    /// its own or with others that have this reason.
    NotSearched,
}

impl PlaybackReason {
    /// Returns the name in responses and rows.
    #[must_use]
    pub fn name(self) -> String {
        let name = serde_json::to_value(self).ok();
        let name = name.and_then(|name| name.as_str().map(str::to_owned));
        name.unwrap_or_default()
    }

    fn is_change(self) -> bool {
        matches!(
            self,
            Self::Watched | Self::Completed | Self::StartedAgain | Self::PositionKept
        )
    }
}

fn of_anime(found: AnimeEpisode) -> EpisodeOfAnime {
    EpisodeOfAnime {
        anime_id: found.anime,
        episode: found.episode,
    }
}

/// The episode that a message means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct MatchedEpisode {
    /// The anime and its episode.
    #[serde(flatten)]
    pub episode: EpisodeOfAnime,
    /// The way in which they were found.
    pub by: MatchedBy,
}

/// The result of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PlaybackResult {
    /// The episode that is certainly meant; null if none is.
    pub matched: Option<MatchedEpisode>,
    /// The episodes that may be meant, the most probable one first, at most three. Empty if one is certain.
    pub guesses: Vec<EpisodeOfAnime>,
    /// True if the message has changed a story, or would have without `dry_run`.
    #[schema(example = true)]
    pub applied: bool,
    /// The reason.
    pub reason: PlaybackReason,
}

impl PlaybackResult {
    fn of(reason: PlaybackReason) -> Self {
        Self {
            matched: None,
            guesses: Vec::new(),
            applied: false,
            reason,
        }
    }
}

/// A message whose episode is known.
#[derive(Clone, Copy, Debug)]
struct Watched {
    episode: AnimeEpisode,
    /// `None` if the episode was watched to its end, else the position in it, in milliseconds.
    position_ms: Option<u64>,
    /// The time of the event in milliseconds since the Unix epoch, not in the future.
    at: u64,
}

/// The rules for the messages of a sender.
#[derive(Clone, Copy, Debug)]
struct Rules {
    finished_percent: u8,
    makes_private: bool,
    starts_again: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            finished_percent: FINISHED_PERCENT,
            makes_private: false,
            starts_again: false,
        }
    }
}

impl From<&Player> for Rules {
    fn from(player: &Player) -> Self {
        Self {
            finished_percent: player.finished_percent,
            makes_private: player.makes_private,
            starts_again: player.starts_again,
        }
    }
}

/// The stories that messages change, and who changes them.
struct Target<'t> {
    /// `None` if an address of a player gives the access.
    access: Option<&'t Access>,
    owner: UserId,
    by: Origin,
    rules: Rules,
    is_dry_run: bool,
}

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
        let rules = Rules::from(player);
        let is_finished = is_finished(message, rules);
        let user = message.user.as_ref();
        let refused = match (user, &player.server_user) {
            (Some(user), Some(named)) if !is_same_name(user, named) => {
                Some(PlaybackReason::OtherUser)
            }
            (Some(_), None) => Some(PlaybackReason::NoUserNamed),
            _ => None,
        };
        if let (Some(reason), Subject::Video(video)) = (refused, &message.subject) {
            if !is_dry_run {
                let waiting = Some(video).filter(|_| is_finished);
                self.report_refused(player, message, reason, waiting)
                    .await?;
            }
            return Ok(PlaybackResult::of(reason));
        }
        let named = match name(message) {
            Ok(named) => named,
            Err(reason) => {
                let result = PlaybackResult::of(reason);
                if !is_dry_run && player.report_count == 0 {
                    let episode = match &message.subject {
                        Subject::Video(video) => NamedVideo::new(video).episode(),
                        Subject::NotAnEpisode(_) | Subject::Unusable(_) => None,
                    };
                    self.report(player, message, (None, episode), &result)
                        .await?;
                }
                return Ok(result);
            }
        };
        let series = named.series();
        let choice = match &series {
            Some(series) => self.players.choice(player.user_id, &series.key()).await?,
            None => None,
        };
        let searches = &mut self.catalogue.name_searches();
        let found = self.find(&named, choice.as_ref(), searches).await?;
        let target = Target {
            access: None,
            owner: player.user_id,
            by: Origin::Player(player.name.clone()),
            rules,
            is_dry_run,
        };
        let now = self.clock.now_ms();
        let result = match read_watched(message, found, rules, now) {
            Ok((watched, by)) => self.apply_one(&target, watched, by).await?,
            Err(result) => result,
        };
        if is_dry_run {
            return Ok(result);
        }
        let mut says_new = player.report_count == 0
            || (result.applied && result.reason != PlaybackReason::PositionKept);
        let is_unmatched = matches!(
            result.reason,
            PlaybackReason::NoMatch | PlaybackReason::NotCertain
        );
        if let Some(series) = series.as_ref().filter(|_| is_unmatched && is_finished) {
            let episode = named.episode().unwrap_or(1);
            says_new |= self.keep(player, series, episode, &result, now).await?;
        }
        if says_new {
            let about = (series.as_ref(), named.episode());
            self.report(player, message, about, &result).await?;
        }
        Ok(result)
    }

    /// Handles messages of a caller with a token, in their order. The result of each is at its position. The caller's
    /// access must have been checked, because messages that change nothing write nothing.
    pub async fn receive_all(
        &self,
        access: &Access,
        messages: &[Message],
        is_dry_run: bool,
    ) -> Result<Vec<PlaybackResult>, Error> {
        let owner = access.credential.user_id;
        let named: Vec<_> = messages.iter().map(name).collect();
        let series = named.iter().flatten().filter_map(NamedVideo::series);
        let keys: BTreeSet<String> = series.map(|series| series.key()).collect();
        let choices = self.players.choices_for(owner, &keys).await?;
        let now = self.clock.now_ms();
        let target = Target {
            access: Some(access),
            owner,
            by: origin_of_change(access, owner),
            rules: Rules::default(),
            is_dry_run,
        };
        let mut results = Vec::with_capacity(messages.len());
        let mut by_anime: BTreeMap<AnimeId, Vec<(usize, Watched)>> = BTreeMap::new();
        let searches = &mut self.catalogue.name_searches();
        for (position, (message, named)) in messages.iter().zip(named).enumerate() {
            let result = match named {
                Err(reason) => PlaybackResult::of(reason),
                Ok(named) => {
                    let choice = named.series().and_then(|series| choices.get(&series.key()));
                    let found = self.find(&named, choice, searches).await?;
                    match read_watched(message, found, target.rules, now) {
                        Err(result) => result,
                        Ok((watched, by)) => {
                            let of_anime = by_anime.entry(watched.episode.anime).or_default();
                            of_anime.push((position, watched));
                            matched_result(watched, by, PlaybackReason::AlreadyWatched)
                        }
                    }
                }
            };
            results.push(result);
        }
        let groups: Vec<_> = by_anime.into_iter().collect();
        for groups in groups.chunks(MAX_CHANGES) {
            let anime: Vec<AnimeId> = groups.iter().map(|(anime, _)| *anime).collect();
            let present = self.stories.find_many(owner, &anime).await?;
            let watched = groups.iter().map(|(_, watched)| {
                let watched = watched.iter().map(|(_, watched)| *watched);
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
        Ok(results)
    }

    /// Applies the messages that were kept until the owner of a player has named the user of the server. Each of them
    /// is handled as if it came now.
    pub async fn receive_kept(&self, player: &Player) -> Result<(), Error> {
        let reports = self.players.reports(player).await?;
        let named = player.server_user.as_deref().unwrap_or_default();
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

    /// Applies an episode that was kept for a user, who has chosen its anime by now. The player that has sent it may
    /// have been removed. Returns true if the story has changed.
    pub(super) async fn receive_chosen(
        &self,
        owner: UserId,
        player: Option<&Player>,
        episode: EpisodeOfAnime,
        at: u64,
    ) -> Result<bool, Error> {
        let by = player.map(|player| Origin::Player(player.name.clone()));
        let target = Target {
            access: None,
            owner,
            by: by.unwrap_or(Origin::Owner),
            rules: player.map_or_else(Rules::default, Rules::from),
            is_dry_run: false,
        };
        let watched = Watched {
            episode: AnimeEpisode {
                anime: episode.anime_id,
                episode: episode.episode,
            },
            position_ms: None,
            at: at.min(self.clock.now_ms()),
        };
        let result = self.apply_one(&target, watched, MatchedBy::Choice).await?;
        Ok(result.applied)
    }

    async fn find(
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

    /// Applies one message. Its story is read with an eventually consistent read. A stale one is noticed when it is
    /// written.
    async fn apply_one(
        &self,
        target: &Target<'_>,
        watched: Watched,
        by: MatchedBy,
    ) -> Result<PlaybackResult, Error> {
        let anime = watched.episode.anime;
        let present = self.stories.peek(StoryId::of(target.owner, anime)).await?;
        let reasons = self
            .apply(target, vec![(anime, present)], &[vec![watched]])
            .await?;
        let reason = reasons.into_iter().flatten().next();
        let reason = reason.unwrap_or(PlaybackReason::NoSuchEpisode);
        Ok(matched_result(watched, by, reason))
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

    /// Keeps an episode whose anime is not known. Returns false if it was kept before.
    async fn keep(
        &self,
        player: &Player,
        series: &SeriesName,
        episode: u32,
        result: &PlaybackResult,
        now: u64,
    ) -> Result<bool, Error> {
        let (user, key) = (player.user_id, series.key());
        let present = self.players.find_unmatched(user, &key).await?;
        if present.as_ref().is_some_and(|row| row.episode >= episode) {
            return Ok(false);
        }
        let row = UnmatchedSeries::new(
            user,
            &key,
            (series.title.clone(), series.season.clone()),
            (episode, now),
            result.guesses.clone(),
            player.id(),
            now / 1000 + KEPT_S,
        );
        self.players.keep_unmatched(&row, present.is_none()).await?;
        Ok(true)
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
        let is_waiting = reason == PlaybackReason::NoUserNamed;
        let waiting = waiting.filter(|_| is_waiting);
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

    async fn report(
        &self,
        player: &Player,
        message: &Message,
        (series, episode): (Option<&SeriesName>, Option<u32>),
        result: &PlaybackResult,
    ) -> Result<(), Error> {
        let now = self.clock.now_ms();
        let mut report = PlayerReport {
            at: now,
            outcome: result.reason.name(),
            user_name: message.user.clone(),
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

/// Returns the video of a message, or the reason why it changes nothing.
fn name(message: &Message) -> Result<NamedVideo<'_>, PlaybackReason> {
    if message.event == Event::Other {
        return Err(PlaybackReason::OtherEvent);
    }
    let video = match &message.subject {
        Subject::Video(video) => video,
        Subject::NotAnEpisode(_) => return Err(PlaybackReason::NotAnEpisode),
        Subject::Unusable(_) => return Err(PlaybackReason::Unusable),
    };
    let named = NamedVideo::new(video);
    if named.names_nothing() {
        return Err(PlaybackReason::NotAnEpisode);
    }
    Ok(named)
}

/// Returns true if a message says that its video was watched to its end, or so far that it counts as watched.
fn is_finished(message: &Message, rules: Rules) -> bool {
    let is_far = || {
        let (position, duration) = (message.position_ms?, message.duration_ms?);
        let percent = u128::from(rules.finished_percent);
        Some(u128::from(position) * 100 >= u128::from(duration) * percent)
    };
    match message.event {
        Event::Finished => true,
        Event::Playing | Event::Stopped => is_far().unwrap_or(false),
        Event::Other => false,
    }
}

/// Returns what was watched, or the result of a message whose episode is not known.
fn read_watched(
    message: &Message,
    found: Option<FoundEpisode>,
    rules: Rules,
    now: u64,
) -> Result<(Watched, MatchedBy), PlaybackResult> {
    let Some(found) = found else {
        return Err(PlaybackResult::of(PlaybackReason::NotAnAnime));
    };
    let Some((episode, by)) = found.matched else {
        let reason = if found.is_unsearched {
            PlaybackReason::NotSearched
        } else if found.guesses.is_empty() {
            PlaybackReason::NoMatch
        } else {
            PlaybackReason::NotCertain
        };
        let guesses = found.guesses.into_iter().map(of_anime);
        return Err(PlaybackResult {
            guesses: guesses.collect(),
            ..PlaybackResult::of(reason)
        });
    };
    let is_finished = is_finished(message, rules);
    let watched = Watched {
        episode,
        position_ms: (!is_finished).then(|| message.position_ms.unwrap_or(0)),
        at: message.at_ms.unwrap_or(now).min(now),
    };
    Ok((watched, by))
}

fn matched_result(watched: Watched, by: MatchedBy, reason: PlaybackReason) -> PlaybackResult {
    PlaybackResult {
        matched: Some(MatchedEpisode {
            episode: of_anime(watched.episode),
            by,
        }),
        guesses: Vec::new(),
        applied: reason.is_change(),
        reason,
    }
}

/// Names of users are compared as the servers do: without case and spaces around them.
fn is_same_name(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
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
    rules: Rules,
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
    rules: Rules,
    (zone, now): (TimeZone, u64),
) -> (Option<StoryState>, PlaybackReason) {
    let episode = watched.episode.episode;
    if let Some(position) = watched.position_ms {
        let is_due = now.saturating_sub(changed_at) >= POSITION_MS;
        let held = state.filter(|_| is_due);
        let held = held.and_then(|state| hold_position(state, episode, position));
        let reason = match held {
            Some(_) => PlaybackReason::PositionKept,
            None => PlaybackReason::NotFinished,
        };
        return (held, reason);
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
