//! The table UserStory. Each write is one transaction, which also checks the caller's row and the
//! anime's as they are at that moment.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::TransactWriteItem;
use serde::Deserialize;
use shared::Error;
use shared::auth::Access;
use shared::models::{AnimeId, LinkedAccounts, StoryId, UserId, WatchStatus};
use shared::random::Random;

use crate::errors::{self, NO_ANIME, NO_STORY, NO_USER, failed};
use crate::item::{Item, number, read, write};
use crate::schema::user::key as user_key;
use crate::schema::user_story::{Story, key as story_key};
use crate::table_names::TableNames;
use crate::transaction::{Condition, Outcome, transact};
use crate::users::{UserStore, check_caller};
use crate::{listing, schema};
use aws_sdk_dynamodb::types::AttributeValue;

/// How often a story of a completed anime is written anew because its number of episodes changes.
const ATTEMPTS: usize = 4;

/// How long somebody has been due already who changes something, in milliseconds: longer than those for whom
/// it is just time again, so that the latter do not keep them waiting.
const AHEAD_MS: u64 = 24 * 60 * 60 * 1000;

/// The attribute that holds a story's place in the list.
const ORDER: &str = "creation_order";

/// The stories.
#[derive(Clone, Debug)]
pub struct StoryStore {
    client: Client,
    users: UserStore,
    stories: String,
    user_table: String,
    anime: String,
    random: Random,
}

/// A story to be.
#[derive(Clone, Copy, Debug)]
pub struct NewStory {
    /// Whose, and about which anime.
    pub id: StoryId,
    /// How far the user is with it.
    pub status: WatchStatus,
    /// Number of the episode; with some statuses it follows from the status.
    pub current_episode: u32,
    /// Watching time of that episode, in milliseconds.
    pub current_episode_ticks: u64,
    /// Milliseconds since the Unix epoch.
    pub created_at: u64,
}

/// What a story is to become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// How far the user is with it.
    pub status: WatchStatus,
    /// Number of the episode.
    pub current_episode: u32,
    /// Watching time of that episode, in milliseconds.
    pub current_episode_ticks: u64,
}

/// Which stories of a user are asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct StoryFilter {
    /// About this anime.
    pub anime_id: Option<AnimeId>,
    /// With this status.
    pub status: Option<WatchStatus>,
    /// Which every linked tracker knows, or which one does not.
    pub synced: Option<bool>,
    /// What the user has linked, which only that filter has to know.
    pub linked: LinkedAccounts,
}

impl StoryFilter {
    fn passes(self, story: &Story) -> bool {
        let is_synced = || story.is_synced(self.linked);
        self.status.is_none_or(|wanted| wanted == story.status)
            && self.synced.is_none_or(|wanted| wanted == is_synced())
    }
}

/// A page of a user's stories.
#[derive(Debug)]
pub struct StoryPage {
    /// The newest first.
    pub stories: Vec<Story>,
    /// Where the list goes on: after the story at this place.
    pub next: Option<u128>,
}

/// What a condition on an anime reads of it.
#[derive(Deserialize)]
struct Episodes {
    episodes_count: u32,
}

impl StoryStore {
    /// The tables.
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

