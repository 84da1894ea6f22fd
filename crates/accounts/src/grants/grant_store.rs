//! Grants: the OAuth clients that may act for a user, and the validity of their tokens. The store of the table
//! [`super::oauth_grant`]. It also reads and checks the row of a profile token when the token is used. The
//! documentation of `oauth_grant.rs` explains why the row of a disconnected client is kept.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem};
use dynamo::{
    Condition, Database, DeletionProgress, Item, TargetRow, delete_rows, get, number, read,
    read_all, text, update_row, was_written,
};
use serde::Deserialize;
use shared::Result;
use shared::auth::{Credential, GrantRow, GrantedClient, Scope, has_expired};
use shared::models::UserId;
use shared::random::Random;

use super::oauth_grant::{Grant, ProfileToken, TABLE, key as grant_key, slot_id};
use crate::rows::query_by;

/// The maximum number of revoked tokens in the row of a grant. With 32 tokens the row has about 1 KB, so that the
/// transactions that check it stay cheap. If the row is full of tokens that have not expired, one more revocation ends
/// all tokens of the grant (docs/oauth.md, "Revocation").
const MAX_REVOKED_TOKENS: u64 = 32;

/// The attributes of a grant that matter when the user gives the same client another consent.
#[derive(Default, Deserialize)]
pub(crate) struct EarlierGrant {
    pub(crate) token_generation: u64,
    connected_at: Option<u64>,
    #[serde(default)]
    scopes: BTreeSet<String>,
}

impl EarlierGrant {
    /// Returns true if the client was connected before scopes existed, and so has every right.
    pub(crate) fn is_unlimited(&self) -> bool {
        self.connected_at.is_some() && self.scopes.is_empty()
    }

    /// Returns true if the client was connected with this scope.
    pub(crate) fn has(&self, scope: Option<Scope>) -> bool {
        let mut names = scope.unwrap_or(Scope::ReadWrite).name().split(' ');
        self.is_unlimited()
            || self.connected_at.is_some() && names.all(|name| self.scopes.contains(name))
    }
}

/// The store of grants.
#[derive(Clone, Debug)]
pub struct GrantStore {
    client: Client,
    table: String,
    random: Random,
}

impl GrantStore {
    /// Creates the store of OAuth grants.
    pub fn new(database: &Database) -> Self {
        Self {
            client: database.client.clone(),
            table: database.tables.of(TABLE.name),
            random: database.random.clone(),
        }
    }

    /// Returns the state of a grant before a consent, by a strongly consistent read; the default if there is no grant.
    pub(crate) async fn find_before_consent(
        &self,
        user: UserId,
        client_id: &str,
    ) -> Result<EarlierGrant> {
        let row = get(&self.client, &self.table, grant_key(user, client_id)).await?;
        row.map_or_else(|| Ok(EarlierGrant::default()), read)
    }

    /// Returns the row of a grant, by a strongly consistent read.
    async fn find(&self, user: UserId, client_id: &str) -> Result<Option<GrantRow>> {
        let row = get(&self.client, &self.table, grant_key(user, client_id)).await?;
        row.map(read).transpose()
    }

    /// Returns the row in this table on which a credential depends: the row of its grant or of its profile token.
    /// `None` for other credentials, or if there is no such row. Records the first use of a profile token on each day.
    pub(crate) async fn find_for(&self, credential: &Credential) -> Result<Option<GrantRow>> {
        let Some(key) = key_of(credential) else {
            return Ok(None);
        };
        let row = get(&self.client, &self.table, key).await?;
        let row: Option<GrantRow> = row.map(read).transpose()?;
        if let (Some(row), Some(token)) = (&row, credential.profile_token)
            && row.token_id.as_ref() == Some(&credential.token_id)
            && row.used_on.is_none_or(|day| day < token.day)
        {
            self.record_use(credential, token.day).await;
        }
        Ok(row)
    }

    /// Records the day on which a profile token is used. A failure is only logged, because the day is only shown to the
    /// user, and the next use of the token records it.
    async fn record_use(&self, credential: &Credential, day: u64) {
        let recorded = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(key_of(credential))
            .condition_expression("token_id = :token_id")
            .update_expression("SET used_on = :day")
            .expression_attribute_values(":token_id", text(&credential.token_id))
            .expression_attribute_values(":day", number(day))
            .send()
            .await;
        if let Err(error) = was_written(recorded) {
            tracing::warn!(%error, "the use of a token was not recorded");
        }
    }

