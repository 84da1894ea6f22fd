//! The change of a list by a transaction.

use accounts::users::{DigestDifferences, ListChange};
use dynamo::ActionName;
use shared::models::{AnimeId, ListVersion, RecentChange, UserId};

use super::cache::{ListMemory, StoryLists, with_earlier};
use super::digest::{deletion_fingerprint, fingerprint};
use super::listed::{ListRow, ListedStory};

/// A write of one story in a transaction.
pub struct StoryAction {
    /// The action.
    pub action: ActionName,
    /// The anime of the story.
    pub anime: AnimeId,
    /// The number of the last change of the story before the write; `None` if there is no story.
    pub before: Option<u64>,
    /// The story after the write; `None` if the write deletes it.
    pub after: Option<ListedStory>,
}

/// The change of a list by one transaction.
#[derive(Clone, Debug)]
pub struct ListWrite {
    /// The change of the version.
    pub change: ListChange,
    changes: Vec<RecentChange>,
}

/// Returns the differences between the digests after and before these actions.
fn differences(actions: &[StoryAction], first_number: u64) -> DigestDifferences {
    let mut all = DigestDifferences::default();
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

impl ListWrite {
    /// Returns the change by these actions, whose changes have the numbers from `first_number` on. `memory` is that of
    /// the owner.
    pub fn new(memory: &ListMemory, first_number: u64, actions: &[StoryAction]) -> Self {
        let numbered = (first_number..).zip(actions);
        let changes: Vec<RecentChange> = numbered
            .map(|(number, action)| RecentChange {
                number,
                anime: action.anime,
            })
            .collect();
        let known_changes = memory.known_changes().clone();
        let differences = differences(actions, first_number);
        let change = ListChange {
            first_number,
            last_number: first_number + (actions.len() as u64).saturating_sub(1),
            differences: Some(differences).filter(|_| !known_changes.lacks_digest),
            recent: with_earlier(&changes, &known_changes.recent),
        };
        Self { change, changes }
    }

    /// Returns the number of the last change in the owner's row, if the condition failed because numbers are in use.
    pub fn number_in_use(&self, present: &ListVersion) -> Option<u64> {
        Some(present.last_change_number).filter(|last| *last >= self.change.first_number)
    }

    /// Returns true if the condition failed because the row has a digest and none was expected, or the other way round.
    /// The next attempt expects what the row actually has.
    pub fn expects_wrong_digest(&self, memory: &ListMemory, present: &ListVersion) -> bool {
        let has_digest = present.digest().is_some();
        memory.known_changes().lacks_digest = !has_digest;
        has_digest != self.change.differences.is_some()
    }

    /// Remembers the change after the transaction has succeeded.
    pub fn remember(self, lists: &StoryLists, owner: UserId, actions: Vec<StoryAction>) {
        lists.memory(owner).add(&self.changes);
        let changes = self.changes.iter().zip(actions);
        let rows = changes.map(|(change, action)| match action.after {
            Some(story) => ListRow::Story(story),
            None => ListRow::Deleted(change.anime, change.number),
        });
        lists.apply(owner, rows.collect());
    }
}
