//! The table `OAuthClient`: applications, and whose they are.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem};

use super::batch::batch_get;
use super::transaction::{Condition, Outcome, transact};
use super::users::{Refusal, UserStore, caller_refusal};
use super::{Item, StoreError, TableNames, number, read, text, write};
use crate::auth::Access;
use crate::models::UserId;
use crate::oauth::{Client, ClientDetails, is_client_id};
use crate::random::Random;

/// The one partition of the index of clients that are being deleted.
const DELETION_SHARD: u64 = 0;

/// The most clients of a user.
pub const MAX_CLIENTS: u64 = 25;

/// How many rows a `BatchGetItem` may bring.
const MAX_BATCH_GET: usize = 100;

/// The clients.
#[derive(Clone, Debug)]
pub struct ClientStore {
    client: aws_sdk_dynamodb::Client,
    users: UserStore,
    table: String,
    random: Random,
}

impl ClientStore {
    /// The table.
    #[must_use]
    pub fn new(client: aws_sdk_dynamodb::Client, tables: &TableNames, random: Random) -> Self {
        Self {
            users: UserStore::new(client.clone(), tables, random.clone()),
            client,
            table: tables.of("OAuthClient"),
            random,
        }
    }

    /// A client that is not being deleted, as it is at this moment. Takes any text from a caller.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn find(&self, client_id: &str) -> Result<Option<Client>, StoreError> {
        if !is_client_id(client_id) {
            return Ok(None);
        }
        let request = self.client.get_item().table_name(&self.table);
        let request = request.set_key(Some(client_key(client_id)));
        let found = request.consistent_read(true).send().await?.item;
        found.filter(is_there).map(read).transpose()
    }

    /// The clients among these that are there, in no order.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn find_many(&self, client_ids: &[String]) -> Result<Vec<Client>, StoreError> {
        let mut clients = Vec::new();
        for ids in client_ids.chunks(MAX_BATCH_GET) {
            let keys = ids.iter().map(|id| client_key(id)).collect();
            for row in batch_get(&self.client, &self.table, keys, false).await? {
                if is_there(&row) {
                    clients.push(read(row)?);
                }
            }
        }
        Ok(clients)
    }

    /// A user's clients, the oldest first. May trail a change by the index's delay.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn list(&self, owner: UserId) -> Result<Vec<Client>, StoreError> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .index_name("ByOwner")
            .key_condition_expression("user_id = :user_id")
            .expression_attribute_values(":user_id", number(owner.get()));
        let (mut clients, mut start) = (Vec::new(), None);
        loop {
            let page = query.clone().set_exclusive_start_key(start).send().await?;
            for row in page.items.unwrap_or_default() {
                clients.push(read(row)?);
            }
            start = page.last_evaluated_key;
            if start.is_none() {
                return Ok(clients);
            }
        }
    }

    /// Registers a client of the caller's.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn create(
        &self,
        access: &Access,
        client: &Client,
    ) -> Result<Result<(), Refusal>, StoreError> {
        let room = "attribute_not_exists(client_count) OR client_count < :most";
        let room = Condition::new(room)
            .value("most", number(MAX_CLIENTS))
            .value("none", number(0))
            .value("one", number(1));
        let count = "SET client_count = if_not_exists(client_count, :none) + :one";
        let users = match self.users.caller_update(access, room, count).await? {
            Ok(update) => update,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let new = Condition::new("attribute_not_exists(client_id)");
        let actions = vec![users, new.put(&self.table, write(client)?)?];
        match transact(&self.client, actions, &self.random).await? {
            Outcome::Written => Ok(Ok(())),
            Outcome::Refused(rows) => refused(access, rows, Refusal::TooMany).map(Err),
        }
    }

    /// Changes what a client of the caller's is.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn update(
        &self,
        access: &Access,
        client_id: &str,
        details: &ClientDetails,
    ) -> Result<Result<(), Refusal>, StoreError> {
        let uris = details.redirect_uris.iter().map(|uri| text(uri.as_str()));
        let condition = owned_by(access)
            .name("name")
            .value("name", text(&details.name))
            .value("redirect_uris", AttributeValue::L(uris.collect()))
            .value("implicit", AttributeValue::Bool(details.implicit));
        let update = "SET #name = :name, redirect_uris = :redirect_uris, implicit = :implicit";
        let update = condition.update(&self.table, client_key(client_id), update)?;
        self.write(access, update).await
    }

    /// Gives a confidential client of the caller's another secret, of which this is the hash.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn set_secret(
        &self,
        access: &Access,
        client_id: &str,
        secret_hash: &str,
    ) -> Result<Result<(), Refusal>, StoreError> {
        let condition = owned_by(access)
            .and(Condition::new("attribute_exists(secret_hash)"))
            .value("secret_hash", text(secret_hash));
        let key = client_key(client_id);
        let update = condition.update(&self.table, key, "SET secret_hash = :secret_hash")?;
        self.write(access, update).await
    }

    /// Makes a tombstone of a client of the caller's, `now` in milliseconds since the Unix epoch: from
    /// this moment on there is no such client. Who had granted it anything is cleared after that.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn bury(
        &self,
        access: &Access,
        client_id: &str,
        now: u64,
    ) -> Result<Result<(), Refusal>, StoreError> {
        let any = Condition::new("client_count > :none")
            .value("none", number(0))
            .value("one", number(1));
        let count = "SET client_count = client_count - :one";
        let users = match self.users.caller_update(access, any, count).await? {
            Ok(update) => update,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let put = owned_by(access).put(&self.table, tombstone(client_id, now))?;
        self.transact(access, vec![users, put]).await
    }

    /// One write, and the caller's row with it.
    async fn write(
        &self,
        access: &Access,
        action: TransactWriteItem,
    ) -> Result<Result<(), Refusal>, StoreError> {
        let mut actions = match self.users.caller_checks(access).await? {
            Ok(checks) => checks,
            Err(refusal) => return Ok(Err(refusal)),
        };
        actions.push(action);
        self.transact(access, actions).await
    }

    /// Writes of which the first is about the caller's row, and the other about a client.
    async fn transact(
        &self,
        access: &Access,
        actions: Vec<TransactWriteItem>,
    ) -> Result<Result<(), Refusal>, StoreError> {
        match transact(&self.client, actions, &self.random).await? {
            Outcome::Written => Ok(Ok(())),
            Outcome::Refused(rows) => refused(access, rows, Refusal::NoClient).map(Err),
        }
    }
}

