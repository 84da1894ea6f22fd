//! Stories: the store of the table [`crate::schema::user_story`]. Each write is one transaction, which also
//! checks the rows of the caller and of the anime (docs/data-model.md, "Transactions").

use std::collections::{BTreeSet, HashMap};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem};
use serde::Deserialize;
use shared::Error;
use shared::auth::Access;
use shared::clock::Clock;
use shared::models::{
    AnimeId, LinkedAccounts, ListVersion, Origin, StoryChange, StoryId, StoryState, TimeZone,
    UserId, WatchStatus,
};
use shared::random::Random;

use crate::batch::batch_get;
use crate::database::Database;
use crate::errors::{self, NO_ANIME, NO_STORY, NO_USER, to_error};
use crate::get::get;
use crate::item::{Item, number, read, write};
use crate::listing::read_all;
use crate::schema::user::key as user_key;
use crate::schema::user_story::{
    LISTED, LISTED_INDEX, Story, change_number_at, change_numbers_within, changeable_attributes,
    is_tombstone, key as story_key, tombstone,
};
use crate::story_list::{
    ListRow, ListWrite, ListedStory, StoryAction, StoryList, StoryLists, StoryPage, pack,
};
use crate::transaction::{Condition, Outcome, WriteAttempts, try_transact};
use crate::users::{UserStore, check_caller};
use crate::{listing, schema};

/// The time by which a change of a story sets the user's `sync_due_at` into the past, in milliseconds: 24 hours. A run
/// first handles the users who have been due for the longest time. So users with changed stories come before users
/// who are due by schedule (docs/trackers.md, "Schedule").
const DUE_AHEAD_MS: u64 = 24 * 60 * 60 * 1000;

/// The attribute with a story's position in the user's list.
const CREATION_ORDER: &str = "creation_order";

/// The store of stories.
#[derive(Clone, Debug)]
pub struct StoryStore {
    pub(super) client: Client,
    pub(super) users: UserStore,
    pub(super) stories: String,
    pub(super) user_table: String,
    pub(super) anime: String,
    pub(super) clock: Clock,
    pub(super) random: Random,
    pub(super) lists: StoryLists,
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
    /// The number of watched episodes, which is greater.
    pub watched_episodes: u32,
}

/// The attribute of an anime's row that limits the episodes of a story.
#[derive(Deserialize)]
struct Episodes {
    episodes_count: u32,
}

impl Database {
    /// Returns the store of stories.
    #[must_use]
    pub fn stories(&self) -> StoryStore {
        StoryStore {
            users: self.users(),
            client: self.client.clone(),
            stories: self.tables.of(schema::user_story::TABLE.name),
            user_table: self.tables.of(schema::user::TABLE.name),
            anime: self.tables.of(schema::anime::TABLE.name),
            clock: self.clock.clone(),
            random: self.random.clone(),
            lists: self.lists.clone(),
        }
    }
}

impl StoryStore {
    /// Returns the story with this identifier, by a strongly consistent read.
    pub async fn get(&self, id: StoryId) -> Result<Option<Story>, Error> {
        let row = get(&self.client, &self.stories, story_key(id)).await?;
        read_present(row.unwrap_or_default())
    }

    /// Returns the story with this identifier, by an eventually consistent read, which costs half as much.
    pub async fn peek(&self, id: StoryId) -> Result<Option<Story>, Error> {
        let request = self.client.get_item().table_name(&self.stories);
        let request = request.set_key(Some(story_key(id)));
        let answer = request.send().await.map_err(to_error)?;
        read_present(answer.item.unwrap_or_default())
    }

