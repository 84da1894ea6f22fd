//! Reads and writes of the synchronization with trackers: the users who are due, the leases of the runs of
//! `tracker_sync`, and all stories of a user at once (docs/trackers.md, "Runs and leases").

use std::ops::RangeFrom;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem};
use serde::Deserialize;
use shared::Error;
use shared::models::{Known, StoryId, TrackerName, UserId};
use shared::random::Random;

use crate::Story;
use crate::database::Database;
use crate::item::{number, read, text};
use crate::listing::first_page;
use crate::schema::user::{self, SYNC_SHARD, key as user_key};
use crate::schema::user_story::{self, change_number_at, key as story_key};
use crate::stories::{
    TAKE_NUMBERS, all_stories, are_free, exists, has_version, no_story, number_in_use, story_row,
};
use crate::transaction::{Condition, Outcome, TargetRow, WriteAttempts, try_transact, update_row};

/// The maximum number of actions in a transaction (`TransactWriteItems` in the DynamoDB API reference).
const MAX_ACTIONS: usize = 100;

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
    /// The version of the story that the run has read; `None` for a new story.
    pub seen: Option<u64>,
    /// The merged story.
    pub story: Story,
}

/// A write of a run to one story.
#[derive(Clone, Debug)]
pub enum StoryWrite {
    /// The whole story, new or changed.
    Story(Box<SyncedStory>),
    /// Only the sync states of the story for these trackers. A sync state names the version of the story to which
    /// it applies. So the sync state stays correct if the story changes, and the write needs no condition on the
    /// version.
    Known(StoryId, Vec<(TrackerName, Known)>),
}

/// The store of the synchronization.
#[derive(Clone, Debug)]
pub struct SyncStore {
    client: Client,
    users: String,
    stories: String,
    random: Random,
}

impl Database {
    /// Returns the store of the synchronization.
    #[must_use]
    pub fn sync(&self) -> SyncStore {
        SyncStore {
            client: self.client.clone(),
            users: self.tables.of(user::TABLE.name),
            stories: self.tables.of(user_story::TABLE.name),
            random: self.random.clone(),
        }
    }
}

impl SyncStore {
    /// Returns at most `limit` users who are due at `now` (milliseconds since the Unix epoch), longest due
    /// first. Reads a secondary index, which can lag behind changes.
    pub async fn due(&self, now: u64, limit: i32) -> Result<Vec<DueUser>, Error> {
        let query = self
            .client
            .query()
            .table_name(&self.users)
            .index_name("SyncDue")
            .key_condition_expression("sync_shard = :shard AND sync_due_at <= :now")
            .expression_attribute_values(":shard", number(SYNC_SHARD))
            .expression_attribute_values(":now", number(now))
            .limit(limit);
        first_page(query, read).await
    }

    /// Takes the lease of a user who is due, with one conditional write. Returns `None` if another run has
    /// the lease, or if the user is no longer due. The user is due again when the lease expires, or as soon
    /// as one of their stories changes. `now` and `until`, the expiry, are in milliseconds since the Unix
    /// epoch.
    pub async fn lease(
        &self,
        user: UserId,
        run: &str,
        now: u64,
        until: u64,
    ) -> Result<Option<Lease>, Error> {
        let free = Condition::new(
            "attribute_exists(sync_shard) AND attribute_not_exists(deleted_at) AND sync_due_at <= :now \
             AND (attribute_not_exists(sync_lease) OR sync_lease_until <= :now)",
        );
        let free = free
            .value("now", number(now))
            .value("run", text(run))
            .value("until", number(until));
        let take = "SET sync_lease = :run, sync_lease_until = :until, sync_due_at = :until";
        let taken = self.update_user(user, free, take).await?;
        Ok(taken.then(|| Lease {
            user,
            run: run.to_owned(),
            until,
        }))
    }

    /// Releases a lease and sets the time at which the user is due next, in milliseconds since the Unix
    /// epoch. A user whose stories were changed during the run is due already, and stays due.
    pub async fn release(&self, lease: &Lease, due_at: u64) -> Result<(), Error> {
        let leased = || Condition::new("sync_lease = :run").value("run", text(&lease.run));
        // Taking the lease has set `sync_due_at` to the lease's expiry. Another value means that a story has
        // changed since.
        let unchanged = Condition::new("sync_due_at = :until")
            .value("until", number(lease.until))
            .value("due", number(due_at));
        let due = "SET sync_due_at = :due REMOVE sync_lease, sync_lease_until";
        if !self
            .update_user(lease.user, leased().and(unchanged), due)
            .await?
        {
            let end = "REMOVE sync_lease, sync_lease_until";
            self.update_user(lease.user, leased(), end).await?;
        }
        Ok(())
    }

    async fn update_user(
        &self,
        user: UserId,
        condition: Condition,
        update: &str,
    ) -> Result<bool, Error> {
        let row = TargetRow {
            client: &self.client,
            table: &self.users,
            key: user_key(user),
        };
        let updated = update_row(row, condition, update, &self.random).await?;
        Ok(updated.is_written())
    }

    /// Returns all stories of a user, by a strongly consistent read. Costs one read unit for every 4 KB,
    /// tombstones included.
    pub async fn stories(&self, user: UserId) -> Result<Vec<Story>, Error> {
        all_stories(&self.client, &self.stories, user).await
    }

