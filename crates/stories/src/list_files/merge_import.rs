//! The merge of entries of a list file with a story (docs/api.md, "Import").

use std::borrow::Cow;

use interchange::ListEntry;
use serde::{Deserialize, Serialize};
use shared::input::Parameter;
use shared::models::{Details, MAX_PROGRESS, StoryState, WatchStatus};
use shared::value_names;
use utoipa::ToSchema;

/// The treatment of existing stories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImportMode {
    /// Merges story and entry as a synchronization with a tracker would. The progress is never reduced, except if one
    /// side is REPEATING: then the progress comes from the same side as the status.
    #[default]
    Merge,
    /// Keeps the story.
    Keep,
    /// Takes all values that the file states.
    Replace,
}

value_names! {
    pub ImportMode { Merge = "merge", Keep = "keep", Replace = "replace" }
}

impl Parameter for ImportMode {
    const IS_FILTER: bool = false;

    fn parse(value: &str) -> Result<Option<Self>, String> {
        let mode = Self::from_name(value);
        let invalid = || "must be merge, keep or replace".to_owned();
        mode.map(Some).ok_or_else(invalid)
    }
}

/// The current state of a story, or the result of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatedState {
    /// The state.
    pub state: StoryState,
    /// The time of the last change, in milliseconds since the Unix epoch. After an import, it is the time that the
    /// entry states, but not later than now; if the entry states none, it is now. A merge keeps the story's time if
    /// that is later.
    pub changed_at: u64,
}

/// Merges `entries`, which are a file's entries for one anime in the order of the file, into the story `before`.
/// `before` is `None` if there is no story yet. `episodes` is the anime's number of episodes, and `now` the time in
/// milliseconds since the Unix epoch. Returns `None` if the story does not change, or if there is no entry. An entry
/// without a status changes only the details of a story, which must exist or be made by an earlier entry.
pub fn merge_import(
    mode: ImportMode,
    before: Option<&DatedState>,
    entries: &[ListEntry],
    episodes: u32,
    now: u64,
) -> Option<DatedState> {
    let mut result = before.cloned();
    for entry in entries {
        let entry = match &result {
            _ if !entry.is_details_only => Cow::Borrowed(entry),
            Some(story) => Cow::Owned(with_status_of(entry, &story.state)),
            None => continue,
        };
        result = Some(match (mode, result) {
            (_, None) => new_state(&entry, episodes, now),
            (ImportMode::Keep, Some(story)) if before.is_some() => story,
            (ImportMode::Replace, Some(story)) => replaced_state(&story, &entry, episodes, now),
            (_, Some(story)) => merged_state(&story, &entry, episodes, now),
        });
    }
    result.filter(|result| before.is_none_or(|before| before.state != result.state))
}

/// Returns an entry that states no status, with the status and the progress of a story.
fn with_status_of(entry: &ListEntry, story: &StoryState) -> ListEntry {
    ListEntry {
        status: story.status,
        current_episode: Some(story.progress()),
        current_episode_ticks: Some(story.current_episode_ticks),
        ..entry.clone()
    }
}

/// Returns the progress that the entry states: at least `last` if its status is COMPLETED, and at most [`MAX_PROGRESS`]
/// or `last`, whichever is larger. Returns `None` for any other entry that states no episode.
fn progress_of(entry: &ListEntry, last: u32) -> Option<u32> {
    let stated = entry.current_episode;
    let stated = stated.map(|episode| episode.min(last.max(MAX_PROGRESS)));
    match entry.status {
        WatchStatus::Completed => Some(last.max(stated.unwrap_or(0))),
        _ => stated,
    }
}

/// Returns the time of the entry's change, at most `now`. A time in the future would let the story win against every
/// later change of a tracker.
fn time_of(entry: &ListEntry, now: u64) -> u64 {
    entry.changed_at_ms.map_or(now, |time| time.min(now))
}

fn new_state(entry: &ListEntry, episodes: u32, now: u64) -> DatedState {
    let state = StoryState {
        status: entry.status,
        current_episode: 0,
        watched_episodes: None,
        current_episode_ticks: entry.current_episode_ticks.unwrap_or(0),
        details: entry.details.apply_to(&Details::default()),
    };
    let progress = progress_of(entry, episodes).unwrap_or(0);
    DatedState {
        state: state.with_progress(progress, episodes),
        changed_at: time_of(entry, now),
    }
}