    /// The story with this identifier, as it is at this moment.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn get(&self, id: StoryId) -> Result<Option<Story>, Error> {
        let request = self.client.get_item().table_name(&self.stories);
        let request = request.set_key(Some(story_key(id))).consistent_read(true);
        request
            .send()
            .await
            .map_err(failed)?
            .item
            .map(read_story)
            .transpose()
    }

    /// A page of a user's stories, the newest first. May trail a change by the index's delay, but
    /// for the one about a certain anime.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn list(
        &self,
        user: UserId,
        filter: StoryFilter,
        after: Option<u128>,
        per_page: usize,
    ) -> Result<StoryPage, Error> {
        if let Some(anime) = filter.anime_id {
            let story = self.get(StoryId::of(user, anime)).await?;
            let passes = |story: &Story| {
                filter.passes(story) && after.is_none_or(|after| story.creation_order < after)
            };
            let stories = story.into_iter().filter(passes).collect();
            return Ok(StoryPage {
                stories,
                next: None,
            });
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

    /// Makes a story. Of two for one user and anime at once, one is made.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn create(&self, access: &Access, new: NewStory) -> Result<Story, Error> {
        let owner = new.id.user();
        let users = self.user_actions(access, owner, new.created_at).await?;
        // What follows from the status is right for the number of episodes that there are now.
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
            let story = Story {
                user_id: owner,
                anime_id: new.id.anime(),
                status: new.status,
                current_episode: episode,
                current_episode_ticks: new.current_episode_ticks,
                version: 1,
                changed_at: new.created_at,
                private: false,
                tracker_a: None,
                tracker_b: None,
                creation_order: Story::order_at(new.created_at, new.id.anime()),
            };
            let mut actions = users.clone();
            actions.push(bound.check(&self.anime, anime_key(new.id.anime()))?);
            let absent = Condition::new("attribute_not_exists(user_id)");
            actions.push(absent.put(&self.stories, story_row(&story)?)?);
            let rows = match transact(&self.client, actions, &self.random).await? {
                Outcome::Written => return Ok(story),
                Outcome::Refused(rows) => rows,
            };
            let mut rows = rows.into_iter();
            check_users(access, owner, &mut rows)?;
            match rows.next().flatten().map(episodes).transpose()? {
                Some(None) => return Err(NO_ANIME),
                Some(count) if all_episodes.is_some() => all_episodes = count,
                Some(Some(count)) => return Err(errors::too_far(count)),
                None => return Err(errors::story_exists()),
            }
        }
        Err(Error::Unavailable("an anime that keeps changing".into()))
    }

    /// Changes a story, `now` in milliseconds since the Unix epoch; with `taken_for` only if it is still
    /// that.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn update(
        &self,
        access: &Access,
        id: StoryId,
        change: Change,
        taken_for: Option<&[Change]>,
        now: u64,
    ) -> Result<(), Error> {
        let users = self.user_actions(access, id.user(), now).await?;
        let bound = at_least(change.current_episode);
        let update = "SET #status = :status, current_episode = :current_episode, \
            current_episode_ticks = :current_episode_ticks, changed_at = :changed_at, \
            #version = if_not_exists(#version, :zero) + :one";
        let story = is_there(taken_for)
            .name("status")
            .name("version")
            .value("changed_at", number(now))
            .value("zero", number(0))
            .value("one", number(1))
            .value("status", number(u64::from(u8::from(change.status))))
            .value("current_episode", number(change.current_episode.into()))
            .value(
                "current_episode_ticks",
                number(change.current_episode_ticks),
            );
        let mut actions = users;
        actions.push(bound.check(&self.anime, anime_key(id.anime()))?);
        actions.push(story.update(&self.stories, story_key(id), update)?);
        let rows = match transact(&self.client, actions, &self.random).await? {
            Outcome::Written => return Ok(()),
            Outcome::Refused(rows) => rows,
        };
        let mut rows = rows.into_iter();
        check_users(access, id.user(), &mut rows)?;
        let anime = rows.next().flatten().map(episodes).transpose()?;
        // Of what is not there at all, nothing else need be said.
        match (anime, rows.next().flatten()) {
            (_, Some(row)) if row.is_empty() => Err(NO_STORY),
            (Some(None), _) => Err(NO_ANIME),
            (Some(Some(count)), _) => Err(errors::too_far(count)),
            (None, _) => Err(Error::Changed),
        }
    }

    /// Deletes a story, `now` in milliseconds since the Unix epoch; with `taken_for` only if it is still
    /// that.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn delete(
        &self,
        access: &Access,
        id: StoryId,
        taken_for: Option<&[Change]>,
        now: u64,
    ) -> Result<(), Error> {
        let users = self.user_actions(access, id.user(), now).await?;
        let mut story = is_there(taken_for);
        if taken_for.is_some_and(|states| !states.is_empty()) {
            story = story.name("status");
        }
        let mut actions = users;
        actions.push(story.delete(&self.stories, story_key(id))?);
        let rows = match transact(&self.client, actions, &self.random).await? {
            Outcome::Written => return Ok(()),
            Outcome::Refused(rows) => rows,
        };
        let mut rows = rows.into_iter();
        check_users(access, id.user(), &mut rows)?;
        let story = rows.next().flatten().filter(|row| !row.is_empty());
        Err(story.map_or(NO_STORY, |_| Error::Changed))
    }

    /// What every write does to the caller's row, and to the owner's, if that is another: checks it, and
    /// notes that the owner's trackers are to hear of the change. For who has none that changes nothing,
    /// and it costs no more than the check would.
    async fn user_actions(
        &self,
        access: &Access,
        owner: UserId,
        now: u64,
    ) -> Result<Vec<TransactWriteItem>, Error> {
        const DUE: &str = "SET sync_due_at = :sync_due_at";
        let due_at = number(now.saturating_sub(AHEAD_MS));
        if owner == access.credential.user_id {
            let exists = Condition::user_exists().value("sync_due_at", due_at);
            return self.users.caller_actions(access, exists, DUE).await;
        }
        let (caller, owners) = self.users.above(access, owner).await?;
        let caller_key = user_key(access.credential.user_id);
        let owners = owners.value("sync_due_at", due_at);
        Ok(vec![
            caller.check(&self.user_table, caller_key)?,
            owners.update(&self.user_table, user_key(owner), DUE)?,
        ])
    }

    /// Why a story about an anime that is not there is refused: a caller who may not write it learns
    /// nothing about the anime.
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