    /// Returns true if [`Self::list`] reads the page: the filter needs the whole list, or the list is in memory. Then
    /// the user's row must be read first, for the version. Otherwise [`Self::list_rows`] can read the page at the same
    /// time as the row.
    #[must_use]
    pub fn reads_list(&self, user: UserId, filter: &StoryFilter) -> bool {
        filter.needs_list() || self.lists.has_list(user)
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
    ) -> Result<StoryPage, Error> {
        if filter.with_sync_states && !filter.needs_list() {
            // The rows have the sync states.
            return self
                .list_rows(user, filter.anime_ids.as_ref(), after, per_page)
                .await;
        }
        let is_linked = filter.linked.each().next().is_some();
        let list = match filter.synced {
            Some(_) if is_linked => self.current_list_with_sync_states(user, version).await?,
            _ => self.current_list(user, version).await?,
        };
        let mut page = list.page(|story| filter.passes(story), after, per_page);
        if filter.with_sync_states && filter.synced.is_none() {
            let stories = page.stories.iter_mut().collect();
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
    ) -> Result<StoryPage, Error> {
        if let Some(anime) = anime_ids {
            let anime: Vec<AnimeId> = anime.iter().copied().collect();
            let found = self.find_many(user, &anime).await?;
            let stories = found.iter().filter_map(|(_, story)| story.as_ref());
            let list = StoryList::new(user, stories.map(ListRow::from), None);
            return Ok(list.page(|_| true, after, per_page));
        }
        let mut key = "user_id = :user_id";
        let mut query = self
            .client
            .query()
            .table_name(&self.stories)
            .index_name("ByCreation")
            .scan_index_forward(false)
            .expression_attribute_values(":user_id", number(user.get()));
        if let Some(after) = after {
            key = "user_id = :user_id AND creation_order < :after";
            query = query.expression_attribute_values(":after", order_value(after));
        }
        let query = query.key_condition_expression(key);
        let read = |row| Ok(ListedStory::from(&read_story(row)?));
        let all = None::<fn(&ListedStory) -> bool>;
        let listed = listing::read_page(query, per_page, creation_order_of, read, all).await?;
        Ok(StoryPage {
            stories: listed.rows,
            next: listed.next,
        })
    }

    /// Creates a story with the contents of `change`. `now` is in milliseconds since the Unix epoch. Of several
    /// concurrent calls for the same user and anime, only one succeeds. The story ignores the episode in `change` if
    /// the status is PLANNING (then the episode is 0) or COMPLETED (then it is the anime's number of episodes).
    /// Progress that `change` states is kept beyond the anime's number of episodes, except with PLANNING.
    ///
    /// # Errors
    /// [`Error::Conflict`] if the user has a story about the anime already, [`Error::NotFound`] if the anime
    /// or the user does not exist, [`Error::Invalid`] if `current_episode` is greater than the anime's number
    /// of episodes, and `change` states no progress.
    pub async fn create(
        &self,
        access: &Access,
        id: StoryId,
        change: &StoryChange,
        now: u64,
    ) -> Result<Story, Error> {
        // A completed story is at the anime's last episode. The number of episodes is read first and is a condition of
        // the write. If the number has changed in between, the write is repeated with the new number.
        let mut all_episodes = match change.status {
            WatchStatus::Completed => match self.episodes_count(id.anime()).await? {
                Some(count) => Some(count),
                None => return self.check_then_fail(access, id.user(), NO_ANIME).await,
            },
            _ => None,
        };
        let (mut writes, mut attempts) = (Writes::of(id, now), WriteAttempts::new(&self.random));
        let mut change = change.clone();
        loop {
            let bound = match (change.status, all_episodes) {
                (WatchStatus::Planning, _) => {
                    (change.current_episode, change.watched_episodes) = (0, None);
                    at_least(0)
                }
                (_, Some(count)) => {
                    change.current_episode = count;
                    exactly(count)
                }
                (_, None) => at_least(change.current_episode),
            };
            let state = self.changed_state(id.user(), &change, None, now).await?;
            let mut story = Story::new(id, state, origin_of_change(access, id.user()), now);
            let check = bound.check(&self.anime, anime_key(id.anime()))?;
            let refused = self.try_changes(Some(access), &mut writes, &mut attempts, |number| {
                story.change_number = number;
                Ok((vec![check.clone()], vec![self.create_action(&story)?]))
            });
            let Some(rows) = refused.await? else {
                return Ok(story);
            };
            // The first row is the anime's, the second the story's.
            let mut rows = rows.into_iter();
            match rows.next().flatten().map(read_episodes_count).transpose()? {
                Some(None) => return Err(NO_ANIME),
                Some(count) if all_episodes.is_some() => all_episodes = count,
                Some(Some(count)) => change = limit_to(change, count)?,
                None => return Err(errors::story_exists(id)),
            }
        }
    }

    /// Changes a story, and returns it. With `expected_tags`, changes it only if its present state has one of these
    /// tags ([`StoryState::has_tag`]); an empty list allows any state. `now` is in milliseconds since the Unix epoch.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the story does not exist, [`Error::Changed`] if it has none of the expected
    /// tags, [`Error::Invalid`] if `current_episode` is greater than the anime's number of episodes, and `change`
    /// states no progress.
    pub async fn update(
        &self,
        access: &Access,
        id: StoryId,
        change: &StoryChange,
        expected_tags: Option<&[String]>,
        now: u64,
    ) -> Result<Story, Error> {
        match self.get(id).await? {
            Some(read) => {
                let updated = self.update_read(access, read, change, expected_tags, now);
                Box::pin(updated).await
            }
            None => self.check_then_fail(access, id.user(), NO_STORY).await,
        }
    }

    /// Does the same as [`Self::update`], given the story as it was read before. If it has changed since, the write
    /// notices it and starts again with the present story.
    pub async fn update_read(
        &self,
        access: &Access,
        read: Story,
        change: &StoryChange,
        expected_tags: Option<&[String]>,
        now: u64,
    ) -> Result<Story, Error> {
        let id = read.id();
        let (mut present, mut change) = (Some(read), change.clone());
        let (mut writes, mut attempts) = (Writes::of(id, now), WriteAttempts::new(&self.random));
        loop {
            let before = match check_expected(present.as_ref(), expected_tags) {
                Ok(story) => story,
                Err(error) => return self.check_then_fail(access, id.user(), error).await,
            };
            let state = self.changed_state(id.user(), &change, Some(&before.state), now);
            let state = state.await?;
            let check =
                at_least(state.current_episode).check(&self.anime, anime_key(id.anime()))?;
            let mut story = before
                .clone()
                .changed(state, origin_of_change(access, id.user()), now);
            let refused = self.try_changes(Some(access), &mut writes, &mut attempts, |number| {
                story.change_number = number;
                let replace = self.replace_action(before, &story)?;
                Ok((vec![check.clone()], vec![replace]))
            });
            let Some(rows) = refused.await? else {
                return Ok(story);
            };
            let mut rows = rows.into_iter();
            let anime = rows.next().flatten().map(read_episodes_count).transpose()?;
            present = match rows.next().flatten() {
                Some(row) => read_present(row)?,
                None => present,
            };
            // If the story does not exist, errors about the anime do not matter.
            match anime {
                Some(_) if present.is_none() => return Err(NO_STORY),
                Some(None) => return Err(NO_ANIME),
                Some(Some(count)) => change = limit_to(change, count)?,
                None => {}
            }
        }
    }

    /// Deletes a story. With `expected_tags`, deletes it only if its present state has one of these tags
    /// ([`StoryState::has_tag`]); an empty list allows any state. `now` is in milliseconds since the Unix epoch.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the story does not exist, [`Error::Changed`] if it has none of the expected
    /// tags.
    pub async fn delete(
        &self,
        access: &Access,
        id: StoryId,
        expected_tags: Option<&[String]>,
        now: u64,
    ) -> Result<(), Error> {
        match self.get(id).await? {
            Some(read) => Box::pin(self.delete_read(access, read, expected_tags, now)).await,
            None => self.check_then_fail(access, id.user(), NO_STORY).await,
        }
    }

    /// Does the same as [`Self::delete`], given the story as it was read before. If it has changed since, the write
    /// notices it and starts again with the present story.
    pub async fn delete_read(
        &self,
        access: &Access,
        read: Story,
        expected_tags: Option<&[String]>,
        now: u64,
    ) -> Result<(), Error> {
        let id = read.id();
        let (mut writes, mut attempts) = (Writes::of(id, now), WriteAttempts::new(&self.random));
        let mut present = Some(read);
        loop {
            let story = match check_expected(present.as_ref(), expected_tags) {
                Ok(story) => story,
                Err(error) => return self.check_then_fail(access, id.user(), error).await,
            };
            let refused = self.try_changes(Some(access), &mut writes, &mut attempts, |number| {
                let row = tombstone(id, number, now);
                Ok((vec![], vec![self.delete_action(story, row)?]))
            });
            let Some(rows) = refused.await? else {
                return Ok(());
            };
            present = match rows.into_iter().next().flatten() {
                Some(row) => read_present(row)?,
                None => present,
            };
        }
    }

    /// Returns the time zone of a user's days ([`UserStore::time_zone`]).
    pub async fn time_zone(&self, owner: UserId) -> Result<TimeZone, Error> {
        self.users.time_zone(owner).await
    }

    /// Returns the state of a story after a change at `now`, in milliseconds since the Unix epoch. Reads the owner's
    /// time zone only if the change sets a date.
    async fn changed_state(
        &self,
        owner: UserId,
        change: &StoryChange,
        before: Option<&StoryState>,
        now: u64,
    ) -> Result<StoryState, Error> {
        let zone = if change.sets_date(before) {
            self.time_zone(owner).await?
        } else {
            TimeZone::UTC
        };
        Ok(change.apply(before, zone.day_of(now)))
    }

    /// Returns the action that creates a story.
    pub(super) fn create_action(&self, story: &Story) -> Result<StoryAction, Error> {
        Ok(StoryAction {
            action: story_is_absent().put(&self.stories, story_row(story)?)?,
            anime: story.anime_id,
            before: None,
            after: Some(story.into()),
        })
    }

    /// Returns the action that puts a tombstone in the place of a story, if the stored story still has the same
    /// version.
    pub(super) fn delete_action(
        &self,
        story: &Story,
        tombstone: Item,
    ) -> Result<StoryAction, Error> {
        Ok(StoryAction {
            action: is_unchanged(story.version, story.change_number)
                .put(&self.stories, tombstone)?,
            anime: story.anime_id,
            before: Some(story.change_number),
            after: None,
        })
    }

    /// Returns the action that replaces the story `before` by its next version `after`, if the stored story still has
    /// the version of `before`. The action writes the attributes that differ, but not the sync states, because these
    /// can change while the version stays the same.
    pub(super) fn replace_action(
        &self,
        before: &Story,
        after: &Story,
    ) -> Result<StoryAction, Error> {
        let (old, mut new) = (story_row(before)?, story_row(after)?);
        let mut condition = is_unchanged(before.version, before.change_number);
        let (mut sets, mut removes) = (Vec::new(), Vec::new());
        for name in changeable_attributes() {
            let value = new.remove(name);
            if old.get(name) == value.as_ref() {
                continue;
            }
            condition = condition.name(name);
            match value {
                Some(value) => {
                    condition = condition.value(name, value);
                    sets.push(format!("#{name} = :{name}"));
                }
                None => removes.push(format!("#{name}")),
            }
        }
        let mut update = format!("SET {}", sets.join(", "));
        if !removes.is_empty() {
            update = format!("{update} REMOVE {}", removes.join(", "));
        }
        Ok(StoryAction {
            action: condition.update(&self.stories, story_key(after.id()), &update)?,
            anime: after.anime_id,
            before: Some(before.change_number),
            after: Some(after.into()),
        })
    }

    /// Writes stories of a user in one transaction, which also checks the caller's and the owner's row. Without
    /// `access`, the service itself makes the changes. `actions` returns checks of other rows and the actions on the
    /// stories, given the number of the first change; the other changes have the numbers after it.
    ///
    /// Returns `None` if the changes were made. If a condition of one of these actions failed, no change was made.
    /// Then returns the rows of [`Outcome::Refused`], but only for these actions.
    pub(super) async fn try_changes(
        &self,
        access: Option<&Access>,
        writes: &mut Writes,
        attempts: &mut WriteAttempts<'_>,
        mut actions: impl FnMut(u64) -> Result<(Vec<TransactWriteItem>, Vec<StoryAction>), Error>,
    ) -> Result<Option<Vec<Option<Item>>>, Error> {
        // One slot for all attempts, because each tells the next one about the owner's row.
        let slot = self.lists.slot(writes.owner);
        loop {
            // The number grows with the pause. So of several waiting writers, the first to continue has the lowest
            // number, and its write does not take the numbers that the others use.
            writes.first_number += change_numbers_within(attempts.next().await?);
            writes.first_number = not_before_now(writes.first_number, &self.clock);
            let (checks, stories) = actions(writes.first_number)?;
            let list = ListWrite::new(&slot, writes.first_number, &stories);
            let mut all = self.user_actions(access, *writes, &list).await?;
            all.extend(checks);
            all.extend(stories.iter().map(|story| story.action.clone()));
            let rows = match try_transact(&self.client, all).await? {
                None => continue,
                Some(Outcome::Written) => {
                    writes.first_number += stories.len() as u64;
                    list.remember(&self.lists, writes.owner, stories);
                    return Ok(None);
                }
                Some(Outcome::Refused(rows)) => rows,
            };
            // The action on the owner's row comes first. But if the caller is a moderator, the actions on the
            // moderator's row and profile token come before it.
            let owners_action = access
                .filter(|access| access.credential.user_id != writes.owner)
                .map_or(0, |access| 1 + usize::from(access.credential.has_grant()));
            if let Some(row) = rows.get(owners_action).and_then(Option::as_ref) {
                let present = slot.remember_row(row, self.clock.now_ms())?;
                // If the caller also lacks access, the next attempt fails for that reason.
                if let Some(last) = list.number_in_use(&present) {
                    writes.first_number = last + 1;
                    continue;
                }
                if list.expects_wrong_digest(&slot, &present) {
                    continue;
                }
            }
            let mut rows = rows.into_iter();
            check_users(access, writes.owner, &mut rows)?;
            return Ok(Some(rows.collect()));
        }
    }

    /// Returns the first actions of every write, on the caller's row and, for a moderator, on the owner's
    /// row. They check the rows, take the numbers of the changes, and make the owner due for synchronization.
    /// Without a linked tracker, the new due time has no effect, because the owner's row is not in the index SyncDue.
    async fn user_actions(
        &self,
        access: Option<&Access>,
        writes: Writes,
        list: &ListWrite,
    ) -> Result<Vec<TransactWriteItem>, Error> {
        let update = list.update(&["sync_due_at = :sync_due_at"]);
        let due_at = number(writes.now.saturating_sub(DUE_AHEAD_MS));
        let free = list.condition().value("sync_due_at", due_at);
        let owner = writes.owner;
        let Some(access) = access else {
            let free = Condition::user_exists().and(free);
            return Ok(vec![free.update(
                &self.user_table,
                user_key(owner),
                &update,
            )?]);
        };
        if owner == access.credential.user_id {
            let free = Condition::user_exists().and(free);
            return self.users.caller_actions(access, free, &update).await;
        }
        let (caller, owners) = self.users.conditions_to_act_on(access, owner).await?;
        let caller_key = user_key(access.credential.user_id);
        let mut actions = vec![caller.check(&self.user_table, caller_key)?];
        actions.extend(self.users.grant_check(access)?);
        let owners = owners.and(free);
        actions.push(owners.update(&self.user_table, user_key(owner), &update)?);
        Ok(actions)
    }

    /// Checks the caller's access and the owner, and returns `error` if both checks succeed. Called when a read has
    /// found an error before any transaction has checked the caller: an error of these checks comes first.
    pub(super) async fn check_then_fail<T>(
        &self,
        access: &Access,
        owner: UserId,
        error: Error,
    ) -> Result<T, Error> {
        self.check_access(access, owner).await?;
        Err(error)
    }

    /// Calls `each` for every story with progress beyond the catalogue's number of episodes. Scans a secondary index of
    /// all stories, which can lag behind changes. Costs half a read unit for every 4 KB, about 80 bytes for each story.
    pub async fn each_beyond(&self, mut each: impl FnMut(StoryBeyond)) -> Result<(), Error> {
        let scan = self.client.scan().table_name(&self.stories);
        let scan = scan
            .index_name(LISTED_INDEX)
            .filter_expression("attribute_exists(watched_episodes)");
        let mut rows = scan.into_paginator().items().send();
        while let Some(row) = rows.next().await {
            each(read(row.map_err(to_error)?)?);
        }
        Ok(())
    }

    /// Returns the stories of a user about these anime, at most 100, by a strongly consistent read. The story is `None`
    /// if there is none about the anime.
    pub async fn find_many(
        &self,
        user: UserId,
        anime: &[AnimeId],
    ) -> Result<Vec<(AnimeId, Option<Story>)>, Error> {
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
        let found = anime.iter().map(|anime| (*anime, stories.remove(anime)));
        Ok(found.collect())
    }

    /// Returns all stories of a user, by a strongly consistent read. Costs one read unit for every 4 KB.
    pub async fn all_of(&self, user: UserId) -> Result<Vec<Story>, Error> {
        all_stories(&self.client, &self.stories, user).await
    }

    /// Checks the caller's access, and that the owner exists, without a transaction. Remembers the version of the
    /// owner's list for the writes that follow ([`Self::remember_version`]).
    pub async fn check_access(&self, access: &Access, owner: UserId) -> Result<(), Error> {
        let (caller, row) = self.users.caller_and(&access.credential, owner).await?;
        access.check_for(caller.as_ref(), row.as_ref())?;
        let row = row.filter(|row| row.deleted_at.is_none()).ok_or(NO_USER)?;
        self.remember_version(owner, &row.list);
        Ok(())
    }

    async fn episodes_count(&self, anime: AnimeId) -> Result<Option<u32>, Error> {
        let request = self.client.get_item().table_name(&self.anime);
        let request = request.set_key(Some(anime_key(anime)));
        let request = request.projection_expression("episodes_count");
        read_episodes_count(
            request
                .send()
                .await
                .map_err(to_error)?
                .item
                .unwrap_or_default(),
        )
    }
}

/// The writes of a user's stories in one transaction.
#[derive(Clone, Copy)]
pub(super) struct Writes {
    /// The owner of the stories.
    pub owner: UserId,
    /// The time of the changes, in milliseconds since the Unix epoch.
    pub now: u64,
    /// The number of the first change, at least that of the present ([`not_before_now`]). It increases before every
    /// retry. After the transaction it increases by the number of stories, so that another transaction of the same
    /// request can follow.
    pub first_number: u64,
}

impl Writes {
    /// Returns the writes of a transaction on the stories of `owner`, with no story yet.
    pub(super) fn new(owner: UserId, now: u64) -> Self {
        Self {
            owner,
            now,
            first_number: 0,
        }
    }

