//! The steps of an import: finding the anime of the entries, and changing the stories.

use std::collections::HashMap;
use std::mem;
use std::sync::Arc;

use catalogue::Catalogue;
use catalogue::index::AnimeIndex;
use futures_util::try_join;
use interchange::{ListEntry, ReadOptions, SkippedEntry};
use shared::auth::Access;
use shared::models::{Anime, AnimeId, Origin, StoryId, UserId};
use shared::user_slots::UserSlot;
use shared::{Error, Result};

use super::merge_import::{DatedState, ImportMode, merge_import};
use super::report::ImportReport;
use super::resolve::{ResolvedFile, resolve};
use super::waiting_entries::{StatedEntries, WaitingGroup, can_be_found, keep_entries};
use super::waiting_store::WaitingStore;
use super::watched_items::{ImportFile, find_watched, format_name, remarks};
use crate::lists::story_batch::{Decision, OperationResult, StoryOperation};
use crate::lists::story_store::StoryStore;
use crate::lists::user_story::Story;
use crate::players::player_store::PlayerStore;

/// The reason for leaving out an entry without a status, such as a rating, whose anime is not on the list.
const NO_STATUS: &str = "the file states no status, and the anime is not on the list";

/// The parameters of an import.
#[derive(Clone, Copy, Debug)]
pub struct ImportRequest<'r> {
    /// The caller's access. Without it, the service itself imports.
    pub access: Option<&'r Access>,
    /// The owner of the stories.
    pub owner: UserId,
    /// The way in which stories that already exist are treated.
    pub mode: ImportMode,
    /// The identifier of the import, which the history of each changed story names. `None` for a dry run, which writes
    /// nothing.
    pub id: Option<&'r str>,
    /// The time in milliseconds since the Unix epoch.
    pub now: u64,
}

/// The entries of a file for one anime.
struct AnimeEntries {
    anime: AnimeId,
    /// The anime's number of episodes.
    episodes: u32,
    entries: Vec<ListEntry>,
}

impl AnimeEntries {
    /// Returns the operation by which the import changes the current story.
    fn decide(&self, mode: ImportMode, present: Option<&Story>, now: u64) -> StoryOperation {
        let before = present.map(|story| DatedState {
            state: story.state.clone(),
            changed_at: story.changed_at,
        });
        let merged = merge_import(mode, before.as_ref(), &self.entries, self.episodes, now);
        let creation_times = self.entries.iter().filter_map(|entry| entry.created_at_ms);
        let created_at = creation_times.min();
        merged.map_or(StoryOperation::Keep, |merged| StoryOperation::Save {
            state: merged.state,
            changed_at: merged.changed_at,
            created_at: created_at.map_or(now, |time| time.min(now)),
        })
    }

    /// Returns the remark about an entry with a later episode than the catalogue counts.
    fn remark(&self, result: &OperationResult) -> Option<String> {
        let stated = self.entries.iter().map(|entry| entry.current_episode);
        let (stated, episodes) = (stated.max()??, self.episodes);
        let after = result.after.as_ref()?;
        (stated > after.current_episode && stated > episodes).then(|| {
            format!("the file has episode {stated}, but the anime has {episodes} episodes")
        })
    }
}

/// Reads a file on a blocking thread, because a file of 64 MB takes a while. The thread also holds the slot of the
/// user. So no other import of the user begins in this process before the thread has ended. The thread ends early if
/// the caller drops its slot.
///
/// # Errors
/// [`Error::Invalid`] for the parameter `file`, with the reason, if it is not a file that can be imported.
pub async fn read_file(
    file: impl AsRef<[u8]> + Send + 'static,
    options: ReadOptions,
    slot: &Arc<UserSlot>,
) -> Result<ImportFile> {
    let slot = Arc::clone(slot);
    let read = tokio::task::spawn_blocking(move || {
        // If only this thread still holds the slot, the request has ended.
        let is_cancelled = || Arc::strong_count(&slot) == 1;
        ImportFile::read(file.as_ref(), &options, &is_cancelled)
    });
    let read = read.await.map_err(Error::internal)?;
    read.map_err(|error| Error::invalid("file", error.to_string()))
}

