//! Stories: the store of the table [`crate::schema::user_story`]. Each write is one transaction, which also
//! checks the rows of the caller and of the anime (docs/data-model.md, "Transactions").

use std::cmp::Reverse;
use std::collections::BTreeSet;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem};
use serde::Deserialize;
use shared::Error;
use shared::auth::Access;
use shared::models::{AnimeId, LinkedAccounts, StoryId, UserId, WatchStatus};
use shared::random::Random;

use crate::batch::batch_get;
use crate::errors::{self, NO_ANIME, NO_STORY, NO_USER, failed};
use crate::get::get;
use crate::item::{Item, number, read, write};
use crate::schema::user::key as user_key;
use crate::schema::user_story::{
    Story, change_number_after, change_number_at, is_tombstone, key as story_key, tombstone,
};
use crate::table_names::TableNames;
use crate::transaction::{Condition, Outcome, back_off, transact};
use crate::users::{UserStore, check_caller};
use crate::{listing, schema};

/// The number of attempts to create a completed story while the anime's number of episodes changes.
const ATTEMPTS: usize = 4;

/// The number of attempts to take a change number while others change stories of the same user. The pauses between the
/// attempts are at most 1.6 s in all.
const NUMBER_ATTEMPTS: u32 = 7;

/// A change of a story sets the user's `sync_due_at` this far into the past, in milliseconds: 24 hours. A run
/// handles the users who are due longest first, so users who have changed a story come before those who are
/// due by schedule (docs/trackers.md, "Schedule").
const AHEAD_MS: u64 = 24 * 60 * 60 * 1000;

/// The attribute with a story's position in the user's list.
const ORDER: &str = "creation_order";

/// The store of stories.
#[derive(Clone, Debug)]
pub struct StoryStore {
    pub(super) client: Client,
    pub(super) users: UserStore,
    pub(super) stories: String,
    user_table: String,
    pub(super) anime: String,
    random: Random,
}

/// The data of a new story.
#[derive(Clone, Copy, Debug)]
pub struct NewStory {
    /// The identifier, which determines the user and the anime.
    pub id: StoryId,
    /// The watch status.
    pub status: WatchStatus,
    /// The number of the current episode. It is ignored for PLANNING, which sets 0, and COMPLETED, which sets
    /// the anime's number of episodes.
    pub current_episode: u32,
    /// The watching time of that episode, in milliseconds.
    pub current_episode_ticks: u64,
    /// The time of the creation, in milliseconds since the Unix epoch.
    pub created_at: u64,
}

/// The fields of a story that a user can change, as the new values of an update or as values that `If-Match`
/// expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The watch status.
    pub status: WatchStatus,
    /// The number of the current episode.
    pub current_episode: u32,
    /// The watching time of that episode, in milliseconds.
    pub current_episode_ticks: u64,
}

/// A filter of a user's stories.
#[derive(Clone, Debug, Default)]
pub struct StoryFilter {
    /// Only the stories about these anime, at most 100.
    pub anime_ids: Option<BTreeSet<AnimeId>>,
    /// Only stories with this status.
    pub status: Option<WatchStatus>,
    /// True for only the stories that are synced with every linked tracker, false for only the others
    /// (docs/trackers.md, "The synced flag").
    pub synced: Option<bool>,
    /// The user's linked accounts. Only the filter `synced` needs them.
    pub linked: LinkedAccounts,
}

impl StoryFilter {
    fn passes(&self, story: &Story) -> bool {
        let is_synced = || story.is_synced(self.linked);
        self.status.is_none_or(|wanted| wanted == story.status)
            && self.synced.is_none_or(|wanted| wanted == is_synced())
    }
}

/// A page of a user's stories.
#[derive(Debug)]
pub struct StoryPage {
    /// The stories, newest first.
    pub stories: Vec<Story>,
    /// The position of the story after which the next page begins ([`Story::order_at`]); `None` on the last
    /// page.
    pub next: Option<u128>,
}

/// The attribute of an anime's row that limits the episodes of a story.
#[derive(Deserialize)]
struct Episodes {
    episodes_count: u32,
}

