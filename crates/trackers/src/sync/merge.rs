//! The three-way merge of a story with one tracker's entry (docs/trackers.md, "Merge rules").

use shared::models::{Base, Known, Mark, WatchStatus, Watched};

/// The fields of a story that the merge needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    /// The status and progress.
    pub watched: Watched,
    /// The version of the story. Every change increases it.
    pub version: u64,
    /// Time of the last change, in milliseconds since the Unix epoch.
    pub changed_at: u64,
}

/// The fields of a tracker's entry that the merge needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remote {
    /// The status and progress.
    pub watched: Watched,
    /// Time of the last change, in seconds since the Unix epoch; 0 if the tracker does not state it.
    pub updated_at: u64,
    /// The tracker's number of episodes, if known.
    pub episodes: Option<u32>,
}

impl Remote {
    /// Returns the values that the tracker would store for `watched`: its own number of episodes if
    /// completed, otherwise at most that number (docs/trackers.md, "Known traps").
    fn held(&self, watched: Watched) -> Watched {
        let progress = match self.episodes {
            Some(all) if watched.status == WatchStatus::Completed => all,
            Some(all) => watched.progress.min(all),
            None => watched.progress,
        };
        Watched {
            progress,
            ..watched
        }
    }

    fn changed_at_ms(&self) -> u64 {
        self.updated_at.saturating_mul(1000)
    }
}

/// The result of merging a story with one tracker's entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The merged story. Its version is higher if the story must be written.
    pub local: Local,
    /// The values to write to the tracker's entry, if it must be written.
    pub export: Option<Watched>,
    /// The sync state that the story must store. `None` if it is unchanged, or if the tracker's entry lacks
    /// the merged values: then the tracker's response to the export is stored instead.
    pub known: Option<Known>,
    /// True if story and entry had both changed, and one of them takes values from the other.
    pub conflict: bool,
}

/// Merges a story with a tracker's entry.
///
/// If only one side, story or entry, has changed since both were last synced, it wins. If both have changed,
/// the status of the newer side wins, with the larger progress of both. If one of them is being watched
/// again, the progress of the newer side wins too. Returns `None` if there is neither story nor entry.
/// `all_episodes` is the catalogue's number of episodes. `known` is the sync state that the story stores for
/// this tracker; it is ignored if it is about another account.
///
/// Nothing is ever deleted. A missing story is created from the entry. An entry that was there before is
/// written again once two consecutive reads of the list lack it.
#[must_use]
pub fn merge(
    account: u64,
    all_episodes: u32,
    local: Option<&Local>,
    known: Option<&Known>,
    remote: Option<&Remote>,
) -> Option<Merged> {
    let known = known.filter(|known| known.account == account);
    let side = MergeContext {
        account,
        all_episodes,
        known,
    };
    match (local, remote) {
        (None, None) => None,
        (None, Some(remote)) => Some(side.import(remote)),
        (Some(local), None) => Some(side.without_entry(local)),
        (Some(local), Some(remote)) => Some(side.both(local, remote)),
    }
}

/// The input of a merge, without story and entry.
struct MergeContext<'k> {
    account: u64,
    all_episodes: u32,
    known: Option<&'k Known>,
}

