//! Stories: the store of the table [`super::user_story`], and its reads. The writes are in `story_write.rs`.

use std::collections::{BTreeSet, HashMap};

use accounts::errors::NO_USER;
use accounts::users::UserStore;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue;
use catalogue::rows::EpisodeCounts;
use dynamo::{
    Database, Item, batch_get, get, number, peek, query, read, read_all, read_page, row_count,
    to_error, write,
};
use serde::Deserialize;
use shared::auth::Access;
use shared::clock::Clock;
use shared::models::{AnimeId, LinkedAccounts, ListVersion, StoryId, UserId, WatchStatus};
use shared::random::Random;
use shared::{Error, Result};

use super::story_list::{ListRow, ListedStory, NeededPart, StoryList, StoryLists, StoryPage, pack};
use super::user_story::{self, LISTED, LISTED_INDEX, Story, is_tombstone, key as story_key};

/// The attribute with a story's position in the user's list.
const CREATION_ORDER: &str = "creation_order";

/// The store of stories.
#[derive(Clone, Debug)]
pub struct StoryStore {
    pub(crate) client: Client,
    pub(crate) users: UserStore,
    pub(crate) stories: String,
    pub(crate) episodes: EpisodeCounts,
    pub(crate) clock: Clock,
    pub(crate) random: Random,
    pub(crate) lists: StoryLists,
}

/// A filter of a user's stories.
#[derive(Clone, Debug, Default)]
pub struct StoryFilter {
    /// Only the stories about these anime, at most 100.
    pub anime_ids: Option<BTreeSet<AnimeId>>,
    /// Only stories with this status.
    pub status: Option<WatchStatus>,
    /// With true, only the stories that are synced with every linked tracker; with false, only the other stories
    /// (docs/trackers.md, "The synced flag").
    pub synced: Option<bool>,
    /// The user's linked accounts. Only the filter `synced` needs them.
    pub linked: LinkedAccounts,
    /// True if [`ListedStory::synced`] of the stories is needed.
    pub with_sync_states: bool,
}

impl StoryFilter {
    /// Returns true if a page needs the whole list.
    fn needs_list(&self) -> bool {
        self.status.is_some() || self.synced.is_some()
    }

    fn passes(&self, story: &ListedStory) -> bool {
        let is_synced = || story.is_synced(self.linked);
        self.status
            .is_none_or(|wanted| wanted == story.state.status)
            && self
                .anime_ids
                .as_ref()
                .is_none_or(|wanted| wanted.contains(&story.anime_id))
            && self.synced.is_none_or(|wanted| wanted == is_synced())
    }
}

/// A story with progress beyond the catalogue's number of episodes, as the index `Listed` has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct StoryBeyond {
    /// The owner.
    pub user_id: UserId,
    /// The anime.
    pub anime_id: AnimeId,
    /// The number of the current episode.
    pub current_episode: u32,
    /// The number of watched episodes, which is greater than `current_episode`.
    pub watched_episodes: u32,
}

impl StoryStore {
    /// Creates the store of stories.
    pub fn new(database: &Database) -> Self {
        Self {
            users: UserStore::new(database),
            client: database.client.clone(),
            stories: database.tables.of(user_story::TABLE.name),
            episodes: EpisodeCounts::new(database),
            clock: database.clock.clone(),
            random: database.random.clone(),
            lists: database.cache::<StoryLists>(),
        }
    }

    /// Returns the number of stories. `DynamoDB` updates it every six hours, and the embedded engine at once. Deleted
    /// stories are counted until their rows are removed. Costs no request units.
    pub async fn count(&self) -> Result<u64> {
        row_count(&self.client, &self.stories).await
    }

    /// Returns the story with this identifier, by a strongly consistent read.
    pub async fn get(&self, id: StoryId) -> Result<Option<Story>> {
        let row = get(&self.client, &self.stories, story_key(id)).await?;
        read_present(row.unwrap_or_default())
    }

