//! The three-way merge of a story with one tracker's entry.

use shared::models::{Base, Known, Mark, WatchStatus, Watched};

/// A story, as the merge sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    /// How far the user is.
    pub watched: Watched,
    /// Counts its changes.
    pub version: u64,
    /// When it changed last, in milliseconds since the Unix epoch.
    pub changed_at: u64,
}

/// A tracker's entry, as the merge sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remote {
    /// How far the user is.
    pub watched: Watched,
    /// When it changed last, in seconds since the Unix epoch; 0 where the tracker does not say.
    pub updated_at: u64,
    /// How many episodes the tracker counts, where it knows.
    pub episodes: Option<u32>,
}

impl Remote {
    /// What the tracker would hold of this: no more than the episodes that it counts, and all of them
    /// of what is completed (trackers.md, "Known traps").
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

/// What follows for a story and one tracker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The story, as it is to be: with another version where that is to be written.
    pub local: Local,
    /// What the tracker is to be told, if anything.
    pub export: Option<Watched>,
    /// What the story is to remember now; after an export, of which the answer is remembered, nothing yet.
    pub known: Option<Known>,
    /// Both sides had changed.
    pub conflict: bool,
}

/// Merges a story with a tracker's entry: one side changed since they were last the same, that one is
/// taken; both, the newer, but of the progress the larger, unless either is watched again (trackers.md,
/// "Synchronisation"). `all_episodes` is how many the catalogue counts. `None` where there is neither.
///
/// `known` is what the story remembers of this account at this tracker. Nothing is ever deleted: a story
/// that is not there is made of the entry, and an entry that is not there is written once two reads in a
/// row lack it.
#[must_use]
pub fn merge(
    account: u64,
    all_episodes: u32,
    local: Option<&Local>,
    known: Option<&Known>,
    remote: Option<&Remote>,
) -> Option<Merged> {
    let known = known.filter(|known| known.account == account);
    let side = Side {
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

/// What a merge is about, beside the two sides.
struct Side<'k> {
    account: u64,
    all_episodes: u32,
    known: Option<&'k Known>,
}

impl Side<'_> {
    /// What the catalogue lets a story hold of this, which is now so far: what it holds already is not
    /// taken from it when the catalogue counts less.
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

    /// A story that is not there yet.
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

    fn both(&self, local: &Local, remote: &Remote) -> Merged {
        let base = self.base();
        let local_changed = base.is_none_or(|base| base.local != local.watched);
        let remote_changed = base.is_none_or(|base| base.remote != remote.watched);
        let (story, entry) = match (base, local_changed, remote_changed) {
            (Some(base), false, false) => self.catch_up(base, local, remote),
            (Some(base), false, true) => (self.taken(base, local, remote), remote.watched),
            (Some(base), true, false) => (local.watched, told(base, local, remote)),
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
        // What the tracker cannot hold is no reason to tell it again, and again.
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

    /// Whether the tracker has refused this version of the story.
    fn is_given_up(&self, version: u64) -> bool {
        self.known
            .is_some_and(|known| known.mark == Mark::Refused && known.version == version)
    }

    /// Nothing has changed, but what kept progress from one side may have: the catalogue, or the
    /// tracker, counts more episodes now.
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

    /// The entry has changed, the story has not.
    fn taken(&self, base: Base, local: &Local, remote: &Remote) -> Watched {
        let watched = ahead(remote.watched, base.remote, base.local, local.watched);
        self.shown(watched, local.watched.progress)
    }

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

/// The story has changed, the entry has not: what the tracker is told.
fn told(base: Base, local: &Local, remote: &Remote) -> Watched {
    ahead(local.watched, base.local, base.remote, remote.watched)
}

/// What one side has changed to, as the other is to have it. Where the two were apart, because one of them
/// counts fewer episodes, who only goes on is not put back by it.
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

    /// The story changed in the second 100; the entry in this one, of so many episodes.
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

    /// What the story becomes, and what the tracker is told.
    fn outcome(merged: &Merged) -> ((WatchStatus, u32), Option<(WatchStatus, u32)>) {
        let pair = |watched: Watched| (watched.status, watched.progress);
        (pair(merged.local.watched), merged.export.map(pair))
    }

    #[test]
    fn one_side_or_both() {
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
            // Both: the newer, and the larger progress.
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
            // A tracker that does not say when is not newer.
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
            // It is remembered at once, unless there is something to be told first.
            let is_told = expected.1.is_some();
            let is_new = merged.known.is_some();
            assert!(!is_told || !is_new, "{local:?} {remote:?}");
        }
    }

    #[test]
    fn without_anything_in_common_the_newer_is_taken() {
        let merged = |at| merged(None, (Paused, 4), ((Current, 6), at, None));
        assert_eq!(outcome(&merged(110)), ((Current, 6), None));
        assert_eq!(outcome(&merged(90)), ((Paused, 6), Some((Paused, 6))));
        // What is remembered of another account is nothing.
        let other = Known {
            account: ACCOUNT + 1,
            ..known((Paused, 4), (Current, 3))
        };
        let merged = self::merged(Some(&other), (Paused, 4), ((Current, 6), 90, None));
        assert_eq!(outcome(&merged), ((Paused, 6), Some((Paused, 6))));
    }

    /// The catalogue counts 12 episodes, the tracker as many as are said here.
    #[test]
    fn what_one_side_cannot_count_is_not_lost_for_it() {
        let ahead = known((Current, 12), (Current, 20));
        let of_24 = |remote| (remote, 50, Some(24));
        // Only the status was changed here.
        let told = merged(Some(&ahead), (Paused, 12), of_24((Current, 20)));
        assert_eq!(outcome(&told), ((Paused, 12), Some((Paused, 20))));
        let behind = known((Current, 12), (Current, 10));
        let taken = merged(Some(&behind), (Current, 12), ((Paused, 10), 90, Some(10)));
        assert_eq!(outcome(&taken), ((Paused, 12), None));
        // It is not told again and again what it cannot hold, until it can.
        let at_rest = merged(Some(&behind), (Current, 12), ((Current, 10), 50, Some(10)));
        assert_eq!(outcome(&at_rest), ((Current, 12), None));
        let more = merged(Some(&behind), (Current, 12), ((Current, 10), 50, Some(12)));
        assert_eq!(outcome(&more), ((Current, 12), Some((Current, 12))));
    }

    #[test]
    fn all_episodes_of_what_is_completed() {
        let same = known((Current, 3), (Current, 3));
        let taken = merged(Some(&same), (Current, 3), ((Completed, 10), 90, Some(10)));
        assert_eq!(outcome(&taken), ((Completed, 12), None));
    }

    #[test]
    fn what_was_refused_is_told_again_only_once_it_changes() {
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

    /// The tracker was ahead of a catalogue that has caught up, or that was corrected.
    #[test]
    fn who_goes_on_is_not_put_back() {
        let ahead = known((Current, 4), (Current, 6));
        let of_24 = |remote| (remote, 50, Some(24));
        let told = merged(Some(&ahead), (Current, 5), of_24((Current, 6)));
        assert_eq!(outcome(&told), ((Current, 5), None));
        let corrected = merged(Some(&ahead), (Current, 3), of_24((Current, 6)));
        assert_eq!(outcome(&corrected), ((Current, 3), Some((Current, 3))));
        // The catalogue counts 12 now, and counted more.
        let same = known((Current, 15), (Current, 15));
        let paused = merged(Some(&same), (Current, 15), ((Paused, 15), 90, Some(24)));
        assert_eq!(outcome(&paused), ((Paused, 15), None));
    }

    #[test]
    fn an_entry_is_missed_twice_before_it_is_written_again() {
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
        // It was there all the time.
        let remote = Remote {
            watched: local.watched,
            updated_at: 50,
            episodes: None,
        };
        let back = merge(ACCOUNT, 12, Some(&local), Some(&absent), Some(&remote)).unwrap();
        assert_eq!((back.export, back.known), (None, Some(same)));
        // What was refused, or is none for this tracker, is not told again for it.
        for mark in [Mark::Refused, Mark::Apart] {
            let merged = missed(&Known { mark, ..same });
            assert_eq!(merged.known, None, "{mark:?}");
            assert_eq!(merged.export.is_some(), mark == Mark::Apart, "{mark:?}");
        }
    }

    #[test]
    fn neither_is_nothing() {
        assert_eq!(merge(ACCOUNT, 12, None, None, None), None);
    }
}
