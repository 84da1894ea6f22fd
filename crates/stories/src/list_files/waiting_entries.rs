//! Waiting entries: entries of imports whose anime are not in the catalogue yet (docs/api.md, "Entries whose anime is
//! missing").

use std::collections::HashSet;
use std::io::Write;

use accounts::users::Account;
use axum::http::HeaderMap;
use axum::response::Response;
use dynamo::{pack_value, unpack_value};
use interchange::{ExportFormat, ListEntry, ReadOptions};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::http::file::{Compression, File};
use shared::models::{AnimeId, TrackerIds, UserId};
use shared::{Error, Result};

use super::merge_import::ImportMode;
use super::proposed_entry::{ProposedEntry, StoredProposal};
use super::resolve::ResolvedFile;
use super::waiting_list::WaitingList;
use super::waiting_store::{WaitingOperation, WaitingStore};

/// The time for which a waiting entry is kept, in milliseconds: 365 days.
const KEPT_MS: u64 = 365 * 24 * 60 * 60 * 1000;

/// The maximum number of waiting entries of a user.
pub const MAX_WAITING: usize = 5_000;

/// The maximum size of a user's waiting entries as JSON, in bytes. It limits the memory and the time for unpacking
/// them.
const MAX_WAITING_BYTES: usize = 4_000_000;

/// The maximum size of a user's waiting entries in their row, in bytes. An item of `DynamoDB` has at most 400 KB.
const MAX_PACKED_BYTES: usize = 300_000;

/// The waiting entries of one import.
#[derive(Clone, Debug)]
pub(crate) struct WaitingGroup {
    /// The identifier of the import.
    pub import_id: String,
    /// The way in which existing stories are treated.
    pub mode: ImportMode,
    /// The time of the import, in milliseconds since the Unix epoch.
    pub imported_at: u64,
    /// The entries. Their positions are 0, so that equal entries of two files are equal.
    pub entries: Vec<ListEntry>,
    /// The entries that wait for the user's answer. Their positions are also 0.
    pub proposals: Vec<ProposedEntry>,
}

impl WaitingGroup {
    /// Returns the number of entries.
    fn len(&self) -> usize {
        self.entries.len() + self.proposals.len()
    }

    /// Keeps the first entries.
    fn truncate(&mut self, room: usize) {
        self.entries.truncate(room);
        self.proposals.truncate(room - self.entries.len());
    }
}

/// A [`WaitingGroup`], as it is stored in the row of its user.
#[derive(Serialize, Deserialize)]
struct PackedGroup {
    import_id: String,
    mode: ImportMode,
    imported_at: u64,
    /// True in rows of earlier versions of the service, for entries that already have stories. Such an entry waited
    /// until the catalogue counted as many episodes as the entry states, because stories did not keep such progress.
    is_ahead: bool,
    /// The entries as a list file in the JSON format of this service. An entry that waits for the user's answer has the
    /// field [`PROPOSAL`], which earlier versions ignore.
    list: String,
}

/// The field of a story in [`PackedGroup::list`] with the proposal.
const PROPOSAL: &str = "proposal";

/// The proposals of the stories in [`PackedGroup::list`].
#[derive(Deserialize)]
struct ProposalList {
    stories: Vec<ProposalOfStory>,
}

#[derive(Deserialize)]
struct ProposalOfStory {
    proposal: Option<StoredProposal>,
}

/// The result of storing the waiting entries of an import.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeptEntries {
    /// The number of entries that are kept now and were not kept before.
    pub added: usize,
    /// The number of entries for which there is no room.
    pub left_out: usize,
}

/// The identifiers, titles and anime of all entries of a file, including waiting ones. A `replace` import removes the
/// earlier waiting entries that have any of these.
#[derive(Debug, Default)]
pub(crate) struct StatedEntries {
    /// The identifiers at the first tracker.
    a: HashSet<u32>,
    /// The identifiers at the second tracker.
    b: HashSet<u32>,
    titles: HashSet<String>,
    /// The anime that are certain, or that only a title names.
    anime: HashSet<AnimeId>,
}