    /// Returns the action that checks the grant of a credential, or its profile token, in a transaction; `None` for
    /// other credentials. For a profile token, the action also records the day of use, which costs no more than a
    /// check without it.
    pub(crate) fn check_action(
        &self,
        credential: &Credential,
    ) -> Result<Option<TransactWriteItem>> {
        let (user, token_id) = (credential.user_id, text(&credential.token_id));
        let action = match (&credential.client, credential.profile_token) {
            (Some(client), _) => {
                let holds =
                    "token_generation = :generation AND NOT contains(revoked_tokens, :token_id)";
                Condition::new(holds)
                    .value("generation", number(client.generation))
                    .value("token_id", token_id)
                    .check(&self.table, grant_key(user, &client.client_id))
            }
            (None, Some(token)) => {
                let key = grant_key(user, &slot_id(token.slot));
                Condition::new("token_id = :token_id")
                    .value("token_id", token_id)
                    .value("day", number(token.day))
                    .update(&self.table, key, "SET used_on = :day")
            }
            (None, None) => return Ok(None),
        };
        action.map(Some)
    }

    /// Returns the action that connects a client to a user with a scope. The grant must still have the token generation
    /// in `client`, which is 0 if there is no grant yet. `now` is in milliseconds since the Unix epoch.
    pub(crate) fn connect_action(
        &self,
        user: UserId,
        client: &GrantedClient,
        scope: Option<Scope>,
        now: u64,
    ) -> Result<TransactWriteItem> {
        let is_unchanged = "attribute_not_exists(user_id) OR token_generation = :generation";
        // Tokens from earlier consents stay valid, so the grant has the scopes of all consents.
        let update = "SET token_generation = :generation, connected_at = if_not_exists(connected_at, :now) \
            ADD scopes :scopes";
        let names = scope.unwrap_or(Scope::ReadWrite).name().split(' ');
        Condition::new(is_unchanged)
            .value("generation", number(client.generation))
            .value("now", number(now))
            .value(
                "scopes",
                AttributeValue::Ss(names.map(str::to_owned).collect()),
            )
            .update(&self.table, grant_key(user, &client.client_id), update)
    }

    /// Returns the clients that are connected to a user, in any order, by a strongly consistent read.
    pub async fn list(&self, user: UserId) -> Result<Vec<Grant>> {
        let rows = query_by(&self.client, &self.table, "user_id", number(user.get()));
        let connected = rows.filter_expression("attribute_exists(connected_at)");
        read_all(connected.consistent_read(true), read).await
    }

    /// Returns all rows of a user, by a strongly consistent read: the clients that are or were connected, and the
    /// profile tokens, including tokens that have ended.
    pub async fn rows_of(&self, user: UserId) -> Result<(Vec<Grant>, Vec<ProfileToken>)> {
        let rows = query_by(&self.client, &self.table, "user_id", number(user.get()));
        let (mut grants, mut tokens) = (Vec::new(), Vec::new());
        for row in read_all(rows.consistent_read(true), Ok).await? {
            // Only the row of a profile token has the identifier of a token.
            if row.contains_key("token_id") {
                tokens.push(read(row)?);
            } else {
                grants.push(read(row)?);
            }
        }
        Ok((grants, tokens))
    }

    /// Returns the action that disconnects a client from a user and ends every token of the grant.
    pub(crate) fn disconnect_action(
        &self,
        user: UserId,
        client_id: &str,
    ) -> Result<TransactWriteItem> {
        let is_connected = Condition::new("attribute_exists(connected_at)").value("one", number(1));
        let update = "SET token_generation = token_generation + :one REMOVE connected_at, scopes, revoked_tokens";
        is_connected.update(&self.table, grant_key(user, client_id), update)
    }

