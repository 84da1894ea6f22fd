//! Bringing the list of a user up to date.

use std::collections::HashMap;
use std::sync::Arc;

use accounts::users::ListDigests;
use dynamo::{
    AttributeSelection, Item, MAX_BATCH_READ, batch_get, batch_get_attributes, number,
    pause_before, query, read, read_all,
};
use shared::models::{AnimeId, ListVersion, StoryId, UserId};
use shared::{Error, Result};
use tokio::time::sleep;

use super::cache::ListMemory;
use super::list::{NeededPart, StoryList};
use super::listed::{ListRow, ListedStory, SyncStates};
use crate::lists::story_store::{StoryStore, read_story, story_rows};
use crate::lists::user_story::{
    LISTED_INDEX, change_number_at, is_tombstone, key, listed_attributes,
};

/// The number of times that a list in memory is compared with the user's row before the index is read.
const COMPARISONS: u32 = 3;

/// The number of times that the index is read until it has all changes. The pauses between them are 175 ms in all.
const INDEX_READS: u32 = 4;

impl StoryStore {
    /// Returns the stories of a user at this version, which was read from the user's row, or at a later version.
    ///
    /// If the list in memory is at this version, reads nothing. Otherwise reads the changed stories that the version
    /// names, at one unit each, or the list from an index, at half a unit for every 4 KB (about 80 bytes for each
    /// story, and the notes). If no digest is known, reads all rows of the user, at one unit for every 4 KB.
    pub async fn current_list(
        &self,
        user: UserId,
        version: &ListVersion,
    ) -> Result<Arc<StoryList>> {
        self.find_list(user, version, NeededPart::Stories).await
    }

    /// Does the same as [`Self::current_list`]. The list also has all deletions whose tombstones are kept.
    pub async fn current_list_with_deletions(
        &self,
        user: UserId,
        version: &ListVersion,
    ) -> Result<Arc<StoryList>> {
        self.find_list(user, version, NeededPart::Deletions).await
    }

    /// Reads the sync states of these stories of a list ([`ListedStory::synced`]), unless the list has those of this
    /// version. Costs one unit for each story, or the rows of all stories for more than 100.
    pub async fn read_sync_states(
        &self,
        list: &StoryList,
        version: &ListVersion,
        stories: Vec<&mut ListedStory>,
    ) -> Result<()> {
        if stories.is_empty() || list.has_sync_states_of(version) {
            return Ok(());
        }
        if stories.len() > MAX_BATCH_READ {
            let list = self.find_list(list.user(), version, NeededPart::SyncStates);
            let list = list.await?;
            for story in stories {
                let listed = list.find(story.anime_id);
                let listed = listed.filter(|listed| listed.version == story.version);
                story.synced = listed.map(|listed| listed.synced).unwrap_or_default();
            }
            return Ok(());
        }
        let keys = stories.iter().map(|story| key(story.id())).collect();
        let attributes = ["user_id", "anime_id", "tracker_a", "tracker_b"];
        let (client, table) = (&self.client, &self.stories);
        let rows = batch_get_attributes(client, table, keys, true, &attributes).await?;
        let rows = rows
            .into_iter()
            .map(read)
            .collect::<Result<Vec<SyncStates>, _>>()?;
        let rows: HashMap<AnimeId, SyncStates> =
            rows.into_iter().map(|row| (row.anime_id, row)).collect();
        for story in stories {
            let row = rows.get(&story.anime_id);
            story.synced = row
                .map(|row| row.synced_at(story.version))
                .unwrap_or_default();
        }
        Ok(())
    }

    /// Remembers a version that was read from the user's row, for the writes that follow, because a write stores in the
    /// row the latest changes that its process knows.
    pub fn remember_version(&self, user: UserId, version: &ListVersion) {
        let memory = self.lists.memory(user);
        memory.remember(version, self.clock.now_ms());
    }

    /// Returns the stories of a user as an index has them, which can lag behind changes. Needs no version of the list,
    /// keeps nothing in memory and repairs nothing. Costs half a unit for every 4 KB, about 80 bytes for each story.
    pub async fn peek_list(&self, user: UserId) -> Result<Vec<ListedStory>> {
        let query = query(&self.client, &self.stories, "user_id", number(user.get()));
        let query = query.index_name(LISTED_INDEX);
        let rows = read_all(query, ListRow::of_index).await?.into_iter();
        let stories = rows.filter_map(|row| match row {
            ListRow::Story(story) => Some(story),
            _ => None,
        });
        Ok(stories.collect())
    }

