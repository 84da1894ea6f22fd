//! The steps of an import: finding the anime of the entries, and changing the stories.

use std::collections::HashMap;
use std::sync::Arc;

use catalogue::Catalogue;
use catalogue::index::AnimeIndex;
use futures_util::try_join;
use interchange::{ListEntry, ListFile};
use shared::Error;
use shared::auth::Access;
use shared::models::{Anime, AnimeId, Origin, StoryId, TrackerIds, TrackerName, UserId};
use shared::user_slots::UserSlot;
use store::{
    CatalogueStore, Decision, PlayerStore, Step, StepResult, Story, StoryStore, WaitingStore,
};

use super::report::{ImportReport, ReportedStory};
use super::waiting::{WaitingGroup, can_be_found, keep_entries};
use super::watched::{ImportFile, find_watched};
use crate::rules::merge_import::{DatedState, ImportMode, merge_import};

/// The parameters of an import.
#[derive(Clone, Copy, Debug)]
pub struct ImportRequest<'r> {
    /// The caller's access. Without it, the service itself imports.
    pub access: Option<&'r Access>,
    /// The owner of the stories.
    pub owner: UserId,
    /// The way in which stories that exist already are treated.
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
    /// The entries, in the order of the file.
    entries: Vec<ListEntry>,
}

impl AnimeEntries {
    /// Returns the step by which the import changes the present story.
    fn step(&self, mode: ImportMode, present: Option<&Story>, now: u64) -> Step {
        let before = present.map(|story| DatedState {
            state: story.state.clone(),
            changed_at: story.changed_at,
        });
        let merged = merge_import(mode, before.as_ref(), &self.entries, self.episodes, now);
        let creation_times = self.entries.iter().filter_map(|entry| entry.created_at_ms);
        let created_at = creation_times.min();
        merged.map_or(Step::Keep, |merged| Step::Save {
            state: merged.state,
            changed_at: merged.changed_at,
            created_at: created_at.map_or(now, |time| time.min(now)),
        })
    }

