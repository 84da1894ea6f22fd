//! Sessions of the web pages: the store of the table [`super::session`].

use aws_sdk_dynamodb::Client;
use dynamo::{Database, Item, get, number, read, read_all, text, was_written, write};
use shared::models::UserId;
use shared::{Result, digest};

use super::session::{Session, TABLE};
use crate::rows::{delete_row, put_row, query_by, read_attribute};

/// The store of sessions.
#[derive(Clone, Debug)]
pub struct SessionStore {
    client: Client,
    table: String,
}

impl SessionStore {
    /// Creates the store of sessions.
    pub fn new(database: &Database) -> Self {
        Self {
            client: database.client.clone(),
            table: database.tables.of(TABLE.name),
        }
    }

    /// Writes a new session.
    pub async fn create(&self, session: &Session) -> Result<()> {
        put_row(&self.client, &self.table, write(session)?).await
    }

    /// Returns the session whose cookie has this digest, by a strongly consistent read. DynamoDB can delete an expired
    /// row days late, so the caller must check `expires_at`.
    pub async fn find(&self, id_hash: &str) -> Result<Option<Session>> {
        let row = get(&self.client, &self.table, key(id_hash)).await?;
        row.map(read).transpose()
    }

    /// Returns the sessions of a user, oldest first, including expired sessions that are not deleted yet. Reads a
    /// secondary index, which can lag behind changes.
    pub async fn list(&self, user: UserId) -> Result<Vec<Session>> {
        let user = number(user.get());
        let query = query_by(&self.client, &self.table, "user_id", user).index_name("ByUser");
        read_all(query, read).await
    }

    /// Returns the identifiers of the sessions that began in this session at the identity provider, expired ones
    /// included. Reads a secondary index, which can lag behind changes.
    pub async fn list_at_provider(&self, provider_session: &str) -> Result<Vec<String>> {
        let session = text(provider_session);
        let query = query_by(&self.client, &self.table, "provider_session", session);
        let query = query.index_name("ByProviderSession");
        read_all(query, |row| read_attribute(row, "id_hash")).await
    }

    /// Records a use of a session at `now`, and extends it until `expires_at`, both in seconds since the Unix epoch.
    /// Does nothing if the session has ended in the meantime.
    pub async fn prolong(&self, id_hash: &str, now: u64, expires_at: u64) -> Result<()> {
        let update = "SET used_at = :now, expires_at = :expires_at";
        let values = [(":now", now), (":expires_at", expires_at)];
        self.update(id_hash, update, &values).await
    }

    /// Records a proof that the user of a session is the owner of the account, at `now` (seconds since the Unix epoch).
    /// Does nothing if the session has ended in the meantime.
    pub async fn record_proof(&self, id_hash: &str, now: u64) -> Result<()> {
        self.update(id_hash, "SET proved_at = :now", &[(":now", now)])
            .await
    }

    async fn update(&self, id_hash: &str, update: &str, values: &[(&str, u64)]) -> Result<()> {
        let mut request = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(key(id_hash)))
            // Without the condition, `UpdateItem` would create a row for a session that has ended.
            .condition_expression("attribute_exists(id_hash)")
            .update_expression(update);
        for (name, value) in values {
            request = request.expression_attribute_values(*name, number(*value));
        }
        was_written(request.send().await).map(|_| ())
    }

    /// Ends a session of this user by deleting its row. Does nothing if the user has no such session.
    pub async fn end_of_user(&self, user: UserId, id_hash: &str) -> Result<()> {
        // DynamoDB refuses keys that are empty or very long. No session has such an identifier.
        if id_hash.len() != digest("").len() {
            return Ok(());
        }
        let request = self.client.delete_item().table_name(&self.table);
        let request = request
            .set_key(Some(key(id_hash)))
            .condition_expression("user_id = :user_id")
            .expression_attribute_values(":user_id", number(user.get()));
        was_written(request.send().await).map(|_| ())
    }

    /// Ends a session by deleting its row.
    pub async fn delete(&self, id_hash: &str) -> Result<()> {
        delete_row(&self.client, &self.table, key(id_hash)).await
    }
}

fn key(id_hash: &str) -> Item {
    Item::from([("id_hash".to_owned(), text(id_hash))])
}