impl StatedEntries {
    /// Collects the identifiers, titles and anime of a file.
    pub(crate) fn of(file: &ResolvedFile) -> Self {
        let certain = file.entries.iter().map(|(_, entry)| entry);
        let proposed = file.proposals.iter().map(|proposed| &proposed.entry);
        let mut stated = Self::default();
        for entry in certain.chain(&file.missing).chain(proposed) {
            stated.a.extend(entry.trackers.a);
            stated.b.extend(entry.trackers.b);
            stated.titles.extend(entry.title.clone());
        }
        let certain = file.entries.iter().map(|(anime, _)| *anime);
        let by_title = file.proposals.iter().filter_map(ProposedEntry::by_title);
        stated.anime.extend(certain.chain(by_title));
        stated
    }

    /// Returns true if the file has an identifier of this entry.
    fn has_id_of(&self, entry: &ListEntry) -> bool {
        let TrackerIds { a, b } = entry.trackers;
        a.is_some_and(|id| self.a.contains(&id)) || b.is_some_and(|id| self.b.contains(&id))
    }

    /// Returns true if the file has an identifier, the title or the anime of this proposal.
    fn has_proposed(&self, proposed: &ProposedEntry) -> bool {
        let (title, anime) = (proposed.entry.title.as_ref(), proposed.by_title());
        self.has_id_of(&proposed.entry)
            || title.is_some_and(|title| self.titles.contains(title))
            || anime.is_some_and(|anime| self.anime.contains(&anime))
    }
}

/// Returns true if the anime of an entry can be found later. An `anime_id` alone is not enough, because it may
/// come from another installation of this service.
pub(crate) fn can_be_found(entry: &ListEntry) -> bool {
    entry.trackers.a.is_some() || entry.trackers.b.is_some()
}

/// Adds the waiting entries of an import to the user's earlier waiting entries. `new` has the entries whose anime are
/// missing, and `stated` describes all entries of the file. A dry run writes nothing.
pub(crate) async fn keep_entries(
    store: &WaitingStore,
    user: UserId,
    stated: &StatedEntries,
    new: &WaitingGroup,
    is_dry_run: bool,
) -> Result<KeptEntries> {
    let mut counts = KeptEntries::default();
    let mut decide = |row: Option<&WaitingList>| {
        let (operation, new_counts) = add_group(unpack(row, new.imported_at)?, stated, new)?;
        counts = new_counts;
        Ok(operation)
    };
    if is_dry_run {
        decide(store.find(user).await?.as_ref())?;
    } else {
        store.edit(user, decide).await?;
    }
    Ok(counts)
}

/// Returns the edit of the row that adds the group `new` to the earlier groups, and the numbers of entries that it
/// keeps and leaves out.
fn add_group(
    mut groups: Vec<WaitingGroup>,
    stated: &StatedEntries,
    new: &WaitingGroup,
) -> Result<(WaitingOperation, KeptEntries)> {
    let before = count_entries(&groups);
    if new.mode == ImportMode::Replace {
        // Entries of earlier imports for the same anime are removed. Otherwise, an earlier entry with more progress
        // would win once the anime appears or the user answers.
        for group in &mut groups {
            group.entries.retain(|entry| !stated.has_id_of(entry));
            group
                .proposals
                .retain(|proposed| !stated.has_proposed(proposed));
        }
    }
    let remaining = count_entries(&groups);
    let waiting: HashSet<&ListEntry> = groups.iter().flat_map(|group| &group.entries).collect();
    let proposals = groups.iter().flat_map(|group| &group.proposals);
    let proposed: HashSet<&ListEntry> = proposals.map(|proposed| &proposed.entry).collect();
    let mut added = new.clone();
    added.entries.retain(|entry| !waiting.contains(entry));
    added.proposals.retain(|new| !proposed.contains(&new.entry));
    let all = added.len();
    if all == 0 && remaining == before {
        return Ok((WaitingOperation::Keep, KeptEntries::default()));
    }
    let mut room = MAX_WAITING.saturating_sub(remaining).min(all);
    let earlier_groups = groups.len();
    loop {
        groups.truncate(earlier_groups);
        added.truncate(room);
        groups.push(added.clone());
        match pack(&groups)? {
            Some(operation) => {
                let (added, left_out) = (room, all - room);
                return Ok((operation, KeptEntries { added, left_out }));
            }
            // The earlier entries alone are already too large, so the row does not change.
            None if room == 0 => {
                let (added, left_out) = (0, all);
                return Ok((WaitingOperation::Keep, KeptEntries { added, left_out }));
            }
            None => room /= 2,
        }
    }
}

