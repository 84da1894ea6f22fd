//! Plans the writes for a user, by a three-way merge of each story (docs/trackers.md, "Merge rules").

use std::collections::{BTreeSet, HashMap};

use catalogue::index::{AnimeIndex, TrackedAnime};
use shared::models::{
    AnimeId, Origin, PerTracker, StoryId, StoryState, SyncMark, SyncState, TrackerIds, TrackerName,
    UserId, WatchProgress, WatchStatus,
};
use stories::lists::{Story, StoryWrite, SyncedStory};
use trackers::sync::{EntryChange, LocalStory, RemoteEntry, StoryOutcome, TrackerSide, reconcile};
use trackers::{EntryLimits, EntryWrite, TrackerEntry, UserList};

/// The anime of the catalogue, by their identifiers at the trackers.
#[derive(Debug, Default)]
pub struct TrackedCatalogue {
    anime: HashMap<AnimeId, TrackedAnime>,
    by_tracker_id: PerTracker<HashMap<u32, AnimeId>>,
}

impl TrackedCatalogue {
    /// Collects the anime of an index and their identifiers at the trackers.
    pub fn of(index: &AnimeIndex) -> Self {
        let mut tracked = Self::default();
        for anime in index.tracked_anime() {
            let TrackedAnime { id, .. } = anime;
            // If two anime have the same identifier at a tracker, only the first one is synced with it. The
            // second would overwrite the entry of the first.
            let mut claim = |tracker: TrackerName, media_id: Option<u32>| {
                let owners = &mut tracked.by_tracker_id[tracker];
                media_id.filter(|media_id| *owners.entry(*media_id).or_insert(id) == id)
            };
            let anime = TrackedAnime {
                trackers: TrackerIds::from_fn(|tracker| claim(tracker, anime.trackers[tracker])),
                ..anime
            };
            tracked.anime.insert(id, anime);
        }
        tracked
    }
}

/// A user's list at a tracker, with its entries by anime of the catalogue.
#[derive(Debug)]
pub struct TrackerList {
    account: u64,
    limits: EntryLimits,
    entries: HashMap<AnimeId, TrackerEntry>,
    /// The tracker's identifiers of anime that are not in the catalogue.
    pub unknown: Vec<u32>,
}

impl TrackerList {
    /// Assigns the entries of a list to the anime of the catalogue.
    pub fn new(
        tracked: &TrackedCatalogue,
        tracker: TrackerName,
        account: u64,
        list: UserList,
    ) -> Self {
        let (mut entries, mut unknown) = (HashMap::with_capacity(list.entries.len()), Vec::new());
        for entry in list.entries {
            match tracked.by_tracker_id[tracker].get(&entry.media_id) {
                Some(id) => drop(entries.insert(*id, entry)),
                None => unknown.push(entry.media_id),
            }
        }
        Self {
            account,
            limits: list.limits,
            entries,
            unknown,
        }
    }
}

/// A story to write as an entry at a tracker.
#[derive(Clone, Debug)]
pub struct Export {
    pub id: StoryId,
    pub version: u64,
    /// Time of the story's last change, in milliseconds since the Unix epoch.
    pub changed_at: u64,
    /// The sync state that the story stores for the tracker.
    pub sync_state: Option<SyncState>,
    pub change: EntryChange,
    pub write: EntryWrite,
}

/// The effects of the merge with one tracker on a story, for the counts of the report.
#[derive(Clone, Copy, Debug, Default)]
pub struct StoryCounts {
    /// True when the story takes values from the tracker.
    pub imported: bool,
    /// True when both the story and the tracker's entry had changed.
    pub conflict: bool,
}

/// The writes for a user.
#[derive(Debug, Default)]
pub struct SyncPlan {
    pub writes: Vec<StoryWrite>,
    /// The effects of the merge on each story, by tracker.
    pub counts: HashMap<StoryId, PerTracker<StoryCounts>>,
    /// The stories to write at each tracker, latest change first.
    pub exports: PerTracker<Vec<Export>>,
    /// True when a tracker's list lacks an entry that it had before. The next read shows whether the entry is
    /// gone, or was missed because entries moved between pages.
    pub has_absent: PerTracker<bool>,
    /// Time of the last change of any story, in milliseconds since the Unix epoch.
    pub changed_at: u64,
}