    /// Does the same as [`Self::current_list`], with the further parts that the request needs.
    pub(crate) async fn find_list(
        &self,
        user: UserId,
        version: &ListVersion,
        needs: NeededPart,
    ) -> Result<Arc<StoryList>> {
        let memory = self.lists.memory(user);
        memory.remember(version, self.clock.now_ms());
        let mut held = memory.list.lock().await;
        // This process may have changed a story after the version was read.
        let is_latest = memory.known_changes().last_number() <= version.last_change_number;
        if let Some(list) = held
            .as_ref()
            .filter(|list| is_latest && list.is_usable(version, needs))
        {
            return Ok(Arc::clone(list));
        }
        let version = if is_latest {
            version.clone()
        } else {
            self.list_version(user, &memory).await?
        };
        // The future is boxed, because most requests do not need it.
        let update = Box::pin(self.bring_up_to_date(user, &memory, &mut held, version, needs));
        let loaded = update.await?;
        self.lists.count(user, &memory, &loaded);
        *held = Some(Arc::clone(&loaded));
        Ok(loaded)
    }

    /// Returns the list at this version or a later one. `last_list` is the list in memory. After an error, the next
    /// request starts from it again.
    async fn bring_up_to_date(
        &self,
        user: UserId,
        memory: &ListMemory,
        last_list: &mut Option<Arc<StoryList>>,
        mut version: ListVersion,
        needs: NeededPart,
    ) -> Result<Arc<StoryList>> {
        // The index can have older sync states, and nothing would show that.
        let has_sync_states = |list: &StoryList, version: &ListVersion| {
            needs != NeededPart::SyncStates || list.has_sync_states_of(version)
        };
        for _ in 0..COMPARISONS {
            let comparable = |list: &&mut Arc<StoryList>| {
                version.digest().is_some() && has_sync_states(list, &version)
            };
            let Some(list) = last_list.as_mut().filter(comparable) else {
                break;
            };
            let missing = list.missing(&version);
            if !missing.is_empty() {
                self.apply_rows(user, &missing, Arc::make_mut(list)).await?;
            }
            if list.is_usable(&version, needs) {
                return Ok(Arc::clone(list));
            }
            // The list can be newer than the version: this process, or the read, may have seen a later change.
            let before = std::mem::replace(&mut version, self.list_version(user, memory).await?);
            if list.is_usable(&version, needs) {
                return Ok(Arc::clone(list));
            }
            if before == version {
                break;
            }
        }
        for attempt in 0..INDEX_READS {
            let has_states = |list: &Arc<StoryList>| has_sync_states(list, &version);
            let is_enough =
                needs != NeededPart::SyncStates || last_list.as_ref().is_some_and(has_states);
            if version.digest().is_none() || !is_enough {
                break;
            }
            if let Some(pause) = pause_before(attempt) {
                sleep(pause).await;
                version = self.list_version(user, memory).await?;
            }
            let read = self.read_index(user, &version, last_list.as_deref());
            let Some(mut list) = read.await? else {
                break;
            };
            let missing = list.missing(&version);
            if !missing.is_empty() {
                self.apply_rows(user, &missing, &mut list).await?;
            }
            let list = Arc::new(list);
            if list.is_usable(&version, needs) {
                return Ok(list);
            }
            // The index has all stories, so another read would not help. A tombstone has expired or was replaced, or a
            // run of the synchronization has ended.
            if list.has_digest_of(&version) {
                break;
            }
            *last_list = Some(list);
        }
        Ok(self.read_table(user, memory).await?.list)
    }

    /// Reads the rows of these stories, and applies them to the list.
    async fn apply_rows(
        &self,
        user: UserId,
        anime: &[AnimeId],
        list: &mut StoryList,
    ) -> Result<()> {
        let keys = anime.iter().map(|anime| key(StoryId::of(user, *anime)));
        let rows = batch_get(&self.client, &self.stories, keys.collect(), true).await?;
        for row in rows {
            list.apply(of_table(row)?);
        }
        Ok(())
    }

