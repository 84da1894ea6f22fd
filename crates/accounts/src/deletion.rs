//! Deletion of users and OAuth clients, in steps that can be interrupted at any point and continued later
//! (docs/data-model.md, "Deletion").
//!
//! 1. The user's row becomes a tombstone, without personal data. The same transaction frees the username and
//!    the e-mail address. All tokens of the user end, because a tombstone accepts no token. No new rows can be
//!    written for the user, because the writes check the user's row. Only sessions, consents and throttle rows are
//!    written without this check. Consents and throttle rows expire, and the sweep finds late sessions.
//! 2. The user's data in other tables is deleted, 25 rows at a time.
//! 3. The function `account_sweep` deletes what is left, and then the tombstone. It waits until the tombstone
//!    is 60 s old, because the secondary indexes may lack writes from just before the deletion.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::{PutRequest, WriteRequest};
use dynamo::{
    Condition, Database, DeletionProgress, Item, MAX_BATCH_WRITE, batch_write, delete_rows, number,
    read_all, to_error,
};
use futures_util::future::ready;
use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use serde::de::DeserializeOwned;
use shared::auth::Access;
use shared::models::UserId;
use shared::{Error, Result};

use crate::applications::oauth_client::{self, key as client_key, tombstone};
use crate::errors::NO_USER;
use crate::grants::grant_store::GrantStore;
use crate::grants::oauth_grant;
use crate::linked_accounts::tracker_link;
use crate::rows::{query_by, read_attribute};
use crate::sessions::session;
use crate::throttling::attempt_store::AttemptStore;
use crate::throttling::throttle::keys_of_user;
use crate::users::conditions::denied;
use crate::users::factors::has_factors;
use crate::users::picture::has_picture;
use crate::users::unique;
use crate::users::user::{self, Account, DELETION_SHARD, key as user_key};
use crate::users::user_store::UserStore;

/// The number of OAuth clients of a deleted user whose grants are deleted at the same time.
const CLIENTS_AT_ONCE: usize = 8;

/// The age at which the sweep handles a tombstone, in milliseconds. By then, secondary indexes are assumed to include
/// every write from before the deletion.
const INDEX_DELAY_MS: u64 = 60_000;

/// The store that deletes users and OAuth clients.
#[derive(Clone, Debug)]
pub struct DeletionStore {
    client: Client,
    users: UserStore,
    user_table: String,
    clients: String,
    grants: String,
    links: String,
    sessions: String,
    throttle: AttemptStore,
}

impl DeletionStore {
    /// Creates the store that deletes users and OAuth clients.
    pub fn new(database: &Database) -> Self {
        Self {
            users: UserStore::new(database),
            throttle: AttemptStore::new(database),
            client: database.client.clone(),
            user_table: database.tables.of(user::TABLE.name),
            clients: database.tables.of(oauth_client::TABLE.name),
            grants: database.tables.of(oauth_grant::TABLE.name),
            links: database.tables.of(tracker_link::TABLE.name),
            sessions: database.tables.of(session::TABLE.name),
        }
    }

    /// Turns a user's row into a tombstone, frees the username and the e-mail address, and deletes the picture. `now`
    /// is in milliseconds since the Unix epoch.
    pub async fn replace_by_tombstone(
        &self,
        access: &Access,
        account: &Account,
        now: u64,
    ) -> Result<()> {
        let id = account.user.id;
        let mut tombstone = user_key(id);
        tombstone.insert("deleted_at".to_owned(), number(now));
        tombstone.insert("deletion_shard".to_owned(), number(DELETION_SHARD));
        // The factors and the picture are as they were read, so that nothing of them is left.
        let is_unchanged = has_factors(&account.factors).and(has_picture(account));
        let (mut writes, refusal) = if access.credential.user_id == id {
            let caller = self.users.caller_condition(access).await?;
            let put = caller.and(is_unchanged).put(&self.user_table, tombstone)?;
            let mut writes = self.users.transaction();
            writes.require(put, move |row| denied(access, row));
            self.users.require_grant(access, &mut writes)?;
            (writes, Error::InvalidToken)
        } else {
            let (mut writes, user) = self.users.begin_for(access, id).await?;
            writes.add(user.and(is_unchanged).put(&self.user_table, tombstone)?);
            (writes, NO_USER)
        };
        let markers = [
            Some(unique::of_username(&account.username_folded)),
            Some(unique::of_email(&account.email)),
            account.factors.identity.as_ref().map(unique::of_identity),
        ];
        for marker in markers.into_iter().flatten() {
            writes.add(self.users.delete_marker(&marker, id)?);
        }
        if account.picture.is_some() {
            let key = unique::key(&unique::of_picture(id));
            writes.add(Condition::default().delete(&self.users.unique, key)?);
        }
        writes.commit().await?.or(refusal)
    }

