//! Changes of single stories: creation, update and deletion.

use accounts::users::WriteRight;
use catalogue::rows::EpisodeCounts;
use dynamo::WriteAttempts;
use shared::auth::Access;
use shared::models::{StoryChange, StoryId, TimeZone, UserId, WatchStatus};
use shared::{Error, Result};

use super::story_store::{StoryStore, read_present};
use super::story_write::{StoryWriter, origin_of_change};
use super::user_story::{Story, tombstone};
use crate::errors::{NO_ANIME, NO_STORY, episode_too_high, story_exists};

/// The state of a story that a change requires.
#[derive(Clone, Copy)]
pub(crate) enum ExpectedStory<'t> {
    /// There is no story.
    Absent,
    /// The story has one of these tags ([`shared::models::StoryState::has_tag`]). An empty list allows any state.
    Tagged(&'t [String]),
}

impl ExpectedStory<'_> {
    /// Checks the present story.
    ///
    /// # Errors
    /// [`Error::Conflict`] if the story exists and should not, [`Error::NotFound`] if it does not exist and should, and
    /// [`Error::Changed`] if it has none of the tags.
    pub(crate) fn check(self, present: Option<&Story>) -> Result<()> {
        match (self, present) {
            (Self::Absent, None) => Ok(()),
            (Self::Absent, Some(story)) => Err(story_exists(story.id())),
            (Self::Tagged(_), None) => Err(NO_STORY),
            (Self::Tagged(tags), Some(story)) => {
                let is_expected =
                    tags.is_empty() || tags.iter().any(|tag| story.state.has_tag(tag));
                is_expected.then_some(()).ok_or(Error::Changed)
            }
        }
    }
}

impl StoryStore {
    /// Creates a story with the contents of `change`. `now` is in milliseconds since the Unix epoch. If several
    /// concurrent calls are for the same user and anime, only one succeeds. The story ignores the episode in `change`
    /// if the status is PLANNING (then the episode is 0) or COMPLETED (then it is the anime's number of episodes).
    /// Progress that `change` states is kept even beyond the anime's number of episodes, except with PLANNING.
    ///
    /// # Errors
    /// [`Error::Conflict`] if the user already has a story about the anime, [`Error::NotFound`] if the anime or the
    /// user does not exist, [`Error::Invalid`] if `current_episode` is greater than the anime's number of episodes
    /// although `change` states no progress.
    pub async fn create(
        &self,
        access: &Access,
        id: StoryId,
        change: &StoryChange,
        now: u64,
    ) -> Result<Story> {
        let expected = ExpectedStory::Absent;
        let story = self.change_one(access, id, None, Some(change), expected, now);
        Box::pin(story).await?.ok_or(NO_STORY)
    }

    /// Changes a story, and returns it. `read` is the story as it was read before. If the story has changed since, the
    /// write starts again with the current story. The story is changed only if its state has one of `expected_tags`
    /// ([`shared::models::StoryState::has_tag`]); an empty list allows any state. `now` is in milliseconds since the
    /// Unix epoch.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the story does not exist, [`Error::Changed`] if it has none of the expected tags,
    /// [`Error::Invalid`] if `current_episode` is greater than the anime's number of episodes although `change` states
    /// no progress.
    pub async fn update(
        &self,
        access: &Access,
        id: StoryId,
        read: Option<Story>,
        change: &StoryChange,
        expected_tags: &[String],
        now: u64,
    ) -> Result<Story> {
        let expected = ExpectedStory::Tagged(expected_tags);
        let story = self.change_one(access, id, read, Some(change), expected, now);
        Box::pin(story).await?.ok_or(NO_STORY)
    }

    /// Deletes a story. `read`, `expected_tags` and `now` are those of [`Self::update`].
    ///
    /// # Errors
    /// [`Error::NotFound`] if the story does not exist, [`Error::Changed`] if it has none of the expected tags.
    pub async fn delete(
        &self,
        access: &Access,
        id: StoryId,
        read: Option<Story>,
        expected_tags: &[String],
        now: u64,
    ) -> Result<()> {
        let expected = ExpectedStory::Tagged(expected_tags);
        let delete = self.change_one(access, id, read, None, expected, now);
        Box::pin(delete).await.map(drop)
    }

