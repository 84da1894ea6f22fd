//! The table TrackerLink: accounts at trackers that users have linked. A row of its own for each, because
//! every write of a story looks at the user's row, and tokens are long.

use std::collections::HashMap;
use std::fmt;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::TransactWriteItem;
use serde::{Deserialize, Serialize};

use super::transaction::{Condition, Outcome, Row, transact, update_row, user_key};
use super::{AttributeValue, Item, StoreError, TableNames, number, read, text, write};
use crate::models::UserId;
use crate::random::Random;
use crate::trackers::TrackerName;

/// The one partition of the index SyncDue.
pub(super) const SYNC_SHARD: u64 = 0;

/// An account at a tracker that a user has linked.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Who has linked it.
    pub user_id: UserId,
    /// Where.
    pub tracker: TrackerName,
    /// Which linking this is: another one when the user links anew, the same account or another.
    pub link_id: String,
    /// The account's identifier at the tracker.
    pub account: u64,
    /// The account's name at the tracker.
    pub name: String,
    /// The tokens, sealed.
    pub tokens: String,
    /// Whether the tracker refuses the tokens: only the user can help, by linking anew.
    pub is_refused: bool,
    /// Milliseconds since the Unix epoch.
    pub linked_at: u64,
    /// How often in a row it could not be synchronised.
    #[serde(default)]
    pub failures: u32,
    /// Before that the tracker is not asked again, in milliseconds since the Unix epoch.
    #[serde(default)]
    pub not_before: u64,
    /// What the last run did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<LinkReport>,
}

/// Keeps tokens and name out of every log.
impl fmt::Debug for Link {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "Link({} of {})",
            self.tracker,
            self.user_id.get()
        )
    }
}

/// What a run did at a tracker for a user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkReport {
    /// When, in milliseconds since the Unix epoch.
    pub at: u64,
    /// When a run last came to its end there, in milliseconds since the Unix epoch; 0 for never.
    pub succeeded_at: u64,
    /// Stories that were made or changed by what the tracker has.
    pub imported: u32,
    /// Entries that the tracker was told.
    pub exported: u32,
    /// Stories that had changed on both sides.
    pub conflicts: u32,
    /// Entries that the tracker was still to be told when the run's time was over.
    pub left: u32,
    /// Entries that the tracker refuses for good.
    pub refused: u32,
    /// Entries whose anime are not in the catalogue. They stay at the tracker, and come when the anime do.
    pub unknown: u32,
    /// The tracker's identifiers of the first of them.
    #[serde(default)]
    pub unknown_ids: Vec<u32>,
    /// Why it went no further, for people; none where it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// The linked accounts.
#[derive(Clone, Debug)]
pub struct LinkStore {
    client: Client,
    table: String,
    user_table: String,
    random: Random,
}

impl LinkStore {
    /// The table.
    #[must_use]
    pub fn new(client: Client, tables: &TableNames, random: Random) -> Self {
        Self {
            client,
            table: tables.of("TrackerLink"),
            user_table: tables.of("User"),
            random,
        }
    }