    /// Returns the remark about an entry with a later episode than the catalogue counts.
    fn remark(&self, made: &StepResult) -> Option<String> {
        let stated = self
            .entries
            .iter()
            .filter_map(|entry| entry.current_episode);
        let (stated, episodes) = (stated.max()?, self.episodes);
        let after = made.after.as_ref()?;
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
/// [`Error::Invalid`] for the parameter `file`, with the reason, if it is no file that can be imported.
pub async fn read_file(
    file: impl AsRef<[u8]> + Send + 'static,
    slot: &Arc<UserSlot>,
) -> Result<ImportFile, Error> {
    let slot = Arc::clone(slot);
    let read = tokio::task::spawn_blocking(move || {
        // If only this thread still holds the slot, the request has ended.
        let is_cancelled = || Arc::strong_count(&slot) == 1;
        ImportFile::read(file.as_ref(), &is_cancelled)
    });
    let read = read.await.map_err(Error::internal)?;
    read.map_err(|error| Error::invalid("file", error.to_string()))
}

/// Imports a file and returns the report. Entries without a title have the title of the catalogue there. Entries
/// whose anime are not in the catalogue are kept in `waiting`. `players` has the anime that the owner has chosen for
/// series of media servers. The caller's access must have been checked, because stories are read before
/// [`StoryStore::edit_many`] checks `access`.
///
/// # Errors
/// As [`StoryStore::edit_many`]. After an error, some stories may have been changed already. If the caller repeats
/// the import, it changes the other stories.
pub async fn import(
    stories: &StoryStore,
    waiting: &WaitingStore,
    players: &PlayerStore,
    catalogue: &Catalogue<Anime>,
    file: ImportFile,
    request: ImportRequest<'_>,
) -> Result<ImportReport, Error> {
    let file = match file {
        ImportFile::List(file) => file,
        ImportFile::Watched(file) => {
            let (choices, zone) = try_join!(
                players.choices(request.owner),
                stories.time_zone(request.owner)
            )?;
            // On the heap, because most imports are lists.
            Box::pin(find_watched(catalogue, &choices, file, zone, request.now)).await?
        }
    };
    let index = catalogue.index().await?;
    let stated: Vec<TrackerIds> = file.entries.iter().map(|entry| entry.trackers).collect();
    let Imported {
        mut report,
        missing,
    } = import_stories(stories, &index, file, request).await?;
    let unidentified = missing.iter().filter(|entry| !can_be_found(entry)).count();
    let entries = missing.into_iter().filter(can_be_found);
    let entries = entries.map(|entry| ListEntry {
        position: 0,
        ..entry
    });
    let group = WaitingGroup {
        import_id: request.id.unwrap_or_default().to_owned(),
        mode: request.mode,
        imported_at: request.now,
        entries: entries.collect(),
    };
    // The waiting entries are stored after the stories, because the access has been checked then. If storing them
    // fails, the caller can repeat the whole import.
    let kept = keep_entries(
        waiting,
        request.owner,
        &stated,
        &group,
        request.id.is_none(),
    )
    .await?;
    report.add_kept(kept, unidentified);
    // The import is complete, so an error here must not hide its report.
    if let Err(error) = add_titles(catalogue.store(), &mut report).await {
        tracing::warn!(%error, "the report of an import lacks titles");
    }
    Ok(report)
}

/// Adds the titles of the catalogue to the listed stories whose entries have none.
async fn add_titles(anime: &CatalogueStore<Anime>, report: &mut ImportReport) -> Result<(), Error> {
    let stories: Vec<&mut ReportedStory> = report.untitled().collect();
    let ids: Vec<AnimeId> = stories.iter().map(|story| story.anime_id).collect();
    let mut anime = anime.summaries(&ids).await?;
    for story in stories {
        let found = anime.remove(&story.anime_id).map(|anime| anime.title);
        story.title = found.filter(|title| !title.is_empty());
    }
    Ok(())
}

/// The result of an import of stories.
pub(crate) struct Imported {
    /// The report.
    pub report: ImportReport,
    /// The entries whose anime are not in the catalogue.
    pub missing: Vec<ListEntry>,
}

/// Imports the entries of a file whose anime are in the catalogue.
///
/// # Errors
/// As [`import`].
pub(crate) async fn import_stories(
    stories: &StoryStore,
    index: &AnimeIndex,
    file: ListFile,
    request: ImportRequest<'_>,
) -> Result<Imported, Error> {
    let ImportRequest {
        access,
        owner,
        mode,
        id,
        now,
    } = request;
    let mut report = ImportReport::new(&file, mode, id);
    let (groups, missing) = group_by_anime(file.entries, index);
    let entries: usize = groups.iter().map(|group| group.entries.len()).sum();
    report.counts.duplicates = entries - groups.len();
    report.add_skipped(file.skipped);
    report.add_waiting(&missing);

    let present = stories.all_of(owner).await?;
    let mut present: HashMap<AnimeId, Story> = present
        .into_iter()
        .map(|story| (story.anime_id, story))
        .collect();
    let present = groups
        .iter()
        .map(|group| (group.anime, present.remove(&group.anime)));
    let decide = |position: usize, present: Option<&Story>| -> Decision {
        let group = groups.get(position);
        Ok(group.map_or(Step::Keep, |group| group.step(mode, present, now)))
    };
    let made = match id {
        Some(id) => {
            let by = Origin::Import(id.to_owned());
            let made = stories.edit_many(access, owner, present.collect(), &by, decide, now);
            made.await?
                .into_iter()
                .collect::<Result<Vec<StepResult>, _>>()?
        }
        None => present
            .enumerate()
            .map(|(position, (_, story))| {
                let step = decide(position, story.as_ref())?;
                Ok(StepResult::of(story.as_ref(), &step))
            })
            .collect::<Result<_, Error>>()?,
    };
    for (group, made) in groups.into_iter().zip(made) {
        let remark = group.remark(&made);
        let story = StoryId::of(owner, group.anime);
        let first = group.entries.into_iter().next();
        let (position, title) = first
            .map(|entry| (entry.position, entry.title))
            .unwrap_or_default();
        report.add_made(story, position, title, remark, &made);
    }
    Ok(Imported { report, missing })
}

/// Groups entries by anime, in the order of the file. Also returns the entries whose anime are not in the catalogue.
fn group_by_anime(
    entries: Vec<ListEntry>,
    index: &AnimeIndex,
) -> (Vec<AnimeEntries>, Vec<ListEntry>) {
    let (mut groups, mut missing) = (Vec::<AnimeEntries>::new(), Vec::new());
    let mut positions = HashMap::new();
    for entry in entries {
        let Some((anime, episodes)) = find_anime(&entry, index) else {
            missing.push(entry);
            continue;
        };
        let position = *positions.entry(anime).or_insert_with(|| {
            groups.push(AnimeEntries {
                anime,
                episodes,
                entries: Vec::new(),
            });
            groups.len() - 1
        });
        groups[position].entries.push(entry);
    }
    (groups, missing)
}

/// Returns the anime of an entry, and the number of episodes of this anime. The identifiers of anime differ between
/// installations of this service, so `anime_id` is ignored if another identifier of the entry contradicts it.
pub(crate) fn find_anime(entry: &ListEntry, index: &AnimeIndex) -> Option<(AnimeId, u32)> {
    let stated = entry.trackers;
    let agrees = |anime: &AnimeId| {
        let differs = |known: Option<u32>, stated: Option<u32>| {
            known
                .zip(stated)
                .is_some_and(|(known, stated)| known != stated)
        };
        let known = index.trackers(*anime);
        known.is_some_and(|known| !differs(known.a, stated.a) && !differs(known.b, stated.b))
    };
    let by_tracker = |tracker, id: Option<u32>| index.find_by_tracker(tracker, id?);
    let anime = entry
        .anime_id
        .filter(agrees)
        .or_else(|| by_tracker(TrackerName::A, stated.a))
        .or_else(|| by_tracker(TrackerName::B, stated.b))?;
    Some((anime, index.episodes_count(anime)?))
}
