//! Reads and writes of the synchronization with trackers: the users who are due, the leases of the runs of
//! `tracker_sync`, and all stories of a user at once (docs/trackers.md, "Runs and leases").

use accounts::users::user::key as user_key;
use accounts::users::{SYNC_SHARD, user_exists};
use aws_sdk_dynamodb::types::AttributeValue;
use dynamo::database::Database;
use dynamo::item::{number, read, text};
use dynamo::listing::read_first_page;
use dynamo::transaction::{
    Action, Condition, Outcome, TargetRow, Transaction, WriteAttempts, update_row,
};
use serde::Deserialize;
use shared::Error;
use shared::models::{Known, StoryId, TrackerName, UserId};

use super::story_conditions::{is_unchanged, story_is_absent, story_is_present};
use super::story_list::StoryAction;
use super::story_store::StoryStore;
use super::story_write::{StoryWriter, WriteRight};
use super::user_story::{Story, key as story_key};

/// The maximum number of actions in a transaction (`TransactWriteItems` in the DynamoDB API reference).
const MAX_ACTIONS: usize = 100;

/// The part of an update of the user's row that ends a run. The lists in memory have the sync states of the runs that
/// have ended.
const END_OF_RUN: &str = "REMOVE sync_lease, sync_lease_until ADD sync_runs :one";

/// A user who is due for synchronization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct DueUser {
    /// The user.
    pub id: UserId,
    /// The time since which the user is due, in milliseconds since the Unix epoch.
    pub sync_due_at: u64,
}

/// The exclusive right of one run to synchronize a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The user.
    pub user: UserId,
    /// The identifier of the run that has the lease.
    pub run: String,
    /// The time at which it expires, in milliseconds since the Unix epoch.
    pub until: u64,
}

/// A merged story, to be written if the story has not changed since the run read it.
#[derive(Clone, Debug)]
pub struct SyncedStory {
    /// The version of the story that the run has read; `None` if the run creates the story.
    pub version_read: Option<u64>,
    /// The merged story. Its change number is that of the story that the run has read.
    pub story: Story,
}

/// A write of a run to one story.
#[derive(Clone, Debug)]
pub enum StoryWrite {
    /// The whole story, new or changed.
    Story(Box<SyncedStory>),
    /// Only the sync states of the story for these trackers. The write has no condition on the story's version: a sync
    /// state names the version to which it applies, so it stays correct if the story changes.
    Known(StoryId, Vec<(TrackerName, Known)>),
}

/// The store of the synchronization.
#[derive(Clone, Debug)]
pub struct SyncStore {
    stories: StoryStore,
}

impl SyncStore {
    /// Creates the store of the synchronization.
    #[must_use]
    pub fn new(database: &Database) -> Self {
        Self {
            stories: StoryStore::new(database),
        }
    }

    /// Returns at most `limit` users who are due at `now` (milliseconds since the Unix epoch), longest due
    /// first. Reads a secondary index, which can lag behind changes.
    pub async fn due_users(&self, now: u64, limit: i32) -> Result<Vec<DueUser>, Error> {
        let store = &self.stories;
        let query = store
            .client
            .query()
            .table_name(&store.user_table)
            .index_name("SyncDue")
            .key_condition_expression("sync_shard = :shard AND sync_due_at <= :now")
            .expression_attribute_values(":shard", number(SYNC_SHARD))
            .expression_attribute_values(":now", number(now))
            .limit(limit);
        read_first_page(query, read).await
    }