/// What a refused transaction says of its first actions, the checks of users.
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

/// That an anime has at least as many episodes.
fn at_least(episode: u32) -> Condition {
    Condition::new("episodes_count >= :episode").value("episode", number(episode.into()))
}

/// That an anime has as many episodes, and no more.
fn exactly(count: u32) -> Condition {
    Condition::new("episodes_count = :episode").value("episode", number(count.into()))
}

/// That a story is there, and, if anything is said about that, in one of these states.
fn is_there(taken_for: Option<&[Change]>) -> Condition {
    let there = Condition::new("attribute_exists(user_id)");
    let Some(states) = taken_for.filter(|states| !states.is_empty()) else {
        return there;
    };
    let one = |number: usize| {
        format!(
            "#status = :status{number} AND current_episode = :episode{number} AND current_episode_ticks = :ticks{number}"
        )
    };
    // DynamoDB refuses parentheses around parentheses.
    let any = match states.len() {
        1 => one(0),
        number => (0..number)
            .map(|number| format!("({})", one(number)))
            .collect::<Vec<_>>()
            .join(" OR "),
    };
    let mut condition = there.and(Condition::new(&any));
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

/// How many episodes the row of an anime says; `None` where there is no row.
fn episodes(row: Item) -> Result<Option<u32>, Error> {
    let row = Some(row).filter(|row| !row.is_empty());
    let row: Option<Episodes> = row.map(read).transpose()?;
    Ok(row.map(|row| row.episodes_count))
}

/// A story as a row. Its order has more bits than the numbers that are serialized.
pub(super) fn story_row(story: &Story) -> Result<Item, Error> {
    let mut row = write(story)?;
    row.insert(ORDER.to_owned(), order(story.creation_order));
    Ok(row)
}

pub(super) fn read_story(row: Item) -> Result<Story, Error> {
    let creation_order = place_of(&row).ok_or_else(|| Error::internal("a story without order"))?;
    let story: Story = read(row)?;
    Ok(Story {
        creation_order,
        ..story
    })
}

/// The place in the list of a row, or of its keys.
fn place_of(row: &Item) -> Option<u128> {
    row.get(ORDER)?.as_n().ok()?.parse().ok()
}

fn order(place: u128) -> AttributeValue {
    AttributeValue::N(place.to_string())
}

fn anime_key(id: AnimeId) -> Item {
    Item::from([("id".to_owned(), number(id.get()))])
}
