//! Linked accounts at trackers: the store of the table [`super::tracker_link`]. Also the parts of an update of
//! the user's row that record that an account was linked or unlinked.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem};
use dynamo::{
    Condition, Database, Item, TargetRow, Transaction, number, read, read_first_page, text,
    update_row, write,
};
use shared::Error;
use shared::models::{TrackerName, UserId};
use shared::random::Random;

use super::tracker_link::{Link, LinkReport, TABLE, key};
use crate::rows::query_by;
use crate::users::conditions::user_exists;
use crate::users::user::{self, SYNC_SHARD, key as user_key};

/// The store of linked accounts.
#[derive(Clone, Debug)]
pub struct LinkStore {
    client: Client,
    table: String,
    user_table: String,
    random: Random,
}

impl LinkStore {
    /// Creates the store of linked accounts at trackers.
    pub fn new(database: &Database) -> Self {
        Self {
            client: database.client.clone(),
            table: database.tables.of(TABLE.name),
            user_table: database.tables.of(user::TABLE.name),
            random: database.random.clone(),
        }
    }

    /// Returns the linked accounts of a user, at most one at each tracker, by a strongly consistent read. They
    /// include accounts whose tokens the tracker refuses.
    pub async fn list(&self, user: UserId) -> Result<Vec<Link>, Error> {
        let query = query_by(&self.client, &self.table, "user_id", number(user.get()));
        read_first_page(query.consistent_read(true), read).await
    }

    /// Stores `sealed`, new encrypted tokens of a linked account. Returns false if the user has unlinked the account
    /// or linked an account again.
    pub async fn store_tokens(&self, link: &Link, sealed: &str) -> Result<bool, Error> {
        let is_same_link = is_same_link(link).value("tokens", text(sealed));
        self.update(link, is_same_link, "SET tokens = :tokens")
            .await
    }

    /// Stores the report of a synchronization run, the number of consecutive failures, and the time before
    /// which the tracker is not called again (milliseconds since the Unix epoch). Returns false if the user
    /// has unlinked the account or linked an account again.
    pub async fn store_report(
        &self,
        link: &Link,
        report: &LinkReport,
        failures: u32,
        not_before: u64,
    ) -> Result<bool, Error> {
        let report = serde_dynamo::to_attribute_value(report).map_err(Error::internal)?;
        let is_same_link = is_same_link(link)
            .value("report", report)
            .value("failures", number(failures.into()))
            .value("not_before", number(not_before));
        let update = "SET report = :report, failures = :failures, not_before = :not_before";
        self.update(link, is_same_link, update).await
    }

    /// Records that the tracker refuses the tokens of a linked account. The account then counts as unlinked until the
    /// user links it again. Returns false if the user has unlinked the account or linked an account again, or if the
    /// user was deleted.
    pub async fn require_reconnect(&self, link: &Link) -> Result<bool, Error> {
        // The update of the user's row depends on whether an account at the other tracker is linked. Each attempt is
        // for one of the two cases, and has the case as its condition. No read of the user's row is needed.
        for other_is_linked in [true, false] {
            let refused = is_same_link(link).value("yes", AttributeValue::Bool(true));
            let (user, update) = record_unlinked(user_exists(), link.tracker, other_is_linked);
            let (update, key) = (update.expression(), user_key(link.user_id));
            let mut writes = Transaction::new(&self.client, &self.random);
            writes.add(refused.update(&self.table, link_key(link), "SET is_refused = :yes")?);
            writes.add(user.update(&self.user_table, key, &update)?);
            if writes.commit().await?.is_written() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn update(&self, link: &Link, condition: Condition, update: &str) -> Result<bool, Error> {
        let row = TargetRow(&self.client, &self.table, link_key(link));
        let updated = update_row(row, condition, update, &self.random).await?;
        Ok(updated.is_written())
    }
}

/// The clauses of an update expression.
#[derive(Debug, Default)]
pub(crate) struct Update {
    sets: Vec<String>,
    removes: Vec<String>,
}

impl Update {
    pub(crate) fn set(&mut self, clause: impl Into<String>) {
        self.sets.push(clause.into());
    }

    pub(crate) fn remove(&mut self, attribute: impl Into<String>) {
        self.removes.push(attribute.into());
    }

    /// Returns the update expression (DynamoDB Developer Guide, "Update expressions").
    pub(crate) fn expression(&self) -> String {
        let clause = |word: &str, parts: &[String]| {
            let list = parts.join(", ");
            (!parts.is_empty()).then(|| format!("{word} {list}"))
        };
        let clauses = [clause("SET", &self.sets), clause("REMOVE", &self.removes)];
        let clauses: Vec<String> = clauses.into_iter().flatten().collect();
        clauses.join(" ")
    }
}

/// Adds to `update` the clauses that record a newly linked account in the user's row, and to `condition` the values of
/// these clauses. The user becomes due for synchronization at once.
pub(crate) fn record_linked(
    condition: Condition,
    link: &Link,
    avatar: Option<&str>,
    update: &mut Update,
) -> Condition {
    let name = link.tracker;
    update.set(format!("has_{name} = :linked"));
    update.set(format!("{name}_account = :{name}_account"));
    update.set("sync_shard = :sync_shard");
    update.set("sync_due_at = :sync_due_at");
    let condition = condition
        .value("linked", AttributeValue::Bool(true))
        .value(&format!("{name}_account"), number(link.account))
        .value("sync_shard", number(SYNC_SHARD))
        .value("sync_due_at", number(link.linked_at));
    let Some(avatar) = avatar else {
        return condition;
    };
    update.set("avatar = :avatar");
    condition.value("avatar", text(avatar))
}

/// Returns the update that records in the user's row that an account was unlinked, and `condition` with the further
/// condition of this update. If no account at the other tracker is linked, the user leaves the index SyncDue.
pub(crate) fn record_unlinked(
    condition: Condition,
    tracker: TrackerName,
    other_is_linked: bool,
) -> (Condition, Update) {
    let mut update = Update::default();
    update.set(format!("has_{tracker} = :unlinked"));
    update.remove(format!("{tracker}_account"));
    if !other_is_linked {
        update.remove("sync_shard");
    }
    let other = tracker.other();
    let other_is_unchanged = Condition::new(&format!("has_{other} = :other"))
        .value("other", AttributeValue::Bool(other_is_linked))
        .value("unlinked", AttributeValue::Bool(false));
    (condition.and(other_is_unchanged), update)
}

/// Returns the action that writes the row of a linked account. It replaces the row of an account that is linked at the
/// same tracker.
pub(crate) fn put_link(table: &str, link: &Link) -> Result<TransactWriteItem, Error> {
    Condition::default().put(table, write(link)?)
}

/// Returns the action that deletes the row of a user's linked account at a tracker, with its tokens.
pub(crate) fn delete_link(
    table: &str,
    user: UserId,
    tracker: TrackerName,
) -> Result<TransactWriteItem, Error> {
    Condition::default().delete(table, key(user, tracker))
}

/// Returns the condition that the user has neither unlinked the account nor linked an account again.
fn is_same_link(link: &Link) -> Condition {
    Condition::new("link_id = :link_id").value("link_id", text(&link.link_id))
}

fn link_key(link: &Link) -> Item {
    key(link.user_id, link.tracker)
}
