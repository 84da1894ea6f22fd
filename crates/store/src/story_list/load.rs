//! Bringing the list of a user up to date.

use std::sync::Arc;

use shared::Error;
use shared::models::{AnimeId, ListVersion, StoryId, UserId};
use tokio::time::sleep;

use super::cache::UserSlot;
use super::{ListRow, ListedStory, Needs, StoryList};
use crate::batch::batch_get;
use crate::catalogue::MAX_BATCH_READ;
use crate::get::get;
use crate::item::{Item, Selection, number, read};
use crate::listing::read_all;
use crate::retry::pause_before;
use crate::schema::user::key as user_key;
use crate::schema::user_story::{LISTED_INDEX, is_tombstone, key, listed_attributes};
use crate::stories::{StoryStore, read_story, story_rows};
use crate::story_feed::is_settled;
use crate::transaction::{Condition, TargetRow, update_row};

/// The number of times that a list in memory is compared with the user's row before the index is read.
const COMPARISONS: u32 = 3;

/// The number of times that the index is read until it has all changes. The pauses between them are 175 ms in all.
const INDEX_READS: u32 = 4;

impl StoryStore {
    /// Returns the stories of a user as they are at this version, which was read from the user's row, or at a later
    /// one.
    ///
    /// If the list in memory is at this version, reads nothing. Otherwise reads the changed stories that the version
    /// names, at one unit each, or the list from an index, at half a unit for every 4 KB (about 80 bytes for each
    /// story, and the notes). If no digest is known, reads all rows of the user, at one unit for every 4 KB.
    pub async fn current_list(
        &self,
        user: UserId,
        version: &ListVersion,
    ) -> Result<Arc<StoryList>, Error> {
        self.find_list(user, version, Needs::Stories).await
    }

    /// Does the same as [`Self::current_list`], with the sync states of the last run that has ended, or of the present
    /// one. During a run, the index is read each time.
    pub async fn current_list_with_sync_states(
        &self,
        user: UserId,
        version: &ListVersion,
    ) -> Result<Arc<StoryList>, Error> {
        self.find_list(user, version, Needs::SyncStates).await
    }

    async fn find_list(
        &self,
        user: UserId,
        version: &ListVersion,
        needs: Needs,
    ) -> Result<Arc<StoryList>, Error> {
        let slot = self.lists.slot(user);
        slot.remember(version);
        let mut held = slot.list.lock().await;
        if let Some(list) = held.as_ref().filter(|list| list.is_usable(version, needs)) {
            return Ok(Arc::clone(list));
        }
        // The future is boxed, because most requests do not need it.
        let known = held.take();
        let loaded = Box::pin(self.bring_up_to_date(user, &slot, known, version.clone(), needs));
        let loaded = loaded.await?;
        if loaded.is_certain {
            self.lists.count(user, &slot, &loaded.list);
            *held = Some(Arc::clone(&loaded.list));
        }
        Ok(loaded.list)
    }

    async fn bring_up_to_date(
        &self,
        user: UserId,
        slot: &UserSlot,
        mut known: Option<Arc<StoryList>>,
        mut version: ListVersion,
        needs: Needs,
    ) -> Result<LoadedList, Error> {
        let certain = |list| LoadedList {
            list,
            is_certain: true,
        };
        for _ in 0..COMPARISONS {
            let Some(list) = known
                .as_mut()
                .filter(|list| list.has_needed(&version, needs))
            else {
                break;
            };
            let missing = list.missing(&version);
            if !missing.is_empty() {
                self.apply_rows(user, &missing, Arc::make_mut(list)).await?;
            }
            if list.is_usable(&version, needs) {
                return Ok(certain(Arc::clone(list)));
            }
            // This process, or the read, can be ahead of the version.
            let before = std::mem::replace(&mut version, self.list_version(user).await?);
            slot.remember(&version);
            if list.is_usable(&version, needs) {
                return Ok(certain(Arc::clone(list)));
            }
            if before == version {
                break;
            }
        }
        for attempt in 0..INDEX_READS {
            if version.digest().is_none() {
                break;
            }
            if let Some(pause) = pause_before(attempt) {
                sleep(pause).await;
                version = self.list_version(user).await?;
            }
            let Some(mut list) = self.read_index(user, &version, known.as_deref()).await? else {
                break;
            };
            let missing = list.missing(&version);
            if !missing.is_empty() {
                self.apply_rows(user, &missing, &mut list).await?;
            }
            let list = Arc::new(list);
            if list.has_digest_of(&version) {
                return Ok(certain(list));
            }
            known = Some(list);
        }
        self.read_table(user).await
    }