impl MergeContext<'_> {
    /// Returns the values that the story would store for `watched`: the catalogue's number of episodes if
    /// completed, otherwise at most that number. `so_far` is the story's present progress. If it is larger
    /// than the catalogue's number of episodes, it is used instead of that number.
    fn shown(&self, watched: Watched, so_far: u32) -> Watched {
        let all_episodes = self.all_episodes.max(so_far);
        let progress = match watched.status {
            WatchStatus::Completed => all_episodes,
            _ => watched.progress.min(all_episodes),
        };
        Watched {
            progress,
            ..watched
        }
    }

    fn base(&self) -> Option<Base> {
        self.known.and_then(|known| known.base)
    }

    /// Returns the sync state of a story and an entry that are synced.
    fn same(&self, local: Local, remote: &Remote) -> Known {
        Known {
            account: self.account,
            version: local.version,
            mark: Mark::Same,
            base: Some(Base {
                local: local.watched,
                remote: remote.watched,
                remote_at: remote.updated_at,
            }),
        }
    }

    /// Creates the missing story from the entry.
    fn import(&self, remote: &Remote) -> Merged {
        let local = Local {
            watched: self.shown(remote.watched, 0),
            version: 1,
            changed_at: remote.changed_at_ms(),
        };
        Merged {
            local,
            export: None,
            known: Some(self.same(local, remote)),
            conflict: false,
        }
    }

    /// Merges a story without an entry. If the entry was there before, the first read that lacks it only
    /// marks it as absent.
    fn without_entry(&self, local: &Local) -> Merged {
        let is_first_time = self.base().is_some() && self.mark() == Some(Mark::Same);
        let absent = self.known.filter(|_| is_first_time).map(|known| Known {
            mark: Mark::Absent,
            ..*known
        });
        let export = absent.is_none() && !self.is_given_up(local.version);
        Merged {
            local: *local,
            export: export.then_some(local.watched),
            known: absent,
            conflict: false,
        }
    }

    fn mark(&self) -> Option<Mark> {
        self.known.map(|known| known.mark)
    }

    /// Merges a story with an entry.
    fn both(&self, local: &Local, remote: &Remote) -> Merged {
        let base = self.base();
        let local_changed = base.is_none_or(|base| base.local != local.watched);
        let remote_changed = base.is_none_or(|base| base.remote != remote.watched);
        let (story, entry) = match (base, local_changed, remote_changed) {
            (Some(base), false, false) => self.catch_up(base, local, remote),
            (Some(base), false, true) => (
                self.story_after_entry_change(base, local, remote),
                remote.watched,
            ),
            (Some(base), true, false) => {
                (local.watched, entry_after_story_change(base, local, remote))
            }
            _ => self.both_changed(local, remote),
        };
        let is_new = story != local.watched;
        let changed_at = if is_new {
            local.changed_at.max(remote.changed_at_ms())
        } else {
            local.changed_at
        };
        let merged = Local {
            watched: story,
            version: local.version + u64::from(is_new),
            changed_at,
        };
        // A difference that the tracker cannot store, because it counts fewer episodes, must not cause an
        // export on every run.
        let is_behind = entry != remote.watched && remote.held(entry) != remote.watched;
        let known = Some(self.same(merged, remote)).filter(|known| self.known != Some(known));
        let export = (is_behind && !self.is_given_up(merged.version)).then_some(entry);
        Merged {
            local: merged,
            export,
            known: known.filter(|_| !is_behind),
            conflict: local_changed && remote_changed && (is_new || export.is_some()),
        }
    }

    /// Returns true if the tracker has refused this version of the story, which is then not sent again.
    fn is_given_up(&self, version: u64) -> bool {
        self.known
            .is_some_and(|known| known.mark == Mark::Refused && known.version == version)
    }

    /// Returns story and entry if neither has changed. Progress that one side could not store before is
    /// copied to it if the catalogue or the tracker now counts more episodes.
    fn catch_up(&self, base: Base, local: &Local, remote: &Remote) -> (Watched, Watched) {
        let shown = self.shown(remote.watched, local.watched.progress);
        let is_behind =
            shown.status == local.watched.status && shown.progress > local.watched.progress;
        let story = if is_behind { shown } else { local.watched };
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

    /// Returns the story after a change of the entry only.
    fn story_after_entry_change(&self, base: Base, local: &Local, remote: &Remote) -> Watched {
        let watched = ahead(remote.watched, base.remote, base.local, local.watched);
        self.shown(watched, local.watched.progress)
    }

    /// Returns story and entry after a change of both.
    fn both_changed(&self, local: &Local, remote: &Remote) -> (Watched, Watched) {
        let remote_is_newer = remote.changed_at_ms() > local.changed_at;
        let newer = if remote_is_newer {
            remote.watched
        } else {
            local.watched
        };
        let again = |watched: Watched| watched.status == WatchStatus::Repeating;
        let progress = if again(local.watched) || again(remote.watched) {
            newer.progress
        } else {
            local.watched.progress.max(remote.watched.progress)
        };
        let merged = Watched { progress, ..newer };
        (self.shown(merged, local.watched.progress), merged)
    }
}

