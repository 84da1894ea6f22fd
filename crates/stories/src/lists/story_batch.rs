//! Many changes of a user's stories in few calls (docs/api.md, "Batch writes").

use accounts::users::WriteRight;
use dynamo::{Transaction, WriteAttempts, read_all, text};
use shared::auth::Access;
use shared::models::{AnimeId, Origin, StoryChange, StoryId, StoryState, TimeZone, UserId};
use shared::{Error, Result};

use super::story_change::{ExpectedStory, limit_to, set_required_episode};
use super::story_list::StoryAction;
use super::story_store::{StoryStore, read_present, read_story, story_row, story_rows};
use super::story_write::{StoryWriter, origin_of_change};
use super::user_story::{Story, is_tombstone, take_deleted_row, tombstone, tombstone_of_selection};
use crate::errors::NO_ANIME;

/// The maximum number of changes in a batch. Their stories are read with one `BatchGetItem`.
pub const MAX_CHANGES: usize = 100;

/// The maximum number of changes in a transaction, because a transaction has at most 100 actions, and some
/// are for the rows of users.
const CHANGES_PER_TRANSACTION: usize = 50;

/// A change of one story in a batch.
#[derive(Clone, Debug)]
pub struct BatchChange {
    /// The story's anime.
    pub anime: AnimeId,
    /// The change, which creates the story if it does not exist; `None` deletes the story. A change to PLANNING
    /// sets the episode to 0, and a change to COMPLETED sets it to the anime's number of episodes.
    pub change: Option<StoryChange>,
    /// The expected tags: the story must have one of them ([`StoryState::has_tag`]). An empty list allows any state,
    /// but the story must exist. With `None`, the story need not exist, except for a deletion.
    pub expected_tags: Option<Vec<String>>,
}

/// The change that a decision makes to a story.
#[derive(Clone, Debug)]
pub enum StoryOperation {
    /// The story does not change, and nothing is written.
    Keep,
    /// The story gets this state, and is created if it does not exist.
    Save {
        /// The state.
        state: StoryState,
        /// The time of the change, in milliseconds since the Unix epoch.
        changed_at: u64,
        /// The time of the creation of a new story, in milliseconds since the Unix epoch.
        created_at: u64,
    },
    /// The story is deleted. If [`Origin::Selection`] makes the change, the tombstone keeps the story.
    Delete,
    /// A story that a selection has deleted is stored again as it was, with its history.
    Restore(Box<Story>),
}

/// The states of a story before and after an operation. A state is `None` if the story does not exist at that time.
#[derive(Clone, Debug)]
pub struct OperationResult {
    /// The state before.
    pub before: Option<StoryState>,
    /// The state after.
    pub after: Option<StoryState>,
}

impl StoryOperation {
    /// Returns the operation that gives the story this state at `now`, in milliseconds since the Unix epoch.
    pub fn save(state: StoryState, now: u64) -> Self {
        Self::Save {
            state,
            changed_at: now,
            created_at: now,
        }
    }
}

impl OperationResult {
    /// Returns the result of an operation.
    pub fn of(present: Option<&Story>, operation: &StoryOperation) -> Self {
        let before = present.map(|story| story.state.clone());
        let after = match operation {
            StoryOperation::Keep => before.clone(),
            StoryOperation::Save { state, .. } => Some(state.clone()),
            StoryOperation::Delete => None,
            StoryOperation::Restore(story) => Some(story.state.clone()),
        };
        Self { before, after }
    }
}

/// An operation, or the reason why a story cannot be changed.
pub type Decision = Result<StoryOperation>;

/// A story that a change of selected stories ([`Origin::Selection`]) has changed or deleted.
#[derive(Clone, Debug)]
pub struct SelectedStory {
    /// The story, as it is now or was before it was deleted.
    pub story: Story,
    /// True if the change has deleted the story, and there is no new story about the anime.
    pub is_deleted: bool,
}

/// The stories of a user that are changed together.
struct Edits<'e, D> {
    owner: UserId,
    by: &'e Origin,
    now: u64,
    /// The function that returns the operation of the story at a position, given its current state.
    decide: D,
}

/// A story that is still to be changed, with its position among all stories of the call and its state when it was last
/// read.
struct PendingStory {
    position: usize,
    anime: AnimeId,
    present: Option<Story>,
}