    /// Returns the write of this story.
    fn of(id: StoryId, now: u64) -> Self {
        Self::new(id.user(), now)
    }
}

/// Returns a change number that is not lower than the number of the present.
///
/// A long import or synchronization makes many transactions. If its changes were numbered by the time of its beginning,
/// readers of the change feed would take a change to be settled when it is written, and could miss it.
pub(super) fn not_before_now(change_number: u64, clock: &Clock) -> u64 {
    change_number.max(change_number_at(clock.now_ms()))
}

/// Returns all stories of a user, by a strongly consistent read. Costs one read unit for every 4 KB. `table` is
/// `UserStory`.
pub(super) async fn all_stories(
    client: &Client,
    table: &str,
    user: UserId,
) -> Result<Vec<Story>, Error> {
    let query = story_rows(client, table, user);
    let query = query.filter_expression("attribute_not_exists(deleted_at)");
    read_all(query, read_story).await
}

/// Returns the strongly consistent query for all rows of a user, including the tombstones of deleted stories.
pub(super) fn story_rows(client: &Client, table: &str, user: UserId) -> QueryFluentBuilder {
    client
        .query()
        .table_name(table)
        .key_condition_expression("user_id = :user_id")
        .expression_attribute_values(":user_id", number(user.get()))
        .consistent_read(true)
}

/// Returns the origin of a change that this caller makes to a story of `owner`.
#[must_use]
pub fn origin_of_change(access: &Access, owner: UserId) -> Origin {
    let credential = &access.credential;
    match (&credential.client, credential.profile_token) {
        (Some(client), _) => Origin::Application(client.client_id.clone()),
        _ if credential.user_id != owner => Origin::Moderator,
        (None, Some(_)) => Origin::ProfileToken,
        (None, None) => Origin::Owner,
    }
}

/// Returns the story if it exists and has one of the expected tags.
pub(super) fn check_expected<'s>(
    present: Option<&'s Story>,
    expected_tags: Option<&[String]>,
) -> Result<&'s Story, Error> {
    let story = present.ok_or(NO_STORY)?;
    let tags = expected_tags.unwrap_or_default();
    if tags.is_empty() || tags.iter().any(|tag| story.state.has_tag(tag)) {
        Ok(story)
    } else {
        Err(Error::Changed)
    }
}