/// Imports a file and returns the report. In the report, entries without a title have the title of the catalogue.
/// Entries whose anime are not in the catalogue, or have to be named by the user, are kept in `waiting`. `players` has
/// the anime that the owner has chosen for series of media servers. The caller's access must have been checked, because
/// stories are read before [`StoryStore::edit_many`] checks `access`.
///
/// # Errors
/// As [`StoryStore::edit_many`]. After an error, some stories may already have been changed. To change the remaining
/// stories, the caller can repeat the import.
pub async fn import(
    stories: &StoryStore,
    waiting: &WaitingStore,
    players: &PlayerStore,
    catalogue: &Catalogue<Anime>,
    file: ImportFile,
    request: ImportRequest<'_>,
) -> Result<ImportReport> {
    // The futures are on the heap, because the searches are large.
    let mut file = match file {
        ImportFile::List(file) => {
            // Only watched episodes have times, and the time zone is needed to convert them to days.
            let has_times = !file.watched.is_empty();
            let zone = stories.time_zone_if(has_times, request.owner).await?;
            Box::pin(resolve(catalogue, file, zone, request.now)).await?
        }
        ImportFile::Watched(file) => {
            let (choices, zone) = try_join!(
                players.choices(request.owner),
                stories.time_zone(request.owner)
            )?;
            let find = find_watched(catalogue, &choices, &file, zone, request.now);
            let (entries, skipped) = Box::pin(find).await?;
            let entries = entries.into_iter();
            let entries = entries.filter_map(|entry| Some((entry.anime_id?, entry)));
            ResolvedFile {
                format: format_name(&file),
                skipped,
                remarks: remarks(&file),
                ..ResolvedFile::of_entries(entries.collect())
            }
        }
    };
    let index = catalogue.index().await?;
    let stated = StatedEntries::of(&file);
    let mut report = import_stories(stories, &index, &mut file, request).await?;
    let (entries, unidentified): (Vec<_>, Vec<_>) =
        file.missing.into_iter().partition(can_be_found);
    let mut group = WaitingGroup {
        import_id: request.id.unwrap_or_default().to_owned(),
        mode: request.mode,
        imported_at: request.now,
        entries,
        proposals: file.proposals,
    };
    let proposed = group
        .proposals
        .iter_mut()
        .map(|proposed| &mut proposed.entry);
    for entry in group.entries.iter_mut().chain(proposed) {
        entry.position = 0;
    }
    // The waiting entries are stored after the stories, because by then the access has been checked. If storing them
    // fails, the caller can repeat the whole import.
    let is_dry_run = request.id.is_none();
    let counts = keep_entries(waiting, request.owner, &stated, &group, is_dry_run).await?;
    report.add_kept(counts, unidentified.len());
    // The import is complete, so an error here must not hide its report.
    if let Err(error) = add_titles(catalogue, &mut report).await {
        tracing::warn!(%error, "the report of an import lacks titles");
    }
    Ok(report)
}

/// Adds the titles of the catalogue to the listed stories whose entries have none, and to the candidates of proposals.
async fn add_titles(catalogue: &Catalogue<Anime>, report: &mut ImportReport) -> Result<()> {
    let untitled: Vec<(AnimeId, &mut Option<String>)> = report.untitled().collect();
    if untitled.is_empty() {
        return Ok(());
    }
    let ids: Vec<AnimeId> = untitled.iter().map(|(anime_id, _)| *anime_id).collect();
    let anime = catalogue.summaries(&ids).await?;
    for (anime_id, title) in untitled {
        let own_title = anime.get(anime_id).map(|anime| anime.title.to_owned());
        *title = own_title.filter(|title| !title.is_empty());
    }
    Ok(())
}