impl StoryStore {
    /// Creates the store.
    #[must_use]
    pub fn new(client: Client, tables: &TableNames, random: Random) -> Self {
        Self {
            users: UserStore::new(client.clone(), tables, random.clone()),
            client,
            stories: tables.of(schema::user_story::TABLE.name),
            user_table: tables.of(schema::user::TABLE.name),
            anime: tables.of(schema::anime::TABLE.name),
            random,
        }
    }

    /// Returns the story with this identifier, as it is at this moment.
    pub async fn get(&self, id: StoryId) -> Result<Option<Story>, Error> {
        let row = get(&self.client, &self.stories, story_key(id)).await?;
        let row = row.filter(|row| !is_tombstone(row));
        row.map(read_story).transpose()
    }

    /// Returns a page of a user's stories, newest first, from after the position `after`. Reads a secondary
    /// index, which can lag behind changes. With the filter `anime_ids`, reads the stories themselves, as they are
    /// at this moment.
    pub async fn list(
        &self,
        user: UserId,
        filter: StoryFilter,
        after: Option<u128>,
        per_page: usize,
    ) -> Result<StoryPage, Error> {
        if let Some(anime) = &filter.anime_ids {
            let keys = anime
                .iter()
                .map(|anime| story_key(StoryId::of(user, *anime)));
            let rows = batch_get(&self.client, &self.stories, keys.collect(), true).await?;
            let rows = rows.into_iter().filter(|row| !is_tombstone(row));
            let stories: Result<Vec<Story>, Error> = rows.map(read_story).collect();
            let mut stories = stories?;
            stories.retain(|story| {
                filter.passes(story) && after.is_none_or(|after| story.creation_order < after)
            });
            stories.sort_unstable_by_key(|story| Reverse(story.creation_order));
            let has_more = stories.len() > per_page;
            stories.truncate(per_page);
            let last = stories.last().filter(|_| has_more);
            let next = last.map(|story| story.creation_order);
            return Ok(StoryPage { stories, next });
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
            query = query.expression_attribute_values(":after", order(after));
        }
        let query = query.key_condition_expression(key);
        let filters = filter.status.is_some() || filter.synced.is_some();
        let filter = filters.then_some(|story: &Story| filter.passes(story));
        let listed = listing::page(query, per_page, place_of, read_story, filter).await?;
        Ok(StoryPage {
            stories: listed.rows,
            next: listed.next,
        })
    }

    /// Creates a story. Of several concurrent calls for the same user and anime, one succeeds.
    ///
    /// # Errors
    /// [`Error::Conflict`] if the user has a story about the anime already, [`Error::NotFound`] if the anime
    /// or the user does not exist, [`Error::Invalid`] if `current_episode` is greater than the anime's number
    /// of episodes.
    pub async fn create(&self, access: &Access, new: NewStory) -> Result<Story, Error> {
        let owner = new.id.user();
        // A completed story is at the anime's last episode. The number of episodes is read first and is a
        // condition of the write. If it has changed in between, the write is tried again.
        let mut all_episodes = match new.status {
            WatchStatus::Completed => match self.episodes_count(new.id.anime()).await? {
                Some(count) => Some(count),
                None => return Err(self.error_without_anime(access, owner).await?),
            },
            _ => None,
        };
        for _ in 0..ATTEMPTS {
            let (episode, bound) = match (new.status, all_episodes) {
                (WatchStatus::Planning, _) => (0, at_least(0)),
                (_, Some(count)) => (count, exactly(count)),
                (_, None) => (new.current_episode, at_least(new.current_episode)),
            };
            let mut story = Story {
                user_id: owner,
                anime_id: new.id.anime(),
                status: new.status,
                current_episode: episode,
                current_episode_ticks: new.current_episode_ticks,
                version: 1,
                change_number: 0,
                changed_at: new.created_at,
                private: false,
                tracker_a: None,
                tracker_b: None,
                creation_order: Story::order_at(new.created_at, new.id.anime()),
            };
            let wanted = Changes {
                owner,
                count: 1,
                now: new.created_at,
            };
            let refused = self.change(access, wanted, |number| {
                story.change_number = number;
                let absent = no_story().put(&self.stories, story_row(&story)?)?;
                let bound = bound.clone();
                Ok(vec![
                    bound.check(&self.anime, anime_key(new.id.anime()))?,
                    absent,
                ])
            });
            let Some(rows) = refused.await? else {
                return Ok(story);
            };
            let mut rows = rows.into_iter();
            match rows.next().flatten().map(episodes).transpose()? {
                Some(None) => return Err(NO_ANIME),
                Some(count) if all_episodes.is_some() => all_episodes = count,
                Some(Some(count)) => return Err(errors::too_far(count)),
                None => return Err(errors::story_exists()),
            }
        }
        Err(Error::Unavailable(
            "the number of the anime's episodes changed in every attempt".into(),
        ))
    }

