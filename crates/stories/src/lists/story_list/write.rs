//! The part of every write of stories that changes the version of the list in the owner's row.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use dynamo::item::{number, signed_number};
use dynamo::transaction::{Action, Condition};
use shared::models::{AnimeId, ListVersion, RecentChange, UserId, write_recent_changes};

use super::cache::{StoryLists, UserSlot, with_earlier};
use super::digest::{deletion_fingerprint, fingerprint};
use super::listed::{ListRow, ListedStory};

/// A write of one story in a transaction.
pub struct StoryAction {
    /// The action.
    pub action: Action,
    /// The anime of the story.
    pub anime: AnimeId,
    /// The number of the last change of the story before the write; `None` if there is no story.
    pub before: Option<u64>,
    /// The story after the write; `None` if the write deletes it.
    pub after: Option<ListedStory>,
}

/// The change of the version of a list by one transaction.
#[derive(Clone, Debug)]
pub struct ListWrite {
    first_number: u64,
    last_number: u64,
    /// The changes of the digests; `None` if the row has no valid digests, so that they stay as they are.
    differences: Option<Differences>,
    changes: Vec<RecentChange>,
    recent: Vec<RecentChange>,
}

/// The differences between the digests after and before a transaction.
#[derive(Clone, Copy, Debug, Default)]
struct Differences {
    stories: i64,
    deletions: i64,
}

impl Differences {
    fn of(actions: &[StoryAction], first_number: u64) -> Self {
        let mut all = Self::default();
        for (number, action) in (first_number..).zip(actions) {
            if let Some(before) = action.before {
                all.stories -= fingerprint(action.anime, before);
            }
            if action.after.is_some() {
                all.stories += fingerprint(action.anime, number);
            } else {
                all.deletions += deletion_fingerprint(action.anime, number);
            }
        }
        all
    }
}

impl ListWrite {
    /// Returns the change by these actions, whose changes have the numbers from `first_number` on. `slot` is that of
    /// the owner.
    pub fn new(slot: &UserSlot, first_number: u64, actions: &[StoryAction]) -> Self {
        let numbered = (first_number..).zip(actions);
        let changes: Vec<RecentChange> = numbered
            .map(|(number, action)| RecentChange {
                number,
                anime: action.anime,
            })
            .collect();
        let head = slot.head().clone();
        let differences = Differences::of(actions, first_number);
        Self {
            first_number,
            last_number: first_number + (actions.len() as u64).saturating_sub(1),
            differences: Some(differences).filter(|_| !head.lacks_digest),
            recent: with_earlier(&changes, &head.recent),
            changes,
        }
    }

    /// Returns the condition on the owner's row: the numbers are free, and if the digests are kept, they are those of
    /// the list before the transaction. An earlier version of the service writes stories without changing them, so they
    /// are then wrong, and stay those of an earlier change. The condition also has the values of [`Self::update`].
    pub fn condition(&self) -> Condition {
        let are_free =
            "attribute_not_exists(last_change_number) OR last_change_number < :first_number";
        let condition = Condition::new(are_free)
            .value("first_number", number(self.first_number))
            .value("last_number", number(self.last_number))
            .value("recent_changes", bytes(write_recent_changes(&self.recent)));
        let Some(differences) = self.differences else {
            return condition.and(Condition::new(
                "attribute_not_exists(digest_number) OR attribute_not_exists(last_change_number) \
                 OR digest_number <> last_change_number",
            ));
        };
        let mut has_digest = Condition::new("digest_number = last_change_number")
            .value("difference", signed_number(differences.stories));
        if differences.deletions != 0 {
            has_digest = has_digest.value("deletions", signed_number(differences.deletions));
        }
        condition.and(has_digest)
    }

    /// Returns the update of the owner's row. `sets` are further parts of its SET clause.
    pub fn update(&self, sets: &[&str]) -> String {
        let mut all = vec![
            "last_change_number = :last_number",
            "recent_changes = :recent_changes",
        ];
        all.extend(sets);
        if let Some(differences) = self.differences {
            all.push("digest_number = :last_number");
            all.push("story_digest = story_digest + :difference");
            if differences.deletions != 0 {
                all.push("deletion_digest = deletion_digest + :deletions");
            }
        }
        format!("SET {}", all.join(", "))
    }

    /// Returns the number of the last change in the owner's row, if the condition failed because numbers are in use.
    pub fn number_in_use(&self, present: &ListVersion) -> Option<u64> {
        Some(present.last_change_number).filter(|last| *last >= self.first_number)
    }

    /// Returns true if the condition failed because the row has a digest and none was expected, or the other way round.
    /// The next attempt expects what the row has.
    pub fn expects_wrong_digest(&self, slot: &UserSlot, present: &ListVersion) -> bool {
        let has_digest = present.digest().is_some();
        slot.head().lacks_digest = !has_digest;
        has_digest != self.differences.is_some()
    }

    /// Remembers the change after the transaction has succeeded.
    pub fn remember(self, lists: &StoryLists, owner: UserId, actions: Vec<StoryAction>) {
        lists.slot(owner).add(&self.changes);
        let changes = self.changes.iter().zip(actions);
        let rows = changes.map(|(change, action)| match action.after {
            Some(story) => ListRow::Story(story),
            None => ListRow::Deleted(change.anime, change.number),
        });
        lists.apply(owner, rows.collect());
    }
}

fn bytes(bytes: Vec<u8>) -> AttributeValue {
    AttributeValue::B(Blob::new(bytes))
}
