//! The effect of a message on a story.

use std::sync::{Mutex, PoisonError};

use catalogue::identify::NameSearches;
use catalogue::index::AnimeIndex;
use shared::Result;
use shared::models::{
    AnimeId, AnimeStatus, DetailsChange, PartialDate, StoryChange, StoryId, StoryState, TimeZone,
    WatchStatus,
};

use super::memory::MatchMemory;
use super::outcome::{
    Effect, EpisodeMessage, Match, MessageTarget, PlaybackReason, PlaybackResult,
};
use super::player::PlayerSettings;
use super::receive::PlaybackReceiver;
use crate::lists::episodes::{hold_position, unwatch_episode, watch_again, watch_episode};
use crate::lists::story_batch::StoryOperation;
use crate::lists::user_story::Story;
use crate::lock::lock;

/// The time between two writes of a position in an episode, in milliseconds: a minute.
const POSITION_MS: u64 = 60_000;

/// The time after the completion of an anime from which its first episode starts it again, in milliseconds: an hour.
/// Messages about one episode can repeat or come late.
const AGAIN_MS: u64 = 60 * 60 * 1000;

/// The time of a change of stories.
#[derive(Clone, Copy)]
struct Moment {
    /// The time zone of the owner's days.
    zone: TimeZone,
    /// In milliseconds since the Unix epoch.
    now: u64,
}

impl PlaybackReceiver {
    /// Applies one message, unless it has to wait. Its story is read with an eventually consistent read. If that is an
    /// old version, the write reads the story again.
    pub(super) async fn apply_one(
        &self,
        target: &MessageTarget<'_>,
        matched: &Match,
        searches: &mut NameSearches,
    ) -> Result<PlaybackResult> {
        let (anime, now) = (matched.watched.episode.anime, self.clock.now_ms());
        let present = self.stories.peek(StoryId::of(target.owner, anime)).await?;
        let mut memory = MatchMemory::new(target.owner);
        let refused = self
            .check_matches(target, present.as_ref(), &[matched], &mut memory, searches)
            .await?;
        if let Some(refusal) = refused.into_iter().flatten().next() {
            return Ok(refusal);
        }
        let reasons = self
            .apply(target, vec![(anime, present)], &[vec![matched.watched]])
            .await?;
        let reason = reasons.into_iter().flatten().next();
        let reason = reason.unwrap_or(PlaybackReason::NoSuchEpisode);
        if !target.is_dry_run {
            self.save_memory(memory, now).await?;
        }
        Ok(matched.result(reason))
    }

    /// Returns the reasons that these messages about one anime would have if they were applied to this story now.
    pub(super) async fn foresee(
        &self,
        target: &MessageTarget<'_>,
        present: Option<&Story>,
        matches: &[&Match],
    ) -> Result<Vec<PlaybackReason>> {
        let Some(first) = matches.first() else {
            return Ok(Vec::new());
        };
        let index = self.catalogue.index().await?;
        let watched: Vec<EpisodeMessage> = matches.iter().map(|matched| matched.watched).collect();
        let (anime, now) = (first.watched.episode.anime, self.clock.now_ms());
        let zone = TimeZone::UTC;
        let moment = Moment { zone, now };
        Ok(apply_messages(&index, anime, present, &watched, target.settings, moment).1)
    }

    /// Applies messages to the stories about their anime. `watched` has the messages about each of them, in order.
    /// Returns the reason for each message.
    pub(super) async fn apply(
        &self,
        target: &MessageTarget<'_>,
        stories: Vec<(AnimeId, Option<Story>)>,
        watched: &[Vec<EpisodeMessage>],
    ) -> Result<Vec<Vec<PlaybackReason>>> {
        let index = self.catalogue.index().await?;
        let now = self.clock.now_ms();
        let anime: Vec<AnimeId> = stories.iter().map(|(anime, _)| *anime).collect();
        // The time zone is read only for messages that set a date, which few do.
        let sets_date = stories
            .iter()
            .zip(watched)
            .any(|((anime, present), watched)| {
                let (present, zone) = (present.as_ref(), TimeZone::UTC);
                let moment = Moment { zone, now };
                let (state, _) =
                    apply_messages(&index, *anime, present, watched, target.settings, moment);
                dates(present.map(|story| &story.state)) != dates(state.as_ref())
            });
        let zone = self.stories.time_zone_if(sets_date, target.owner).await?;
        let moment = Moment { zone, now };
        let reasons = Mutex::new(vec![Vec::new(); stories.len()]);
        let decide = |position: usize, present: Option<&Story>| {
            let (Some(watched), Some(anime)) = (watched.get(position), anime.get(position)) else {
                return Ok(StoryOperation::Keep);
            };
            let (state, each) =
                apply_messages(&index, *anime, present, watched, target.settings, moment);
            if let Some(reasons) = lock(&reasons).get_mut(position) {
                *reasons = each;
            }
            let before = present.map(|story| &story.state);
            Ok(match state.filter(|state| Some(state) != before) {
                Some(state) => StoryOperation::save(state, now),
                None => StoryOperation::Keep,
            })
        };
        if target.is_dry_run {
            for (position, (_, present)) in stories.iter().enumerate() {
                let operation: Result<StoryOperation> = decide(position, present.as_ref());
                operation?;
            }
        } else {
            let write = self.stories.edit_many(
                target.access,
                target.owner,
                stories,
                &target.by,
                decide,
                now,
            );
            for changed in write.await? {
                changed?;
            }
        }
        Ok(reasons.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

fn dates(state: Option<&StoryState>) -> [Option<PartialDate>; 2] {
    let details = state.map(|state| &state.details);
    let dates = details.map(|details| [details.started_on, details.finished_on]);
    dates.unwrap_or_default()
}

/// Returns the state of a story after messages about its anime, and the reason for each message.
fn apply_messages(
    index: &AnimeIndex,
    anime: AnimeId,
    present: Option<&Story>,
    watched: &[EpisodeMessage],
    settings: &PlayerSettings,
    moment: Moment,
) -> (Option<StoryState>, Vec<PlaybackReason>) {
    let mut state = present.map(|story| story.state.clone());
    let Some(indexed) = index.indexed_anime(anime) else {
        return (state, vec![PlaybackReason::NoSuchEpisode; watched.len()]);
    };
    let facts = (indexed.episodes_count, indexed.status);
    let mut changed_at = present.map_or(0, Story::last_changed_at);
    let mut reasons = Vec::with_capacity(watched.len());
    for watched in watched {
        let (next, reason) = watch(
            state.as_ref(),
            changed_at,
            *watched,
            facts,
            settings,
            moment,
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
    watched: EpisodeMessage,
    (episodes_count, status): (u32, AnimeStatus),
    settings: &PlayerSettings,
    Moment { zone, now }: Moment,
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
    let is_again = settings.starts_again && episode == 1;
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
    let is_private = state.is_none() && settings.makes_private;
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