/// The lists of a user's linked accounts, as far as they could be read.
#[derive(Debug)]
pub struct ReadLists {
    pub lists: PerTracker<Option<TrackerList>>,
    /// The linked account at tracker A, if it is usable but its list was not read.
    pub unread_a: Option<u64>,
}

/// Plans the writes for a user with these stories. `now` is in milliseconds since the Unix epoch.
pub fn plan_writes(
    tracked: &TrackedCatalogue,
    user: UserId,
    stories: Vec<Story>,
    read: &ReadLists,
    now: u64,
) -> SyncPlan {
    let lists = &read.lists;
    let mut stories: HashMap<AnimeId, Story> = stories
        .into_iter()
        .map(|story| (story.anime_id, story))
        .collect();
    let lists = lists.iter().filter_map(|(_, list)| list.as_ref());
    let in_lists = lists.flat_map(|list| list.entries.keys());
    let anime: BTreeSet<AnimeId> = in_lists.chain(stories.keys()).copied().collect();
    let mut plan = SyncPlan::default();
    for id in anime {
        // Stories about anime that have left the catalogue are not synced.
        if let Some(anime) = tracked.anime.get(&id) {
            let story = stories.remove(&id);
            plan.add(&StorySubject { user, anime, now }, story, read);
        }
    }
    for exports in [&mut plan.exports.a, &mut plan.exports.b] {
        exports.sort_by_key(|export| std::cmp::Reverse(export.changed_at));
    }
    plan
}

/// The user and the anime of a story, and the time of the run.
struct StorySubject<'t> {
    user: UserId,
    anime: &'t TrackedAnime,
    now: u64,
}

impl SyncPlan {
    fn add(&mut self, subject: &StorySubject<'_>, story: Option<Story>, read: &ReadLists) {
        let ids = subject.anime.trackers;
        let entries = PerTracker::from_fn(|tracker| {
            let list = read.lists[tracker].as_ref()?;
            list.entries.get(&subject.anime.id)
        });
        let sides = PerTracker::from_fn(|tracker| {
            let list = read.lists[tracker].as_ref()?;
            Some(TrackerSide {
                account: list.account,
                limits: list.limits,
                sync_state: story.as_ref().and_then(|story| story.sync_state(tracker)),
                remote: entries[tracker].map(to_remote),
                is_apart: ids[tracker].is_none(),
                lacks_private_entries: tracker == TrackerName::B,
            })
        });
        let local = story.as_ref().map(to_local);
        let outcome = reconcile(subject.anime.episodes_count, local.clone(), &sides);
        let Some(outcome) = outcome else { return };
        self.record(&outcome);
        let id = StoryId::of(subject.user, subject.anime.id);
        // The entry at tracker A may be private, and tracker B would show the story publicly. So the story is not
        // sent to tracker B until the list at tracker A can be read.
        let may_be_private = read.unread_a.is_some_and(|account| {
            let sync_state = story.as_ref().and_then(|story| story.tracker_a);
            ids.a.is_some() && sync_state.is_none_or(|state| state.account != account)
        });
        for (tracker, result) in outcome.trackers.iter() {
            if tracker == TrackerName::B && may_be_private {
                continue;
            }
            if let (Some(change), Some(media_id)) = (&result.export, ids[tracker]) {
                let stored = sides[tracker].as_ref().and_then(|side| side.sync_state);
                let watched = change.watched.map(|watched| WatchProgress {
                    progress: progress_to_send(watched, entries),
                    ..watched
                });
                let mut details = change.details.clone();
                if outcome.local.details.private {
                    // The entry may have been deleted at the tracker since it was read. The write then creates an
                    // entry, which must be private.
                    details.private = Some(true);
                }
                self.exports[tracker].push(Export {
                    id,
                    version: outcome.local.version,
                    changed_at: outcome.local.changed_at,
                    sync_state: result.sync_state.or(stored),
                    change: change.clone(),
                    write: EntryWrite {
                        media_id,
                        watched,
                        episodes: entries[tracker].and_then(|entry| entry.episodes),
                        details,
                    },
                });
            }
        }
        let counts = PerTracker::from_fn(|tracker| StoryCounts {
            imported: outcome.trackers[tracker].imported,
            conflict: outcome.trackers[tracker].conflict,
        });
        self.counts.insert(id, counts);
        let is_same = local.is_some_and(|local| local.version == outcome.local.version);
        // If the story is the same, only its sync states may have changed. They stay correct if the user changes the
        // story meanwhile, so their write does not check the version.
        if is_same {
            self.write_sync_states(id, &outcome);
        } else {
            let version_read = story.as_ref().map(|story| story.version);
            let story = merged_story(subject, story, &outcome);
            self.writes.push(StoryWrite::Story(Box::new(SyncedStory {
                version_read,
                story,
            })));
        }
    }

