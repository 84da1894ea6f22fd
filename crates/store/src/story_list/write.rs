//! The part of every write of stories that changes the version of the list in the owner's row.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem};
use shared::models::{AnimeId, RecentChange, UserId, write_recent_changes};

use super::cache::with_earlier;
use super::digest::fingerprint;
use super::{ListRow, StoryLists};
use crate::item::{Item, number};
use crate::transaction::Condition;

/// A write of one story in a transaction.
pub struct StoryAction {
    /// The action.
    pub action: TransactWriteItem,
    /// The anime of the story.
    pub anime: AnimeId,
    /// The number of the last change of the story before the write; `None` if there is no story.
    pub before: Option<u64>,
    /// The row after the write.
    pub after: ListRow,
}

/// The change of the version of a list by one transaction.
#[derive(Clone, Debug)]
pub struct ListWrite {
    first_number: u64,
    last_number: u64,
    /// The difference between the digests after and before the transaction; `None` if the digest is not known, and is
    /// removed.
    difference: Option<i64>,
    changes: Vec<RecentChange>,
    recent: Vec<RecentChange>,
}

impl ListWrite {
    /// Returns the change by these actions, whose changes have the numbers from `first_number` on.
    pub fn new(
        lists: &StoryLists,
        owner: UserId,
        first_number: u64,
        actions: &[StoryAction],
    ) -> Self {
        let numbered = (first_number..).zip(actions);
        let changes: Vec<RecentChange> = numbered
            .clone()
            .map(|(number, action)| RecentChange {
                number,
                anime: action.anime,
            })
            .collect();
        let difference = |(number, action): (u64, &StoryAction)| {
            let of = |number| fingerprint(action.anime, number);
            let after = match action.after {
                ListRow::Story(_) => of(number),
                ListRow::Deleted(..) | ListRow::Unreadable(_) => 0,
            };
            after - action.before.map_or(0, of)
        };
        let head = lists.known_slot(owner).map(|slot| slot.head().clone());
        let head = head.unwrap_or_default();
        Self {
            first_number,
            last_number: first_number + (actions.len() as u64).saturating_sub(1),
            difference: (!head.lacks_digest).then(|| numbered.map(difference).sum()),
            recent: with_earlier(&changes, &head.recent),
            changes,
        }
    }

    /// Returns the condition on the owner's row: the numbers are free, and if the digest is kept, it is that of the
    /// list before the transaction. An earlier version of the service writes stories without changing the digest, which
    /// is then wrong and removed. The condition also has the values of [`Self::update`].
    pub fn condition(&self) -> Condition {
        let are_free =
            "attribute_not_exists(last_change_number) OR last_change_number < :first_number";
        let condition = Condition::new(are_free)
            .value("first_number", number(self.first_number))
            .value("last_number", number(self.last_number))
            .value("recent_changes", bytes(write_recent_changes(&self.recent)));
        let Some(difference) = self.difference else {
            return condition.and(Condition::new(
                "attribute_not_exists(digest_number) OR attribute_not_exists(last_change_number) \
                 OR digest_number <> last_change_number",
            ));
        };
        let has_digest = Condition::new("digest_number = last_change_number");
        let difference = AttributeValue::N(difference.to_string());
        condition.and(has_digest.value("difference", difference))
    }

    /// Returns the update of the owner's row. `sets` are further parts of its SET clause.
    pub fn update(&self, sets: &[&str]) -> String {
        let mut all = vec![
            "last_change_number = :last_number",
            "recent_changes = :recent_changes",
        ];
        all.extend(sets);
        if self.difference.is_some() {
            all.push("digest_number = :last_number");
            all.push("story_digest = story_digest + :difference");
            format!("SET {}", all.join(", "))
        } else {
            let sets = all.join(", ");
            format!("SET {sets} REMOVE digest_number, story_digest")
        }
    }

    /// Returns the number of the last change in the owner's row, if the condition failed because numbers are in use.
    pub fn number_in_use(&self, owners_row: &Item) -> Option<u64> {
        last_number_of(owners_row).filter(|last| *last >= self.first_number)
    }

    /// Returns true if the condition failed because the row has a digest and none was expected, or the other way round.
    /// The next attempt expects what the row has.
    pub fn expects_wrong_digest(
        &self,
        lists: &StoryLists,
        owner: UserId,
        owners_row: &Item,
    ) -> bool {
        let has_digest = number_of(owners_row, "digest_number")
            .is_some_and(|number| last_number_of(owners_row) == Some(number));
        let is_wrong = has_digest != self.difference.is_some();
        if is_wrong {
            lists.slot(owner).head().lacks_digest = !has_digest;
        }
        is_wrong
    }

    /// Remembers the change after the transaction has succeeded.
    pub fn remember(self, lists: &StoryLists, owner: UserId, actions: Vec<StoryAction>) {
        lists.slot(owner).add(&self.changes);
        lists.apply(
            owner,
            actions.into_iter().map(|action| action.after).collect(),
        );
    }
}

fn number_of(row: &Item, name: &str) -> Option<u64> {
    crate::item::as_number(row.get(name)?)
}

fn last_number_of(row: &Item) -> Option<u64> {
    number_of(row, "last_change_number")
}

fn bytes(bytes: Vec<u8>) -> AttributeValue {
    AttributeValue::B(Blob::new(bytes))
}
