//! Grants: the OAuth clients that may act for a user, and which of their tokens are valid. The store of the
//! table [`crate::schema::oauth_grant`]. The documentation of that module explains why the row of a
//! disconnected client stays.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem};
use shared::Error;
use shared::auth::{Credential, GrantRow, GrantedClient, has_expired};
use shared::models::UserId;
use shared::random::Random;

use crate::get::get;
use crate::item::{number, read, text};
use crate::listing::all;
use crate::schema::oauth_grant::{Grant, TABLE, key as grant_key};
use crate::table_names::TableNames;
use crate::transaction::{Condition, Row, update_row};

/// The maximum number of revoked tokens in a row. 32 tokens keep the row at about 1 KB, and so limit the cost
/// of the transactions that check it. If none of them has expired, one more revocation ends all tokens of the
/// grant (docs/oauth.md, "Revocation").
const MOST_REVOKED: u64 = 32;

/// The store of grants.
#[derive(Clone, Debug)]
pub struct GrantStore {
    client: Client,
    table: String,
    random: Random,
}

impl GrantStore {
    /// Creates the store.
    #[must_use]
    pub fn new(client: Client, tables: &TableNames, random: Random) -> Self {
        Self {
            client,
            table: tables.of(TABLE.name),
            random,
        }
    }

    /// Returns the row of a grant as it is at this moment.
    pub async fn find(&self, user: UserId, client_id: &str) -> Result<Option<GrantRow>, Error> {
        let row = get(&self.client, &self.table, grant_key(user, client_id)).await?;
        row.map(read).transpose()
    }

    /// Returns the row of the grant under which a credential was issued; `None` if the user signed in
    /// directly.
    pub(super) async fn of(&self, credential: &Credential) -> Result<Option<GrantRow>, Error> {
        match &credential.client {
            Some(client) => self.find(credential.user_id, &client.client_id).await,
            None => Ok(None),
        }
    }

    /// Returns the action that checks the grant of a credential in a transaction; `None` if the user signed
    /// in directly.
    pub(super) fn check(
        &self,
        credential: &Credential,
    ) -> Result<Option<TransactWriteItem>, Error> {
        let check = |client: &GrantedClient| {
            let holds =
                "token_generation = :generation AND NOT contains(revoked_tokens, :token_id)";
            Condition::new(holds)
                .value("generation", number(client.generation))
                .value("token_id", text(&credential.token_id))
                .check(
                    &self.table,
                    grant_key(credential.user_id, &client.client_id),
                )
        };
        credential.client.as_ref().map(check).transpose()
    }

    /// Returns the action that connects a client to a user. The grant must still have the token generation in
    /// `client`, which is 0 if there is no grant yet. `now` is in milliseconds since the Unix epoch.
    pub(super) fn connect(
        &self,
        user: UserId,
        client: &GrantedClient,
        now: u64,
    ) -> Result<TransactWriteItem, Error> {
        let unchanged = "attribute_not_exists(user_id) OR token_generation = :generation";
        Condition::new(unchanged)
            .value("generation", number(client.generation))
            .value("now", number(now))
            .update(
                &self.table,
                grant_key(user, &client.client_id),
                "SET token_generation = :generation, connected_at = if_not_exists(connected_at, :now)",
            )
    }

    /// Returns the clients that are connected to a user, in no order, as they are at this moment.
    pub async fn list(&self, user: UserId) -> Result<Vec<Grant>, Error> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .consistent_read(true)
            .key_condition_expression("user_id = :user_id")
            .filter_expression("attribute_exists(connected_at)")
            .expression_attribute_values(":user_id", number(user.get()));
        all(query, read).await
    }

    /// Returns the action that disconnects a client from a user and ends every token of the grant.
    pub(super) fn disconnect(
        &self,
        user: UserId,
        client_id: &str,
    ) -> Result<TransactWriteItem, Error> {
        let connected = Condition::new("attribute_exists(connected_at)").value("one", number(1));
        let end =
            "SET token_generation = token_generation + :one REMOVE connected_at, revoked_tokens";
        connected.update(&self.table, grant_key(user, client_id), end)
    }

    /// Ends every token of the generation in `client`, by increasing the generation of the grant. Does
    /// nothing if the grant has a later generation, because the tokens have ended already.
    pub async fn end_tokens(&self, user: UserId, client: &GrantedClient) -> Result<(), Error> {
        let same = Condition::new("token_generation = :generation")
            .value("generation", number(client.generation))
            .value("next", number(client.generation + 1));
        let end = "SET token_generation = :next REMOVE revoked_tokens";
        self.update(user, client, same, end).await.map(|_| ())
    }

    /// Revokes the token of a credential. Does nothing for a credential that no application has. `now` is in
    /// seconds since the Unix epoch.
    pub async fn revoke(&self, credential: &Credential, now: u64) -> Result<(), Error> {
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
        // The set is full of tokens that have not expired. End all tokens of the grant, so that this one ends
        // too.
        self.end_tokens(credential.user_id, client).await
    }

    /// Adds a token to the grant's revoked tokens. Returns false if the set is full or the grant has another
    /// generation.
    async fn add_revoked(
        &self,
        credential: &Credential,
        client: &GrantedClient,
    ) -> Result<bool, Error> {
        let room = "token_generation = :generation AND (attribute_not_exists(revoked_tokens) \
            OR size(revoked_tokens) < :most)";
        let room = Condition::new(room)
            .value("generation", number(client.generation))
            .value("most", number(MOST_REVOKED))
            .value(
                "token",
                AttributeValue::Ss(vec![credential.token_id.clone()]),
            );
        let add = "ADD revoked_tokens :token";
        self.update(credential.user_id, client, room, add).await
    }

    /// Removes expired tokens from the grant's revoked tokens. They are rejected because of their age.
    async fn forget_expired(
        &self,
        user: UserId,
        client: &GrantedClient,
        now: u64,
    ) -> Result<(), Error> {
        let row = self.find(user, &client.client_id).await?;
        let revoked = row.map(|row| row.revoked_tokens).unwrap_or_default();
        let expired: Vec<String> = revoked
            .into_iter()
            .filter(|token_id| has_expired(token_id, now))
            .collect();
        if expired.is_empty() {
            return Ok(());
        }
        let there = Condition::new("attribute_exists(user_id)")
            .value("expired", AttributeValue::Ss(expired));
        let delete = "DELETE revoked_tokens :expired";
        self.update(user, client, there, delete).await.map(|_| ())
    }

    /// Updates a grant under a condition. Returns false if the condition does not hold.
    async fn update(
        &self,
        user: UserId,
        client: &GrantedClient,
        condition: Condition,
        update: &str,
    ) -> Result<bool, Error> {
        let key = grant_key(user, &client.client_id);
        let row = Row {
            client: &self.client,
            table: &self.table,
            key,
        };
        let updated = update_row(row, condition, update, &self.random).await?;
        Ok(updated.is_ok())
    }
}
