//! The one path of all writes of stories. A write is a transaction that checks the right to write, changes the version
//! of the list in the owner's row, and writes the stories (docs/data-model.md, "Transactions").

use accounts::users::{ListOwner, WriteRight};
use dynamo::{Condition, Item, Outcome, RefusedActions, Transaction, WriteAttempts};
use shared::auth::Access;
use shared::models::{Origin, UserId};
use shared::{Error, Result};

use super::story_conditions::{is_unchanged, story_is_absent};
use super::story_list::{ListWrite, StoryAction};
use super::story_store::{StoryStore, story_row};
use super::user_story::{
    Story, change_number_at, change_numbers_within, changeable_attributes, key as story_key,
};

/// A writer of one user's stories, in one transaction or several.
pub(crate) struct StoryWriter<'a> {
    store: &'a StoryStore,
    owner: ListOwner<'a>,
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
            owner: ListOwner::new(&store.users, right, owner),
            now,
            next_number: 0,
        }
    }

    /// Makes one transaction. `add` adds checks of other rows and the writes of stories to it, given the number of the
    /// first change, and returns the writes of stories. The other changes have the following numbers. `add` is called
    /// again for each attempt.
    ///
    /// Returns `None` if the transaction was made. Returns the failed actions if the condition of an action that `add`
    /// has added failed.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the owner does not exist, or [`Error::Changed`] if the run has lost the lease.
    pub(crate) async fn try_write(
        &mut self,
        attempts: &mut WriteAttempts<'_>,
        mut add: impl FnMut(&mut Transaction<'a>, u64) -> Result<Vec<StoryAction>>,
    ) -> Result<Option<RefusedActions>> {
        let store = self.store;
        // All attempts share one memory of the list, in which each attempt leaves what it has seen of the owner's row
        // for the next.
        let memory = store.lists.memory(self.owner.id());
        loop {
            // The number grows with the pause. So of several waiting writers, the first to continue has the lowest
            // number, and does not take the numbers of the others.
            self.next_number += change_numbers_within(attempts.next().await?);
            // A long import or synchronization makes many transactions. If its changes were numbered by the time at
            // which it began, readers of the change feed would treat a change as settled as soon as it is written, and
            // could miss it.
            let present_number = change_number_at(store.clock.now_ms());
            self.next_number = self.next_number.max(present_number);
            let (mut transaction, right) = self.owner.begin().await?;
            let stories = add(&mut transaction, self.next_number)?;
            let list = ListWrite::new(&memory, self.next_number, &stories);
            let change = Some(&list.change).filter(|_| !stories.is_empty());
            let owners_action = self
                .owner
                .add_change(&mut transaction, right, change, self.now)?;
            let mut refused = match transaction.try_commit().await? {
                None => continue,
                Some(Outcome::Written) => {
                    self.next_number += stories.len() as u64;
                    list.remember(&store.lists, self.owner.id(), stories);
                    return Ok(None);
                }
                Some(Outcome::Refused(refused)) => refused,
            };
            let Some(row) = refused.take(owners_action) else {
                return Ok(Some(refused));
            };
            self.owner.check_lease(&row)?;
            let present = memory.remember_row(&row, store.clock.now_ms())?;
            // If the caller also lacks access, the next attempt fails because of that.
            if let Some(last) = list.number_in_use(&present) {
                self.next_number = last + 1;
            } else if !list.expects_wrong_digest(&memory, &present) {
                return Err(self.owner.refusal(row));
            }
        }
    }
}

impl StoryStore {
    /// Adds the creation, the replacement or the deletion of a story to a transaction, if the stored story still has
    /// the version of `before`. `tombstone` returns the row that takes the place of a deleted story.
    pub(crate) fn add_change(
        &self,
        transaction: &mut Transaction<'_>,
        before: Option<&Story>,
        after: Option<&Story>,
        tombstone: impl FnOnce(&Story) -> Result<Item>,
    ) -> Result<StoryAction> {
        match (before, after) {
            (None, Some(new)) => self.add_put(transaction, story_is_absent(), new, None),
            (Some(before), Some(after)) => self.add_replacement(transaction, before, after),
            (Some(deleted), None) => {
                let unchanged = is_unchanged(deleted.version, deleted.change_number);
                let put = unchanged.put(&self.stories, tombstone(deleted)?)?;
                Ok(StoryAction {
                    action: transaction.add(put),
                    anime: deleted.anime_id,
                    before: Some(deleted.change_number),
                    after: None,
                })
            }
            (None, None) => Err(Error::internal("a story that does not exist is deleted")),
        }
    }

    /// Adds the write of a whole story to a transaction, under this condition. `before` is the number of the story's
    /// last change; `None` if there is no story.
    pub(crate) fn add_put(
        &self,
        transaction: &mut Transaction<'_>,
        condition: Condition,
        story: &Story,
        before: Option<u64>,
    ) -> Result<StoryAction> {
        Ok(StoryAction {
            action: transaction.add(condition.put(&self.stories, story_row(story)?)?),
            anime: story.anime_id,
            before,
            after: Some(story.into()),
        })
    }

    /// Adds the replacement of the story `before` by its next version `after` to a transaction, if the stored story
    /// still has the version of `before`. The action writes the attributes that differ, but not the sync states,
    /// because these can change while the version stays the same.
    fn add_replacement(
        &self,
        transaction: &mut Transaction<'_>,
        before: &Story,
        after: &Story,
    ) -> Result<StoryAction> {
        let (old, mut new) = (story_row(before)?, story_row(after)?);
        let (mut set, mut removed) = (Item::new(), Vec::new());
        for name in changeable_attributes() {
            let value = new.remove(name);
            if old.get(name) == value.as_ref() {
                continue;
            }
            match value {
                Some(value) => {
                    set.insert(name.to_owned(), value);
                }
                None => removed.push(name),
            }
        }
        let unchanged = is_unchanged(before.version, before.change_number);
        let (condition, update) = unchanged.with_update(set, &removed);
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
pub fn origin_of_change(access: &Access, owner: UserId) -> Origin {
    let credential = &access.credential;
    match (&credential.client, credential.profile_token) {
        (Some(client), _) => Origin::Application(client.client_id.clone()),
        _ if credential.user_id != owner => Origin::Moderator,
        (None, Some(_)) => Origin::ProfileToken,
        (None, None) => Origin::Owner,
    }
}
