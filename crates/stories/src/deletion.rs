//! The deletion of the data that this crate keeps about a user. [`accounts`] deletes the rest.

use aws_sdk_dynamodb::Client;
use dynamo::{Database, DeletionProgress, delete_rows, number, query};
use shared::Result;
use shared::models::UserId;

use crate::list_files::waiting_list;
use crate::lists::user_story;
use crate::players::player;
use crate::statistics::user_statistics;

/// The deleter of the stories, players, statistics and waiting entries of deleted users.
#[derive(Clone, Debug)]
pub struct StoryDeletion {
    client: Client,
    /// The tables with their keys, in the order of the deletion.
    tables: [(String, &'static [&'static str]); 4],
}

impl StoryDeletion {
    /// Creates the deleter.
    pub fn new(database: &Database) -> Self {
        let tables = [
            &user_statistics::TABLE,
            &player::TABLE,
            &waiting_list::TABLE,
            &user_story::TABLE,
        ];
        Self {
            client: database.client.clone(),
            tables: tables.map(|table| (database.tables.of(table.name), table.key)),
        }
    }

    /// Deletes rows of a user whose own row is a tombstone, at most `pages` pages of 25 rows.
    pub async fn delete_data_of_user(
        &self,
        id: UserId,
        mut pages: usize,
    ) -> Result<DeletionProgress> {
        for (table, key) in &self.tables {
            let rows = query(&self.client, table, "user_id", number(id.get()));
            let rows = rows.consistent_read(true);
            let progress = delete_rows(&self.client, table, rows, key, &mut pages).await?;
            if progress == DeletionProgress::Unfinished {
                return Ok(progress);
            }
        }
        Ok(DeletionProgress::Done)
    }
}
