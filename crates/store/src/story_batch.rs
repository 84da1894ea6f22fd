//! Many changes of a user's stories in few calls (docs/api.md, "Batch writes").

use std::collections::HashMap;

use aws_sdk_dynamodb::types::TransactWriteItem;
use shared::Error;
use shared::auth::Access;
use shared::models::{
    AnimeId, Origin, PartialDate, StoryChange, StoryId, StoryState, UserId, WatchStatus,
};

use crate::batch::batch_get;
use crate::errors::{NO_ANIME, too_far};
use crate::schema::user_story::{Story, is_tombstone, key as story_key, tombstone};
use crate::stories::{
    StoryStore, Writes, expected, has_version, no_story, origin, read_present, read_story,
    story_row,
};
use crate::transaction::Attempts;

/// The maximum number of changes in a batch. Their stories are read with one `BatchGetItem`.
pub const MAX_CHANGES: usize = 100;

/// The maximum number of changes in a transaction: half a batch, because a transaction has at most 100 actions, and some
/// are for the rows of users.
const CHUNK: usize = 50;

/// A change of one story in a batch.
#[derive(Clone, Debug)]
pub struct BatchChange {
    /// The story's anime.
    pub anime: AnimeId,
    /// The change of the story, which is created if it does not exist; `None` deletes it. With PLANNING the episode
    /// becomes 0, and with COMPLETED the anime's number of episodes.
    pub change: Option<StoryChange>,
    /// The tags ([`StoryState::has_tag`]) of which the story must have one; empty for any state. With `None`, it
    /// need not exist.
    pub expected_tags: Option<Vec<String>>,
}

/// A change that is still to be made: its position in the batch, and the story as it was last read.
struct Pending<'b> {
    position: usize,
    change: &'b BatchChange,
    present: Option<Story>,
}

/// The result of one change: the new state of the story, `None` if it was deleted.
type Changed = Result<Option<StoryState>, Error>;

impl StoryStore {
    /// Makes changes, at most [`MAX_CHANGES`] and each of another anime. `episodes` returns the number of an anime's
    /// episodes. Returns for each change the new state of the story, or the reason why it was not made:
    /// [`Error::NotFound`] for an unknown anime or a deletion of a story that does not exist, [`Error::Invalid`] if
    /// `current_episode` is greater than the anime's number of episodes, [`Error::Changed`] if the story has none of the
    /// expected states. `now` is in milliseconds since the Unix epoch.
    ///
    /// # Errors
    /// As [`StoryStore::create`] for the caller and the owner. After [`Error::Unavailable`], some changes may have been
    /// made. They can be repeated.
    pub async fn change_many(
        &self,
        access: &Access,
        owner: UserId,
        changes: &[BatchChange],
        episodes: impl Fn(AnimeId) -> Option<u32>,
        now: u64,
    ) -> Result<Vec<Changed>, Error> {
        let keys = changes
            .iter()
            .map(|change| story_key(StoryId::of(owner, change.anime)));
        let rows = batch_get(&self.client, &self.stories, keys.collect(), true).await?;
        let stories = rows
            .into_iter()
            .filter(|row| !is_tombstone(row))
            .map(read_story);
        let stories = stories.map(|story| story.map(|story| (story.anime_id, story)));
        let mut stories = stories.collect::<Result<HashMap<AnimeId, Story>, Error>>()?;
        let mut results: Vec<Changed> = changes.iter().map(|_| Ok(None)).collect();
        let pending = changes
            .iter()
            .enumerate()
            .map(|(position, change)| Pending {
                position,
                change,
                present: stories.remove(&change.anime),
            });
        let mut pending: Vec<Pending<'_>> = pending.collect();
        let mut writes = Writes::new(owner, now);
        let mut has_written = false;
        while !pending.is_empty() {
            let rest = pending.split_off(pending.len().min(CHUNK));
            let made = self.change_chunk(access, &mut writes, pending, &episodes, &mut results);
            has_written |= made.await.map_err(|error| {
                // A caller who loses access after the first transaction must not believe that nothing has changed.
                let reason = format!("after the first changes of a batch: {error}");
                if has_written {
                    Error::Unavailable(reason)
                } else {
                    error
                }
            })?;
            pending = rest;
        }
        if !has_written {
            // No transaction has checked the caller.
            self.check_access(access, owner).await?;
        }
        Ok(results)
    }