    /// Takes the lease of a user who is due, with one conditional write. Returns `None` if another run has
    /// the lease, or if the user is no longer due. The user becomes due again when the lease expires, or as soon
    /// as one of the user's stories changes. `until` is the time at which the lease expires. `now` and `until` are in
    /// milliseconds since the Unix epoch.
    pub async fn take_lease(
        &self,
        user: UserId,
        run: &str,
        now: u64,
        until: u64,
    ) -> Result<Option<Lease>, Error> {
        let is_free = Condition::new(
            "attribute_exists(sync_shard) AND attribute_not_exists(deleted_at) AND sync_due_at <= :now \
             AND (attribute_not_exists(sync_lease) OR sync_lease_until <= :now)",
        );
        let is_free = is_free
            .value("now", number(now))
            .value("run", text(run))
            .value("until", number(until));
        let take = "SET sync_lease = :run, sync_lease_until = :until, sync_due_at = :until";
        let taken = self.update_user(user, is_free, take).await?;
        Ok(taken.then(|| Lease {
            user,
            run: run.to_owned(),
            until,
        }))
    }

    /// Releases a lease. `due_at` is the time at which the user is due next, in milliseconds since the Unix epoch. A
    /// user whose stories have changed during the run is due already, and stays due. Does nothing if another run has
    /// the lease.
    pub async fn release_lease(&self, lease: &Lease, due_at: u64) -> Result<(), Error> {
        let leased = || {
            Condition::new("sync_lease = :run")
                .value("run", text(&lease.run))
                .value("one", number(1))
        };
        // The write that took the lease has set `sync_due_at` to the lease's expiry. Another value means that a story
        // has changed since then.
        let unchanged = Condition::new("sync_due_at = :until")
            .value("until", number(lease.until))
            .value("due", number(due_at));
        let due = format!("SET sync_due_at = :due {END_OF_RUN}");
        if !self
            .update_user(lease.user, leased().and(unchanged), &due)
            .await?
        {
            self.update_user(lease.user, leased(), END_OF_RUN).await?;
        }
        Ok(())
    }

    async fn update_user(
        &self,
        user: UserId,
        condition: Condition,
        update: &str,
    ) -> Result<bool, Error> {
        let store = &self.stories;
        let row = TargetRow(&store.client, &store.user_table, user_key(user));
        let updated = update_row(row, condition, update, &store.random).await?;
        Ok(updated.is_written())
    }

    /// Returns all stories of a user, by a strongly consistent read. Costs one read unit for every 4 KB,
    /// tombstones included.
    pub async fn stories(&self, user: UserId) -> Result<Vec<Story>, Error> {
        self.stories.all_of(user).await
    }