/// Why a transaction was refused of which the first action is about the caller's row: the caller may not
/// do it, or, though they may, what else it takes is not so.
fn refused(
    access: &Access,
    rows: Vec<Option<Item>>,
    otherwise: Refusal,
) -> Result<Refusal, StoreError> {
    match caller_refusal(access, &mut rows.into_iter())? {
        Some(Refusal::Caller(row)) if access.check(row.as_ref()).is_err() => {
            Ok(Refusal::Caller(row))
        }
        _ => Ok(otherwise),
    }
}

/// What is left of a client that is being deleted. It is in no list of its owner's.
pub(super) fn tombstone(client_id: &str, now: u64) -> Item {
    let mut row = client_key(client_id);
    row.insert("deleted_at".to_owned(), number(now));
    row.insert("deletion_shard".to_owned(), number(DELETION_SHARD));
    row
}

/// That a client is the caller's.
fn owned_by(access: &Access) -> Condition {
    let owner = number(access.credential.user_id.get());
    Condition::new("user_id = :user_id").value("user_id", owner)
}

fn is_there(row: &Item) -> bool {
    !row.contains_key("deleted_at")
}

pub(super) fn client_key(client_id: &str) -> Item {
    HashMap::from([("client_id".to_owned(), text(client_id))])
}
