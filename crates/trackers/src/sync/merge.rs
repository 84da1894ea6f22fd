//! The three-way merge of a story with one tracker's entry (docs/trackers.md, "Merge rules").

use shared::models::{
    BaseDetails, DetailName, Details, DetailsChange, MAX_PROGRESS, SyncBase, SyncMark, SyncState,
    WatchProgress, WatchStatus,
};

use super::details::{base_of, merge_details};
use crate::EntryLimits;
use crate::entry::as_stored;

/// The fields of a story that the merge needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalStory {
    /// The status and the progress, which can be beyond the catalogue's number of episodes.
    pub watched: WatchProgress,
    /// The details.
    pub details: Details,
    /// The version of the story. Every change increases it.
    pub version: u64,
    /// Time of the last change, in milliseconds since the Unix epoch.
    pub changed_at: u64,
}

/// The fields of a tracker's entry that the merge needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteEntry {
    /// The status and progress.
    pub watched: WatchProgress,
    /// The details: see [`crate::TrackerEntry::details`].
    pub details: DetailsChange,
    /// Time of the last change, in seconds since the Unix epoch; 0 if the tracker does not state it.
    pub updated_at: u64,
    /// The tracker's number of episodes, if known.
    pub episodes: Option<u32>,
}

impl RemoteEntry {
    fn changed_at_ms(&self) -> u64 {
        self.updated_at.saturating_mul(1000)
    }

    fn is_newer_than(&self, local: &LocalStory) -> bool {
        self.changed_at_ms() > local.changed_at
    }
}

/// The values to write to a tracker's entry: only those that differ from the entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryChange {
    /// The status and progress.
    pub watched: Option<WatchProgress>,
    /// The details, as the tracker can hold them.
    pub details: DetailsChange,
    /// The status and progress of the merged story.
    local: WatchProgress,
    /// The status and progress of the entry as it was read.
    remote: WatchProgress,
    /// The details of the merged story, and of the entry as it was read.
    base_details: BaseDetails,
}

impl EntryChange {
    /// Returns the base of the next merge, given the tracker's response to this change. For values that were not
    /// written, the base has the values of the entry that was read. If the response has other values, the user has
    /// changed them in between, and the next merge finds this change.
    pub fn base_after(&self, response: &RemoteEntry) -> SyncBase {
        let mut details = self.base_details;
        for name in DetailName::ALL {
            let is_written = name.number(&self.details).is_some();
            if let Some(number) = name.number(&response.details).filter(|_| is_written) {
                details.remote.set(name, number);
            }
        }
        SyncBase {
            local: self.local,
            remote: self.watched.map_or(self.remote, |_| response.watched),
            remote_at: response.updated_at,
            details: Some(details),
        }
    }
}

/// The result of merging a story with one tracker's entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeOutcome {
    /// The merged story. Its version is higher if the story must be written.
    pub local: LocalStory,
    /// The values to write to the tracker's entry, if it must be written.
    pub export: Option<EntryChange>,
    /// The sync state that the story must store. `None` if it is unchanged, or if the tracker's entry lacks the merged
    /// values. Then the state is stored after the export ([`EntryChange::base_after`]), or does not change if the
    /// tracker has refused this version of the story.
    pub sync_state: Option<SyncState>,
    /// True if story and entry had both changed, and one side takes values from the other.
    pub conflict: bool,
}