fn replaced_state(story: &DatedState, entry: &ListEntry, episodes: u32, now: u64) -> DatedState {
    let old = &story.state;
    let progress = if has_same_progress(entry, old) {
        old.progress()
    } else {
        progress_of(entry, last_episode(episodes, old)).unwrap_or(old.progress())
    };
    let kept_ticks = if progress == old.progress() {
        old.current_episode_ticks
    } else {
        0
    };
    let state = StoryState {
        status: entry.status,
        current_episode_ticks: entry.current_episode_ticks.unwrap_or(kept_ticks),
        details: entry.details.apply_to(&old.details),
        ..old.clone().with_progress(progress, episodes)
    };
    DatedState {
        state,
        changed_at: time_of(entry, now),
    }
}

fn merged_state(story: &DatedState, entry: &ListEntry, episodes: u32, now: u64) -> DatedState {
    let (old, stated_details) = (&story.state, &entry.details);
    let last = last_episode(episodes, old);
    let stated_progress = progress_of(entry, last).unwrap_or(0);
    let takes_status = match entry.changed_at_ms {
        Some(time) => time > story.changed_at,
        None => is_further(entry, stated_progress, old),
    };
    let status = if takes_status {
        entry.status
    } else {
        old.status
    };
    let is_repeat = [entry.status, old.status].contains(&WatchStatus::Repeating);
    let progress = match (is_repeat, takes_status) {
        // The progress of a repeat cannot be compared with the progress of the first viewing.
        (true, true) => progress_of(entry, last).unwrap_or(old.progress()),
        (true, false) => old.progress(),
        (false, _) if has_same_progress(entry, old) => old.progress(),
        (false, _) if status == WatchStatus::Completed => last.max(stated_progress),
        (false, _) => old.progress().max(stated_progress),
    };
    let ticks = if progress == old.progress() {
        old.current_episode_ticks
    } else {
        entry.current_episode_ticks.unwrap_or(0)
    };
    let old_details = &old.details;
    let notes = if old_details.notes.is_empty() {
        stated_details.notes.clone().unwrap_or_default()
    } else {
        old_details.notes.clone()
    };
    let state = StoryState {
        status,
        current_episode_ticks: ticks,
        details: Details {
            score: old_details.score.or(stated_details.score.flatten()),
            started_on: old_details
                .started_on
                .or(stated_details.started_on.flatten()),
            finished_on: old_details
                .finished_on
                .or(stated_details.finished_on.flatten()),
            repeats: old_details.repeats.max(stated_details.repeats.unwrap_or(0)),
            notes,
            private: old_details.private || stated_details.private.unwrap_or(false),
        },
        ..old.clone().with_progress(progress, episodes)
    };
    DatedState {
        state,
        changed_at: story.changed_at.max(time_of(entry, now)),
    }
}

/// Returns the progress of a completed story. The catalogue can count fewer episodes than the story has.
fn last_episode(episodes: u32, old: &StoryState) -> u32 {
    episodes.max(old.progress())
}

/// Returns true if the entry has the status and progress of the story. A completed story can be at an earlier episode
/// than the last. A user who exports the list and imports the same file must not find it moved to the last episode.
fn has_same_progress(entry: &ListEntry, old: &StoryState) -> bool {
    entry.status == old.status && entry.current_episode == Some(old.progress())
}

/// Returns true if the entry has more progress than the story. A repeat counts as more progress than a first viewing
/// that is not completed.
fn is_further(entry: &ListEntry, stated_progress: u32, old: &StoryState) -> bool {
    match (old.status, entry.status) {
        (WatchStatus::Repeating, _) | (WatchStatus::Completed, WatchStatus::Repeating) => false,
        (_, WatchStatus::Repeating) => true,
        _ => stated_progress > old.progress(),
    }
}

#[cfg(test)]
mod tests {
    use shared::models::WatchStatus::{
        self, Completed, Current, Dropped, Paused, Planning, Repeating,
    };
    use shared::models::{
        Details, DetailsChange, MAX_PROGRESS, Notes, PartialDate, StoryState, UserScore,
    };

    use super::{DatedState, ImportMode, ListEntry, merge_import};
    use crate::examples::state;

    const NOW: u64 = 1000;

    fn story(status: WatchStatus, episode: u32) -> DatedState {
        let mut state = state(status, episode);
        state.current_episode_ticks = 7;
        DatedState {
            state,
            changed_at: 500,
        }
    }