impl StoryStore {
    /// Makes at most [`MAX_CHANGES`] changes, each of the story about another anime. `episodes` returns the number
    /// of an anime's episodes. `now` is in milliseconds since the Unix epoch.
    ///
    /// Returns for each change the new state of the story (`None` if the story was deleted), or the reason why the
    /// change was not made: [`Error::NotFound`] for an unknown anime or a deletion of a story that does not exist,
    /// [`Error::Invalid`] if `current_episode` is greater than the anime's number of episodes, [`Error::Changed`] if
    /// the story has none of the expected tags.
    ///
    /// # Errors
    /// As [`StoryStore::edit_many`].
    pub async fn change_many(
        &self,
        access: &Access,
        owner: UserId,
        changes: &[BatchChange],
        episodes: impl Fn(AnimeId) -> Option<u32>,
        now: u64,
    ) -> Result<Vec<Result<Option<StoryState>>>> {
        let anime: Vec<AnimeId> = changes.iter().map(|change| change.anime).collect();
        let stories = self.find_many(owner, &anime).await?;
        // If another writer changes the story meanwhile, the change may have to set a date. The date is then the day in
        // UTC.
        let sets_date = stories
            .iter()
            .zip(changes)
            .any(|((_, story), change)| change.sets_date(story.as_ref()));
        let zone = self.time_zone_if(sets_date, owner).await?;
        let decide = |position: usize, story: Option<&Story>| match changes.get(position) {
            Some(change) => change.decide(story, episodes(change.anime), zone, now),
            None => Ok(StoryOperation::Keep),
        };
        let by = origin_of_change(access, owner);
        let write = self.edit_many(Some(access), owner, stories, &by, decide, now);
        let results = write.await?.into_iter();
        Ok(results
            .map(|result| result.map(|change| change.after))
            .collect())
    }

    /// Changes stories of a user, each about another anime, in transactions of up to 50 stories. `stories` has each
    /// anime and its current story, or `None` if there is no story yet. Without `access`, the service itself makes the
    /// changes. `now` is in milliseconds since the Unix epoch.
    ///
    /// `decide` returns the operation for the story at a position in `stories`, given the current story. It is called
    /// again for a position if another writer has changed the story in the meantime. Returns for each position the
    /// result of the last decision.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the owner does not exist. If an error occurs after the first of several transactions,
    /// for example because the caller loses access, some changes have been made. It is safe to repeat the call.
    pub async fn edit_many(
        &self,
        access: Option<&Access>,
        owner: UserId,
        stories: Vec<(AnimeId, Option<Story>)>,
        by: &Origin,
        decide: impl Fn(usize, Option<&Story>) -> Decision,
        now: u64,
    ) -> Result<Vec<Result<OperationResult>>> {
        let edits = Edits {
            owner,
            by,
            now,
            decide,
        };
        let (mut results, mut pending) = (Vec::with_capacity(stories.len()), Vec::new());
        for (position, (anime, present)) in stories.into_iter().enumerate() {
            let operation = (edits.decide)(position, present.as_ref());
            // An operation without a write needs no transaction.
            let is_written = !matches!(operation, Ok(StoryOperation::Keep) | Err(_));
            let result = |operation| OperationResult::of(present.as_ref(), &operation);
            results.push(operation.map(result));
            if is_written {
                pending.push(PendingStory {
                    position,
                    anime,
                    present,
                });
            }
        }
        let right = access.map_or(WriteRight::Service, WriteRight::Caller);
        let mut writer = StoryWriter::new(self, right, owner, now);
        let mut has_written = false;
        while !pending.is_empty() {
            let rest = pending.split_off(pending.len().min(CHANGES_PER_TRANSACTION));
            let edit_chunk = self.edit_chunk(&edits, &mut writer, pending, &mut results);
            has_written |= edit_chunk.await?;
            pending = rest;
        }
        if let Some(access) = access.filter(|_| !has_written) {
            // No transaction has checked the caller.
            self.check_access(access, owner).await?;
        }
        Ok(results)
    }

    /// Returns the stories of a user that this change of selected stories has changed or deleted, by a strongly
    /// consistent read. Costs one read unit for every 4 KB of the user's rows.
    pub async fn find_selection(
        &self,
        user: UserId,
        selection_id: &str,
    ) -> Result<Vec<SelectedStory>> {
        let is_wanted = "attribute_not_exists(deleted_at) OR deleted_by = :selection_id";
        let query = story_rows(&self.client, &self.stories, user)
            .filter_expression(is_wanted)
            .expression_attribute_values(":selection_id", text(selection_id));
        let rows = read_all(query, |mut row| {
            let is_deleted = is_tombstone(&row);
            if is_deleted {
                let deleted = take_deleted_row(&mut row).map(read_story).transpose()?;
                return Ok(deleted.map(|story| SelectedStory { story, is_deleted }));
            }
            let story = read_story(row)?;
            let is_changed = story
                .history
                .iter()
                .any(|change| change.is_by_selection(selection_id));
            Ok(is_changed.then_some(SelectedStory { story, is_deleted }))
        });
        Ok(rows.await?.into_iter().flatten().collect())
    }