/// Merges a story with a tracker's entry.
///
/// If only one side, story or entry, has changed since both were last synced, that side wins. If both have changed,
/// the status of the newer side wins, with the larger progress of both. If either status is REPEATING, the progress
/// of the newer side is taken instead. Each detail is merged on its own.
///
/// `limits` are the details that the account's entries can hold. `all_episodes` is the catalogue's number of
/// episodes. `sync_state` is the one that the story stores for this tracker. It is ignored if it is about another
/// account. Returns `None` if there is neither story nor entry.
///
/// Neither a story nor an entry is ever deleted. A missing story is created from the entry. A missing entry is
/// created from the story. If the entry was synced before, it is written again only after two consecutive reads of
/// the list without it.
pub fn merge(
    account: u64,
    limits: EntryLimits,
    all_episodes: u32,
    local: Option<&LocalStory>,
    sync_state: Option<&SyncState>,
    remote: Option<&RemoteEntry>,
) -> Option<MergeOutcome> {
    let sync_state = sync_state.filter(|state| state.account == account);
    let context = MergeContext {
        account,
        limits,
        all_episodes,
        sync_state,
    };
    match (local, remote) {
        (None, None) => None,
        (None, Some(remote)) => Some(context.create_story(remote)),
        (Some(local), None) => Some(context.export_without_entry(local)),
        (Some(local), Some(remote)) => Some(context.merge_both(local, remote)),
    }
}

/// The input of a merge, without story and entry.
struct MergeContext<'k> {
    account: u64,
    limits: EntryLimits,
    all_episodes: u32,
    sync_state: Option<&'k SyncState>,
}

