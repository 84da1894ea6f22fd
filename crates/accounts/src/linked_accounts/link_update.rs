//! The parts of an update of a user's row that record that an account at a tracker was linked or unlinked.

use aws_sdk_dynamodb::types::AttributeValue;
use dynamo::{Condition, number, text};
use shared::models::TrackerName;

use super::tracker_link::Link;
use crate::users::user::SYNC_SHARD;
use crate::users::user_change::Update;

/// An account at a tracker to link. It replaces an account that is linked at the same tracker.
#[derive(Clone)]
pub struct NewLink {
    /// The row of the linked account, with its encrypted tokens.
    pub link: Link,
    /// The URL of the account's image, which becomes the user's avatar. With `None`, the avatar stays.
    pub avatar: Option<String>,
}

/// A tracker whose account to unlink. The tokens of the account are deleted.
#[derive(Clone, Copy)]
pub struct Unlink {
    /// The tracker.
    pub tracker: TrackerName,
    /// True if the caller has seen that a usable account at the other tracker is linked. The write has the same
    /// condition, because unlinking the last account also removes the user from the index SyncDue.
    pub other_is_linked: bool,
}

/// Returns the update that records a newly linked account in the user's row, and `condition` with the values of this
/// update. The user becomes due for synchronization at once.
pub(super) fn record_linked(
    condition: Condition,
    NewLink { link, avatar }: &NewLink,
) -> (Condition, Update) {
    let name = link.tracker;
    let mut update = Update::default();
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
        return (condition, update);
    };
    update.set("avatar = :avatar");
    (condition.value("avatar", text(avatar)), update)
}

/// Returns the update that records in the user's row that an account was unlinked, and `condition` with the further
/// condition of this update. If no account at the other tracker is linked, the user leaves the index SyncDue.
pub(super) fn record_unlinked(
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