    /// Changes the story `present`, or deletes it if there is no `change`. Returns the story after the change. If the
    /// stored story or the anime's number of episodes has changed, decides again with the new values.
    async fn change_one(
        &self,
        access: &Access,
        id: StoryId,
        mut present: Option<Story>,
        change: Option<&StoryChange>,
        expected: ExpectedStory<'_>,
        now: u64,
    ) -> Result<Option<Story>> {
        let (owner, mut change) = (id.user(), change.cloned());
        if let Err(error) = expected.check(present.as_ref()) {
            return self.check_then_fail(access, owner, error).await;
        }
        let is_creation = matches!(expected, ExpectedStory::Absent);
        let completes = |change: &StoryChange| change.status == WatchStatus::Completed;
        // For a story that is created as completed: the anime's number of episodes. It is read first, and is a
        // condition of the write.
        let mut all_episodes = None;
        if is_creation && change.as_ref().is_some_and(completes) {
            all_episodes = self.episodes.read(id.anime()).await?;
            if all_episodes.is_none() {
                return self.check_then_fail(access, owner, NO_ANIME).await;
            }
        }
        let mut writer = StoryWriter::new(self, WriteRight::Caller(access), owner, now);
        let mut attempts = WriteAttempts::new(&self.random);
        loop {
            if let Some(change) = change.as_mut().filter(|_| is_creation) {
                set_required_episode(change, all_episodes);
            }
            let (mut next, mut limit) = (None, None);
            if let Some(change) = &change {
                let before = present.as_ref().map(|story| &story.state);
                let zone = self.time_zone_if(change.sets_date(before), owner).await?;
                let state = change.apply(before, zone.day_of(now));
                limit = Some(match all_episodes {
                    Some(count) => self.episodes.exactly(id.anime(), count)?,
                    None => self.episodes.at_least(id.anime(), state.current_episode)?,
                });
                let origin = origin_of_change(access, owner);
                next = Some(match present.clone() {
                    Some(story) => story.changed(state, origin, now),
                    None => Story::new(id, state, origin, now),
                });
            }
            let (mut limits_action, mut story_action) = (None, None);
            let write = writer.try_write(&mut attempts, |transaction, number| {
                if let Some(limit) = limit.clone() {
                    limits_action = Some(transaction.add(limit));
                }
                if let Some(story) = &mut next {
                    story.change_number = number;
                }
                let deleted_row = |_: &Story| Ok(tombstone(id, number, now));
                let (before, after) = (present.as_ref(), next.as_ref());
                let story = self.add_change(transaction, before, after, deleted_row)?;
                story_action = Some(story.action);
                Ok(vec![story])
            });
            let Some(mut refused) = write.await? else {
                return Ok(next);
            };
            if let Some(row) = refused.take(story_action) {
                present = read_present(row)?;
            }
            // If the story to change is gone or has other tags, errors about the anime do not matter.
            if !is_creation {
                expected.check(present.as_ref())?;
            }
            if let Some(row) = refused.take(limits_action) {
                let count = EpisodeCounts::in_row(row)?.ok_or(NO_ANIME)?;
                if all_episodes.is_some() {
                    all_episodes = Some(count);
                } else if let Some(change) = &mut change {
                    *change = limit_to(change.clone(), count)?;
                }
            }
            expected.check(present.as_ref())?;
        }
    }

    /// Returns the time zone of a user's days ([`accounts::users::UserStore::time_zone`]).
    pub async fn time_zone(&self, owner: UserId) -> Result<TimeZone> {
        self.users.time_zone(owner).await
    }

    /// Returns the time zone of a user's days if a change sets a date. Otherwise the time zone does not matter, so UTC
    /// is returned without a read.
    pub(crate) async fn time_zone_if(&self, sets_date: bool, owner: UserId) -> Result<TimeZone> {
        if sets_date {
            self.time_zone(owner).await
        } else {
            Ok(TimeZone::UTC)
        }
    }

    /// Checks the caller's access and the owner, and returns `error` if both checks succeed. Called when a read has
    /// found an error before any transaction has checked the caller: an error of these checks comes first.
    async fn check_then_fail<T>(&self, access: &Access, owner: UserId, error: Error) -> Result<T> {
        self.check_access(access, owner).await?;
        Err(error)
    }
}

/// Sets the episode that the status of a new story requires: 0 with PLANNING, and `count` (the anime's number of
/// episodes) with COMPLETED.
pub(crate) fn set_required_episode(change: &mut StoryChange, count: Option<u32>) {
    match (change.status, count) {
        (WatchStatus::Planning, _) => {
            (change.current_episode, change.watched_episodes) = (0, Some(0));
        }
        (WatchStatus::Completed, Some(count)) => change.current_episode = count,
        _ => {}
    }
}

/// Returns the change for an anime that has only `count` episodes.
///
/// # Errors
/// [`Error::Invalid`] if the change states a later episode but no progress.
pub(crate) fn limit_to(change: StoryChange, count: u32) -> Result<StoryChange> {
    let limited = change.for_count(count);
    limited.ok_or_else(|| episode_too_high(count))
}