impl MergeContext<'_> {
    /// Returns the values that the story would store for `watched`: if completed, at least the catalogue's number of
    /// episodes and the story's current progress. A story keeps progress beyond the catalogue up to [`MAX_PROGRESS`].
    fn as_stored_here(&self, watched: WatchProgress, present_progress: u32) -> WatchProgress {
        let all_episodes = self.all_episodes.max(present_progress);
        let progress = watched.progress.min(all_episodes.max(MAX_PROGRESS));
        let progress = match watched.status {
            WatchStatus::Completed => progress.max(all_episodes),
            _ => progress,
        };
        WatchProgress {
            progress,
            ..watched
        }
    }

    fn base(&self) -> Option<SyncBase> {
        self.sync_state.and_then(|state| state.base)
    }

    fn base_details(&self) -> BaseDetails {
        let details = self.base().and_then(|base| base.details);
        details.unwrap_or_default()
    }

    /// Returns the sync state of a story and an entry that are now in sync.
    fn synced_state(&self, local: &LocalStory, remote: &RemoteEntry) -> SyncState {
        SyncState {
            account: self.account,
            version: local.version,
            mark: SyncMark::Same,
            base: Some(SyncBase {
                local: local.watched,
                remote: remote.watched,
                remote_at: remote.updated_at,
                details: Some(base_of(
                    &local.details,
                    &remote.details,
                    self.base_details(),
                )),
            }),
        }
    }

    fn create_story(&self, remote: &RemoteEntry) -> MergeOutcome {
        let local = LocalStory {
            watched: self.as_stored_here(remote.watched, 0),
            details: remote.details.apply_to(&Details::default()),
            version: 1,
            changed_at: remote.changed_at_ms(),
        };
        let sync_state = self.synced_state(&local, remote);
        MergeOutcome {
            local,
            export: None,
            sync_state: Some(sync_state),
            conflict: false,
        }
    }

    /// Exports a story without an entry. If both were synced at the last read, the first read without the entry only
    /// marks it as absent.
    fn export_without_entry(&self, local: &LocalStory) -> MergeOutcome {
        let is_first_time = self.base().is_some() && self.mark() == Some(SyncMark::Same);
        let absent = self
            .sync_state
            .filter(|_| is_first_time)
            .map(|state| SyncState {
                mark: SyncMark::Absent,
                ..*state
            });
        let is_exported = absent.is_none() && !self.is_given_up(local.version);
        MergeOutcome {
            local: local.clone(),
            export: is_exported.then(|| self.new_entry(local)),
            sync_state: absent,
            conflict: false,
        }
    }

    /// Returns the change that creates an entry from a story.
    fn new_entry(&self, local: &LocalStory) -> EntryChange {
        let nothing = DetailsChange::from(Details::default());
        let base = BaseDetails::default();
        let details = merge_details(&local.details, &nothing, base, self.limits, false);
        EntryChange {
            watched: Some(local.watched),
            details: details.export,
            local: local.watched,
            // This value is not used: `watched` is written, so the base has the values in the tracker's response.
            remote: local.watched,
            base_details: base_of(&local.details, &nothing, base),
        }
    }

    fn mark(&self) -> Option<SyncMark> {
        self.sync_state.map(|state| state.mark)
    }

    fn merge_both(&self, local: &LocalStory, remote: &RemoteEntry) -> MergeOutcome {
        let base = self.base();
        let local_changed = base.is_none_or(|base| base.local != local.watched);
        let remote_changed = base.is_none_or(|base| base.remote != remote.watched);
        let (story, entry) = match (base, local_changed, remote_changed) {
            (Some(base), false, false) => self.catch_up(base, local, remote),
            (Some(base), false, true) => {
                let story = take_change(remote.watched, base.remote, base.local, local.watched);
                let story = self.as_stored_here(story, local.watched.progress);
                (story, remote.watched)
            }
            (Some(base), true, false) => {
                let entry = take_change(local.watched, base.local, base.remote, remote.watched);
                (local.watched, entry)
            }
            _ => self.merge_two_changes(local, remote),
        };
        let details = merge_details(
            &local.details,
            &remote.details,
            self.base_details(),
            self.limits,
            remote.is_newer_than(local),
        );
        let is_new = story != local.watched || details.story != local.details;
        let merged = LocalStory {
            watched: story,
            details: details.story,
            version: local.version + u64::from(is_new),
            changed_at: if is_new {
                local.changed_at.max(remote.changed_at_ms())
            } else {
                local.changed_at
            },
        };
        // The tracker may count fewer episodes. A difference that it cannot store must not cause an export on every
        // run.
        let is_behind =
            entry != remote.watched && as_stored(entry, remote.episodes) != remote.watched;
        let lacks_values = is_behind || details.export != DetailsChange::default();
        let sync_state =
            Some(self.synced_state(&merged, remote)).filter(|state| self.sync_state != Some(state));
        let has_export = lacks_values && !self.is_given_up(merged.version);
        let export = has_export.then(|| EntryChange {
            watched: is_behind.then_some(entry),
            details: details.export,
            local: merged.watched,
            remote: remote.watched,
            base_details: base_of(&merged.details, &remote.details, self.base_details()),
        });
        let has_conflict = local_changed && remote_changed && local.watched != remote.watched;
        MergeOutcome {
            conflict: (has_conflict || details.has_conflict) && (is_new || export.is_some()),
            local: merged,
            export,
            sync_state: sync_state.filter(|_| !lacks_values),
        }
    }

    /// Returns true if the tracker has refused this version of the story. Then the version is not sent again.
    fn is_given_up(&self, version: u64) -> bool {
        self.sync_state
            .is_some_and(|state| state.mark == SyncMark::Refused && state.version == version)
    }

    /// Returns story and entry if neither has changed. If the tracker now counts more episodes, or an earlier version
    /// of the service has limited the story to the catalogue, the side that could not store the progress before takes
    /// it from the other side.
    fn catch_up(
        &self,
        base: SyncBase,
        local: &LocalStory,
        remote: &RemoteEntry,
    ) -> (WatchProgress, WatchProgress) {
        let stored = self.as_stored_here(remote.watched, local.watched.progress);
        let is_behind =
            stored.status == local.watched.status && stored.progress > local.watched.progress;
        let story = if is_behind { stored } else { local.watched };
        let has_more = remote
            .episodes
            .is_some_and(|all| all > base.remote.progress);
        let is_ahead =
            story.status == remote.watched.status && story.progress > remote.watched.progress;
        let entry = if has_more && is_ahead {
            story
        } else {
            remote.watched
        };
        (story, entry)
    }

    fn merge_two_changes(
        &self,
        local: &LocalStory,
        remote: &RemoteEntry,
    ) -> (WatchProgress, WatchProgress) {
        let newer = if remote.is_newer_than(local) {
            remote.watched
        } else {
            local.watched
        };
        let is_repeat = |watched: WatchProgress| watched.status == WatchStatus::Repeating;
        let progress = if is_repeat(local.watched) || is_repeat(remote.watched) {
            newer.progress
        } else {
            local.watched.progress.max(remote.watched.progress)
        };
        let merged = WatchProgress { progress, ..newer };
        (self.as_stored_here(merged, local.watched.progress), merged)
    }
}