    /// Makes these writes under a lease. `now` is in milliseconds since the Unix epoch. Returns the stories that were
    /// not written because they have changed or been deleted since they were read. Returns `None`, and writes no more,
    /// if another run has the lease or the user is deleted.
    ///
    /// # Errors
    /// After an error, some of the stories may have been written.
    pub async fn write(
        &self,
        lease: &Lease,
        writes: &[StoryWrite],
        now: u64,
    ) -> Result<Option<Vec<StoryId>>, Error> {
        let mut changed = Vec::new();
        let mut first = change_number_at(now);
        for chunk in writes.chunks(MAX_ACTIONS - 1) {
            match self.write_chunk(lease, chunk, &mut first).await? {
                Some(others) => changed.extend(others),
                None => return Ok(None),
            }
        }
        Ok(Some(changed))
    }

    /// Makes these writes in one transaction. `first` is the number of its first change, and is set to the number
    /// for the first change of the next transaction.
    async fn write_chunk(
        &self,
        lease: &Lease,
        chunk: &[StoryWrite],
        first: &mut u64,
    ) -> Result<Option<Vec<StoryId>>, Error> {
        let mut left: Vec<&StoryWrite> = chunk.iter().collect();
        let mut changed = Vec::new();
        let mut attempts = WriteAttempts::new(&self.random);
        while !left.is_empty() {
            attempts.next().await?;
            // Only changes of stories take change numbers. A write of sync states alone does not appear in the
            // change feed.
            let stories = left
                .iter()
                .filter(|write| matches!(write, StoryWrite::Story(_)));
            let count = stories.count() as u64;
            let mut actions = vec![self.check_lease(lease, *first, count)?];
            let mut numbers = *first..;
            for one in &left {
                actions.push(self.action(one, &mut numbers)?);
            }
            // A transaction makes all its writes or none, so it is repeated without the actions whose
            // conditions failed.
            let rows = match try_transact(&self.client, actions).await? {
                None => continue,
                Some(Outcome::Written) => {
                    *first += count;
                    break;
                }
                Some(Outcome::Refused(rows)) => rows,
            };
            // The first action is about the user's row. If its change numbers were taken, try again with higher
            // ones. Otherwise the lease is lost or the user is deleted.
            if let Some(Some(user)) = rows.first() {
                match number_in_use(user, *first) {
                    Some(last) if user.get("sync_lease") == Some(&text(&lease.run)) => {
                        *first = last + 1;
                        continue;
                    }
                    _ => return Ok(None),
                }
            }
            let failed = rows.into_iter().skip(1).map(|row| row.is_some());
            let (gone, rest): (Vec<_>, Vec<_>) = left
                .into_iter()
                .zip(failed)
                .partition(|(_, has_failed)| *has_failed);
            changed.extend(gone.into_iter().map(|(write, _)| write.id()));
            left = rest.into_iter().map(|(write, _)| write).collect();
        }
        Ok(Some(changed))
    }

    /// Returns the action that checks that the run still has the lease, and that the user is not deleted, and takes
    /// `count` change numbers.
    fn check_lease(
        &self,
        lease: &Lease,
        first: u64,
        count: u64,
    ) -> Result<TransactWriteItem, Error> {
        let leased = Condition::new("sync_lease = :run AND attribute_not_exists(deleted_at)");
        let leased = leased.value("run", text(&lease.run));
        if count == 0 {
            return leased.check(&self.users, user_key(lease.user));
        }
        let update = format!("SET {TAKE_NUMBERS}");
        leased
            .and(are_free(first, count))
            .update(&self.users, user_key(lease.user), &update)
    }

    /// Returns the action of a write. A change of a story takes the next number from `numbers`.
    fn action(
        &self,
        one: &StoryWrite,
        numbers: &mut RangeFrom<u64>,
    ) -> Result<TransactWriteItem, Error> {
        match one {
            StoryWrite::Story(synced) => {
                self.story_action(synced, numbers.next().unwrap_or_default())
            }
            StoryWrite::Known(id, known) => {
                let (condition, update) = sync_state_update(known)?;
                condition.update(&self.stories, story_key(*id), &update)
            }
        }
    }

    fn story_action(
        &self,
        synced: &SyncedStory,
        change_number: u64,
    ) -> Result<TransactWriteItem, Error> {
        let story = Story {
            change_number,
            ..synced.story.clone()
        };
        let row = story_row(&story)?;
        let unchanged = match synced.seen {
            None => no_story(),
            Some(seen) => has_version(seen),
        };
        unchanged.put(&self.stories, row)
    }

    /// Stores the sync state of a story after the tracker's response to a write, if the story still exists. The
    /// sync state names the version that was sent, so it stays correct if the story has changed in the meantime.
    pub async fn remember(
        &self,
        id: StoryId,
        tracker: TrackerName,
        known: Known,
    ) -> Result<(), Error> {
        let (condition, update) = sync_state_update(&[(tracker, known)])?;
        let row = TargetRow {
            client: &self.client,
            table: &self.stories,
            key: story_key(id),
        };
        // A failed condition means that the story was deleted, so there is no row for the sync state.
        update_row(row, condition, &update, &self.random).await?;
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

/// Returns the update that stores these sync states in a story, and its condition: that the story exists.
fn sync_state_update(known: &[(TrackerName, Known)]) -> Result<(Condition, String), Error> {
    let mut condition = exists();
    let mut sets = Vec::new();
    for (tracker, known) in known {
        let known: AttributeValue =
            serde_dynamo::to_attribute_value(known).map_err(Error::internal)?;
        condition = condition.value(tracker.key(), known);
        sets.push(format!("{tracker} = :{tracker}"));
    }
    Ok((condition, format!("SET {}", sets.join(", "))))
}