    /// Deletes rows of a user whose own row is a tombstone, at most `pages` pages of 25 rows.
    ///
    /// Before that, turns the user's OAuth clients into tombstones, and deletes at most `pages` pages of 25
    /// grants of each client. The sweep deletes the rest. `now` is in milliseconds since the Unix epoch.
    pub async fn delete_data_of_user(
        &self,
        id: UserId,
        pages: usize,
        now: u64,
    ) -> Result<DeletionProgress> {
        let by_user = |table: &str| query_by(&self.client, table, "user_id", number(id.get()));
        // The user's applications can act for other users. So their tokens end first, before other rows are deleted.
        let clients = by_user(&self.clients).index_name("ByOwner");
        let deleted = self.replace_clients_by_tombstones(clients, now).await?;
        // The future is boxed, because the futures of calls in progress are large.
        let clear = |client: String| {
            async move { self.grants().delete_of_client(&client, pages).await }.boxed()
        };
        stream::iter(deleted)
            .map(clear)
            .buffer_unordered(CLIENTS_AT_ONCE)
            .try_for_each(|_| ready(Ok(())))
            .await?;
        let mut pages = pages;
        // The index can lack a session that began just before the deletion. The sweep finds it.
        let sessions = by_user(&self.sessions).index_name("ByUser");
        let (table, key) = (&self.sessions, &["id_hash"]);
        if delete_rows(&self.client, table, sessions, key, &mut pages).await?
            == DeletionProgress::Unfinished
        {
            return Ok(DeletionProgress::Unfinished);
        }
        for (table, key) in [
            // The linked tracker accounts come first: their tokens are secrets, and there are at most two rows.
            (&self.links, &["user_id", "tracker"][..]),
            (&self.grants, &["user_id", "client_id"]),
        ] {
            let rows = by_user(table).consistent_read(true);
            if delete_rows(&self.client, table, rows, key, &mut pages).await?
                == DeletionProgress::Unfinished
            {
                return Ok(DeletionProgress::Unfinished);
            }
        }
        // The networks that the account was used from are personal data and would stay for 90 days. Authorization codes
        // hold no personal data besides the user's identifier, so they are left to expire.
        for key in keys_of_user(id) {
            self.throttle.delete(&key).await?;
        }
        Ok(DeletionProgress::Done)
    }

    /// Turns the OAuth clients that a query finds into tombstones. Returns their identifiers.
    async fn replace_clients_by_tombstones(
        &self,
        query: QueryFluentBuilder,
        now: u64,
    ) -> Result<Vec<String>> {
        let ids: Vec<String> = read_all(query, |row| read_attribute(row, "client_id")).await?;
        for ids in ids.chunks(MAX_BATCH_WRITE) {
            let mut puts = Vec::with_capacity(ids.len());
            for id in ids {
                let put = PutRequest::builder().set_item(Some(tombstone(id, now)));
                let put = put.build().map_err(Error::internal)?;
                puts.push(WriteRequest::builder().put_request(put).build());
            }
            batch_write(&self.client, &self.clients, puts).await?;
        }
        Ok(ids)
    }

    /// Returns the store of grants, which deletes the grants of a deleted OAuth client.
    pub fn grants(&self) -> &GrantStore {
        &self.users.grants
    }

    /// Returns the users whose tombstones are at least 60 s old, oldest first. `now` is in milliseconds since
    /// the Unix epoch.
    pub async fn due_users(&self, now: u64) -> Result<Vec<UserId>> {
        self.tombstones(&self.user_table, "id", now).await
    }

    /// Returns the OAuth clients whose tombstones are at least 60 s old, oldest first. `now` is in
    /// milliseconds since the Unix epoch.
    pub async fn due_clients(&self, now: u64) -> Result<Vec<String>> {
        self.tombstones(&self.clients, "client_id", now).await
    }

    async fn tombstones<T: DeserializeOwned>(
        &self,
        table: &str,
        key: &str,
        now: u64,
    ) -> Result<Vec<T>> {
        let until = now.saturating_sub(INDEX_DELAY_MS);
        let query = self
            .client
            .query()
            .table_name(table)
            .index_name("ByDeletion")
            .key_condition_expression("deletion_shard = :shard AND deleted_at <= :until")
            .expression_attribute_values(":shard", number(DELETION_SHARD))
            .expression_attribute_values(":until", number(until));
        read_all(query, |row| read_attribute(row, key)).await
    }

    /// Deletes the tombstone of a user. [`DeletionStore::delete_data_of_user`] must have returned
    /// [`DeletionProgress::Done`] before. Does nothing if there is no row.
    pub async fn delete_user_tombstone(&self, id: UserId) -> Result<()> {
        self.delete_tombstone(&self.user_table, user_key(id)).await
    }

    /// Deletes the tombstone of an OAuth client. All its grants must have been deleted before. Does nothing
    /// if there is no row.
    pub async fn delete_client_tombstone(&self, client_id: &str) -> Result<()> {
        self.delete_tombstone(&self.clients, client_key(client_id))
            .await
    }

    async fn delete_tombstone(&self, table: &str, key: Item) -> Result<()> {
        let name = key.keys().next().cloned().unwrap_or_default();
        let is_tombstone = format!("attribute_exists(deleted_at) OR attribute_not_exists({name})");
        let request = self.client.delete_item().table_name(table);
        request
            .set_key(Some(key))
            .condition_expression(is_tombstone)
            .send()
            .await
            .map_err(to_error)?;
        Ok(())
    }
}