    /// Ends every token of the generation in `client`, by increasing the generation of the grant. Does nothing if the
    /// grant has a later generation, because the tokens have already ended.
    pub async fn end_tokens(&self, user: UserId, client: &GrantedClient) -> Result<()> {
        let has_generation = Condition::new("token_generation = :generation")
            .value("generation", number(client.generation))
            .value("next", number(client.generation + 1));
        let update = "SET token_generation = :next REMOVE revoked_tokens";
        self.update(user, client, has_generation, update)
            .await
            .map(|_| ())
    }

    /// Revokes the token of a credential. Does nothing for a credential that was not issued to an application.
    /// `now` is in seconds since the Unix epoch.
    pub async fn revoke(&self, credential: &Credential, now: u64) -> Result<()> {
        let Some(client) = &credential.client else {
            return Ok(());
        };
        if self.add_revoked(credential, client).await? {
            return Ok(());
        }
        self.forget_expired(credential.user_id, client, now).await?;
        if self.add_revoked(credential, client).await? {
            return Ok(());
        }
        // The set is full of tokens that have not expired, so end all tokens of the grant. If the grant has a later
        // generation instead, this does nothing, because the token has already ended.
        self.end_tokens(credential.user_id, client).await
    }

    /// Deletes grants of an OAuth client whose row is a tombstone, at most `pages` pages of 25 rows. The tokens of a
    /// deleted grant stay invalid, because a token needs its grant, and the client's identifier is never assigned
    /// again.
    pub async fn delete_of_client(
        &self,
        client_id: &str,
        pages: usize,
    ) -> Result<DeletionProgress> {
        let grants = query_by(&self.client, &self.table, "client_id", text(client_id));
        let grants = grants.index_name("ByClient");
        let key = &["user_id", "client_id"];
        let mut pages = pages;
        delete_rows(&self.client, &self.table, grants, key, &mut pages).await
    }

    /// Adds a token to the grant's revoked tokens. Returns false if the set is full or the grant has another
    /// generation.
    async fn add_revoked(&self, credential: &Credential, client: &GrantedClient) -> Result<bool> {
        let has_room = "token_generation = :generation AND (attribute_not_exists(revoked_tokens) \
            OR size(revoked_tokens) < :most)";
        let has_room = Condition::new(has_room)
            .value("generation", number(client.generation))
            .value("most", number(MAX_REVOKED_TOKENS))
            .value(
                "token",
                AttributeValue::Ss(vec![credential.token_id.clone()]),
            );
        let add = "ADD revoked_tokens :token";
        self.update(credential.user_id, client, has_room, add).await
    }

    /// Removes expired tokens from the grant's revoked tokens. They need not be listed, because a token is also
    /// rejected when it has expired.
    async fn forget_expired(&self, user: UserId, client: &GrantedClient, now: u64) -> Result<()> {
        let row = self.find(user, &client.client_id).await?;
        let revoked = row.map(|row| row.revoked_tokens).unwrap_or_default();
        let expired: Vec<String> = revoked
            .into_iter()
            .filter(|token_id| has_expired(token_id, now))
            .collect();
        if expired.is_empty() {
            return Ok(());
        }
        let grant_exists = Condition::new("attribute_exists(user_id)")
            .value("expired", AttributeValue::Ss(expired));
        let delete = "DELETE revoked_tokens :expired";
        self.update(user, client, grant_exists, delete)
            .await
            .map(|_| ())
    }

    /// Updates a grant under a condition. Returns false if the condition does not hold.
    async fn update(
        &self,
        user: UserId,
        client: &GrantedClient,
        condition: Condition,
        update: &str,
    ) -> Result<bool> {
        let key = grant_key(user, &client.client_id);
        let row = TargetRow(&self.client, &self.table, key);
        let updated = update_row(row, condition, update, &self.random).await?;
        Ok(updated.is_written())
    }
}

/// Returns the key of the row in this table that decides, together with the user's row, if a token is valid. `None`
/// for a token or session from a sign-in: then only the user's row decides.
fn key_of(credential: &Credential) -> Option<Item> {
    let user = credential.user_id;
    match (&credential.client, credential.profile_token) {
        (Some(client), _) => Some(grant_key(user, &client.client_id)),
        (None, Some(token)) => Some(grant_key(user, &slot_id(token.slot))),
        (None, None) => None,
    }
}
