//! The one path of all writes of stories. A write is a transaction that checks the right to write, changes the version
//! of the list in the owner's row, and writes the stories (docs/data-model.md, "Transactions").

use accounts::errors::NO_USER;
use accounts::users::user::key as user_key;
use accounts::users::{denied, user_exists};
use aws_sdk_dynamodb::types::TransactWriteItem;
use dynamo::item::{Item, number, text};
use dynamo::transaction::{Condition, Outcome, RefusedActions, Transaction, WriteAttempts};
use shared::Error;
use shared::auth::Access;
use shared::models::{Origin, UserId};

use super::story_conditions::{is_unchanged, story_is_absent};
use super::story_list::{ListWrite, StoryAction};
use super::story_store::{StoryStore, story_row};
use super::user_story::{
    Story, change_number_at, change_numbers_within, changeable_attributes, key as story_key,
};

/// The time by which a change of a story sets the user's `sync_due_at` into the past, in milliseconds: 24 hours. A run
/// first handles the users who have been due for the longest time. So users with changed stories come before users
/// who are due by schedule (docs/trackers.md, "Schedule").
const DUE_AHEAD_MS: u64 = 24 * 60 * 60 * 1000;

/// The right by which stories of a user are written.
#[derive(Clone, Copy)]
pub(crate) enum WriteRight<'a> {
    /// The access of a caller, who can be another user than the owner.
    Caller(&'a Access),
    /// The service itself makes the changes.
    Service,
    /// The run of the synchronization with this identifier, as long as it has the lease of the owner.
    Run(&'a str),
}

/// A writer of one user's stories, in one transaction or several.
pub(crate) struct StoryWriter<'a> {
    store: &'a StoryStore,
    right: WriteRight<'a>,
    owner: UserId,
    /// The time of the changes, in milliseconds since the Unix epoch.
    now: u64,
    /// The lowest number that the next change may have. It increases before every attempt, and by the number of changes
    /// after a transaction.
    next_number: u64,
}

impl<'a> StoryWriter<'a> {
    /// Creates a writer of the stories of `owner`. `now` is in milliseconds since the Unix epoch.
    pub(crate) fn new(
        store: &'a StoryStore,
        right: WriteRight<'a>,
        owner: UserId,
        now: u64,
    ) -> Self {
        Self {
            store,
            right,
            owner,
            now,
            next_number: 0,
        }
    }