    /// Makes these changes in one transaction, and sets their results. A transaction makes all its changes or none, so it
    /// is repeated without the changes that cannot be made, and with the stories that others have changed as they are
    /// then. Returns true if it has made any change.
    async fn change_chunk(
        &self,
        access: &Access,
        writes: &mut Writes,
        mut pending: Vec<Pending<'_>>,
        episodes: &impl Fn(AnimeId) -> Option<u32>,
        results: &mut [Changed],
    ) -> Result<bool, Error> {
        let (owner, now) = (writes.owner, writes.now);
        let by = origin(access, owner);
        let mut attempts = Attempts::new(&self.random);
        loop {
            let mut next = Vec::with_capacity(pending.len());
            pending.retain(|one| {
                let after = one.next(owner, episodes, &by, now);
                let is_possible = after.is_ok();
                results[one.position] = after.map(|story| {
                    let state = story.as_ref().map(Story::state);
                    next.push(story);
                    state
                });
                is_possible
            });
            if pending.is_empty() {
                return Ok(false);
            }
            writes.count = pending.len() as u64;
            let refused = self.change(access, writes, &mut attempts, |first| {
                let numbered = (first..).zip(pending.iter().zip(&next));
                numbered
                    .map(|(number, (one, story))| {
                        self.action(owner, one, story.as_ref(), number, now)
                    })
                    .collect()
            });
            let Some(rows) = refused.await? else {
                return Ok(true);
            };
            for (one, row) in pending.iter_mut().zip(rows) {
                if let Some(row) = row {
                    one.present = read_present(row)?;
                }
            }
        }
    }

    /// Returns the action that makes a change: it replaces the story by `next`, or deletes it.
    fn action(
        &self,
        owner: UserId,
        one: &Pending<'_>,
        next: Option<&Story>,
        change_number: u64,
        now: u64,
    ) -> Result<TransactWriteItem, Error> {
        let next = next.map(|story| Story {
            change_number,
            ..story.clone()
        });
        match (&one.present, next) {
            (Some(before), Some(after)) => self.replace(before, &after),
            (None, Some(new)) => no_story().put(&self.stories, story_row(&new)?),
            (present, None) => {
                let version = present.as_ref().map_or(0, |story| story.version);
                let row = tombstone(StoryId::of(owner, one.change.anime), change_number, now);
                has_version(version).put(&self.stories, row)
            }
        }
    }
}

impl Pending<'_> {
    /// Returns the story after the change, `None` if the change deletes it.
    fn next(
        &self,
        owner: UserId,
        episodes: impl Fn(AnimeId) -> Option<u32>,
        by: &Origin,
        now: u64,
    ) -> Result<Option<Story>, Error> {
        let anime = self.change.anime;
        let tags = self.change.expected_tags.as_deref();
        let Some(change) = &self.change.change else {
            return expected(self.present.as_ref(), tags).map(|_| None);
        };
        if tags.is_some() {
            // For a put, a story that does not exist has none of the expected states.
            expected(self.present.as_ref(), tags).map_err(|_| Error::Changed)?;
        }
        let before = self.present.as_ref().map(Story::state);
        let state = change.apply(before.as_ref(), PartialDate::of_ms(now));
        let state = within(state, episodes(anime))?;
        let by = by.clone();
        Ok(Some(match self.present.clone() {
            Some(story) => story.changed(state, by, now),
            None => Story::new(StoryId::of(owner, anime), state, by, now),
        }))
    }
}

/// Returns the state that a story gets if the anime has this number of episodes; `None` for an unknown anime.
fn within(state: StoryState, count: Option<u32>) -> Result<StoryState, Error> {
    let count = count.ok_or(NO_ANIME)?;
    let current_episode = match state.status {
        WatchStatus::Planning => 0,
        WatchStatus::Completed => count,
        _ if state.current_episode > count => return Err(too_far(count)),
        _ => state.current_episode,
    };
    Ok(StoryState {
        current_episode,
        ..state
    })
}