    /// Returns the story with this identifier, by an eventually consistent read, which costs half as much.
    pub async fn peek(&self, id: StoryId) -> Result<Option<Story>> {
        let row = peek(&self.client, &self.stories, story_key(id)).await?;
        read_present(row.unwrap_or_default())
    }

    /// Returns true if a page should be read by [`Self::list`], which needs the version of the list. Otherwise
    /// [`Self::list_rows`] returns the page, without the user's row. The first page in a process is cheaper than the
    /// list; later pages cost nothing if the list is in memory.
    pub fn reads_list(&self, user: UserId, filter: &StoryFilter) -> bool {
        filter.needs_list() || self.lists.knows(user)
    }

    /// Returns a page of the stories of a user that pass the filter, newest first, beginning after the position
    /// `after`. `version` was read from the user's row.
    pub async fn list(
        &self,
        user: UserId,
        version: &ListVersion,
        filter: StoryFilter,
        after: Option<u128>,
        per_page: usize,
    ) -> Result<StoryPage> {
        if filter.with_sync_states && !filter.needs_list() {
            // The rows have the sync states.
            let list_rows = self.list_rows(user, filter.anime_ids.as_ref(), after, per_page);
            return list_rows.await;
        }
        let is_linked = filter.linked.each().next().is_some();
        let needs = match filter.synced {
            Some(_) if is_linked => NeededPart::SyncStates,
            _ => NeededPart::Stories,
        };
        let list = self.find_list(user, version, needs).await?;
        let mut page = list.page(|story| filter.passes(story), after, per_page);
        if filter.with_sync_states && filter.synced.is_none() {
            let stories = page.rows.iter_mut().collect();
            self.read_sync_states(&list, version, stories).await?;
        }
        Ok(page)
    }

    /// Returns a page of a user's stories, or of those about these anime, at most 100, newest first, beginning after
    /// the position `after`. Without `anime_ids`, reads a secondary index, which can lag behind changes, because a page
    /// is cheaper than the whole list.
    pub async fn list_rows(
        &self,
        user: UserId,
        anime_ids: Option<&BTreeSet<AnimeId>>,
        after: Option<u128>,
        per_page: usize,
    ) -> Result<StoryPage> {
        if let Some(anime) = anime_ids {
            let anime: Vec<AnimeId> = anime.iter().copied().collect();
            let rows = self.find_many(user, &anime).await?;
            let stories = rows.iter().filter_map(|(_, story)| story.as_ref());
            let list = StoryList::new(user, stories.map(ListRow::from), None);
            return Ok(list.page(|_| true, after, per_page));
        }
        let query = query(&self.client, &self.stories, "user_id", number(user.get()));
        let mut query = query.index_name("ByCreation").scan_index_forward(false);
        if let Some(after) = after {
            query = query
                .key_condition_expression("user_id = :user_id AND creation_order < :after")
                .expression_attribute_values(":after", order_value(after));
        }
        let read = |row| Ok(ListedStory::from(&read_story(row)?));
        let all = None::<fn(&ListedStory) -> bool>;
        read_page(query, per_page, creation_order_of, read, all).await
    }

    /// Returns every story with progress beyond the catalogue's number of episodes. Scans a secondary index of all
    /// stories, which can lag behind changes. Costs half a read unit for every 4 KB, about 80 bytes for each story.
    pub async fn find_beyond(&self) -> Result<Vec<StoryBeyond>> {
        let scan = self.client.scan().table_name(&self.stories);
        let scan = scan
            .index_name(LISTED_INDEX)
            .filter_expression("attribute_exists(watched_episodes)");
        let (mut rows, mut stories) = (scan.into_paginator().items().send(), Vec::new());
        while let Some(row) = rows.next().await {
            stories.push(read(row.map_err(to_error)?)?);
        }
        Ok(stories)
    }

