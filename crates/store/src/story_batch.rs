//! Many changes of a user's stories in few calls (docs/api.md, "Batch writes").

use std::collections::HashMap;

use serde::Deserialize;
use shared::Error;
use shared::auth::Access;
use shared::models::{AnimeId, StoryId, UserId, WatchStatus};

use crate::batch::batch_get;
use crate::errors::{NO_ANIME, NO_USER, too_far};
use crate::item::{Item, read};
use crate::schema::user_story::{Story, key as story_key, tombstone};
use crate::stories::{
    Change, Changes, StoryStore, anime_key, exists_in_state, order, set_state, why_not_deleted,
};
use crate::transaction::Condition;

/// The maximum number of changes in a batch. Their anime are read with one `BatchGetItem`.
pub const MAX_CHANGES: usize = 100;

/// The maximum number of changes in a transaction: half a batch, because a transaction has at most 100 actions, and some
/// are for the rows of users.
const CHUNK: usize = 50;

/// A change of one story in a batch.
#[derive(Clone, Debug)]
pub struct BatchChange {
    /// The story's anime.
    pub anime: AnimeId,
    /// The new state of the story, which is created if it does not exist; `None` deletes it. With PLANNING the episode
    /// becomes 0, and with COMPLETED the anime's number of episodes.
    pub state: Option<Change>,
    /// The states of which the story must have one; empty for any state. With `None`, it need not exist.
    pub expected_states: Option<Vec<Change>>,
}

/// The number of an anime's episodes.
#[derive(Deserialize)]
struct Episodes {
    id: AnimeId,
    episodes_count: u32,
}

/// A valid change, and its position in the batch.
struct Planned<'b> {
    position: usize,
    change: &'b BatchChange,
    state: Option<Change>,
}

impl StoryStore {
    /// Makes changes, at most [`MAX_CHANGES`] and each of another anime. Returns for each the new state of the story, or
    /// the reason why it was not made: [`Error::NotFound`] for an unknown anime or a deletion of a story that does not
    /// exist, [`Error::Invalid`] if `current_episode` is greater than the anime's number of episodes,
    /// [`Error::Changed`] if the story has none of the expected states. `now` is in milliseconds since the Unix epoch.
    ///
    /// The number of episodes is read before the changes are made and is not a condition. If an anime loses episodes in
    /// between, the story stays as if it had been written before, as all stories do.
    ///
    /// # Errors
    /// As [`StoryStore::create`] for the caller and the owner. After [`Error::Unavailable`], some changes may have been
    /// made. They can be repeated.
    pub async fn change_many(
        &self,
        access: &Access,
        owner: UserId,
        changes: &[BatchChange],
        now: u64,
    ) -> Result<Vec<Result<Option<Change>, Error>>, Error> {
        let saved = changes.iter().filter(|change| change.state.is_some());
        let episodes = self.episodes(saved.map(|change| change.anime)).await?;
        let mut results: Vec<Result<Option<Change>, Error>> = Vec::with_capacity(changes.len());
        let mut planned = Vec::new();
        for (position, change) in changes.iter().enumerate() {
            let state = match change.state {
                Some(state) => within(state, episodes.get(&change.anime).copied()).map(Some),
                None => Ok(None),
            };
            if let Ok(state) = state {
                planned.push(Planned {
                    position,
                    change,
                    state,
                });
            }
            results.push(state);
        }
        if planned.is_empty() {
            // No transaction checks the caller.
            let (caller, owner) = self.users.caller_and(&access.credential, owner).await?;
            access.check_for(caller.as_ref(), owner.as_ref())?;
            if owner.is_none_or(|owner| owner.deleted_at.is_some()) {
                return Err(NO_USER);
            }
        }
        while !planned.is_empty() {
            let rest = planned.split_off(planned.len().min(CHUNK));
            for (position, error) in self.change_chunk(access, owner, planned, now).await? {
                results[position] = Err(error);
            }
            planned = rest;
        }
        Ok(results)
    }

    /// Makes these changes in one transaction. A transaction makes all its changes or none, so it is repeated without
    /// the changes whose conditions failed. Returns those.
    async fn change_chunk(
        &self,
        access: &Access,
        owner: UserId,
        mut left: Vec<Planned<'_>>,
        now: u64,
    ) -> Result<Vec<(usize, Error)>, Error> {
        let mut failed = Vec::new();
        while !left.is_empty() {
            let wanted = Changes {
                owner,
                count: left.len() as u64,
                now,
            };
            let refused = self.change(access, wanted, |first| {
                let numbered = (first..).zip(&left);
                numbered
                    .map(|(number, one)| self.action(owner, one, number, now))
                    .collect()
            });
            let Some(rows) = refused.await? else { break };
            let mut kept = Vec::new();
            for (one, row) in left.into_iter().zip(rows) {
                match row {
                    None => kept.push(one),
                    Some(_) if one.state.is_some() => failed.push((one.position, Error::Changed)),
                    row => failed.push((one.position, why_not_deleted(row))),
                }
            }
            left = kept;
        }
        Ok(failed)
    }

    fn action(
        &self,
        owner: UserId,
        one: &Planned<'_>,
        change_number: u64,
        now: u64,
    ) -> Result<aws_sdk_dynamodb::types::TransactWriteItem, Error> {
        let anime = one.change.anime;
        let id = StoryId::of(owner, anime);
        let expected = one.change.expected_states.as_deref();
        let Some(state) = one.state else {
            let row = tombstone(id, change_number, now);
            return exists_in_state(expected).put(&self.stories, row);
        };
        let condition = match expected {
            Some(_) => exists_in_state(expected),
            None => Condition::default(),
        };
        let condition = condition.value("creation_order", order(Story::order_at(now, anime)));
        let (condition, set) = set_state(condition, state, change_number, now);
        // The story may have been deleted before, and then has a tombstone.
        let update = format!(
            "{set}, creation_order = if_not_exists(creation_order, :creation_order) REMOVE deleted_at, expires_at"
        );
        condition.update(&self.stories, story_key(id), &update)
    }

    /// Returns the numbers of episodes of these anime, at most [`MAX_CHANGES`], as they are at this moment. Costs one
    /// read unit for every 4 KB of each anime.
    async fn episodes(
        &self,
        anime: impl Iterator<Item = AnimeId>,
    ) -> Result<HashMap<AnimeId, u32>, Error> {
        let keys: Vec<Item> = anime.map(anime_key).collect();
        let rows = batch_get(&self.client, &self.anime, keys, true).await?;
        rows.into_iter()
            .map(|row| read(row).map(|row: Episodes| (row.id, row.episodes_count)))
            .collect()
    }
}

/// Returns the state that a story gets if the anime has this number of episodes; `None` for an unknown anime.
fn within(state: Change, count: Option<u32>) -> Result<Change, Error> {
    let count = count.ok_or(NO_ANIME)?;
    let current_episode = match state.status {
        WatchStatus::Planning => 0,
        WatchStatus::Completed => count,
        _ if state.current_episode > count => return Err(too_far(count)),
        _ => state.current_episode,
    };
    Ok(Change {
        current_episode,
        ..state
    })
}