/// Returns the number of entries.
pub(crate) fn count_entries(groups: &[WaitingGroup]) -> usize {
    groups.iter().map(WaitingGroup::len).sum()
}

/// Writes the entries of a group as a list file in the JSON format of this service.
fn write_list(group: &WaitingGroup) -> Result<String> {
    let mut list = Vec::new();
    let proposed = group.proposals.iter().map(|proposed| &proposed.entry);
    let entries = group.entries.iter().chain(proposed);
    interchange::write_entries("", group.imported_at, entries, &mut list)
        .map_err(Error::internal)?;
    if group.proposals.is_empty() {
        return String::from_utf8(list).map_err(Error::internal);
    }
    let mut list: Value = serde_json::from_slice(&list).map_err(Error::internal)?;
    let stories = list["stories"].as_array_mut();
    let stories = stories.map(Vec::as_mut_slice).unwrap_or_default();
    let proposed = stories.iter_mut().skip(group.entries.len());
    for (story, proposed) in proposed.zip(&group.proposals) {
        let stored = serde_json::to_value(StoredProposal::from(proposed));
        story[PROPOSAL] = stored.map_err(Error::internal)?;
    }
    Ok(list.to_string())
}

/// Returns the edit of the row that stores groups; `None` if they are too large.
fn pack(groups: &[WaitingGroup]) -> Result<Option<WaitingOperation>> {
    let (mut packed, mut unpacked_size) = (Vec::new(), 0);
    for group in groups.iter().filter(|group| group.len() > 0) {
        let list = write_list(group)?;
        unpacked_size += list.len();
        packed.push(PackedGroup {
            import_id: group.import_id.clone(),
            mode: group.mode,
            imported_at: group.imported_at,
            is_ahead: false,
            list,
        });
    }
    let Some(last) = packed.iter().map(|group| group.imported_at).max() else {
        return Ok(Some(WaitingOperation::Delete));
    };
    if unpacked_size > MAX_WAITING_BYTES {
        return Ok(None);
    }
    let contents = pack_value(&packed)?;
    if contents.len() > MAX_PACKED_BYTES {
        return Ok(None);
    }
    let operation = WaitingOperation::Put {
        entry_count: count_entries(groups) as u64,
        expires_at: last.saturating_add(KEPT_MS).div_ceil(1000),
        contents,
    };
    Ok(Some(operation))
}

/// Returns the groups of a row that have not expired at `now` (milliseconds since the Unix epoch), in the order in
/// which they were added.
pub(crate) fn unpack(row: Option<&WaitingList>, now: u64) -> Result<Vec<WaitingGroup>> {
    let Some(row) = row else {
        return Ok(Vec::new());
    };
    let damaged = || Error::internal("a row of WaitingList cannot be read");
    let packed: Vec<PackedGroup> = unpack_value(&row.contents).ok_or_else(damaged)?;
    let mut groups = Vec::with_capacity(packed.len());
    for group in packed {
        if group.imported_at.saturating_add(KEPT_MS) <= now {
            continue;
        }
        let list = interchange::read(group.list.as_bytes(), &ReadOptions::default())
            .map_err(Error::internal)?;
        // Most groups have no proposals, so their text is not parsed a second time.
        let mut proposals = if group.list.contains(PROPOSAL) {
            let list: ProposalList = serde_json::from_str(&group.list).map_err(Error::internal)?;
            list.stories
        } else {
            Vec::new()
        };
        let (mut entries, mut proposed) = (Vec::new(), Vec::new());
        for mut entry in list.entries {
            let position = std::mem::take(&mut entry.position);
            let stored = proposals
                .get_mut(position.saturating_sub(1))
                .and_then(|story| story.proposal.take());
            match stored {
                Some(stored) => proposed.push(stored.with_entry(entry)),
                None => entries.push(entry),
            }
        }
        groups.push(WaitingGroup {
            import_id: group.import_id,
            // If the import itself has created the story of an entry, the entry is merged, even if the import leaves
            // other stories unchanged.
            mode: if group.is_ahead {
                ImportMode::Merge
            } else {
                group.mode
            },
            imported_at: group.imported_at,
            entries,
            proposals: proposed,
        });
    }
    Ok(groups)
}