/// Imports the entries of a file whose anime are certain, and takes them out of the file. Proposed entries stay in it,
/// unless they state nothing new about the story of their anime.
pub(crate) async fn import_stories(
    stories: &StoryStore,
    index: &AnimeIndex,
    file: &mut ResolvedFile,
    request: ImportRequest<'_>,
) -> Result<ImportReport> {
    let (owner, mode, id, now) = (request.owner, request.mode, request.id, request.now);
    let mut report = ImportReport::new(file, mode, id);
    report.add_waiting(&file.missing);
    let groups = group_by_anime(mem::take(&mut file.entries), index);
    let entries: usize = groups.iter().map(|group| group.entries.len()).sum();
    report.counts.duplicates = entries - groups.len();
    let mut skipped = mem::take(&mut file.skipped);

    let stored = stories.all_of(owner).await?.into_iter();
    let mut story_of: HashMap<AnimeId, Story> =
        stored.map(|story| (story.anime_id, story)).collect();
    file.proposals.retain(|proposed| {
        let story = proposed.by_title().and_then(|anime| story_of.get(&anime));
        let unchanged = story.filter(|story| {
            let group = AnimeEntries {
                anime: story.anime_id,
                episodes: index.episodes_count(story.anime_id).unwrap_or_default(),
                entries: vec![proposed.entry.clone()],
            };
            matches!(group.decide(mode, Some(*story), now), StoryOperation::Keep)
        });
        match unchanged {
            Some(story) => {
                let (story_id, entry) = (StoryId::of(owner, story.anime_id), &proposed.entry);
                let result = OperationResult::of(Some(story), &StoryOperation::Keep);
                report.add_result(story_id, entry.position, entry.title.clone(), None, &result);
            }
            None => report.add_proposal(proposed, index),
        }
        unchanged.is_none()
    });
    let changing = groups
        .iter()
        .map(|group| (group.anime, story_of.remove(&group.anime)));
    let decide = |position: usize, story: Option<&Story>| -> Decision {
        let group = groups.get(position);
        Ok(group.map_or(StoryOperation::Keep, |group| group.decide(mode, story, now)))
    };
    let results = match id {
        Some(id) => {
            let by = Origin::Import(id.to_owned());
            let changing = changing.collect();
            let write = stories.edit_many(request.access, owner, changing, &by, decide, now);
            write.await?.into_iter().collect::<Result<Vec<_>, _>>()?
        }
        None => changing
            .enumerate()
            .map(|(position, (_, story))| {
                let operation = decide(position, story.as_ref())?;
                Ok(OperationResult::of(story.as_ref(), &operation))
            })
            .collect::<Result<_>>()?,
    };
    for (group, result) in groups.into_iter().zip(results) {
        let remark = group.remark(&result);
        let story = StoryId::of(owner, group.anime);
        let first = group.entries.into_iter().next();
        let (position, title) = first
            .map(|entry| (entry.position, entry.title))
            .unwrap_or_default();
        if result.after.is_none() {
            skipped.push(SkippedEntry {
                position,
                title,
                reason: NO_STATUS.to_owned(),
            });
            continue;
        }
        report.add_result(story, position, title, remark, &result);
    }
    skipped.sort_by_key(|skipped| skipped.position);
    report.add_skipped(skipped);
    Ok(report)
}

/// Groups entries by anime, in the order of the file.
fn group_by_anime(entries: Vec<(AnimeId, ListEntry)>, index: &AnimeIndex) -> Vec<AnimeEntries> {
    let mut groups = Vec::<AnimeEntries>::new();
    let mut positions = HashMap::new();
    for (anime, entry) in entries {
        let position = *positions.entry(anime).or_insert_with(|| {
            groups.push(AnimeEntries {
                anime,
                episodes: index.episodes_count(anime).unwrap_or_default(),
                entries: Vec::new(),
            });
            groups.len() - 1
        });
        groups[position].entries.push(entry);
    }
    for group in &mut groups {
        // Entries without a status need the story that the other entries make.
        group.entries.sort_by_key(|entry| entry.is_details_only);
    }
    groups
}