    /// Makes one transaction. `add` adds checks of other rows and the writes of stories to it, given the number of the
    /// first change, and returns the writes of stories. The further changes have the numbers after it. `add` is called
    /// again for each attempt.
    ///
    /// Returns `None` if the transaction was made. Returns the actions that failed if a condition of an action failed
    /// that `add` has added.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the owner does not exist, or [`Error::Changed`] if the run has lost the lease.
    pub(crate) async fn try_write(
        &mut self,
        attempts: &mut WriteAttempts<'_>,
        mut add: impl FnMut(&mut Transaction<'a>, u64) -> Result<Vec<StoryAction>, Error>,
    ) -> Result<Option<RefusedActions>, Error> {
        let store = self.store;
        // One slot for all attempts, because each tells the next one about the owner's row.
        let slot = store.lists.slot(self.owner);
        loop {
            // The number grows with the pause. So of several waiting writers, the first to continue has the lowest
            // number, and its write does not take the numbers that the others use.
            self.next_number += change_numbers_within(attempts.next().await?);
            // A long import or synchronization makes many transactions. If its changes were numbered by the time of its
            // beginning, readers of the change feed would take a change to be settled when it is written, and could
            // miss it.
            let present_number = change_number_at(store.clock.now_ms());
            self.next_number = self.next_number.max(present_number);
            let (mut transaction, right) = self.begin().await?;
            let stories = add(&mut transaction, self.next_number)?;
            let list = ListWrite::new(&slot, self.next_number, &stories);
            let owners_action = self.owners_action(right, &list, stories.is_empty())?;
            let owners_action = transaction.add(owners_action);
            let mut refused = match transaction.try_commit().await? {
                None => continue,
                Some(Outcome::Written) => {
                    self.next_number += stories.len() as u64;
                    list.remember(&store.lists, self.owner, stories);
                    return Ok(None);
                }
                Some(Outcome::Refused(refused)) => refused,
            };
            let Some(row) = refused.take(owners_action) else {
                return Ok(Some(refused));
            };
            self.check_lease(&row)?;
            let present = slot.remember_row(&row, store.clock.now_ms())?;
            // If the caller also lacks access, the next attempt fails for that reason.
            if let Some(last) = list.number_in_use(&present) {
                self.next_number = last + 1;
            } else if !list.expects_wrong_digest(&slot, &present) {
                return Err(self.refusal(row));
            }
        }
    }

    /// Begins a transaction with the checks of other rows than the owner's. Also returns the condition on the owner's
    /// row.
    async fn begin(&self) -> Result<(Transaction<'a>, Condition), Error> {
        let users = &self.store.users;
        match self.right {
            WriteRight::Caller(access) if access.credential.user_id == self.owner => {
                let condition = users.caller_condition(access).await?;
                let mut transaction = users.transaction();
                users.require_grant(access, &mut transaction)?;
                Ok((transaction, condition))
            }
            WriteRight::Caller(access) => users.begin_for(access, self.owner).await,
            WriteRight::Service => Ok((users.transaction(), user_exists())),
            WriteRight::Run(run) => {
                let leased = "sync_lease = :run AND attribute_not_exists(deleted_at)";
                let leased = Condition::new(leased).value("run", text(run));
                Ok((users.transaction(), leased))
            }
        }
    }

    /// Returns the action on the owner's row. It checks the right to write, changes the version of the list, and makes
    /// the owner due for synchronization. Without a linked tracker, the new due time has no effect, because the owner's
    /// row is not in the index SyncDue. A transaction without a story only checks the right.
    fn owners_action(
        &self,
        right: Condition,
        list: &ListWrite,
        has_no_story: bool,
    ) -> Result<TransactWriteItem, Error> {
        let (table, key) = (&self.store.user_table, user_key(self.owner));
        if has_no_story {
            return right.check(table, key);
        }
        let condition = right.and(list.condition());
        if matches!(self.right, WriteRight::Run(_)) {
            return condition.update(table, key, &list.update(&[]));
        }
        let due_at = number(self.now.saturating_sub(DUE_AHEAD_MS));
        let condition = condition.value("sync_due_at", due_at);
        condition.update(table, key, &list.update(&["sync_due_at = :sync_due_at"]))
    }

    /// Checks that the run has the lease in this row of the owner.
    fn check_lease(&self, row: &Item) -> Result<(), Error> {
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
    fn refusal(&self, row: Item) -> Error {
        match self.right {
            WriteRight::Caller(access) if access.credential.user_id == self.owner => {
                denied(access, row)
            }
            WriteRight::Caller(_) | WriteRight::Service => NO_USER,
            WriteRight::Run(_) => Error::Changed,
        }
    }
}

impl StoryStore {
    /// Adds the creation of a story to a transaction.
    pub(crate) fn add_creation(
        &self,
        transaction: &mut Transaction<'_>,
        story: &Story,
    ) -> Result<StoryAction, Error> {
        self.add_put(transaction, story_is_absent(), story, None)
    }

    /// Adds the write of a whole story to a transaction, under this condition. `before` is the number of the story's
    /// last change; `None` if there is no story.
    pub(crate) fn add_put(
        &self,
        transaction: &mut Transaction<'_>,
        condition: Condition,
        story: &Story,
        before: Option<u64>,
    ) -> Result<StoryAction, Error> {
        Ok(StoryAction {
            action: transaction.add(condition.put(&self.stories, story_row(story)?)?),
            anime: story.anime_id,
            before,
            after: Some(story.into()),
        })
    }

    /// Adds the replacement of a story by a tombstone to a transaction, if the stored story still has the same version.
    pub(crate) fn add_deletion(
        &self,
        transaction: &mut Transaction<'_>,
        story: &Story,
        tombstone: Item,
    ) -> Result<StoryAction, Error> {
        let unchanged = is_unchanged(story.version, story.change_number);
        Ok(StoryAction {
            action: transaction.add(unchanged.put(&self.stories, tombstone)?),
            anime: story.anime_id,
            before: Some(story.change_number),
            after: None,
        })
    }

    /// Adds the replacement of the story `before` by its next version `after` to a transaction, if the stored story
    /// still has the version of `before`. The action writes the attributes that differ, but not the sync states,
    /// because these can change while the version stays the same.
    pub(crate) fn add_replacement(
        &self,
        transaction: &mut Transaction<'_>,
        before: &Story,
        after: &Story,
    ) -> Result<StoryAction, Error> {
        let (old, mut new) = (story_row(before)?, story_row(after)?);
        let mut condition = is_unchanged(before.version, before.change_number);
        let (mut sets, mut removes) = (Vec::new(), Vec::new());
        for name in changeable_attributes() {
            let value = new.remove(name);
            if old.get(name) == value.as_ref() {
                continue;
            }
            condition = condition.name(name);
            match value {
                Some(value) => {
                    condition = condition.value(name, value);
                    sets.push(format!("#{name} = :{name}"));
                }
                None => removes.push(format!("#{name}")),
            }
        }
        let mut update = format!("SET {}", sets.join(", "));
        if !removes.is_empty() {
            update = format!("{update} REMOVE {}", removes.join(", "));
        }
        let key = story_key(after.id());
        Ok(StoryAction {
            action: transaction.add(condition.update(&self.stories, key, &update)?),
            anime: after.anime_id,
            before: Some(before.change_number),
            after: Some(after.into()),
        })
    }
}

/// Returns the origin of a change that this caller makes to a story of `owner`.
#[must_use]
pub fn origin_of_change(access: &Access, owner: UserId) -> Origin {
    let credential = &access.credential;
    match (&credential.client, credential.profile_token) {
        (Some(client), _) => Origin::Application(client.client_id.clone()),
        _ if credential.user_id != owner => Origin::Moderator,
        (None, Some(_)) => Origin::ProfileToken,
        (None, None) => Origin::Owner,
    }
}
