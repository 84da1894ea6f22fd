//! The table `OAuthGrant`: which OAuth clients act for a user, and which of their tokens are taken.
//!
//! The row of a client that was disconnected stays, for its generation has to go on from there: a
//! token of the time before must not be taken again once the user connects the client anew.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem};
use serde::Deserialize;

use super::transaction::{Condition, Outcome, Row, transact, update_row};
use super::users::{Refusal, UserStore, caller_refusal};
use super::{Item, StoreError, TableNames, number, read, text};
use crate::auth::{Access, Credential, GrantRow, GrantedClient, has_expired};
use crate::models::UserId;
use crate::random::Random;

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

/// A client that acts for a user.
#[derive(Clone, Debug, Deserialize)]
pub struct Granted {
    /// Which one.
    pub client_id: String,
    /// Since when, in milliseconds since the Unix epoch.
    pub connected_at: u64,
}

impl GrantStore {
    /// The table.
    #[must_use]
    pub fn new(client: Client, tables: &TableNames, random: Random) -> Self {
        Self {
            client,
            table: tables.of("OAuthGrant"),
            random,
        }
    }

    /// What the row of a grant says, as it is at this moment.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn find(
        &self,
        user: UserId,
        client_id: &str,
    ) -> Result<Option<GrantRow>, StoreError> {
        let request = self.client.get_item().table_name(&self.table);
        let request = request.set_key(Some(grant_key(user, client_id)));
        let found = request.consistent_read(true).send().await?.item;
        found.map(read).transpose()
    }

    /// What the grant says that a credential was issued under, if it was under one.
    pub(super) async fn of(&self, credential: &Credential) -> Result<Option<GrantRow>, StoreError> {
        match &credential.client {
            Some(client) => self.find(credential.user_id, &client.client_id).await,
            None => Ok(None),
        }
    }

    /// The action that checks the grant which a credential was issued under, if it was under one.
    pub(super) fn check(
        &self,
        credential: &Credential,
    ) -> Result<Option<TransactWriteItem>, StoreError> {
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
    ) -> Result<TransactWriteItem, StoreError> {
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
    pub async fn list(&self, user: UserId) -> Result<Vec<Granted>, StoreError> {
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
            let page = query.clone().set_exclusive_start_key(start).send().await?;
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
    ) -> Result<Result<(), Refusal>, StoreError> {
        let mut actions = match users.caller_checks(access).await? {
            Ok(checks) => checks,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let connected = Condition::new("attribute_exists(connected_at)").value("one", number(1));
        let key = grant_key(access.credential.user_id, client_id);
        let end =
            "SET token_generation = token_generation + :one REMOVE connected_at, revoked_tokens";
        actions.push(connected.update(&self.table, key, end)?);
        match transact(&self.client, actions, &self.random).await? {
            Outcome::Written => Ok(Ok(())),
            Outcome::Refused(rows) => {
                let refusal = caller_refusal(access, &mut rows.into_iter())?;
                Ok(Err(refusal.unwrap_or(Refusal::NotConnected)))
            }
        }
    }

    /// Ends every token of a grant that is at this generation. One that has gone on has none of them.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn end_tokens(&self, user: UserId, client: &GrantedClient) -> Result<(), StoreError> {
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
    pub async fn revoke(&self, credential: &Credential, now: u64) -> Result<(), StoreError> {
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
    ) -> Result<bool, StoreError> {
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
    ) -> Result<(), StoreError> {
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
    ) -> Result<bool, StoreError> {
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

fn grant_key(user: UserId, client_id: &str) -> Item {
    HashMap::from([
        ("user_id".to_owned(), number(user.get())),
        ("client_id".to_owned(), text(client_id)),
    ])
}