/// Returns an error if a transaction was refused because of its first actions, which are those of
/// [`StoryStore::user_actions`]. Takes the results of these actions from `rows`.
fn check_users(
    access: Option<&Access>,
    owner: UserId,
    rows: &mut impl Iterator<Item = Option<Item>>,
) -> Result<(), Error> {
    if let Some(access) = access {
        check_caller(access, rows)?;
    }
    let is_own = access.is_some_and(|access| owner == access.credential.user_id);
    let owner = if is_own { None } else { rows.next() };
    match owner.flatten() {
        Some(_) => Err(NO_USER),
        None => Ok(()),
    }
}

/// Returns the condition that a story does not exist.
pub(super) fn story_is_absent() -> Condition {
    Condition::new("attribute_not_exists(user_id) OR attribute_exists(deleted_at)")
}

/// Returns the condition that a story exists.
pub(super) fn story_is_present() -> Condition {
    Condition::new("attribute_exists(user_id) AND attribute_not_exists(deleted_at)")
}

/// Returns the condition that a story exists and has this version and change number. A story that was deleted and
/// created again can have the version of the one before, but not the number.
pub(super) fn is_unchanged(version: u64, change_number: u64) -> Condition {
    let attributes = [
        ("version", "seen", version),
        ("change_number", "seen_number", change_number),
    ];
    let same = attributes.map(|(name, placeholder, value)| {
        // Rows of earlier versions of the service do not have these attributes.
        let is_absent = match value {
            0 => format!("attribute_not_exists(#{name}) OR "),
            _ => String::new(),
        };
        let same = Condition::new(&format!("{is_absent}#{name} = :{placeholder}"));
        same.name(name).value(placeholder, number(value))
    });
    same.into_iter().fold(story_is_present(), Condition::and)
}