    /// Reads the rows of these stories, and applies them to the list.
    async fn apply_rows(
        &self,
        user: UserId,
        anime: &[AnimeId],
        list: &mut StoryList,
    ) -> Result<(), Error> {
        let keys = anime.iter().map(|anime| key(StoryId::of(user, *anime)));
        let rows = batch_get(&self.client, &self.stories, keys.collect(), true).await?;
        for row in rows {
            list.apply(of_table(row)?);
        }
        Ok(())
    }

    /// Reads the list from the index, which can lag behind changes. Stories of `known` that are later stay. Returns
    /// `None` if the index lacks so many stories that reading the table is better.
    async fn read_index(
        &self,
        user: UserId,
        version: &ListVersion,
        known: Option<&StoryList>,
    ) -> Result<Option<StoryList>, Error> {
        let query = self
            .client
            .query()
            .table_name(&self.stories)
            .index_name(LISTED_INDEX)
            .key_condition_expression("user_id = :user_id")
            .expression_attribute_values(":user_id", number(user.get()));
        let rows = read_all(query, ListRow::of_index).await?;
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
        let mut list = StoryList::new(user, rows, version.sync_runs());
        if !unreadable.is_empty() {
            self.apply_rows(user, &unreadable, &mut list).await?;
        }
        if let Some(known) = known {
            for story in known.stories() {
                let found = list.find(story.anime_id).map(|found| found.change_number);
                if found.is_none_or(|found| found < story.change_number) {
                    list.apply(ListRow::Story(story.clone()));
                }
            }
            for (anime, number) in known.deleted() {
                list.apply(ListRow::Deleted(anime, number));
            }
        }
        Ok(Some(list))
    }

    /// Reads the list from the table. The list is certain if no change was made meanwhile or just before: a query can
    /// show a row as it was before a transaction that the user's row already shows. Then its digest is stored, if the
    /// user's row has none or a wrong one.
    async fn read_table(&self, user: UserId) -> Result<LoadedList, Error> {
        let before = self.list_version(user).await?;
        let mut attributes = listed_attributes();
        attributes.extend([
            "change_number",
            "version",
            "deleted_at",
            "tracker_a",
            "tracker_b",
        ]);
        let selection = Selection::of(&attributes);
        let query = story_rows(&self.client, &self.stories, user)
            .projection_expression(selection.expression)
            .set_expression_attribute_names(Some(selection.names));
        let rows = read_all(query, of_table).await?;
        let after = self.list_version(user).await?;
        let list = Arc::new(StoryList::new(user, rows, after.sync_runs()));
        if list.has_digest_of(&after) {
            let is_certain = true;
            return Ok(LoadedList { list, is_certain });
        }
        let number = after.last_change_number;
        let is_certain =
            before.last_change_number == number && is_settled(number, self.clock.now_ms());
        if is_certain {
            self.store_digest(user, number, list.digest).await?;
        }
        Ok(LoadedList { list, is_certain })
    }

    async fn list_version(&self, user: UserId) -> Result<ListVersion, Error> {
        let row = get(&self.client, &self.user_table, user_key(user)).await?;
        row.map_or_else(|| Ok(ListVersion::default()), read)
    }

    /// Stores the digest of the list after the change with this number, unless a later change was made.
    async fn store_digest(&self, user: UserId, last: u64, digest: i64) -> Result<(), Error> {
        let row = TargetRow {
            client: &self.client,
            table: &self.user_table,
            key: user_key(user),
        };
        let unchanged = match last {
            0 => "attribute_not_exists(last_change_number) OR last_change_number = :last",
            _ => "last_change_number = :last",
        };
        let unchanged = Condition::user_exists()
            .and(Condition::new(unchanged))
            .value("last", number(last))
            .value("digest", number_of(digest));
        let update =
            "SET last_change_number = :last, digest_number = :last, story_digest = :digest";
        update_row(row, unchanged, update, &self.random).await?;
        Ok(())
    }
}

/// A list that was brought up to date.
struct LoadedList {
    list: Arc<StoryList>,
    /// True if the list has every change up to the version, so that it can be kept.
    is_certain: bool,
}

fn number_of(digest: i64) -> aws_sdk_dynamodb::types::AttributeValue {
    aws_sdk_dynamodb::types::AttributeValue::N(digest.to_string())
}

/// Reads a row of the table.
fn of_table(row: Item) -> Result<ListRow, Error> {
    if is_tombstone(&row) {
        return ListRow::of_index(row);
    }
    let story = read_story(row)?;
    Ok(ListRow::Story(ListedStory::from(&story)))
}
