//! Statistics of users' stories: the store of the table [`crate::schema::user_statistics`].

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::{AttributeValue, Select};
use serde::Deserialize;
use shared::Error;
use shared::models::{AnimeId, PartialDate, StoryId, UserId, UserScore, WatchStatus};
use shared::random::Random;

use crate::batch::batch_get;
use crate::database::Database;
use crate::errors::to_error;
use crate::get::get;
use crate::item::{number, read, write};
use crate::listing::read_all;
use crate::schema;
use crate::schema::user_statistics::{StoredStatistics, key};
use crate::schema::user_story::{is_tombstone, key as story_key};
use crate::story_list::ListedStory;
use crate::transaction::{Condition, transact};

/// The attribute with [`StoredStatistics::contents`]. It is read and written as binary here, because `serde_dynamo`
/// would write a list of numbers.
const CONTENTS: &str = "contents";

/// The attributes of a story's row that [`CountedStory`] needs.
const STORY_ATTRIBUTES: [&str; 8] = [
    "anime_id",
    "status",
    "current_episode",
    "watched_episodes",
    "score",
    "finished_on",
    "repeats",
    "private",
];

/// The store of statistics.
#[derive(Clone, Debug)]
pub struct StatisticsStore {
    client: Client,
    statistics: String,
    stories: String,
    users: String,
    random: Random,
}

/// The parts of a story that its user's statistics need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct CountedStory {
    /// The anime.
    pub anime_id: AnimeId,
    /// The watch status.
    pub status: WatchStatus,
    /// The number of the current episode, as far as the catalogue counts episodes.
    pub current_episode: u32,
    /// The number of watched episodes, if the catalogue counts fewer.
    #[serde(default)]
    pub watched_episodes: Option<u32>,
    /// The user's score.
    pub score: Option<UserScore>,
    /// The date of first completion; the day, or the day and the month, may be unknown.
    pub finished_on: Option<PartialDate>,
    /// The number of times that the user has watched it again.
    #[serde(default)]
    pub repeats: u16,
    /// True if the story is private (docs/api.md, "Story details"). Public statistics leave it out.
    #[serde(default)]
    pub private: bool,
}

impl CountedStory {
    /// Returns the real progress ([`shared::models::StoryState::progress`]).
    #[must_use]
    pub fn progress(&self) -> u32 {
        self.watched_episodes.unwrap_or(self.current_episode)
    }
}

impl From<&ListedStory> for CountedStory {
    fn from(story: &ListedStory) -> Self {
        let details = &story.state.details;
        Self {
            anime_id: story.anime_id,
            status: story.state.status,
            current_episode: story.state.current_episode,
            watched_episodes: story.state.watched_episodes,
            score: details.score,
            finished_on: details.finished_on,
            repeats: details.repeats,
            private: details.private,
        }
    }
}

impl Database {
    /// Returns the store of statistics.
    #[must_use]
    pub fn statistics(&self) -> StatisticsStore {
        StatisticsStore {
            client: self.client.clone(),
            statistics: self.tables.of(schema::user_statistics::TABLE.name),
            stories: self.tables.of(schema::user_story::TABLE.name),
            users: self.tables.of(schema::user::TABLE.name),
            random: self.random.clone(),
        }
    }
}

impl StatisticsStore {
    /// Returns the stored statistics of a user, by a strongly consistent read.
    pub async fn find(&self, user: UserId) -> Result<Option<StoredStatistics>, Error> {
        let Some(mut row) = get(&self.client, &self.statistics, key(user)).await? else {
            return Ok(None);
        };
        let contents = match row.remove(CONTENTS) {
            Some(AttributeValue::B(contents)) => contents.into_inner(),
            _ => Vec::new(),
        };
        let stored: StoredStatistics = read(row)?;
        Ok(Some(StoredStatistics { contents, ..stored }))
    }

    /// Stores statistics, unless the user was deleted or later statistics are stored already.
    pub async fn put(&self, statistics: &StoredStatistics) -> Result<(), Error> {
        let user = schema::user::key(statistics.user_id);
        let mut row = write(statistics)?;
        let contents = Blob::new(statistics.contents.clone());
        row.insert(CONTENTS.to_owned(), AttributeValue::B(contents));
        let newest = Condition::new("attribute_not_exists(user_id) OR computed_at <= :computed_at");
        let newest = newest.value("computed_at", number(statistics.computed_at));
        let actions = vec![
            Condition::user_exists().check(&self.users, user)?,
            newest.put(&self.statistics, row)?,
        ];
        // A refused transaction is no error: the user was deleted, or later statistics are stored.
        transact(&self.client, actions, &self.random).await?;
        Ok(())
    }

    /// Returns true if a user has more than `count` stories. Reads an index, which lags behind a change for a
    /// moment. Costs half a read unit for every 4 KB of index that is read, at most about `count + 1` stories.
    pub async fn has_more_stories(&self, user: UserId, count: u64) -> Result<bool, Error> {
        let query = self
            .client
            .query()
            .table_name(&self.stories)
            .index_name("ByCreation")
            .key_condition_expression("user_id = :user_id")
            .expression_attribute_values(":user_id", number(user.get()))
            .select(Select::Count)
            .limit(i32::try_from(count + 1).unwrap_or(i32::MAX));
        let (mut counted, mut pages) = (0, query.into_paginator().send());
        while counted <= count
            && let Some(page) = pages.next().await
        {
            counted += u64::try_from(page.map_err(to_error)?.count).unwrap_or_default();
        }
        Ok(counted > count)
    }

    /// Returns a user's stories about these anime, in no order, by a strongly consistent read. `anime` has at most 100
    /// identifiers.
    pub async fn some_stories(
        &self,
        user: UserId,
        anime: &[AnimeId],
    ) -> Result<Vec<CountedStory>, Error> {
        let keys = anime
            .iter()
            .map(|anime| story_key(StoryId::of(user, *anime)));
        let rows = batch_get(&self.client, &self.stories, keys.collect(), true).await?;
        let rows = rows.into_iter().filter(|row| !is_tombstone(row));
        rows.map(read).collect()
    }

    /// Returns all stories of a user, by a strongly consistent read. Costs one read unit for every 4 KB of the user's
    /// rows. The tombstones of deleted stories are read and paid for, too.
    pub async fn stories(&self, user: UserId) -> Result<Vec<CountedStory>, Error> {
        let names = STORY_ATTRIBUTES.map(|name| format!("#{name}"));
        let mut query = self
            .client
            .query()
            .table_name(&self.stories)
            .key_condition_expression("user_id = :user_id")
            .expression_attribute_values(":user_id", number(user.get()))
            .filter_expression("attribute_not_exists(deleted_at)")
            .projection_expression(names.join(", "))
            .consistent_read(true);
        for name in STORY_ATTRIBUTES {
            query = query.expression_attribute_names(format!("#{name}"), name);
        }
        read_all(query, read).await
    }
}