/// Returns the condition that an anime has at least `episode` episodes.
fn at_least(episode: u32) -> Condition {
    Condition::new("episodes_count >= :episode").value("episode", number(episode.into()))
}

/// Returns the condition that an anime has exactly `count` episodes.
fn exactly(count: u32) -> Condition {
    Condition::new("episodes_count = :episode").value("episode", number(count.into()))
}

/// Returns the change for an anime that has only `count` episodes.
///
/// # Errors
/// [`Error::Invalid`] if the change is about a later episode of the catalogue.
fn limit_to(change: StoryChange, count: u32) -> Result<StoryChange, Error> {
    let limited = change.for_count(count);
    limited.ok_or_else(|| errors::episode_too_high(count))
}

/// Returns the number of episodes in the row of an anime; `None` for an empty item, which stands for a row
/// that does not exist.
fn read_episodes_count(row: Item) -> Result<Option<u32>, Error> {
    let row = Some(row).filter(|row| !row.is_empty());
    let row: Option<Episodes> = row.map(read).transpose()?;
    Ok(row.map(|row| row.episodes_count))
}

/// Returns the row of a story. `creation_order` is added here, because it has more bits than the numbers that
/// `serde_dynamo` writes.
pub(super) fn story_row(story: &Story) -> Result<Item, Error> {
    let mut row = write(story)?;
    row.insert(LISTED.to_owned(), pack(story)?);
    row.insert(CREATION_ORDER.to_owned(), order_value(story.creation_order));
    Ok(row)
}

/// Reads the row of a story: the inverse of [`story_row`].
pub(super) fn read_story(mut row: Item) -> Result<Story, Error> {
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
pub(super) fn read_present(row: Item) -> Result<Option<Story>, Error> {
    let row = Some(row).filter(|row| !row.is_empty() && !is_tombstone(row));
    row.map(read_story).transpose()
}

/// Returns the position of a row in the list, given the row or its keys.
fn creation_order_of(row: &Item) -> Option<u128> {
    row.get(CREATION_ORDER)?.as_n().ok()?.parse().ok()
}

pub(super) fn order_value(creation_order: u128) -> AttributeValue {
    AttributeValue::N(creation_order.to_string())
}

pub(super) fn anime_key(id: AnimeId) -> Item {
    Item::from([("id".to_owned(), number(id.get()))])
}