    /// Changes a story. With `expected_states`, changes it only if its present values equal one of them; an
    /// empty list allows any values. `now` is in milliseconds since the Unix epoch.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the story does not exist, [`Error::Changed`] if it has none of the expected
    /// values, [`Error::Invalid`] if `current_episode` is greater than the anime's number of episodes.
    pub async fn update(
        &self,
        access: &Access,
        id: StoryId,
        change: Change,
        expected_states: Option<&[Change]>,
        now: u64,
    ) -> Result<(), Error> {
        let wanted = Changes {
            owner: id.user(),
            count: 1,
            now,
        };
        let refused = self.change(access, wanted, |number| {
            let bound = at_least(change.current_episode);
            let (story, update) = set_state(exists_in_state(expected_states), change, number, now);
            Ok(vec![
                bound.check(&self.anime, anime_key(id.anime()))?,
                story.update(&self.stories, story_key(id), &update)?,
            ])
        });
        let Some(rows) = refused.await? else {
            return Ok(());
        };
        let mut rows = rows.into_iter();
        let anime = rows.next().flatten().map(episodes).transpose()?;
        // If the story does not exist, errors about the anime do not matter.
        match (anime, rows.next().flatten()) {
            (_, Some(row)) if row.is_empty() || is_tombstone(&row) => Err(NO_STORY),
            (Some(None), _) => Err(NO_ANIME),
            (Some(Some(count)), _) => Err(errors::too_far(count)),
            (None, _) => Err(Error::Changed),
        }
    }

    /// Deletes a story. With `expected_states`, deletes it only if its present values equal one of them; an
    /// empty list allows any values. `now` is in milliseconds since the Unix epoch.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the story does not exist, [`Error::Changed`] if it has none of the expected
    /// values.
    pub async fn delete(
        &self,
        access: &Access,
        id: StoryId,
        expected_states: Option<&[Change]>,
        now: u64,
    ) -> Result<(), Error> {
        let wanted = Changes {
            owner: id.user(),
            count: 1,
            now,
        };
        let refused = self.change(access, wanted, |number| {
            let story = exists_in_state(expected_states);
            Ok(vec![story.put(&self.stories, tombstone(id, number, now))?])
        });
        match refused.await? {
            None => Ok(()),
            Some(rows) => Err(why_not_deleted(rows.into_iter().next().flatten())),
        }
    }

    /// Makes changes of a user's stories in one transaction, together with the checks of the caller's and the owner's
    /// row. `actions` returns the actions for the changes, given the number of the first; the others follow it.
    /// Returns `None` if the changes were made. If conditions of these actions failed, none was made: returns
    /// [`Outcome::Refused`] for these actions.
    pub(super) async fn change(
        &self,
        access: &Access,
        wanted: Changes,
        mut actions: impl FnMut(u64) -> Result<Vec<TransactWriteItem>, Error>,
    ) -> Result<Option<Vec<Option<Item>>>, Error> {
        let mut first = change_number_at(wanted.now);
        for attempt in 0..NUMBER_ATTEMPTS {
            // Of several writers that wait, the one that wakes first has the lowest number, so that none refuses the
            // others again.
            first += change_number_after(back_off(attempt, &self.random).await);
            let mut all = self.user_actions(access, wanted, first).await?;
            all.extend(actions(first)?);
            let rows = match transact(&self.client, all, &self.random).await? {
                Outcome::Written => return Ok(None),
                Outcome::Refused(rows) => rows,
            };
            let is_own = wanted.owner == access.credential.user_id;
            let has_grant = usize::from(access.credential.has_grant());
            let owners_action = if is_own { 0 } else { 1 + has_grant };
            let owners_row = rows.get(owners_action).and_then(Option::as_ref);
            if let Some(last) = owners_row.and_then(|row| number_in_use(row, first)) {
                // If the caller has no access either, the next attempt finds out.
                first = last + 1;
                continue;
            }
            let mut rows = rows.into_iter();
            check_users(access, wanted.owner, &mut rows)?;
            return Ok(Some(rows.collect()));
        }
        Err(Error::Unavailable(
            "others changed the user's stories in every attempt".into(),
        ))
    }

