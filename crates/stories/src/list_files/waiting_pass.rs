//! The scheduled pass that adds stories for waiting entries whose anime are now in the catalogue.

use std::collections::BTreeSet;

use catalogue::Catalogue;
use catalogue::index::AnimeIndex;
use interchange::ListEntry;
use shared::clock::Clock;
use shared::models::Anime;
use shared::{Error, Result};

use super::identified::find_at_tracker;
use super::import::{ImportRequest, import_stories};
use super::merge_import::ImportMode;
use super::resolve::ResolvedFile;
use super::waiting_entries::{WaitingGroup, count_entries, edit_groups, unpack};
use super::waiting_list::WaitingList;
use super::waiting_store::WaitingStore;
use crate::lists::story_store::StoryStore;

/// The numbers of users and entries of a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddedWaiting {
    /// The number of users with entries whose anime were found.
    pub users: u64,
    /// The number of entries whose anime were found.
    pub entries: u64,
    /// The number of users whose entries could not be added. The next pass tries again.
    pub failed: u64,
}

/// Adds stories for all waiting entries whose anime are now in the catalogue, and removes expired entries. After
/// `until` (milliseconds since the Unix epoch), the pass ends and leaves the remaining users to the next pass.
///
/// It is safe to interrupt a pass, and to run two passes at the same time: an entry is removed only after its story is
/// written, and merging the entry again changes nothing. A failure for one user is counted and logged.
pub async fn add_waiting(
    stories: &StoryStore,
    waiting: &WaitingStore,
    catalogue: &Catalogue<Anime>,
    clock: &Clock,
    until: u64,
) -> Result<AddedWaiting> {
    let mut result = AddedWaiting::default();
    let mut after = None;
    loop {
        let page = waiting.page(after).await?;
        for row in page.rows {
            let now = clock.now_ms();
            if now >= until {
                tracing::warn!("some waiting entries are left to the next pass");
                return Ok(result);
            }
            // The index is loaded inside the loop, because it is not needed if no entry waits.
            let index = catalogue.index().await?;
            match add_for_user(stories, waiting, &index, &row, now).await {
                Ok(entries) => {
                    result.users += u64::from(entries > 0);
                    result.entries += entries;
                }
                // The user was deleted, and the row is deleted with the user's other rows.
                Err(Error::NotFound(_)) => {}
                Err(error) => {
                    let user = row.user_id.get();
                    tracing::warn!(user, %error, "waiting entries are left to the next pass");
                    result.failed += 1;
                }
            }
        }
        after = page.next;
        if after.is_none() {
            return Ok(result);
        }
    }
}

/// Adds stories for the entries of one user whose anime are in the index, and returns the number of these entries.
async fn add_for_user(
    stories: &StoryStore,
    waiting: &WaitingStore,
    index: &AnimeIndex,
    row: &WaitingList,
    now: u64,
) -> Result<u64> {
    let groups = unpack(Some(row), now)?;
    let has_expired = count_entries(&groups) as u64 != row.entry_count;
    let (mut imports, mut found) = (BTreeSet::new(), 0);
    for group in groups {
        let entries = group.entries.into_iter();
        let entries = entries.filter_map(|entry| Some((find_at_tracker(&entry, index)?, entry)));
        let mut file = ResolvedFile::of_entries(entries.collect());
        if file.entries.is_empty() {
            continue;
        }
        found += file.entries.len() as u64;
        let request = ImportRequest {
            access: None,
            owner: row.user_id,
            mode: match group.mode {
                ImportMode::Keep => ImportMode::Keep,
                // The user may have watched more since the import, so `Replace` becomes `Merge`.
                ImportMode::Merge | ImportMode::Replace => ImportMode::Merge,
            },
            id: Some(&group.import_id),
            now,
        };
        import_stories(stories, index, &mut file, request).await?;
        imports.insert(group.import_id);
    }
    if imports.is_empty() && !has_expired {
        return Ok(0);
    }
    let remove_found = |group: &mut WaitingGroup| {
        if imports.contains(&group.import_id) {
            let is_missing = |entry: &ListEntry| find_at_tracker(entry, index).is_none();
            group.entries.retain(is_missing);
        }
    };
    edit_groups(waiting, row.user_id, now, remove_found).await?;
    Ok(found)
}