/// Changes each group of a user's row that has not expired at `now` (milliseconds since the Unix epoch), and removes
/// the expired groups and those without entries. Does nothing if there is no row.
pub(crate) async fn edit_groups(
    store: &WaitingStore,
    user: UserId,
    now: u64,
    change: impl Fn(&mut WaitingGroup),
) -> Result<()> {
    let decide = |row: Option<&WaitingList>| {
        if row.is_none() {
            return Ok(WaitingOperation::Keep);
        }
        let mut groups = unpack(row, now)?;
        groups.iter_mut().for_each(&change);
        Ok(pack(&groups)?.unwrap_or(WaitingOperation::Keep))
    };
    store.edit(user, decide).await
}

/// Returns the waiting entries in a row at `now` (milliseconds since the Unix epoch). The group that was added last
/// comes first.
pub fn waiting_entries(row: Option<&WaitingList>, now: u64) -> Result<Vec<ListEntry>> {
    let groups = unpack(row, now)?.into_iter().rev();
    Ok(groups.flat_map(|group| group.entries).collect())
}

/// Returns the entries of [`waiting_entries`], and those that wait for the user's answer.
pub fn kept_entries(row: Option<&WaitingList>, now: u64) -> Result<Vec<ListEntry>> {
    let groups = unpack(row, now)?.into_iter().rev();
    let entries = groups.flat_map(|group| {
        let proposed = group.proposals.into_iter().map(|proposed| proposed.entry);
        group.entries.into_iter().chain(proposed)
    });
    Ok(entries.collect())
}

/// Returns the response with a user's waiting entries as a file, also those that wait for the user's answer. `headers`
/// are the headers of the request, and `now` is the time in milliseconds since the Unix epoch. The caller's access must
/// have been checked.
pub async fn export_waiting(
    store: &WaitingStore,
    account: Account,
    headers: &HeaderMap,
    now: u64,
) -> Result<Response> {
    let entries = kept_entries(store.find(account.user.id).await?.as_ref(), now)?;
    let day = account.time_zone().day_of(now);
    let username = account.user.username;
    let name = format!("kiroku-{username}-waiting-{day}.json");
    let write =
        move |output: &mut dyn Write| interchange::write_entries(&username, now, &entries, output);
    // The entries have at most 4 MB, so this error never occurs: a compressed file can have 4.5 MB.
    let too_large = Error::internal("the waiting entries are too large for a file");
    let (file, ()) = File::write(Compression::for_request(headers), too_large, write).await?;
    Ok(file.into_response(&name, ExportFormat::Json.media_type()))
}

/// Deletes the waiting entries of an import that is being undone, and returns their number. Entries of an import
/// before `since` (in seconds since the Unix epoch) stay, because it can no longer be undone.
pub(crate) async fn forget_import(
    store: &WaitingStore,
    user: UserId,
    import_id: &str,
    since: u64,
) -> Result<usize> {
    let mut forgotten = 0;
    let is_undone =
        |group: &WaitingGroup| group.import_id == import_id && group.imported_at / 1000 >= since;
    let decide = |row: Option<&WaitingList>| {
        let mut groups = unpack(row, 0)?;
        let before = count_entries(&groups);
        groups.retain(|group| !is_undone(group));
        forgotten = before - count_entries(&groups);
        if forgotten == 0 {
            return Ok(WaitingOperation::Keep);
        }
        Ok(pack(&groups)?.unwrap_or(WaitingOperation::Keep))
    };
    store.edit(user, decide).await?;
    Ok(forgotten)
}
