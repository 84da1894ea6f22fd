//! Reads and writes of the synchronization with trackers: the users who are due, the leases of the runs of
//! `tracker_sync`, and all stories of a user at once (docs/trackers.md, "Runs and leases").

use accounts::linked_accounts::{Lease, LeaseStore};
use accounts::users::WriteRight;
use dynamo::{ActionName, Database, Item, Outcome, Transaction, WriteAttempts};
use shared::models::{StoryId, SyncState, TrackerName, UserId};
use shared::{Error, Result};

use super::story_conditions::{is_unchanged, story_is_absent, story_is_present};
use super::story_list::StoryAction;
use super::story_store::StoryStore;
use super::story_write::StoryWriter;
use super::user_story::{Story, key as story_key};

/// The maximum number of actions in a transaction (`TransactWriteItems` in the DynamoDB API reference).
const MAX_ACTIONS: usize = 100;

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
    SyncStates(StoryId, Vec<(TrackerName, SyncState)>),
}

/// The store of the synchronization.
#[derive(Clone, Debug)]
pub struct SyncStore {
    leases: LeaseStore,
    stories: StoryStore,
}

impl SyncStore {
    /// Creates the store of the synchronization.
    pub fn new(database: &Database) -> Self {
        Self {
            leases: LeaseStore::new(database),
            stories: StoryStore::new(database),
        }
    }

    /// Returns all stories of a user, by a strongly consistent read. Costs one read unit for every 4 KB,
    /// tombstones included.
    pub async fn stories(&self, user: UserId) -> Result<Vec<Story>> {
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
    ) -> Result<Option<Vec<StoryId>>> {
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
    ) -> Result<Vec<StoryId>> {
        let mut left: Vec<&StoryWrite> = chunk.iter().collect();
        let mut changed = Vec::new();
        let mut attempts = WriteAttempts::new(&self.stories.random);
        while !left.is_empty() {
            let mut names = Vec::with_capacity(left.len());
            let write = writer.try_write(&mut attempts, |transaction, first| {
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
                        StoryWrite::SyncStates(id, states) => {
                            self.add_sync_states(transaction, *id, states)?
                        }
                    });
                }
                Ok(stories)
            });
            let Some(refused) = write.await? else {
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
    ) -> Result<StoryAction> {
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
        states: &[(TrackerName, SyncState)],
    ) -> Result<ActionName> {
        let mut attributes = Item::new();
        for (tracker, state) in states {
            let state = serde_dynamo::to_attribute_value(state).map_err(Error::internal)?;
            attributes.insert(tracker.key().to_owned(), state);
        }
        let (condition, update) = story_is_present().with_update(attributes, &[]);
        Ok(transaction.add(condition.update(&self.stories.stories, story_key(id), &update)?))
    }

    /// Stores the sync state of a story after the tracker has responded to a write. Does nothing if the story was
    /// deleted. The sync state names the version that was sent, so it is correct even if the story has changed in the
    /// meantime, or the run has lost its lease. In that case other runs may have ended, and lists in memory may lack
    /// this sync state. So this write counts as a run of its own.
    pub async fn store_sync_state(
        &self,
        lease: &Lease,
        id: StoryId,
        tracker: TrackerName,
        sync_state: SyncState,
    ) -> Result<()> {
        let states = [(tracker, sync_state)];
        let (mut writes, leased) = self.leases.begin(lease)?;
        self.add_sync_states(&mut writes, id, &states)?;
        if let Outcome::Refused(refused) = writes.commit().await?
            && refused.has(leased)
        {
            let mut writes = self.leases.begin_run(lease.user)?;
            self.add_sync_states(&mut writes, id, &states)?;
            // If a condition fails, the user or the story was deleted, so there is no row for the sync state.
            let _ = writes.commit().await?;
            // Meanwhile a query may have read the user's row after the transaction, and the story before it. Such a
            // list must not be used.
            self.leases.count_run(lease.user).await?;
        }
        // Otherwise the story was deleted, so there is no row for the sync state.
        Ok(())
    }
}

impl StoryWrite {
    fn id(&self) -> StoryId {
        match self {
            Self::Story(synced) => synced.story.id(),
            Self::SyncStates(id, _) => *id,
        }
    }
}