    /// Returns the first actions of every write, on the caller's row and, for a moderator, on the owner's
    /// row. They check the rows, take the numbers of the changes, and make the owner due for synchronization. Without a linked tracker the new
    /// due time has no effect, because the row is not in the index SyncDue, and the update costs no more than
    /// the check alone.
    async fn user_actions(
        &self,
        access: &Access,
        wanted: Changes,
        first: u64,
    ) -> Result<Vec<TransactWriteItem>, Error> {
        let update = format!("SET sync_due_at = :sync_due_at, {TAKE_NUMBERS}");
        let due_at = number(wanted.now.saturating_sub(AHEAD_MS));
        let free = are_free(first, wanted.count).value("sync_due_at", due_at);
        let owner = wanted.owner;
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

    /// Returns the error for a story about an unknown anime. The caller's access is checked first, so that a
    /// caller without access gets a 401 or 403 and not a 404.
    async fn error_without_anime(&self, access: &Access, owner: UserId) -> Result<Error, Error> {
        let (caller, owner) = self.users.caller_and(&access.credential, owner).await?;
        access.check(caller.as_ref())?;
        let exists = owner.is_some_and(|owner| owner.deleted_at.is_none());
        Ok(if exists { NO_ANIME } else { NO_USER })
    }

    async fn episodes_count(&self, anime: AnimeId) -> Result<Option<u32>, Error> {
        let request = self.client.get_item().table_name(&self.anime);
        let request = request.set_key(Some(anime_key(anime)));
        let request = request.projection_expression("episodes_count");
        episodes(
            request
                .send()
                .await
                .map_err(failed)?
                .item
                .unwrap_or_default(),
        )
    }
}

/// Changes of a user's stories that one transaction makes.
#[derive(Clone, Copy)]
pub(super) struct Changes {
    /// The owner of the stories.
    pub owner: UserId,
    /// The number of changes.
    pub count: u64,
    /// The time of the changes, in milliseconds since the Unix epoch.
    pub now: u64,
}

/// The part of an update of the owner's row that takes the numbers of changes. [`are_free`] has its values.
pub(super) const TAKE_NUMBERS: &str = "last_change_number = :last_number";

/// Returns the condition on the owner's row that no change has one of `count` numbers from `first` on, or a higher one.
pub(super) fn are_free(first: u64, count: u64) -> Condition {
    Condition::new("attribute_not_exists(last_change_number) OR last_change_number < :first_number")
        .value("first_number", number(first))
        .value("last_number", number(first + count.saturating_sub(1)))
}

/// Returns the number of the last change in the owner's row, if it is the reason why [`are_free`] failed.
pub(super) fn number_in_use(row: &Item, first: u64) -> Option<u64> {
    let last = row.get("last_change_number")?.as_n().ok()?.parse().ok()?;
    (last >= first).then_some(last)
}

/// Returns an error if a transaction was refused because of its first actions, those on users' rows.
fn check_users(
    access: &Access,
    owner: UserId,
    rows: &mut impl Iterator<Item = Option<Item>>,
) -> Result<(), Error> {
    check_caller(access, rows)?;
    let is_own = owner == access.credential.user_id;
    let owner = if is_own { None } else { rows.next() };
    match owner.flatten() {
        Some(_) => Err(NO_USER),
        None => Ok(()),
    }
}

/// Returns the reason why a story was not deleted, given the row that failed the condition.
pub(super) fn why_not_deleted(row: Option<Item>) -> Error {
    match row {
        Some(row) if !row.is_empty() && !is_tombstone(&row) => Error::Changed,
        _ => NO_STORY,
    }
}

/// Returns the condition that a story does not exist.
pub(super) fn no_story() -> Condition {
    Condition::new("attribute_not_exists(user_id) OR attribute_exists(deleted_at)")
}

/// Returns the update that sets the state of a story, and `condition` with the names and values that it uses.
pub(super) fn set_state(
    condition: Condition,
    state: Change,
    change_number: u64,
    now: u64,
) -> (Condition, String) {
    let update = "SET #status = :status, current_episode = :current_episode, \
        current_episode_ticks = :current_episode_ticks, changed_at = :changed_at, \
        change_number = :change_number, #version = if_not_exists(#version, :zero) + :one";
    let condition = condition
        .name("status")
        .name("version")
        .value("changed_at", number(now))
        .value("change_number", number(change_number))
        .value("zero", number(0))
        .value("one", number(1))
        .value("status", number(u64::from(u8::from(state.status))))
        .value("current_episode", number(state.current_episode.into()))
        .value("current_episode_ticks", number(state.current_episode_ticks));
    (condition, update.to_owned())
}

/// Returns the condition that an anime has at least `episode` episodes.
fn at_least(episode: u32) -> Condition {
    Condition::new("episodes_count >= :episode").value("episode", number(episode.into()))
}

/// Returns the condition that an anime has exactly `count` episodes.
fn exactly(count: u32) -> Condition {
    Condition::new("episodes_count = :episode").value("episode", number(count.into()))
}

/// Returns the condition that a story exists and, if there are any expected states, has the values of one of
/// them.
pub(super) fn exists_in_state(expected_states: Option<&[Change]>) -> Condition {
    let there = Condition::new("attribute_exists(user_id) AND attribute_not_exists(deleted_at)");
    let Some(states) = expected_states.filter(|states| !states.is_empty()) else {
        return there;
    };
    let one = |number: usize| {
        format!(
            "#status = :status{number} AND current_episode = :episode{number} AND current_episode_ticks = :ticks{number}"
        )
    };
    // DynamoDB rejects redundant parentheses.
    let any = match states.len() {
        1 => one(0),
        number => (0..number)
            .map(|number| format!("({})", one(number)))
            .collect::<Vec<_>>()
            .join(" OR "),
    };
    let mut condition = there.and(Condition::new(&any).name("status"));
    for (position, state) in states.iter().enumerate() {
        condition = condition
            .value(
                &format!("status{position}"),
                number(u64::from(u8::from(state.status))),
            )
            .value(
                &format!("episode{position}"),
                number(state.current_episode.into()),
            )
            .value(
                &format!("ticks{position}"),
                number(state.current_episode_ticks),
            );
    }
    condition
}

/// Returns the number of episodes in the row of an anime; `None` for an empty item, which stands for a row
/// that does not exist.
fn episodes(row: Item) -> Result<Option<u32>, Error> {
    let row = Some(row).filter(|row| !row.is_empty());
    let row: Option<Episodes> = row.map(read).transpose()?;
    Ok(row.map(|row| row.episodes_count))
}

/// Returns the row of a story. `creation_order` is added here, because it has more bits than the numbers that
/// `serde_dynamo` writes.
pub(super) fn story_row(story: &Story) -> Result<Item, Error> {
    let mut row = write(story)?;
    row.insert(ORDER.to_owned(), order(story.creation_order));
    Ok(row)
}

/// Reads the row of a story: the inverse of [`story_row`].
pub(super) fn read_story(row: Item) -> Result<Story, Error> {
    let creation_order = place_of(&row)
        .ok_or_else(|| Error::internal("a row of UserStory has no creation_order"))?;
    let story: Story = read(row)?;
    Ok(Story {
        creation_order,
        ..story
    })
}

/// Returns the position of a row in the list, given the row or its keys.
fn place_of(row: &Item) -> Option<u128> {
    row.get(ORDER)?.as_n().ok()?.parse().ok()
}

pub(super) fn order(place: u128) -> AttributeValue {
    AttributeValue::N(place.to_string())
}

pub(super) fn anime_key(id: AnimeId) -> Item {
    Item::from([("id".to_owned(), number(id.get()))])
}