/// Returns the entry after a change of the story only.
fn entry_after_story_change(base: Base, local: &Local, remote: &Remote) -> Watched {
    ahead(local.watched, base.local, base.remote, remote.watched)
}

/// Returns the values that the other side takes from the side that has changed. `was` and `other_was` are the
/// values of both when they were last synced, and `other` is the other side's present values. If `was` and
/// `other_was` have different progress, because one side counts fewer episodes, a change that does not lower
/// the progress of its own side does not lower that of the other side either.
fn ahead(changed: Watched, was: Watched, other_was: Watched, other: Watched) -> Watched {
    let goes_on = changed.status != WatchStatus::Repeating && changed.progress >= was.progress;
    if goes_on && was.progress != other_was.progress {
        let progress = changed.progress.max(other.progress);
        return Watched {
            progress,
            ..changed
        };
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::{Local, Merged, Remote, merge};
    use shared::models::WatchStatus;
    use shared::models::WatchStatus::{Completed, Current, Paused, Planning, Repeating};
    use shared::models::{Base, Known, Mark, Watched};

    const ACCOUNT: u64 = 7;

    fn watched((status, progress): (WatchStatus, u32)) -> Watched {
        Watched { status, progress }
    }

    fn known(local: (WatchStatus, u32), remote: (WatchStatus, u32)) -> Known {
        Known {
            account: ACCOUNT,
            version: 3,
            mark: Mark::Same,
            base: Some(Base {
                local: watched(local),
                remote: watched(remote),
                remote_at: 50,
            }),
        }
    }

    /// Merges a story, changed at second 100, with an entry: its values, its time of change and its number of
    /// episodes.
    fn merged(
        known: Option<&Known>,
        local: (WatchStatus, u32),
        (remote, updated_at, episodes): ((WatchStatus, u32), u64, Option<u32>),
    ) -> Merged {
        let local = Local {
            watched: watched(local),
            version: 4,
            changed_at: 100_000,
        };
        let remote = Remote {
            watched: watched(remote),
            updated_at,
            episodes,
        };
        merge(ACCOUNT, 12, Some(&local), known, Some(&remote)).unwrap()
    }

    /// Returns the merged story and the values to write to the tracker.
    fn outcome(merged: &Merged) -> ((WatchStatus, u32), Option<(WatchStatus, u32)>) {
        let pair = |watched: Watched| (watched.status, watched.progress);
        (pair(merged.local.watched), merged.export.map(pair))
    }

    #[test]
    fn one_changed_side_wins_and_both_conflict() {
        let same = known((Current, 3), (Current, 3));
        for (local, remote, updated_at, expected) in [
            ((Current, 3), (Current, 3), 50, ((Current, 3), None)),
            ((Current, 3), (Paused, 2), 90, ((Paused, 2), None)),
            (
                (Paused, 2),
                (Current, 3),
                50,
                ((Paused, 2), Some((Paused, 2))),
            ),
            ((Paused, 4), (Paused, 4), 90, ((Paused, 4), None)),
            // Both have changed: the status of the newer side and the larger progress win.
            (
                (Paused, 4),
                (Current, 6),
                90,
                ((Paused, 6), Some((Paused, 6))),
            ),
            (
                (Paused, 4),
                (Planning, 1),
                110,
                ((Planning, 4), Some((Planning, 4))),
            ),
            ((Paused, 4), (Repeating, 1), 110, ((Repeating, 1), None)),
            (
                (Repeating, 1),
                (Paused, 9),
                90,
                ((Repeating, 1), Some((Repeating, 1))),
            ),
            // An entry without a time of change is never newer.
            (
                (Paused, 4),
                (Current, 1),
                0,
                ((Paused, 4), Some((Paused, 4))),
            ),
        ] {
            let merged = merged(Some(&same), local, (remote, updated_at, None));
            assert_eq!(outcome(&merged), expected, "{local:?} {remote:?}");
            let both = local != (Current, 3) && remote != (Current, 3) && local != remote;
            assert_eq!(merged.conflict, both, "{local:?} {remote:?}");
            // The new sync state is stored at once, unless the entry must be written first.
            let is_told = expected.1.is_some();
            let is_new = merged.known.is_some();
            assert!(!is_told || !is_new, "{local:?} {remote:?}");
        }
    }

    #[test]
    fn newer_side_wins_without_base() {
        let merged = |at| merged(None, (Paused, 4), ((Current, 6), at, None));
        assert_eq!(outcome(&merged(110)), ((Current, 6), None));
        assert_eq!(outcome(&merged(90)), ((Paused, 6), Some((Paused, 6))));
        // The sync state of another account is ignored.
        let other = Known {
            account: ACCOUNT + 1,
            ..known((Paused, 4), (Current, 3))
        };
        let merged = self::merged(Some(&other), (Paused, 4), ((Current, 6), 90, None));
        assert_eq!(outcome(&merged), ((Paused, 6), Some((Paused, 6))));
    }

    /// The catalogue counts 12 episodes; the tracker counts the number given here.
    #[test]
    fn progress_that_one_side_cannot_hold_is_kept() {
        let ahead = known((Current, 12), (Current, 20));
        let of_24 = |remote| (remote, 50, Some(24));
        // Only the status of the story has changed.
        let told = merged(Some(&ahead), (Paused, 12), of_24((Current, 20)));
        assert_eq!(outcome(&told), ((Paused, 12), Some((Paused, 20))));
        let behind = known((Current, 12), (Current, 10));
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
        let same = known((Current, 3), (Current, 3));
        let taken = merged(Some(&same), (Current, 3), ((Completed, 10), 90, Some(10)));
        assert_eq!(outcome(&taken), ((Completed, 12), None));
    }

    #[test]
    fn refused_version_is_not_sent_again() {
        let refused = |version| Known {
            mark: Mark::Refused,
            version,
            ..known((Current, 3), (Current, 3))
        };
        let told = |version| {
            merged(
                Some(&refused(version)),
                (Paused, 3),
                ((Current, 3), 50, None),
            )
        };
        assert_eq!(told(4).export, None);
        assert_eq!(told(4).known, None);
        assert!(told(3).export.is_some());
    }

    /// The tracker's progress is ahead of the story's, or the story's is above the catalogue's number of
    /// episodes.
    #[test]
    fn forward_progress_is_not_set_back() {
        let ahead = known((Current, 4), (Current, 6));
        let of_24 = |remote| (remote, 50, Some(24));
        let told = merged(Some(&ahead), (Current, 5), of_24((Current, 6)));
        assert_eq!(outcome(&told), ((Current, 5), None));
        let corrected = merged(Some(&ahead), (Current, 3), of_24((Current, 6)));
        assert_eq!(outcome(&corrected), ((Current, 3), Some((Current, 3))));
        // The catalogue counts 12 episodes now, and counted more before.
        let same = known((Current, 15), (Current, 15));
        let paused = merged(Some(&same), (Current, 15), ((Paused, 15), 90, Some(24)));
        assert_eq!(outcome(&paused), ((Paused, 15), None));
    }

    #[test]
    fn missing_entry_is_written_again_after_second_read() {
        let same = known((Current, 3), (Current, 3));
        let local = Local {
            watched: watched((Current, 3)),
            version: 3,
            changed_at: 0,
        };
        let missed = |known: &Known| merge(ACCOUNT, 12, Some(&local), Some(known), None).unwrap();
        let first = missed(&same);
        assert_eq!(first.export, None);
        let absent = first.known.unwrap();
        assert_eq!(absent.mark, Mark::Absent);
        let second = missed(&absent);
        assert_eq!((second.export, second.known), (Some(local.watched), None));
        // The next read finds the entry again.
        let remote = Remote {
            watched: local.watched,
            updated_at: 50,
            episodes: None,
        };
        let back = merge(ACCOUNT, 12, Some(&local), Some(&absent), Some(&remote)).unwrap();
        assert_eq!((back.export, back.known), (None, Some(same)));
        // A missing entry that the tracker has refused is not sent again.
        for mark in [Mark::Refused, Mark::Apart] {
            let merged = missed(&Known { mark, ..same });
            assert_eq!(merged.known, None, "{mark:?}");
            assert_eq!(merged.export.is_some(), mark == Mark::Apart, "{mark:?}");
        }
    }

    #[test]
    fn no_story_and_no_entry_give_nothing() {
        assert_eq!(merge(ACCOUNT, 12, None, None, None), None);
    }
}
