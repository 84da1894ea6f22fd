//! OAuth clients (registered applications): the store of the table [`super::oauth_client`].

use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem};
use dynamo::{Condition, Database, Item, batch_get, get, number, read, read_all, text, write};
use shared::Result;
use shared::auth::Access;
use shared::models::UserId;

use super::oauth_client::{
    ClientDetails, OAuthClient, TABLE, is_client_id, key as client_key, tombstone,
};
use crate::errors::{NO_APPLICATION, too_many_clients};
use crate::rows::query_by;
use crate::users::user_store::UserStore;

/// The maximum number of OAuth clients of a user (docs/api.md, "Limits").
pub const MAX_CLIENTS: u64 = 25;

/// The maximum number of rows that one `BatchGetItem` returns.
const MAX_BATCH_GET: usize = 100;

/// The store of OAuth clients.
#[derive(Clone, Debug)]
pub struct ClientStore {
    client: aws_sdk_dynamodb::Client,
    users: UserStore,
    table: String,
}

impl ClientStore {
    /// Creates the store of OAuth clients.
    pub fn new(database: &Database) -> Self {
        Self {
            users: UserStore::new(database),
            client: database.client.clone(),
            table: database.tables.of(TABLE.name),
        }
    }

    /// Returns a client, by a strongly consistent read; `None` if it is unknown or a tombstone. `client_id` can
    /// be any text that a caller sends.
    pub async fn find(&self, client_id: &str) -> Result<Option<OAuthClient>> {
        if !is_client_id(client_id) {
            return Ok(None);
        }
        let row = get(&self.client, &self.table, client_key(client_id)).await?;
        row.filter(is_live).map(read).transpose()
    }

    /// Returns the clients with these identifiers, in any order. Unknown clients and tombstones are left out. The read
    /// is eventually consistent.
    pub async fn find_many(&self, client_ids: &[String]) -> Result<Vec<OAuthClient>> {
        let mut clients = Vec::new();
        for ids in client_ids.chunks(MAX_BATCH_GET) {
            let keys = ids.iter().map(|id| client_key(id)).collect();
            for row in batch_get(&self.client, &self.table, keys, false).await? {
                if is_live(&row) {
                    clients.push(read(row)?);
                }
            }
        }
        Ok(clients)
    }

    /// Returns a user's clients, oldest first. Reads a secondary index, which can lag behind changes.
    pub async fn list(&self, owner: UserId) -> Result<Vec<OAuthClient>> {
        let owner = number(owner.get());
        let query = query_by(&self.client, &self.table, "user_id", owner).index_name("ByOwner");
        read_all(query, read).await
    }

    /// Registers a client that the caller owns.
    ///
    /// # Errors
    /// [`shared::Error::Conflict`] if the caller already has [`MAX_CLIENTS`] clients.
    pub async fn create(&self, access: &Access, client: &OAuthClient) -> Result<()> {
        // The clients are counted in the owner's row, because a condition cannot count the rows of a secondary index.
        let has_room = "attribute_not_exists(client_count) OR client_count < :most";
        let has_room = Condition::new(has_room)
            .value("most", number(MAX_CLIENTS))
            .value("none", number(0))
            .value("one", number(1));
        let count = "SET client_count = if_not_exists(client_count, :none) + :one";
        let too_many = || too_many_clients(MAX_CLIENTS);
        let mut writes = self
            .users
            .begin_with_update(access, has_room, count, too_many())
            .await?;
        let is_new = Condition::new("attribute_not_exists(client_id)");
        writes.add(is_new.put(&self.table, write(client)?)?);
        writes.commit().await?.or(too_many())
    }

    /// Changes the details of a client that the caller owns.
    ///
    /// # Errors
    /// [`shared::Error::NotFound`] if the caller owns no such client.
    pub async fn update(
        &self,
        access: &Access,
        client_id: &str,
        details: &ClientDetails,
    ) -> Result<()> {
        let uris = details.redirect_uris.iter().map(|uri| text(uri.as_str()));
        let condition = is_owned_by_caller(access)
            .name("name")
            .value("name", text(&details.name))
            .value("redirect_uris", AttributeValue::L(uris.collect()))
            .value("implicit", AttributeValue::Bool(details.implicit));
        let update = "SET #name = :name, redirect_uris = :redirect_uris, implicit = :implicit";
        let update = condition.update(&self.table, client_key(client_id), update)?;
        self.write(access, update).await
    }

    /// Replaces the secret of a confidential client that the caller owns. `secret_hash` is the digest of the
    /// new secret.
    ///
    /// # Errors
    /// [`shared::Error::NotFound`] if the caller owns no such confidential client.
    pub async fn set_secret(
        &self,
        access: &Access,
        client_id: &str,
        secret_hash: &str,
    ) -> Result<()> {
        let condition = is_owned_by_caller(access)
            .and(Condition::new("attribute_exists(secret_hash)"))
            .value("secret_hash", text(secret_hash));
        let key = client_key(client_id);
        let update = condition.update(&self.table, key, "SET secret_hash = :secret_hash")?;
        self.write(access, update).await
    }

    /// Deletes a client that the caller owns: its row becomes a tombstone, and the client can no longer be used.
    /// [`crate::grants::GrantStore::delete_of_client`] deletes its grants later. `now` is in milliseconds since the
    /// Unix epoch.
    ///
    /// # Errors
    /// [`shared::Error::NotFound`] if the caller owns no such client.
    pub async fn replace_by_tombstone(
        &self,
        access: &Access,
        client_id: &str,
        now: u64,
    ) -> Result<()> {
        let has_clients = Condition::new("client_count > :none")
            .value("none", number(0))
            .value("one", number(1));
        let count = "SET client_count = client_count - :one";
        let mut writes = self
            .users
            .begin_with_update(access, has_clients, count, NO_APPLICATION)
            .await?;
        writes.add(is_owned_by_caller(access).put(&self.table, tombstone(client_id, now))?);
        writes.commit().await?.or(NO_APPLICATION)
    }

    /// Makes a write to a client's row in a transaction that also checks the caller.
    async fn write(&self, access: &Access, action: TransactWriteItem) -> Result<()> {
        let mut writes = self.users.begin(access).await?;
        writes.add(action);
        writes.commit().await?.or(NO_APPLICATION)
    }
}

fn is_owned_by_caller(access: &Access) -> Condition {
    let owner = number(access.credential.user_id.get());
    Condition::new("user_id = :user_id").value("user_id", owner)
}

fn is_live(row: &Item) -> bool {
    !row.contains_key("deleted_at")
}
