//! The table `OAuthGrant`: which OAuth clients act for a user, and which of their tokens are taken.
//!
//! The row of a client that was disconnected stays, for its generation has to go on from there: a
//! token of the time before must not be taken again once the user connects the client anew.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem};
use shared::Error;
use shared::auth::{Access, Credential, GrantRow, GrantedClient, has_expired};
use shared::models::UserId;
use shared::random::Random;

use crate::errors::{NO_APPLICATION, failed};
use crate::item::{number, read, text};
use crate::schema::oauth_grant::{Grant, TABLE, key as grant_key};
use crate::table_names::TableNames;
use crate::transaction::{Condition, Outcome, Row, transact, update_row};
use crate::users::{UserStore, check_caller};

/// The most revoked tokens that a row names, of those that have not expired: with as many it has about
/// a KB, and a write that checks it costs hardly more for them. One more ends all tokens of the grant.
const MOST_REVOKED: u64 = 32;

/// What users have granted.
#[derive(Clone, Debug)]
pub struct GrantStore {
    client: Client,
    table: String,
    random: Random,
}

impl GrantStore {
    /// The table.
    #[must_use]
    pub fn new(client: Client, tables: &TableNames, random: Random) -> Self {
        Self {
            client,
            table: tables.of(TABLE.name),
            random,
        }
    }

    /// What the row of a grant says, as it is at this moment.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn find(&self, user: UserId, client_id: &str) -> Result<Option<GrantRow>, Error> {
        let request = self.client.get_item().table_name(&self.table);
        let request = request.set_key(Some(grant_key(user, client_id)));
        let found = request
            .consistent_read(true)
            .send()
            .await
            .map_err(failed)?
            .item;
        found.map(read).transpose()
    }

    /// What the grant says that a credential was issued under, if it was under one.
    pub(super) async fn of(&self, credential: &Credential) -> Result<Option<GrantRow>, Error> {
        match &credential.client {
            Some(client) => self.find(credential.user_id, &client.client_id).await,
            None => Ok(None),
        }
    }

    /// The action that checks the grant which a credential was issued under, if it was under one.
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

    /// The action that connects a client, whose grant is at this generation now: none is 0.
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

    /// The clients that act for a user, in no order.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn list(&self, user: UserId) -> Result<Vec<Grant>, Error> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .consistent_read(true)
            .key_condition_expression("user_id = :user_id")
            .filter_expression("attribute_exists(connected_at)")
            .expression_attribute_values(":user_id", number(user.get()));
        let (mut granted, mut start) = (Vec::new(), None);
        loop {
            let page = query
                .clone()
                .set_exclusive_start_key(start)
                .send()
                .await
                .map_err(failed)?;
            for row in page.items.unwrap_or_default() {
                granted.push(read(row)?);
            }
            start = page.last_evaluated_key;
            if start.is_none() {
                return Ok(granted);
            }
        }
    }

    /// Disconnects a client from the caller: each of its tokens ends.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn disconnect(
        &self,
        users: &UserStore,
        access: &Access,
        client_id: &str,
    ) -> Result<(), Error> {
        let mut actions = users.caller_checks(access).await?;
        let connected = Condition::new("attribute_exists(connected_at)").value("one", number(1));
        let key = grant_key(access.credential.user_id, client_id);
        let end =
            "SET token_generation = token_generation + :one REMOVE connected_at, revoked_tokens";
        actions.push(connected.update(&self.table, key, end)?);
        match transact(&self.client, actions, &self.random).await? {
            Outcome::Written => Ok(()),
            Outcome::Refused(rows) => {
                check_caller(access, &mut rows.into_iter())?;
                Err(NO_APPLICATION)
            }
        }
    }

    /// Ends every token of a grant that is at this generation. One that has gone on has none of them.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn end_tokens(&self, user: UserId, client: &GrantedClient) -> Result<(), Error> {
        let same = Condition::new("token_generation = :generation")
            .value("generation", number(client.generation))
            .value("next", number(client.generation + 1));
        let end = "SET token_generation = :next REMOVE revoked_tokens";
        self.update(user, client, same, end).await.map(|_| ())
    }

    /// Ends one token of a grant, at `now` in seconds since the Unix epoch.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
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
        self.end_tokens(credential.user_id, client).await
    }

    /// False when there is no room, or the grant has gone on.
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

    /// Takes tokens out of the row that nobody takes any more.
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

    /// Updates a grant under a condition. False when it does not hold.
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
