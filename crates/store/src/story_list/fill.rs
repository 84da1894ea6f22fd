//! Fills what rows of version 0.1.0 lack: the attribute `listed` of stories, and the digests of lists. Without them,
//! lists are read from the table, and cost more.

use futures_util::{StreamExt, TryStreamExt, stream};
use serde::Deserialize;
use shared::Error;
use shared::models::{ListVersion, StoryId, UserId};
use tokio::time::{Duration, Instant, sleep_until};

use super::cache::UserSlot;
use super::listed::{FORMAT, ListRow, pack};
use crate::batch::batch_get;
use crate::catalogue::MAX_BATCH_READ;
use crate::database::Database;
use crate::errors::to_error;
use crate::get::get;
use crate::item::{Item, number, read};
use crate::schema::catalog_snapshot;
use crate::schema::user_story::{LISTED, LISTED_INDEX, is_tombstone, key};
use crate::stories::{StoryStore, is_unchanged, read_story};
use crate::story_feed::SETTLED_MS;
use crate::transaction::{TargetRow, update_row};

/// The number of writes at the same time.
const WRITES_AT_ONCE: usize = 8;

/// The attribute of the row of [`ListFiller::mark_filled`].
const FILLED_FORMAT: &str = "format";

/// The rows that [`ListFiller::fill`] has written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilledLists {
    /// The number of stories that got the attribute `listed`.
    pub stories: u64,
    /// The number of users whose lists got digests.
    pub lists: u64,
}

/// Fills what rows of an earlier version lack.
#[derive(Clone, Debug)]
pub struct ListFiller {
    stories: StoryStore,
    snapshots: String,
}

impl Database {
    /// Returns the filler of lists.
    #[must_use]
    pub fn list_filler(&self) -> ListFiller {
        ListFiller {
            stories: self.stories(),
            snapshots: self.tables.of(catalog_snapshot::TABLE.name),
        }
    }
}

impl ListFiller {
    /// Returns true if [`Self::fill`] has filled all rows.
    pub async fn is_done(&self) -> Result<bool, Error> {
        let row = get(&self.stories.client, &self.snapshots, marker_key()).await?;
        let format = row.and_then(|row| row.get(FILLED_FORMAT).cloned());
        Ok(format == Some(number(FORMAT.into())))
    }

    /// Fills all rows. It can be repeated, and run while the service works. Reads the index `Listed` and the table
    /// User. With `checks_all`, reads the rows of all users and also replaces wrong digests, which only a restore of
    /// single tables can leave.
    pub async fn fill(&self, checks_all: bool) -> Result<FilledLists, Error> {
        let users = self.find_users(checks_all).await?;
        let seen_at = Instant::now();
        let stories = self.fill_stories().await?;
        if !users.is_empty() {
            // Changes that were made until then are visible afterwards.
            sleep_until(seen_at + Duration::from_millis(SETTLED_MS)).await;
        }
        let lists = stream::iter(users.into_iter().map(|user| self.fill_list(user)));
        let lists = lists.buffer_unordered(WRITES_AT_ONCE);
        let lists = lists.try_fold(0, async |sum, filled| Ok(sum + u64::from(filled)));
        let lists = lists.await?;
        self.mark_filled().await?;
        Ok(FilledLists { stories, lists })
    }

    async fn mark_filled(&self) -> Result<(), Error> {
        let mut row = marker_key();
        row.insert(FILLED_FORMAT.to_owned(), number(FORMAT.into()));
        let request = self.stories.client.put_item();
        let request = request.table_name(&self.snapshots).set_item(Some(row));
        request.send().await.map_err(to_error)?;
        Ok(())
    }

    /// Returns the users whose lists have no valid digest, or all users.
    async fn find_users(&self, all: bool) -> Result<Vec<UserVersion>, Error> {
        let scan = self.stories.client.scan();
        let scan = scan
            .table_name(&self.stories.user_table)
            .filter_expression("attribute_not_exists(deleted_at)")
            .projection_expression(
                "id, last_change_number, digest_number, story_digest, deletion_digest",
            )
            .consistent_read(true);
        let mut found = Vec::new();
        let mut rows = scan.into_paginator().items().send();
        while let Some(row) = rows.next().await {
            let user: UserVersion = read(row.map_err(to_error)?)?;
            if all || user.list.deletions().is_none() {
                found.push(user);
            }
        }
        Ok(found)
    }

    /// Fills the digests of a list, unless it has changed since `user` was read. Then the next read of the list does.
    /// Returns true if they were filled.
    async fn fill_list(&self, user: UserVersion) -> Result<bool, Error> {
        let slot = UserSlot::default();
        slot.remember(&user.list, 0);
        let read = self.stories.read_table(user.id, &slot).await;
        skip_unreadable(read.map(|read| read.is_repaired))
    }

    /// Fills the attribute `listed` of the stories that lack it. Returns their number.
    async fn fill_stories(&self) -> Result<u64, Error> {
        let scan = self.stories.client.scan();
        let scan = scan.table_name(&self.stories.stories);
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

    async fn fill_these(&self, ids: Vec<StoryId>) -> Result<u64, Error> {
        let StoryStore {
            client, stories, ..
        } = &self.stories;
        let keys = ids.into_iter().map(key).collect();
        let rows = batch_get(client, stories, keys, true).await?;
        let written = rows
            .into_iter()
            .map(async |row| skip_unreadable(self.fill_story(row).await));
        let written = stream::iter(written);
        let written = written.buffer_unordered(WRITES_AT_ONCE);
        let sum = written.try_fold(0, async |sum, filled| Ok(sum + u64::from(filled)));
        sum.await
    }

    async fn fill_story(&self, row: Item) -> Result<bool, Error> {
        // The index can lag behind.
        if is_tombstone(&row) || matches!(ListRow::of_index(row.clone())?, ListRow::Story(_)) {
            return Ok(false);
        }
        let story = read_story(row)?;
        let unchanged = is_unchanged(story.version, story.change_number);
        let unchanged = unchanged.name(LISTED).value(LISTED, pack(&story)?);
        let target = TargetRow {
            client: &self.stories.client,
            table: &self.stories.stories,
            key: key(story.id()),
        };
        let update = format!("SET #{LISTED} = :{LISTED}");
        let written = update_row(target, unchanged, &update, &self.stories.random).await?;
        Ok(written.is_written())
    }
}

/// Skips what cannot be read or written, so that the lists of other users are filled nevertheless.
fn skip_unreadable(filled: Result<bool, Error>) -> Result<bool, Error> {
    match filled {
        Err(error @ Error::Internal(_)) => {
            tracing::warn!(%error, "a list of an earlier version is not upgraded");
            Ok(false)
        }
        filled => filled,
    }
}

/// A user, and the version of the user's list.
#[derive(Deserialize)]
struct UserVersion {
    id: UserId,
    #[serde(flatten)]
    list: ListVersion,
}

/// The owner of a row in the index.
#[derive(Deserialize)]
struct Owner {
    user_id: UserId,
}

fn marker_key() -> Item {
    catalog_snapshot::key("lists", 0)
}