/// Returns the values that the other side takes from the side that has changed. `base` and `other_base` are the values
/// of both sides when they were last synced, and `other` has the other side's current values.
///
/// The progress in both bases can differ, because one side counts fewer episodes. Then a change that does not lower the
/// progress of its own side does not lower the progress of the other side either, unless its status is REPEATING.
fn take_change(
    changed: WatchProgress,
    base: WatchProgress,
    other_base: WatchProgress,
    other: WatchProgress,
) -> WatchProgress {
    let is_forward = changed.status != WatchStatus::Repeating && changed.progress >= base.progress;
    if is_forward && base.progress != other_base.progress {
        let progress = changed.progress.max(other.progress);
        return WatchProgress {
            progress,
            ..changed
        };
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::{LocalStory, MergeOutcome, RemoteEntry, merge};
    use crate::{EntryLimits, ScoreFormat};
    use shared::models::WatchStatus::{Completed, Current, Paused, Planning, Repeating};
    use shared::models::{
        BaseDetails, Details, DetailsChange, Notes, PartialDate, SyncBase, SyncMark, SyncState,
        UserScore, WatchProgress, WatchStatus,
    };

    const ACCOUNT: u64 = 7;

    fn watched((status, progress): (WatchStatus, u32)) -> WatchProgress {
        WatchProgress { status, progress }
    }

    fn sync_state(local: (WatchStatus, u32), remote: (WatchStatus, u32)) -> SyncState {
        SyncState {
            account: ACCOUNT,
            version: 3,
            mark: SyncMark::Same,
            base: Some(SyncBase {
                local: watched(local),
                remote: watched(remote),
                remote_at: 50,
                details: Some(BaseDetails::default()),
            }),
        }
    }

    fn local(watched: WatchProgress, details: Details) -> LocalStory {
        LocalStory {
            watched,
            details,
            version: 4,
            changed_at: 100_000,
        }
    }

    fn remote(watched: WatchProgress, details: &Details, updated_at: u64) -> RemoteEntry {
        RemoteEntry {
            watched,
            details: details.clone().into(),
            updated_at,
            episodes: None,
        }
    }

    /// Merges a story that changed at second 100 with an entry. The entry is given by its values, its time of
    /// change and its number of episodes.
    fn merged(
        sync_state: Option<&SyncState>,
        local: (WatchStatus, u32),
        (remote, updated_at, episodes): ((WatchStatus, u32), u64, Option<u32>),
    ) -> MergeOutcome {
        let local = self::local(watched(local), Details::default());
        let remote = RemoteEntry {
            episodes,
            ..self::remote(watched(remote), &Details::default(), updated_at)
        };
        merge_all(Some(&local), sync_state, Some(&remote)).unwrap()
    }

    fn merge_all(
        local: Option<&LocalStory>,
        sync_state: Option<&SyncState>,
        remote: Option<&RemoteEntry>,
    ) -> Option<MergeOutcome> {
        let limits = EntryLimits {
            scores: ScoreFormat::Ten,
            needs_complete_dates: false,
        };
        merge(ACCOUNT, limits, 12, local, sync_state, remote)
    }

    /// Returns the merged story and the values to write to the tracker.
    fn outcome(merged: &MergeOutcome) -> ((WatchStatus, u32), Option<(WatchStatus, u32)>) {
        let pair = |watched: WatchProgress| (watched.status, watched.progress);
        let export = merged.export.as_ref();
        let watched = export.and_then(|change| change.watched);
        (pair(merged.local.watched), watched.map(pair))
    }

    #[test]
    fn one_changed_side_wins_and_both_conflict() {
        let same = sync_state((Current, 3), (Current, 3));
        for (local, remote, updated_at, expected, is_sent) in [
            ((Current, 3), (Current, 3), 50, (Current, 3), false),
            ((Current, 3), (Paused, 2), 90, (Paused, 2), false),
            ((Paused, 2), (Current, 3), 50, (Paused, 2), true),
            ((Paused, 4), (Paused, 4), 90, (Paused, 4), false),
            // Both have changed: the status of the newer side and the larger progress win.
            ((Paused, 4), (Current, 6), 90, (Paused, 6), true),
            ((Paused, 4), (Planning, 1), 110, (Planning, 4), true),
            ((Paused, 4), (Repeating, 1), 110, (Repeating, 1), false),
            ((Repeating, 1), (Paused, 9), 90, (Repeating, 1), true),
            // An entry without a time of change is never newer.
            ((Paused, 4), (Current, 1), 0, (Paused, 4), true),
        ] {
            let merged = merged(Some(&same), local, (remote, updated_at, None));
            let expected = (expected, is_sent.then_some(expected));
            assert_eq!(outcome(&merged), expected, "{local:?} {remote:?}");
            let both = local != (Current, 3) && remote != (Current, 3) && local != remote;
            assert_eq!(merged.conflict, both, "{local:?} {remote:?}");
            // The new sync state is stored at once, unless the entry must be written first.
            let is_new = merged.sync_state.is_some();
            assert!(!is_sent || !is_new, "{local:?} {remote:?}");
        }
    }

    #[test]
    fn newer_side_wins_without_base() {
        let merged = |at| merged(None, (Paused, 4), ((Current, 6), at, None));
        assert_eq!(outcome(&merged(110)), ((Current, 6), None));
        assert_eq!(outcome(&merged(90)), ((Paused, 6), Some((Paused, 6))));
        // The sync state of another account is ignored.
        let other = SyncState {
            account: ACCOUNT + 1,
            ..sync_state((Paused, 4), (Current, 3))
        };
        let merged = self::merged(Some(&other), (Paused, 4), ((Current, 6), 90, None));
        assert_eq!(outcome(&merged), ((Paused, 6), Some((Paused, 6))));
    }

    /// The catalogue counts 12 episodes; the tracker counts the number given here.
    #[test]
    fn progress_that_one_side_cannot_hold_is_kept() {
        let ahead = sync_state((Current, 12), (Current, 20));
        let of_24 = |remote| (remote, 50, Some(24));
        // Only the status of the story has changed.
        let told = merged(Some(&ahead), (Paused, 12), of_24((Current, 20)));
        assert_eq!(outcome(&told), ((Paused, 12), Some((Paused, 20))));
        let behind = sync_state((Current, 12), (Current, 10));
        let taken = merged(Some(&behind), (Current, 12), ((Paused, 10), 90, Some(10)));
        assert_eq!(outcome(&taken), ((Paused, 12), None));
        // Progress that the tracker cannot store is not sent. It is sent when the tracker can store it.
        let at_rest = merged(Some(&behind), (Current, 12), ((Current, 10), 50, Some(10)));
        assert_eq!(outcome(&at_rest), ((Current, 12), None));
        let more = merged(Some(&behind), (Current, 12), ((Current, 10), 50, Some(12)));
        assert_eq!(outcome(&more), ((Current, 12), Some((Current, 12))));
    }

    #[test]
    fn completed_story_has_all_episodes() {
        let same = sync_state((Current, 3), (Current, 3));
        let taken = merged(Some(&same), (Current, 3), ((Completed, 10), 90, Some(10)));
        assert_eq!(outcome(&taken), ((Completed, 12), None));
    }

    #[test]
    fn refused_version_is_not_sent_again() {
        let refused = |version| SyncState {
            mark: SyncMark::Refused,
            version,
            ..sync_state((Current, 3), (Current, 3))
        };
        let entry = ((Current, 3), 50, None);
        let told = |version| merged(Some(&refused(version)), (Paused, 3), entry);
        assert_eq!(told(4).export, None);
        assert_eq!(told(4).sync_state, None);
        assert!(told(3).export.is_some());
    }

    /// The tracker's progress is ahead of the story's, or the story's is above the catalogue's number of episodes.
    #[test]
    fn forward_progress_is_not_set_back() {
        let ahead = sync_state((Current, 4), (Current, 6));
        let of_24 = |remote| (remote, 50, Some(24));
        let told = merged(Some(&ahead), (Current, 5), of_24((Current, 6)));
        assert_eq!(outcome(&told), ((Current, 5), None));
        let corrected = merged(Some(&ahead), (Current, 3), of_24((Current, 6)));
        assert_eq!(outcome(&corrected), ((Current, 3), Some((Current, 3))));
        // The catalogue counts 12 episodes now, and counted more before.
        let same = sync_state((Current, 15), (Current, 15));
        let paused = merged(Some(&same), (Current, 15), ((Paused, 15), 90, Some(24)));
        assert_eq!(outcome(&paused), ((Paused, 15), None));
    }

    #[test]
    fn missing_entry_is_written_again_after_second_read() {
        let same = sync_state((Current, 3), (Current, 3));
        let local = LocalStory {
            version: 3,
            ..local(watched((Current, 3)), Details::default())
        };
        let missed = |state: &SyncState| merge_all(Some(&local), Some(state), None).unwrap();
        let first = missed(&same);
        assert_eq!(first.export, None);
        let absent = first.sync_state.unwrap();
        assert_eq!(absent.mark, SyncMark::Absent);
        let second = missed(&absent);
        let export = second.export.unwrap();
        assert_eq!(
            (export.watched, second.sync_state),
            (Some(local.watched), None)
        );
        // The next read finds the entry again.
        let remote = remote(local.watched, &Details::default(), 50);
        let back = merge_all(Some(&local), Some(&absent), Some(&remote)).unwrap();
        assert_eq!((back.export, back.sync_state), (None, Some(same)));
        // A missing entry is not sent again if the tracker has refused the story. It is sent if the story was only
        // withheld.
        for mark in [SyncMark::Refused, SyncMark::Apart] {
            let merged = missed(&SyncState { mark, ..same });
            assert_eq!(merged.sync_state, None, "{mark:?}");
            assert_eq!(merged.export.is_some(), mark == SyncMark::Apart, "{mark:?}");
        }
    }

    #[test]
    fn no_story_and_no_entry_give_nothing() {
        assert_eq!(merge_all(None, None, None), None);
    }

    fn details(set: impl FnOnce(&mut Details)) -> Details {
        let mut details = Details::default();
        set(&mut details);
        details
    }

    fn score(tenths: u16) -> Details {
        details(|it| it.score = UserScore::from_tenths(tenths))
    }

    fn private(private: bool) -> Details {
        details(|it| it.private = private)
    }

    fn repeats(repeats: u16) -> Details {
        details(|it| it.repeats = repeats)
    }

    fn notes(text: &str) -> Details {
        details(|it| it.notes = Notes::new(text).unwrap())
    }

    fn started_on(date: &str) -> Details {
        details(|it| it.started_on = PartialDate::parse(date).ok())
    }

    fn finished_on(date: &str) -> Details {
        details(|it| it.finished_on = PartialDate::parse(date).ok())
    }

    /// Returns the sync state of a story and an entry that were synced with these details.
    fn synced(here: &Details, there: &Details) -> SyncState {
        let three = watched((Current, 3));
        let local = local(three, here.clone());
        let details = super::base_of(here, &there.clone().into(), BaseDetails::default());
        let sync_state = sync_state((Current, 3), (Current, 3));
        SyncState {
            version: local.version,
            base: sync_state.base.map(|base| SyncBase {
                details: Some(details),
                ..base
            }),
            ..sync_state
        }
    }

    /// Merges a story that changed at second 100 with an entry that changed at `updated_at`. They differ only
    /// in details.
    fn details_merged(
        sync_state: Option<&SyncState>,
        here: &Details,
        there: &Details,
        updated_at: u64,
    ) -> MergeOutcome {
        let three = watched((Current, 3));
        let local = local(three, here.clone());
        let remote = remote(three, there, updated_at);
        merge_all(Some(&local), sync_state, Some(&remote)).unwrap()
    }

    /// Returns the details to write to the entry, if there are any.
    fn written(merged: &MergeOutcome) -> Option<DetailsChange> {
        merged.export.as_ref().map(|change| change.details.clone())
    }

    /// For each detail, its value at the last sync and a later value on each side. The entry's number of
    /// repeats is the larger one.
    fn each_detail() -> [[Details; 3]; 6] {
        [
            [score(500), score(300), score(900)],
            ["2016-08", "2016", "2016-08-26"].map(started_on),
            ["2016-08", "2016", "2016-08-26"].map(finished_on),
            [repeats(1), repeats(0), repeats(3)],
            [notes("a"), notes(""), notes("b")],
            [private(true), private(false), private(true)],
        ]
    }

    #[test]
    fn detail_changed_on_one_side_is_taken_by_the_other() {
        for [was, now, _] in each_detail() {
            let sync_state = synced(&was, &was);
            let imported = details_merged(Some(&sync_state), &was, &now, 90);
            assert_eq!(imported.local.details, now);
            assert_eq!((imported.local.version, imported.export), (5, None));
            let exported = details_merged(Some(&sync_state), &now, &was, 110);
            assert_eq!(exported.local.details, now);
            let change = exported.export.clone().unwrap();
            assert_eq!(change.watched, None);
            assert_eq!(change.details.apply_to(&was), now);
            let names = super::DetailName::ALL.into_iter();
            let written = names.filter(|name| name.number(&change.details).is_some());
            assert_eq!(written.count(), 1, "only the detail that differs");
            assert_eq!((exported.sync_state, exported.conflict), (None, false));
        }
    }

    #[test]
    fn newer_side_wins_a_detail_that_both_have_changed() {
        for [was, one, other] in each_detail() {
            if one.private != other.private {
                continue;
            }
            let sync_state = synced(&was, &was);
            let is_count = one.repeats != other.repeats;
            for (here, there, updated_at) in [(&one, &other, 90), (&one, &other, 110)] {
                let merged = details_merged(Some(&sync_state), here, there, updated_at);
                let takes_theirs = updated_at > 100 || is_count;
                let expected = if takes_theirs { there } else { here };
                assert_eq!(merged.local.details, *expected);
                assert_eq!(merged.export.is_some(), !takes_theirs);
                assert!(merged.conflict);
            }
        }
        let sync_state = synced(&repeats(1), &repeats(1));
        let merged = details_merged(Some(&sync_state), &repeats(5), &repeats(3), 110);
        assert_eq!(merged.local.details, repeats(5));
        assert_eq!(written(&merged).unwrap().repeats, Some(5));
    }

    /// A date with unknown parts is after the days in the same period.
    #[test]
    fn earlier_of_two_new_dates_wins() {
        let nothing = synced(&Details::default(), &Details::default());
        let dates = ["2016-08-25", "2016-08", "2016-09-01", "2016", "2017-01"];
        for date in [started_on, finished_on] {
            for pair in dates.windows(2) {
                for updated_at in [90, 110] {
                    let (first, second) = (date(pair[0]), date(pair[1]));
                    let merged = details_merged(Some(&nothing), &first, &second, updated_at);
                    assert_eq!(merged.local.details, first);
                    assert!(merged.export.is_some());
                    let merged = details_merged(Some(&nothing), &second, &first, updated_at);
                    assert_eq!(merged.local.details, first);
                    assert_eq!(merged.export, None);
                }
            }
        }
    }

    /// The tracker has ten steps.
    #[test]
    fn coarser_score_does_not_replace_ours() {
        let exported = details_merged(None, &score(875), &Details::default(), 90);
        let change = exported.export.unwrap();
        assert_eq!(change.details.score, Some(UserScore::from_tenths(900)));
        let sync_state = synced(&score(875), &score(900));
        let at_rest = details_merged(Some(&sync_state), &score(875), &score(900), 110);
        assert_eq!((at_rest.local.details, at_rest.export), (score(875), None));
        // A new score here is not sent if its nearest score at the tracker is the same as before.
        let finer = details_merged(Some(&sync_state), &score(880), &score(900), 90);
        assert_eq!(finer.export, None);
        let taken = details_merged(Some(&sync_state), &score(875), &score(800), 110);
        assert_eq!((taken.local.details, taken.export), (score(800), None));
        // If the user enters the nearest score at the tracker, it counts as the same score.
        for sync_state in [None, Some(&synced(&score(875), &Details::default()))] {
            let same = details_merged(sync_state, &score(875), &score(900), 110);
            assert_eq!((same.local.details, same.export), (score(875), None));
        }
    }

    #[test]
    fn details_that_only_one_side_has_are_set_at_the_other() {
        let old = sync_state((Current, 3), (Current, 3));
        for sync_state in [None, Some(&old)] {
            for [_, _, there] in each_detail() {
                let merged = details_merged(sync_state, &Details::default(), &there, 90);
                assert_eq!(merged.local.details, there);
                assert_eq!((merged.export, merged.conflict), (None, false));
                let same = details_merged(sync_state, &there, &there, 90);
                assert_eq!((same.local.version, same.export), (4, None));
            }
        }
        let untouched = SyncState { version: 4, ..old };
        let nothing = Details::default();
        let merged = details_merged(Some(&untouched), &nothing, &nothing, 50);
        assert_eq!((merged.sync_state, merged.export), (None, None));
    }

    #[test]
    fn private_entry_becomes_public_only_after_the_story() {
        let (open, hidden) = (private(false), private(true));
        for (sync_state, here, there, expected, sent) in [
            (synced(&hidden, &hidden), &open, &hidden, &open, Some(false)),
            (synced(&open, &open), &open, &hidden, &hidden, None),
            (synced(&open, &open), &hidden, &open, &hidden, Some(true)),
            (synced(&hidden, &hidden), &hidden, &open, &open, None),
            // Both have changed.
            (synced(&hidden, &open), &open, &hidden, &hidden, None),
            (synced(&open, &hidden), &hidden, &open, &hidden, Some(true)),
        ] {
            let merged = details_merged(Some(&sync_state), here, there, 90);
            assert_eq!(merged.local.details, *expected);
            let written = written(&merged).and_then(|details| details.private);
            assert_eq!(written, sent);
        }
        let merged = details_merged(None, &open, &hidden, 90);
        assert_eq!((merged.local.details, merged.export), (hidden, None));
    }

    #[test]
    fn incomplete_date_is_not_sent_to_a_tracker_that_cannot_hold_it() {
        let limits = EntryLimits {
            scores: ScoreFormat::Ten,
            needs_complete_dates: true,
        };
        let three = watched((Current, 3));
        let export = |before: &Details, now: &Details| {
            let sync_state = synced(before, before);
            let (local, remote) = (local(three, now.clone()), remote(three, before, 90));
            let (story, sync_state, entry) = (Some(&local), Some(&sync_state), Some(&remote));
            let merged = merge(ACCOUNT, limits, 12, story, sync_state, entry).unwrap();
            assert_eq!(merged.local, local);
            (written(&merged), merged.sync_state.is_some())
        };
        let nothing = Details::default();
        let [day, month] = ["2016-08-26", "2016-08"].map(started_on);
        for before in [&nothing, &day] {
            assert_eq!(export(before, &month), (None, true));
        }
        let sent = |details: &Details| DetailsChange {
            started_on: Some(details.started_on),
            ..DetailsChange::default()
        };
        assert_eq!(export(&month, &day), (Some(sent(&day)), false));
        assert_eq!(export(&month, &nothing), (Some(sent(&nothing)), false));
        // An incomplete date is read nevertheless.
        let sync_state = synced(&nothing, &nothing);
        let merged = details_merged(Some(&sync_state), &nothing, &month, 110);
        assert_eq!(merged.local.details, month);
    }
}