    /// Changes these stories in one transaction, and sets their results. A transaction makes all its changes or none.
    /// So a refused transaction is repeated, with new decisions about the stories that others have changed, and without
    /// the changes that cannot be made. Returns true if any change was made.
    async fn edit_chunk<D: Fn(usize, Option<&Story>) -> Decision>(
        &self,
        edits: &Edits<'_, D>,
        writer: &mut StoryWriter<'_>,
        mut pending: Vec<PendingStory>,
        results: &mut [Result<OperationResult>],
    ) -> Result<bool> {
        let mut attempts = WriteAttempts::new(&self.random);
        loop {
            let mut next = Vec::with_capacity(pending.len());
            pending.retain(|pending_story| {
                let operation =
                    (edits.decide)(pending_story.position, pending_story.present.as_ref());
                let story = operation
                    .as_ref()
                    .ok()
                    .and_then(|operation| edits.story_after(pending_story, operation));
                results[pending_story.position] = operation.map(|operation| {
                    OperationResult::of(pending_story.present.as_ref(), &operation)
                });
                let is_written = story.is_some();
                next.extend(story);
                is_written
            });
            if pending.is_empty() {
                return Ok(false);
            }
            let mut names = Vec::new();
            let write = writer.try_write(&mut attempts, |transaction, first| {
                let numbered = (first..).zip(pending.iter().zip(&next));
                let actions = numbered.map(|(number, (pending_story, story))| {
                    self.add_operation(transaction, edits, pending_story, story.as_ref(), number)
                });
                let actions: Vec<StoryAction> = actions.collect::<Result<_, _>>()?;
                names = actions.iter().map(|story| story.action).collect();
                Ok(actions)
            });
            let Some(mut refused) = write.await? else {
                return Ok(true);
            };
            for (pending_story, name) in pending.iter_mut().zip(names) {
                if let Some(row) = refused.take(name) {
                    pending_story.present = read_present(row)?;
                }
            }
        }
    }

    /// Adds the replacement of a story by `next` to a transaction, or the deletion if `next` is `None`.
    fn add_operation<D>(
        &self,
        transaction: &mut Transaction<'_>,
        edits: &Edits<'_, D>,
        pending_story: &PendingStory,
        next: Option<&Story>,
        change_number: u64,
    ) -> Result<StoryAction> {
        let next = next.map(|story| Story {
            change_number,
            ..story.clone()
        });
        let deleted_row = |deleted: &Story| {
            let row = tombstone(deleted.id(), change_number, edits.now);
            Ok(match edits.by {
                Origin::Selection(selection_id) => {
                    tombstone_of_selection(row, selection_id, story_row(deleted)?)
                }
                _ => row,
            })
        };
        let before = pending_story.present.as_ref();
        self.add_change(transaction, before, next.as_ref(), deleted_row)
    }
}

impl<D> Edits<'_, D> {
    /// Returns the story after an operation: `Some(None)` if the operation deletes the story, `None` if the operation
    /// needs no write.
    #[expect(clippy::option_option, reason = "a deletion differs from no write")]
    fn story_after(
        &self,
        pending_story: &PendingStory,
        operation: &StoryOperation,
    ) -> Option<Option<Story>> {
        let (state, changed_at, created_at) = match operation {
            StoryOperation::Keep => return None,
            StoryOperation::Delete => return Some(None),
            StoryOperation::Restore(story) => return Some(Some(Story::clone(story))),
            StoryOperation::Save {
                state,
                changed_at,
                created_at,
            } => (state.clone(), *changed_at, *created_at),
        };
        let by = self.by.clone();
        let story = match pending_story.present.clone() {
            Some(story) => story.changed(state, by, self.now),
            None => Story {
                creation_order: Story::order_at(created_at, pending_story.anime),
                ..Story::new(
                    StoryId::of(self.owner, pending_story.anime),
                    state,
                    by,
                    self.now,
                )
            },
        };
        Some(Some(Story {
            changed_at,
            ..story
        }))
    }
}

impl BatchChange {
    /// Returns true if the change sets a date of the story to the present day.
    fn sets_date(&self, present: Option<&Story>) -> bool {
        let before = present.map(|story| &story.state);
        let change = self.change.as_ref();
        change.is_some_and(|change| change.sets_date(before))
    }

    /// Returns the operation that the change makes. `episodes` is the number of the anime's episodes, and `zone` the
    /// time zone of the owner's days.
    fn decide(
        &self,
        present: Option<&Story>,
        episodes: Option<u32>,
        zone: TimeZone,
        now: u64,
    ) -> Decision {
        let tags = self.expected_tags.as_deref();
        let expected = ExpectedStory::Tagged(tags.unwrap_or_default());
        let Some(change) = &self.change else {
            return expected.check(present).map(|()| StoryOperation::Delete);
        };
        if tags.is_some() {
            // A put with expected tags fails with the same error whether the story does not exist or has other tags.
            expected.check(present).map_err(|_| Error::Changed)?;
        }
        let before = present.map(|story| &story.state);
        let (mut change, count) = (change.clone(), episodes.ok_or(NO_ANIME)?);
        set_required_episode(&mut change, Some(count));
        let change = limit_to(change, count)?;
        let state = change.apply(before, zone.day_of(now));
        Ok(StoryOperation::save(state, now))
    }
}