    /// Makes these writes under a lease. Returns the stories that were not written because they were created, changed
    /// or deleted after the run had read them. Returns `None`, and writes no more, if the run has lost the lease or the
    /// user is deleted.
    ///
    /// # Errors
    /// After an error, some of the stories may have been written.
    pub async fn write_stories(
        &self,
        lease: &Lease,
        writes: &[StoryWrite],
    ) -> Result<Option<Vec<StoryId>>, Error> {
        let right = WriteRight::Run(&lease.run);
        let mut writer = StoryWriter::new(&self.stories, right, lease.user, 0);
        let mut changed = Vec::new();
        for chunk in writes.chunks(MAX_ACTIONS - 1) {
            match self.write_chunk(&mut writer, chunk).await {
                Ok(others) => changed.extend(others),
                Err(Error::Changed) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        Ok(Some(changed))
    }

    /// Makes these writes in one transaction. Returns the stories that were not written. A transaction makes all its
    /// writes or none, so it is repeated without the writes whose conditions failed.
    ///
    /// # Errors
    /// [`Error::Changed`] if the run has lost the lease or the user is deleted.
    async fn write_chunk(
        &self,
        writer: &mut StoryWriter<'_>,
        chunk: &[StoryWrite],
    ) -> Result<Vec<StoryId>, Error> {
        let mut left: Vec<&StoryWrite> = chunk.iter().collect();
        let mut changed = Vec::new();
        let mut attempts = WriteAttempts::new(&self.stories.random);
        while !left.is_empty() {
            let mut names = Vec::with_capacity(left.len());
            let refused = writer.try_write(&mut attempts, |transaction, first| {
                names.clear();
                let (mut numbers, mut stories) = (first.., Vec::new());
                for write in &left {
                    names.push(match write {
                        StoryWrite::Story(synced) => {
                            let number = numbers.next().unwrap_or_default();
                            let story = self.add_story(transaction, synced, number)?;
                            let name = story.action;
                            stories.push(story);
                            name
                        }
                        // Only changes of stories take change numbers. A write of sync states alone does not appear in
                        // the change feed.
                        StoryWrite::Known(id, known) => {
                            self.add_sync_states(transaction, *id, known)?
                        }
                    });
                }
                Ok(stories)
            });
            let Some(refused) = refused.await? else {
                break;
            };
            let named = left.into_iter().zip(names);
            let (failed, rest): (Vec<_>, Vec<_>) = named.partition(|(_, name)| refused.has(*name));
            changed.extend(failed.into_iter().map(|(write, _)| write.id()));
            left = rest.into_iter().map(|(write, _)| write).collect();
        }
        Ok(changed)
    }

    fn add_story(
        &self,
        transaction: &mut Transaction<'_>,
        synced: &SyncedStory,
        change_number: u64,
    ) -> Result<StoryAction, Error> {
        let number_read = synced.story.change_number;
        let story = Story {
            change_number,
            ..synced.story.clone()
        };
        let (condition, before) = match synced.version_read {
            None => (story_is_absent(), None),
            Some(version) => (is_unchanged(version, number_read), Some(number_read)),
        };
        self.stories.add_put(transaction, condition, &story, before)
    }

    /// Adds the write of these sync states to a transaction, if the story exists.
    fn add_sync_states(
        &self,
        transaction: &mut Transaction<'_>,
        id: StoryId,
        known: &[(TrackerName, Known)],
    ) -> Result<Action, Error> {
        let mut condition = story_is_present();
        let mut sets = Vec::new();
        for (tracker, known) in known {
            let known: AttributeValue =
                serde_dynamo::to_attribute_value(known).map_err(Error::internal)?;
            condition = condition.value(tracker.key(), known);
            sets.push(format!("{tracker} = :{tracker}"));
        }
        let update = format!("SET {}", sets.join(", "));
        Ok(transaction.add(condition.update(&self.stories.stories, story_key(id), &update)?))
    }

    /// Stores the sync state of a story after the tracker has responded to a write. Does nothing if the story was
    /// deleted. The sync state names the version that was sent, so it is correct even if the story has changed in the
    /// meantime, or the run has lost its lease. In that case other runs may have ended, and the lists in memory may be
    /// without this sync state. So it counts as a run of its own.
    pub async fn store_sync_state(
        &self,
        lease: &Lease,
        id: StoryId,
        tracker: TrackerName,
        known: Known,
    ) -> Result<(), Error> {
        let leased = Condition::new("sync_lease = :run").value("run", text(&lease.run));
        let store = &self.stories;
        let leased = leased.check(&store.user_table, user_key(lease.user))?;
        let known = [(tracker, known)];
        let mut writes = Transaction::new(&store.client, &store.random);
        let leased = writes.add(leased);
        self.add_sync_states(&mut writes, id, &known)?;
        if let Outcome::Refused(refused) = writes.commit().await?
            && refused.has(leased)
        {
            let exists = || user_exists().value("one", number(1));
            let end = "ADD sync_runs :one";
            let mut writes = Transaction::new(&store.client, &store.random);
            writes.add(exists().update(&store.user_table, user_key(lease.user), end)?);
            self.add_sync_states(&mut writes, id, &known)?;
            // If a condition fails, the user or the story was deleted, so there is no row for the sync state.
            let _ = writes.commit().await?;
            // Meanwhile a query can have shown the user's row after the transaction, and the story before it. A list
            // that was read so must not count.
            self.update_user(lease.user, exists(), end).await?;
        }
        // Otherwise the story was deleted, so there is no row for the sync state.
        Ok(())
    }
}

impl StoryWrite {
    fn id(&self) -> StoryId {
        match self {
            Self::Story(synced) => synced.story.id(),
            Self::Known(id, _) => *id,
        }
    }
}
