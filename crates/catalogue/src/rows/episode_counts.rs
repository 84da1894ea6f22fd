//! The number of an anime's episodes, as a condition of writes of stories.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::TransactWriteItem;
use dynamo::{Condition, Database, Item, number, read, to_error};
use serde::Deserialize;
use shared::Result;
use shared::models::AnimeId;

use super::anime::TABLE;
use super::document_store::key;

/// The attribute of an anime's row.
const EPISODES_COUNT: &str = "episodes_count";

/// The numbers of episodes in the rows of anime.
#[derive(Clone, Debug)]
pub struct EpisodeCounts {
    client: Client,
    anime: String,
}

/// The part of a row that is read.
#[derive(Deserialize)]
struct Episodes {
    episodes_count: u32,
}

impl EpisodeCounts {
    /// Creates the reader of the numbers.
    pub fn new(database: &Database) -> Self {
        Self {
            client: database.client.clone(),
            anime: database.tables.of(TABLE.name),
        }
    }

    /// Returns the number of an anime's episodes, by an eventually consistent read; `None` if there is no such anime.
    pub async fn read(&self, anime: AnimeId) -> Result<Option<u32>> {
        let request = self.client.get_item().table_name(&self.anime);
        let request = request.set_key(Some(key(anime.get())));
        let request = request.projection_expression(EPISODES_COUNT);
        let response = request.send().await.map_err(to_error)?;
        Self::in_row(response.item.unwrap_or_default())
    }

    /// Returns the action that checks that an anime has at least `episode` episodes.
    pub fn at_least(&self, anime: AnimeId, episode: u32) -> Result<TransactWriteItem> {
        self.check(anime, ">=", episode)
    }

    /// Returns the action that checks that an anime has exactly `count` episodes.
    pub fn exactly(&self, anime: AnimeId, count: u32) -> Result<TransactWriteItem> {
        self.check(anime, "=", count)
    }

    fn check(&self, anime: AnimeId, relation: &str, count: u32) -> Result<TransactWriteItem> {
        let expression = format!("{EPISODES_COUNT} {relation} :count");
        let condition = Condition::new(&expression).value("count", number(count.into()));
        condition.check(&self.anime, key(anime.get()))
    }

    /// Returns the number of episodes in the row that failed a check; `None` for an empty item, which stands for a row
    /// that does not exist.
    pub fn in_row(row: Item) -> Result<Option<u32>> {
        let row = Some(row).filter(|row| !row.is_empty());
        let row: Option<Episodes> = row.map(read).transpose()?;
        Ok(row.map(|row| row.episodes_count))
    }
}