    fn entry(status: WatchStatus, episode: u32, changed_at: Option<u64>) -> ListEntry {
        ListEntry {
            current_episode: Some(episode),
            changed_at_ms: changed_at,
            ..ListEntry::new(1, status)
        }
    }

    /// Status, progress and watching time after an import. `None` if the story does not change.
    type NewValues = Option<(WatchStatus, u32, u64)>;

    /// Imports entries into an anime of 12 episodes.
    fn after(mode: ImportMode, before: Option<&DatedState>, entries: &[ListEntry]) -> NewValues {
        let merged = merge_import(mode, before, entries, 12, NOW)?.state;
        if before.is_none_or(|before| before.state.progress() != merged.progress()) {
            assert_eq!(merged.current_episode, merged.progress().min(12));
        }
        Some((
            merged.status,
            merged.progress(),
            merged.current_episode_ticks,
        ))
    }

    /// The status and the episode of a story and of an entry, and the time of the entry.
    type Case = (WatchStatus, u32, WatchStatus, u32, Option<u64>, NewValues);

    /// Checks merges of one entry into a story.
    fn check_merges(cases: &[Case]) {
        for (status, episode, stated_status, stated, time, expected) in cases {
            let before = story(*status, *episode);
            let entries = [entry(*stated_status, *stated, *time)];
            let found = after(ImportMode::Merge, Some(&before), &entries);
            assert_eq!(found, *expected, "{before:?} {entries:?}");
        }
    }

    #[test]
    fn merge_takes_the_status_of_the_newer_side_and_the_larger_progress() {
        let (same, older, newer) = (Some(500), Some(400), Some(600));
        let (most, huge) = (MAX_PROGRESS, u32::MAX);
        let to = |status, episode, ticks| Some((status, episode, ticks));
        check_merges(&[
            (Current, 5, Dropped, 3, newer, to(Dropped, 5, 7)),
            (Current, 5, Dropped, 3, older, None),
            (Current, 5, Dropped, 3, same, None),
            (Current, 5, Paused, 8, older, to(Current, 8, 0)),
            (Current, 5, Paused, 8, None, to(Paused, 8, 0)),
            (Current, 5, Paused, 5, None, None),
            (Current, 5, Completed, 0, None, to(Completed, 12, 0)),
            (Current, 5, Completed, 0, older, to(Current, 12, 0)),
            (Completed, 12, Planning, 0, None, None),
            (Completed, 12, Planning, 0, newer, to(Planning, 12, 7)),
            // The entry has more episodes than the catalogue.
            (Current, 5, Current, 99, None, to(Current, 99, 0)),
            (Current, 5, Completed, 13, newer, to(Completed, 13, 0)),
            (Completed, 12, Current, 13, older, to(Completed, 13, 0)),
            (Current, 5, Current, huge, None, to(Current, most, 0)),
            (Current, 15, Completed, 12, newer, to(Completed, 15, 7)),
            // Importing the export of a story that was completed early changes nothing.
            (Completed, 3, Completed, 3, same, None),
            (Completed, 3, Completed, 3, newer, None),
        ]);
    }

    #[test]
    fn merge_does_not_compare_the_progress_of_repeats() {
        let (older, newer) = (Some(400), Some(600));
        let to = |status, episode| Some((status, episode, 0));
        check_merges(&[
            (Completed, 12, Repeating, 3, newer, to(Repeating, 3)),
            (Completed, 12, Repeating, 3, None, None),
            (Current, 5, Repeating, 3, None, to(Repeating, 3)),
            (Repeating, 3, Completed, 12, None, None),
            (Repeating, 3, Completed, 12, older, None),
            (Repeating, 3, Completed, 12, newer, to(Completed, 12)),
        ]);
    }

    fn details(text: &str, score: u16, repeats: u16, private: bool) -> Details {
        Details {
            score: UserScore::from_tenths(score),
            started_on: PartialDate::parse("2016-08").ok(),
            finished_on: None,
            repeats,
            notes: Notes::new(text).unwrap(),
            private,
        }
    }

    fn change(text: &str, score: u16, repeats: u16, private: bool) -> DetailsChange {
        DetailsChange {
            score: Some(UserScore::from_tenths(score)),
            started_on: Some(None),
            finished_on: Some(PartialDate::parse("2017").ok()),
            repeats: Some(repeats),
            notes: Some(Notes::new(text).unwrap()),
            private: Some(private),
        }
    }