    /// Writes only the sync states of a story that has not changed itself.
    fn write_sync_states(&mut self, id: StoryId, outcome: &StoryOutcome) {
        let changes = outcome.trackers.iter();
        let states: Vec<_> = changes
            .filter_map(|(tracker, change)| Some((tracker, change.sync_state?)))
            .collect();
        if !states.is_empty() {
            self.writes.push(StoryWrite::SyncStates(id, states));
        }
    }

    fn record(&mut self, outcome: &StoryOutcome) {
        for (tracker, change) in outcome.trackers.iter() {
            let is_absent = |state: SyncState| state.mark == SyncMark::Absent;
            self.has_absent[tracker] |= change.sync_state.is_some_and(is_absent);
        }
        self.changed_at = self.changed_at.max(outcome.local.changed_at);
    }
}

/// Returns the progress to write at a tracker. For a completed story it is the largest number of episodes
/// that either tracker or the story has, because the catalogue may not know all episodes yet.
fn progress_to_send(watched: WatchProgress, entries: PerTracker<Option<&TrackerEntry>>) -> u32 {
    let counted = |entry: &TrackerEntry| entry.progress.max(entry.episodes.unwrap_or_default());
    match watched.status {
        WatchStatus::Completed => entries
            .iter()
            .filter_map(|(_, entry)| *entry)
            .map(counted)
            .fold(watched.progress, u32::max),
        _ => watched.progress,
    }
}

fn to_local(story: &Story) -> LocalStory {
    LocalStory {
        watched: WatchProgress {
            status: story.state.status,
            progress: story.state.progress(),
        },
        details: story.state.details.clone(),
        version: story.version,
        changed_at: story.last_changed_at(),
    }
}

/// Returns the fields of an entry that the merge needs.
pub fn to_remote(entry: &TrackerEntry) -> RemoteEntry {
    RemoteEntry {
        watched: WatchProgress {
            status: entry.status,
            progress: entry.progress,
        },
        details: entry.details.clone(),
        updated_at: entry.updated_at,
        episodes: entry.episodes,
    }
}

/// Returns the story with the merged values, or a new story with them.
fn merged_story(subject: &StorySubject<'_>, story: Option<Story>, outcome: &StoryOutcome) -> Story {
    let WatchProgress { status, progress } = outcome.local.watched;
    // The position within an episode is kept only if the episode stays the same.
    let same_episode = story
        .as_ref()
        .filter(|story| story.state.progress() == progress);
    let (current_episode, watched_episodes) = story.as_ref().map_or((0, None), |story| {
        (story.state.current_episode, story.state.watched_episodes)
    });
    let state = StoryState {
        status,
        current_episode,
        watched_episodes,
        current_episode_ticks: same_episode.map_or(0, |story| story.state.current_episode_ticks),
        details: outcome.local.details.clone(),
    };
    let state = state.with_progress(progress, subject.anime.episodes_count);
    let is_from_b = outcome.trackers.b.imported && !outcome.trackers.a.imported;
    let by = Origin::Tracker(if is_from_b {
        TrackerName::B
    } else {
        TrackerName::A
    });
    let id = StoryId::of(subject.user, subject.anime.id);
    let story = match story {
        Some(story) => story.changed(state, by, subject.now),
        None => Story::new(id, state, by, subject.now),
    };
    let sync_states = PerTracker::from_fn(|tracker| outcome.trackers[tracker].sync_state);
    Story {
        version: outcome.local.version,
        // A change at a tracker whose clock is ahead must not count as the latest change forever.
        changed_at: outcome.local.changed_at.min(subject.now),
        tracker_a: sync_states.a.or(story.tracker_a),
        tracker_b: sync_states.b.or(story.tracker_b),
        ..story
    }
}
