//! Fills what rows of version 0.1.0 lack: the attribute `listed` of stories, and the digests of lists. Without them,
//! lists are read from the table, and cost more.

use accounts::users::UserListVersion;
use dynamo::{Item, MAX_BATCH_READ, TargetRow, batch_get, read, to_error, update_row};
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::Deserialize;
use shared::models::{StoryId, UserId};
use shared::{Error, Result};
use tokio::time::{Duration, Instant, sleep_until};

use super::cache::ListMemory;
use super::listed::{ListRow, pack};
use crate::lists::story_conditions::is_unchanged;
use crate::lists::story_feed::SETTLED_MS;
use crate::lists::story_store::{StoryStore, read_story};
use crate::lists::user_story::{LISTED, LISTED_INDEX, is_tombstone, key};

/// The number of writes at the same time.
const WRITES_AT_ONCE: usize = 8;

/// The rows that [`StoryStore::fill_lists`] has written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilledLists {
    /// The number of stories that got the attribute `listed`.
    pub stories: u64,
    /// The number of users whose lists got digests.
    pub lists: u64,
}

impl StoryStore {
    /// Fills all rows. It can be repeated, and run while the service works. Reads the index `Listed` and the table
    /// User. With `checks_all`, reads the rows of all users and also replaces wrong digests, which only a restore of
    /// single tables can leave.
    pub async fn fill_lists(&self, checks_all: bool) -> Result<FilledLists> {
        let mut users = self.users.list_versions().await?;
        users.retain(|user| checks_all || user.list.deletions().is_none());
        let seen_at = Instant::now();
        let stories = self.fill_stories().await?;
        if !users.is_empty() {
            // After the pause, all changes that were made before it are visible.
            sleep_until(seen_at + Duration::from_millis(SETTLED_MS)).await;
        }
        let fills = stream::iter(users.into_iter().map(|user| self.fill_list(user)));
        let fills = fills.buffer_unordered(WRITES_AT_ONCE);
        let sum = fills.try_fold(0, async |sum, filled| Ok(sum + u64::from(filled)));
        let lists = sum.await?;
        Ok(FilledLists { stories, lists })
    }

    /// Fills the digests of a list. If the list has changed since `user` was read, the next read of the list fills them
    /// instead. Returns true if they were filled.
    async fn fill_list(&self, user: UserListVersion) -> Result<bool> {
        let memory = ListMemory::default();
        memory.remember(&user.list, 0);
        let read = self.read_table(user.id, &memory).await;
        skip_unreadable(read.map(|read| read.is_repaired))
    }

    /// Fills the attribute `listed` of the stories that lack it. Returns their number.
    async fn fill_stories(&self) -> Result<u64> {
        let scan = self.client.scan();
        let scan = scan.table_name(&self.stories);
        let mut rows = scan
            .index_name(LISTED_INDEX)
            .into_paginator()
            .items()
            .send();
        let (mut filled, mut waiting) = (0, Vec::new());
        while let Some(row) = rows.next().await {
            let row = row.map_err(to_error)?;
            let Owner { user_id } = read(row.clone())?;
            if let ListRow::Unreadable(anime) = ListRow::of_index(row)? {
                waiting.push(StoryId::of(user_id, anime));
            }
            if waiting.len() == MAX_BATCH_READ {
                filled += self.fill_these(std::mem::take(&mut waiting)).await?;
            }
        }
        Ok(filled + self.fill_these(waiting).await?)
    }

    async fn fill_these(&self, ids: Vec<StoryId>) -> Result<u64> {
        let keys = ids.into_iter().map(key).collect();
        let rows = batch_get(&self.client, &self.stories, keys, true).await?;
        let fills = rows
            .into_iter()
            .map(async |row| skip_unreadable(self.fill_story(row).await));
        let fills = stream::iter(fills).buffer_unordered(WRITES_AT_ONCE);
        let sum = fills.try_fold(0, async |sum, filled| Ok(sum + u64::from(filled)));
        sum.await
    }

    async fn fill_story(&self, row: Item) -> Result<bool> {
        // The index can lag behind.
        if is_tombstone(&row) || matches!(ListRow::of_index(row.clone())?, ListRow::Story(_)) {
            return Ok(false);
        }
        let story = read_story(row)?;
        let unchanged = is_unchanged(story.version, story.change_number);
        let unchanged = unchanged.name(LISTED).value(LISTED, pack(&story)?);
        let target = TargetRow(&self.client, &self.stories, key(story.id()));
        let update = format!("SET #{LISTED} = :{LISTED}");
        let written = update_row(target, unchanged, &update, &self.random).await?;
        Ok(written.is_written())
    }
}

/// Skips what cannot be read or written, so that the lists of other users are still filled.
fn skip_unreadable(filled: Result<bool>) -> Result<bool> {
    match filled {
        Err(error @ Error::Internal(_)) => {
            tracing::warn!(%error, "a list of an earlier version is not upgraded");
            Ok(false)
        }
        filled => filled,
    }
}

/// The owner of a row in the index.
#[derive(Deserialize)]
struct Owner {
    user_id: UserId,
}