    #[test]
    fn merge_fills_details_that_are_unset() {
        let with = |details: Details| {
            let mut story = story(Current, 5);
            story.state.details = details;
            story
        };
        let entry = ListEntry {
            details: change("theirs", 900, 2, false),
            ..entry(Current, 5, Some(600))
        };
        let merged = |before: &DatedState| {
            let entries = std::slice::from_ref(&entry);
            let merged = merge_import(ImportMode::Merge, Some(before), entries, 12, NOW).unwrap();
            merged.state.details
        };
        let finished_on = PartialDate::parse("2017").ok();
        let filled = merged(&with(Details::default()));
        let expected = Details {
            started_on: None,
            finished_on,
            ..details("theirs", 900, 2, false)
        };
        assert_eq!(filled, expected);
        let kept = merged(&with(details("ours", 100, 3, true)));
        let expected = Details {
            finished_on,
            ..details("ours", 100, 3, true)
        };
        assert_eq!(kept, expected);
    }

    #[test]
    fn keep_only_creates() {
        let entries = [entry(Completed, 0, Some(900)), entry(Current, 3, Some(950))];
        let before = story(Current, 1);
        assert_eq!(after(ImportMode::Keep, Some(&before), &entries), None);
        // The entries of one anime are merged.
        let created = after(ImportMode::Keep, None, &entries);
        assert_eq!(created, Some((Current, 12, 0)));
    }

    #[test]
    fn replace_takes_what_the_file_states() {
        let mut before = story(Completed, 12);
        before.state.details = details("ours", 100, 3, true);
        let without_details = entry(Current, 3, Some(1));
        let replaced = |entry: ListEntry| {
            merge_import(ImportMode::Replace, Some(&before), &[entry], 12, NOW).unwrap()
        };
        let kept = replaced(without_details.clone());
        let expected = StoryState {
            status: Current,
            current_episode: 3,
            current_episode_ticks: 0,
            ..before.state.clone()
        };
        assert_eq!((kept.state, kept.changed_at), (expected, 1));
        let stated = replaced(ListEntry {
            details: change("", 0, 0, false),
            ..without_details
        });
        let expected = Details {
            finished_on: PartialDate::parse("2017").ok(),
            ..Details::default()
        };
        assert_eq!(stated.state.details, expected);
        let without_episode = ListEntry {
            current_episode: None,
            ..entry(Paused, 0, None)
        };
        let same = after(ImportMode::Replace, Some(&before), &[without_episode]);
        assert_eq!(same, Some((Paused, 12, 7)));
    }

    #[test]
    fn new_story_has_what_the_file_states() {
        let planned = entry(Planning, 20, Some(NOW + 1));
        let created = merge_import(ImportMode::Merge, None, &[planned], 12, NOW).unwrap();
        assert_eq!(created.changed_at, NOW, "a time in the future");
        let created = created.state;
        assert_eq!((created.current_episode, created.progress()), (12, 20));
        assert_eq!(created.details, Details::default(), "no automatic dates");
        let without_episode = ListEntry {
            current_episode: None,
            ..entry(Completed, 0, None)
        };
        let completed = after(ImportMode::Merge, None, &[without_episode]);
        assert_eq!(completed, Some((Completed, 12, 0)));
        assert_eq!(after(ImportMode::Merge, None, &[]), None);
    }

    #[test]
    fn import_of_the_result_changes_nothing() {
        let statuses = [Current, Planning, Completed, Dropped, Paused, Repeating];
        let times = [None, Some(400), Some(600)];
        for (mode, _) in ImportMode::ALL {
            let olds = statuses.map(Some).into_iter().chain([None]);
            for (old, status) in olds.flat_map(|old| statuses.map(|status| (old, status))) {
                let numbers = [(4, 6), (4, 13), (14, 6), (14, 13)];
                let times = times
                    .iter()
                    .flat_map(|time| numbers.map(|pair| (*time, pair)));
                for (time, (episode, old_episode)) in times {
                    let entries = [entry(status, episode, time)];
                    let before = old.map(|status| story(status, 0)).map(|old| DatedState {
                        state: old.state.with_progress(old_episode, 12),
                        ..old
                    });
                    let once = merge_import(mode, before.as_ref(), &entries, 12, NOW);
                    let Some(once) = once else { continue };
                    let again = merge_import(mode, Some(&once), &entries, 12, NOW + 1);
                    assert_eq!(again, None, "{mode:?} {old:?} {entries:?}");
                }
            }
        }
    }
}
