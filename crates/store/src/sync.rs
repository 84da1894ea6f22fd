//! Reads and writes of the synchronization with trackers: the users who are due, the leases of the runs of
//! `tracker_sync`, and all stories of a user at once (docs/trackers.md, "Runs and leases").

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem};
use serde::Deserialize;
use shared::Error;
use shared::clock::Clock;
use shared::models::{Known, StoryId, TrackerName, UserId};
use shared::random::Random;

use crate::Story;
use crate::database::Database;
use crate::item::{number, read, text};
use crate::listing::read_first_page;
use crate::schema::user::{self, SYNC_SHARD, key as user_key};
use crate::schema::user_story::{self, key as story_key};
use crate::stories::{
    all_stories, is_unchanged, not_before_now, story_is_absent, story_is_present, story_row,
};
use crate::story_list::{ListWrite, StoryAction, StoryLists};
use crate::transaction::{
    Condition, Outcome, TargetRow, WriteAttempts, transact, try_transact, update_row,
};

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
    client: Client,
    users: String,
    stories: String,
    clock: Clock,
    random: Random,
    lists: StoryLists,
}

impl Database {
    /// Returns the store of the synchronization.
    #[must_use]
    pub fn sync(&self) -> SyncStore {
        SyncStore {
            client: self.client.clone(),
            users: self.tables.of(user::TABLE.name),
            stories: self.tables.of(user_story::TABLE.name),
            clock: self.clock.clone(),
            random: self.random.clone(),
            lists: self.lists.clone(),
        }
    }
}

impl SyncStore {
    /// Returns at most `limit` users who are due at `now` (milliseconds since the Unix epoch), longest due
    /// first. Reads a secondary index, which can lag behind changes.
    pub async fn due_users(&self, now: u64, limit: i32) -> Result<Vec<DueUser>, Error> {
        let query = self
            .client
            .query()
            .table_name(&self.users)
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
        let mut changed = Vec::new();
        let mut first_number = 0;
        for chunk in writes.chunks(MAX_ACTIONS - 1) {
            match self.write_chunk(lease, chunk, &mut first_number).await? {
                Some(others) => changed.extend(others),
                None => return Ok(None),
            }
        }
        Ok(Some(changed))
    }

    /// Makes these writes in one transaction. `first_number` is the lowest number that its first change may have.
    /// Afterwards it is that of the next transaction.
    async fn write_chunk(
        &self,
        lease: &Lease,
        chunk: &[StoryWrite],
        first_number: &mut u64,
    ) -> Result<Option<Vec<StoryId>>, Error> {
        let mut left: Vec<&StoryWrite> = chunk.iter().collect();
        let mut changed = Vec::new();
        let mut attempts = WriteAttempts::new(&self.random);
        let slot = self.lists.slot(lease.user);
        while !left.is_empty() {
            attempts.next().await?;
            *first_number = not_before_now(*first_number, &self.clock);
            // Only changes of stories take change numbers. A write of sync states alone does not appear in the
            // change feed.
            let (mut numbers, mut stories, mut states) = (*first_number.., Vec::new(), Vec::new());
            let mut order: Vec<&StoryWrite> = Vec::new();
            for write in &left {
                if let StoryWrite::Story(synced) = write {
                    stories.push(self.story_action(synced, numbers.next().unwrap_or_default())?);
                    order.push(write);
                }
            }
            for write in &left {
                if let StoryWrite::Known(id, known) = write {
                    let (condition, update) = sync_state_update(known)?;
                    states.push(condition.update(&self.stories, story_key(*id), &update)?);
                    order.push(write);
                }
            }
            left = order;
            let list = ListWrite::new(&slot, *first_number, &stories);
            let mut actions = vec![self.lease_action(lease, &list, stories.is_empty())?];
            actions.extend(stories.iter().map(|story| story.action.clone()));
            actions.extend(states);
            // A transaction makes all its writes or none, so it is repeated without the actions whose
            // conditions failed.
            let rows = match try_transact(&self.client, actions).await? {
                None => continue,
                Some(Outcome::Written) => {
                    *first_number += stories.len() as u64;
                    list.remember(&self.lists, lease.user, stories);
                    break;
                }
                Some(Outcome::Refused(rows)) => rows,
            };
            // The first action is about the user's row. If another write has taken the change numbers, try again with
            // higher numbers. Otherwise the lease is lost or the user is deleted.
            if let Some(Some(user)) = rows.first() {
                let has_lease = user.get("sync_lease") == Some(&text(&lease.run))
                    && !user.contains_key("deleted_at");
                if !has_lease {
                    return Ok(None);
                }
                let present = slot.remember_row(user, self.clock.now_ms())?;
                if let Some(last) = list.number_in_use(&present) {
                    *first_number = last + 1;
                    continue;
                }
                if list.expects_wrong_digest(&slot, &present) {
                    continue;
                }
                return Ok(None);
            }
            let failed = rows.into_iter().skip(1).map(|row| row.is_some());
            let (refused, rest): (Vec<_>, Vec<_>) = left
                .into_iter()
                .zip(failed)
                .partition(|(_, has_failed)| *has_failed);
            changed.extend(refused.into_iter().map(|(write, _)| write.id()));
            left = rest.into_iter().map(|(write, _)| write).collect();
        }
        Ok(Some(changed))
    }