    /// Reads the list from the index, which can lag behind changes. Later stories in `last_list` stay, and also its
    /// sync states of unchanged stories. `version` was read before the index. Returns `None` if the index lacks so many
    /// stories that reading the table is better, or if it does not exist: new functions can run before the index is
    /// created.
    async fn read_index(
        &self,
        user: UserId,
        version: &ListVersion,
        last_list: Option<&StoryList>,
    ) -> Result<Option<StoryList>> {
        let query = query(&self.client, &self.stories, "user_id", number(user.get()));
        let query = query.index_name(LISTED_INDEX);
        let rows = match read_all(query, ListRow::of_index).await {
            Ok(rows) => rows,
            Err(Error::Internal(error)) => {
                tracing::warn!(%error, "the index Listed cannot be read");
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let unreadable: Vec<AnimeId> = rows
            .iter()
            .filter_map(|row| match row {
                ListRow::Unreadable(anime) => Some(*anime),
                _ => None,
            })
            .collect();
        if unreadable.len() > MAX_BATCH_READ {
            return Ok(None);
        }
        let mut list = StoryList::new(user, rows, None).with_deletions_since(since_of(version));
        if !unreadable.is_empty() {
            self.apply_rows(user, &unreadable, &mut list).await?;
        }
        if let Some(last_list) = last_list {
            list.add_known(last_list);
        }
        Ok(Some(list))
    }

    /// Reads the list from the table.
    ///
    /// A query can show a row as it was before a transaction that the user's row already shows (DynamoDB Developer
    /// Guide, "Transaction isolation levels"). So the digests of what was read are stored only if the last change was
    /// made long enough before: this process has known it for a while, or it is older than the greatest possible error
    /// of a clock.
    ///
    /// A query can also show a row after a transaction that the user's row does not show yet. Until the user's row
    /// shows it, no other write can change the user's row.
    pub(super) async fn read_table(&self, user: UserId, memory: &ListMemory) -> Result<TableRead> {
        let before = self.list_version(user, memory).await?;
        let (last, now) = (before.last_change_number, self.clock.now_ms());
        let is_settled = memory.known_changes().is_settled(last, now) || is_old(last, now);
        let selection = AttributeSelection::of(&listed_attributes());
        let query = story_rows(&self.client, &self.stories, user)
            .projection_expression(selection.expression)
            .set_expression_attribute_names(Some(selection.names));
        let rows = read_all(query, of_table).await?;
        let after = self.list_version(user, memory).await?;
        let sync_runs = before
            .sync_runs()
            .filter(|_| before.sync_runs() == after.sync_runs());
        let list = StoryList::new(user, rows, sync_runs);
        let mut list = list.with_deletions_since(since_of(&before));
        // Reads by key show every transaction that the user's row shows.
        let missing = list.missing(&after);
        if !missing.is_empty() {
            self.apply_rows(user, &missing, &mut list).await?;
        }
        let is_complete = list.has_digest_of(&after) && list.has_deletions_of(&after);
        let is_certain = is_settled && after.last_change_number == last;
        let is_repaired =
            !is_complete && is_certain && self.store_digests(user, memory, last, &list).await?;
        if is_repaired {
            list = list.with_deletions_since(a_day_before(last));
        }
        Ok(TableRead {
            list: Arc::new(list),
            is_repaired,
        })
    }

    async fn list_version(&self, user: UserId, memory: &ListMemory) -> Result<ListVersion> {
        let version = self.users.list_version(user).await?;
        memory.remember(&version, self.clock.now_ms());
        Ok(version)
    }

    /// Stores the digests of the list after the change with this number, unless a later change was made. The deletions
    /// of the day before the change count, because the index can lag behind the table. Returns true if they are stored.
    async fn store_digests(
        &self,
        user: UserId,
        memory: &ListMemory,
        last: u64,
        list: &StoryList,
    ) -> Result<bool> {
        let deletions_since = a_day_before(last);
        let digests = ListDigests {
            stories: list.digest(),
            deletions: list.deletion_digest(deletions_since),
            deletions_since,
        };
        let stored = self.users.store_digests(user, last, digests).await?;
        if let Some(version) = &stored {
            memory.remember(version, self.clock.now_ms());
        }
        Ok(stored.is_some())
    }
}

/// A list that was read from the table.
pub(super) struct TableRead {
    pub list: Arc<StoryList>,
    /// True if its digests were missing or wrong, and have been stored.
    pub is_repaired: bool,
}

/// The length of a day, in milliseconds.
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// Returns the number above which deletions count for the digest, according to this version.
fn since_of(version: &ListVersion) -> u64 {
    version.deletions().map_or(0, |(_, since)| since)
}

/// Returns the change number of one day earlier.
fn a_day_before(change_number: u64) -> u64 {
    change_number.saturating_sub(change_number_at(DAY_MS))
}

/// Returns true if the change with this number was made more than a day before `now` (milliseconds since the Unix
/// epoch). No clock is wrong by so much: DynamoDB would refuse its signatures.
fn is_old(change_number: u64, now: u64) -> bool {
    change_number_at(now.saturating_sub(DAY_MS)) > change_number
}

fn of_table(row: Item) -> Result<ListRow> {
    if is_tombstone(&row) {
        return ListRow::of_index(row);
    }
    let story = read_story(row)?;
    Ok(ListRow::Story(ListedStory::from(&story)))
}
