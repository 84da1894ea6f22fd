//! The parts of an update of a user's row that record that an account at a tracker was linked or unlinked.

use aws_sdk_dynamodb::types::AttributeValue;
use dynamo::{Condition, number, text};
use shared::models::TrackerName;

use super::tracker_link::Link;
use super::user::SYNC_SHARD;

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