    /// Calls `visit` with every story of all users, until it returns false. Scans a secondary index, which can lag
    /// behind changes. Leaves out stories whose entry in the index was written by an earlier version of the service.
    /// Costs half a read unit for every 4 KB, about 80 bytes for each story without notes.
    pub async fn visit_all(&self, mut visit: impl FnMut(ListedStory) -> bool) -> Result<()> {
        let scan = self.client.scan().table_name(&self.stories);
        let scan = scan.index_name(LISTED_INDEX);
        let mut rows = scan.into_paginator().items().send();
        while let Some(row) = rows.next().await {
            let row = ListRow::of_index(row.map_err(to_error)?)?;
            if let ListRow::Story(story) = row
                && !visit(story)
            {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Returns the stories of a user about these anime, at most 100, by a strongly consistent read. The story is `None`
    /// if the user has none about the anime.
    pub async fn find_many(
        &self,
        user: UserId,
        anime: &[AnimeId],
    ) -> Result<Vec<(AnimeId, Option<Story>)>> {
        let keys = anime
            .iter()
            .map(|anime| story_key(StoryId::of(user, *anime)));
        let rows = batch_get(&self.client, &self.stories, keys.collect(), true).await?;
        let mut stories = HashMap::with_capacity(rows.len());
        for row in rows {
            if let Some(story) = read_present(row)? {
                stories.insert(story.anime_id, story);
            }
        }
        let pairs = anime.iter().map(|anime| (*anime, stories.remove(anime)));
        Ok(pairs.collect())
    }

    /// Returns all stories of a user, by a strongly consistent read. Costs one read unit for every 4 KB.
    pub async fn all_of(&self, user: UserId) -> Result<Vec<Story>> {
        let query = story_rows(&self.client, &self.stories, user);
        let query = query.filter_expression("attribute_not_exists(deleted_at)");
        read_all(query, read_story).await
    }

    /// Checks the caller's access, and that the owner exists, without a transaction. Remembers the version of the
    /// owner's list for the writes that follow ([`Self::remember_version`]).
    pub async fn check_access(&self, access: &Access, owner: UserId) -> Result<()> {
        let (caller, row) = self.users.caller_and(&access.credential, owner).await?;
        access.check_for(caller.as_ref(), row.as_ref())?;
        let row = row.filter(|row| row.deleted_at.is_none()).ok_or(NO_USER)?;
        self.remember_version(owner, &row.list);
        Ok(())
    }
}

/// Returns the strongly consistent query for all rows of a user, including the tombstones of deleted stories.
pub(crate) fn story_rows(client: &Client, table: &str, user: UserId) -> QueryFluentBuilder {
    query(client, table, "user_id", number(user.get())).consistent_read(true)
}

/// Returns the row of a story. This function adds `creation_order`, because it has more bits than the numbers that
/// `serde_dynamo` writes.
pub(crate) fn story_row(story: &Story) -> Result<Item> {
    let mut row = write(story)?;
    row.insert(LISTED.to_owned(), pack(story)?);
    row.insert(CREATION_ORDER.to_owned(), order_value(story.creation_order));
    Ok(row)
}

/// Reads the row of a story: the inverse of [`story_row`].
pub(crate) fn read_story(mut row: Item) -> Result<Story> {
    let creation_order = creation_order_of(&row)
        .ok_or_else(|| Error::internal("a row of UserStory has no creation_order"))?;
    // Because of the flattened field, serde also parses attributes that belong to no field, and this number can be too
    // large for serde.
    row.remove(CREATION_ORDER);
    row.remove(LISTED);
    let story: Story = read(row)?;
    Ok(Story {
        creation_order,
        ..story
    })
}

/// Reads the row of a story; `None` if the row is empty or a tombstone.
pub(crate) fn read_present(row: Item) -> Result<Option<Story>> {
    let row = Some(row).filter(|row| !row.is_empty() && !is_tombstone(row));
    row.map(read_story).transpose()
}

/// Returns the position of a row in the list, given the row or its keys.
fn creation_order_of(row: &Item) -> Option<u128> {
    row.get(CREATION_ORDER)?.as_n().ok()?.parse().ok()
}

pub(crate) fn order_value(creation_order: u128) -> AttributeValue {
    AttributeValue::N(creation_order.to_string())
}
