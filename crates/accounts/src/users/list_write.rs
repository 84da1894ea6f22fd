//! The part of every write of stories that concerns the owner's row: the right to write, the version of the list, and
//! the time at which the owner is due for synchronization (docs/data-model.md, "Transactions").

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use dynamo::{ActionName, Condition, Item, Transaction, number, signed_number, text};
use shared::auth::Access;
use shared::models::{RecentChange, UserId, write_recent_changes};
use shared::{Error, Result};

use super::conditions::{denied, user_exists};
use super::user::key as user_key;
use super::user_store::UserStore;
use crate::errors::NO_USER;

/// The time, in milliseconds, by which a change of a story sets the user's `sync_due_at` back: 24 hours. A run first
/// handles the users who have been due for the longest time. So users with changed stories come before users who are
/// due by schedule (docs/trackers.md, "Schedule").
const DUE_AHEAD_MS: u64 = 24 * 60 * 60 * 1000;

/// The right by which stories of a user are written.
#[derive(Clone, Copy, Debug)]
pub enum WriteRight<'a> {
    /// The access of a caller, who can be another user than the owner.
    Caller(&'a Access),
    /// The service itself makes the changes.
    Service,
    /// The run of the synchronization with this identifier, as long as it has the lease of the owner.
    Run(&'a str),
}

/// The differences between the digests of a list after and before a transaction.
#[derive(Clone, Copy, Debug, Default)]
pub struct DigestDifferences {
    /// The difference between the digests of the stories.
    pub stories: i64,
    /// The difference between the digests of the deletions.
    pub deletions: i64,
}

/// The change of the version of a list by one transaction.
#[derive(Clone, Debug)]
pub struct ListChange {
    /// The number of the first change.
    pub first_number: u64,
    /// The number of the last change.
    pub last_number: u64,
    /// The changes of the digests; `None` if the row has no valid digests, which then stay unchanged.
    pub differences: Option<DigestDifferences>,
    /// The latest changes of the list, latest first.
    pub recent: Vec<RecentChange>,
}

impl ListChange {
    /// Returns the condition on the owner's row: the numbers are free, and if the digests are kept, they are those of
    /// the list before the transaction. An earlier version of the service writes stories without updating the digests.
    /// They are then out of date, and do not change. The condition also has the values of [`Self::update`].
    fn condition(&self) -> Condition {
        let are_free =
            "attribute_not_exists(last_change_number) OR last_change_number < :first_number";
        let recent = Blob::new(write_recent_changes(&self.recent));
        let condition = Condition::new(are_free)
            .value("first_number", number(self.first_number))
            .value("last_number", number(self.last_number))
            .value("recent_changes", AttributeValue::B(recent));
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

    fn update(&self) -> String {
        let mut update =
            "SET last_change_number = :last_number, recent_changes = :recent_changes".to_owned();
        if let Some(differences) = self.differences {
            update.push_str(
                ", digest_number = :last_number, story_digest = story_digest + :difference",
            );
            if differences.deletions != 0 {
                update.push_str(", deletion_digest = deletion_digest + :deletions");
            }
        }
        update
    }
}

/// The condition on the owner's row under which a list may be written. Only [`ListOwner`] adds it to a transaction.
#[derive(Debug)]
#[must_use]
pub struct OwnerCondition(Condition);

/// The owner of a list, and the right by which the list is written.
#[derive(Clone, Copy, Debug)]
pub struct ListOwner<'a> {
    users: &'a UserStore,
    right: WriteRight<'a>,
    owner: UserId,
}

impl<'a> ListOwner<'a> {
    /// Creates the owner of a list for writes by this right.
    pub fn new(users: &'a UserStore, right: WriteRight<'a>, owner: UserId) -> Self {
        Self {
            users,
            right,
            owner,
        }
    }

    /// Returns the owner.
    pub fn id(&self) -> UserId {
        self.owner
    }

    /// Begins a transaction with the checks of other rows than the owner's. Also returns the condition on the owner's
    /// row, for [`Self::add_change`].
    pub async fn begin(&self) -> Result<(Transaction<'a>, OwnerCondition)> {
        let users = self.users;
        let (transaction, condition) = match self.right {
            WriteRight::Caller(access) if access.credential.user_id == self.owner => {
                let condition = users.caller_condition(access).await?;
                let mut transaction = users.transaction();
                users.require_grant(access, &mut transaction)?;
                (transaction, condition)
            }
            WriteRight::Caller(access) => users.begin_for(access, self.owner).await?,
            WriteRight::Service => (users.transaction(), user_exists()),
            WriteRight::Run(run) => {
                let leased = "sync_lease = :run AND attribute_not_exists(deleted_at)";
                let leased = Condition::new(leased).value("run", text(run));
                (users.transaction(), leased)
            }
        };
        Ok((transaction, OwnerCondition(condition)))
    }

    /// Adds the action on the owner's row to a transaction. It checks the right to write, changes the version of the
    /// list, and makes the owner due for synchronization. Without a linked tracker, the new due time has no effect,
    /// because the owner's row is not in the index `SyncDue`. A transaction without a change of the list only checks
    /// the right. `now` is in milliseconds since the Unix epoch.
    pub fn add_change(
        &self,
        transaction: &mut Transaction<'_>,
        OwnerCondition(right): OwnerCondition,
        change: Option<&ListChange>,
        now: u64,
    ) -> Result<ActionName> {
        let (table, key) = (&self.users.users, user_key(self.owner));
        let Some(change) = change else {
            return Ok(transaction.add(right.check(table, key)?));
        };
        let (mut condition, mut update) = (right.and(change.condition()), change.update());
        if !matches!(self.right, WriteRight::Run(_)) {
            let due_at = number(now.saturating_sub(DUE_AHEAD_MS));
            condition = condition.value("sync_due_at", due_at);
            update.push_str(", sync_due_at = :sync_due_at");
        }
        Ok(transaction.add(condition.update(table, key, &update)?))
    }

    /// If a run writes, checks that the run has the lease in this row of the owner.
    ///
    /// # Errors
    /// [`Error::Changed`] if it does not.
    pub fn check_lease(&self, row: &Item) -> Result<()> {
        match self.right {
            WriteRight::Run(run)
                if row.get("sync_lease") != Some(&text(run)) || row.contains_key("deleted_at") =>
            {
                Err(Error::Changed)
            }
            _ => Ok(()),
        }
    }

    /// Returns the error for a row of the owner that does not allow the write.
    pub fn refusal(&self, row: Item) -> Error {
        match self.right {
            WriteRight::Caller(access) if access.credential.user_id == self.owner => {
                denied(access, row)
            }
            WriteRight::Caller(_) | WriteRight::Service => NO_USER,
            WriteRight::Run(_) => Error::Changed,
        }
    }
}