    /// What a user has linked, as it is at this moment: at most one account at each tracker.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn of(&self, user: UserId) -> Result<Vec<Link>, StoreError> {
        let found = self
            .client
            .query()
            .table_name(&self.table)
            .key_condition_expression("user_id = :user_id")
            .expression_attribute_values(":user_id", number(user.get()))
            .consistent_read(true)
            .send()
            .await?;
        found
            .items
            .unwrap_or_default()
            .into_iter()
            .map(read)
            .collect()
    }

    /// Keeps new tokens of a link, if it is still that one. False where the user has linked anew, or
    /// unlinked.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn keep_tokens(&self, link: &Link, sealed: &str) -> Result<bool, StoreError> {
        let same = same_link(link).value("tokens", text(sealed));
        self.update(link, same, "SET tokens = :tokens").await
    }

    /// Keeps what a run did, and when the next may be; if it is still that link. False where it is not.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn keep_report(
        &self,
        link: &Link,
        report: &LinkReport,
        failures: u32,
        not_before: u64,
    ) -> Result<bool, StoreError> {
        let report = serde_dynamo::to_attribute_value(report).map_err(StoreError::fault)?;
        let same = same_link(link)
            .value("report", report)
            .value("failures", number(failures.into()))
            .value("not_before", number(not_before));
        let update = "SET report = :report, failures = :failures, not_before = :not_before";
        self.update(link, same, update).await
    }

    /// Notes that a tracker refuses the tokens of a link, if it is still that one: from now on the user
    /// has no account there that can be used. False where it is not.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn refuse(&self, link: &Link) -> Result<bool, StoreError> {
        // What becomes of the row depends on the other tracker, and so it is a condition.
        for other_is_linked in [true, false] {
            let refused = same_link(link).value("yes", AttributeValue::Bool(true));
            let (user, update) = unlinked(Condition::user_exists(), link.tracker, other_is_linked);
            let actions = vec![
                refused.update(&self.table, link_key(link), "SET is_refused = :yes")?,
                user.update(
                    &self.user_table,
                    user_key(link.user_id),
                    &update.expression(),
                )?,
            ];
            let outcome = transact(&self.client, actions, &self.random).await?;
            if outcome == Outcome::Written {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn update(
        &self,
        link: &Link,
        condition: Condition,
        update: &str,
    ) -> Result<bool, StoreError> {
        let row = Row {
            client: &self.client,
            table: &self.table,
            key: link_key(link),
        };
        let updated = update_row(row, condition, update, &self.random).await?;
        Ok(updated.is_ok())
    }
}

/// The clauses of an update, as they come together.
#[derive(Debug, Default)]
pub(super) struct Update {
    sets: Vec<String>,
    removes: Vec<String>,
}

impl Update {
    pub(super) fn set(&mut self, clause: impl Into<String>) {
        self.sets.push(clause.into());
    }

    pub(super) fn remove(&mut self, attribute: impl Into<String>) {
        self.removes.push(attribute.into());
    }

    /// The update expression (DynamoDB Developer Guide, "Update expressions").
    pub(super) fn expression(&self) -> String {
        let clause = |word: &str, parts: &[String]| {
            let list = parts.join(", ");
            (!parts.is_empty()).then(|| format!("{word} {list}"))
        };
        let clauses = [clause("SET", &self.sets), clause("REMOVE", &self.removes)];
        let clauses: Vec<String> = clauses.into_iter().flatten().collect();
        clauses.join(" ")
    }
}

/// What a user's row says once an account is linked: it can be used, and is due at once.
pub(super) fn linked(
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

/// What a user's row says once an account cannot be used any more: without another one there is nothing to
/// synchronise.
pub(super) fn unlinked(
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
    let same = Condition::new(&format!("has_{other} = :other"))
        .value("other", AttributeValue::Bool(other_is_linked))
        .value("unlinked", AttributeValue::Bool(false));
    (condition.and(same), update)
}

/// The action that keeps a link, in the place of one that was there.
pub(super) fn put_link(table: &str, link: &Link) -> Result<TransactWriteItem, StoreError> {
    any().put(table, write(link)?)
}

/// The action that forgets what a user has linked at a tracker, tokens and all.
pub(super) fn delete_link(
    table: &str,
    user: UserId,
    tracker: TrackerName,
) -> Result<TransactWriteItem, StoreError> {
    any().delete(table, key(user, tracker))
}

/// A transaction's action has a condition here in any case: one that always holds.
fn any() -> Condition {
    Condition::new("attribute_exists(user_id) OR attribute_not_exists(user_id)")
}

fn same_link(link: &Link) -> Condition {
    Condition::new("link_id = :link_id").value("link_id", text(&link.link_id))
}

fn link_key(link: &Link) -> Item {
    key(link.user_id, link.tracker)
}

fn key(user: UserId, tracker: TrackerName) -> Item {
    HashMap::from([
        ("user_id".to_owned(), number(user.get())),
        ("tracker".to_owned(), text(tracker.key())),
    ])
}