    /// Returns the action that checks that the run still has the lease, and that the user is not deleted, and changes
    /// the version of the user's list if the transaction writes a story.
    fn lease_action(
        &self,
        lease: &Lease,
        list: &ListWrite,
        has_no_story: bool,
    ) -> Result<TransactWriteItem, Error> {
        let leased = Condition::new("sync_lease = :run AND attribute_not_exists(deleted_at)");
        let leased = leased.value("run", text(&lease.run));
        let key = user_key(lease.user);
        if has_no_story {
            return leased.check(&self.users, key);
        }
        let condition = leased.and(list.condition());
        condition.update(&self.users, key, &list.update(&[]))
    }

    fn story_action(&self, synced: &SyncedStory, change_number: u64) -> Result<StoryAction, Error> {
        let before = synced.version_read.map(|_| synced.story.change_number);
        let story = Story {
            change_number,
            ..synced.story.clone()
        };
        let unchanged = match synced.version_read {
            None => story_is_absent(),
            Some(version) => is_unchanged(version, synced.story.change_number),
        };
        Ok(StoryAction {
            action: unchanged.put(&self.stories, story_row(&story)?)?,
            anime: story.anime_id,
            before,
            after: Some((&story).into()),
        })
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
        let leased = leased.check(&self.users, user_key(lease.user))?;
        let (condition, update) = sync_state_update(&[(tracker, known)])?;
        let stored = condition.update(&self.stories, story_key(id), &update)?;
        let outcome = transact(&self.client, vec![leased, stored.clone()], &self.random).await?;
        if let Outcome::Refused(rows) = outcome
            && rows.first().is_some_and(Option::is_some)
        {
            let exists = Condition::user_exists().value("one", number(1));
            let ended = exists.update(&self.users, user_key(lease.user), "ADD sync_runs :one")?;
            transact(&self.client, vec![ended, stored], &self.random).await?;
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

/// Returns the condition that a story exists, and the update that stores these sync states in the story.
fn sync_state_update(known: &[(TrackerName, Known)]) -> Result<(Condition, String), Error> {
    let mut condition = story_is_present();
    let mut sets = Vec::new();
    for (tracker, known) in known {
        let known: AttributeValue =
            serde_dynamo::to_attribute_value(known).map_err(Error::internal)?;
        condition = condition.value(tracker.key(), known);
        sets.push(format!("{tracker} = :{tracker}"));
    }
    Ok((condition, format!("SET {}", sets.join(", "))))
}
