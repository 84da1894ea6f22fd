//! Reconciliation: merges a story with the entries of both trackers.

use shared::models::{Known, Mark, PerTracker, TrackerName, Watched};

use super::merge::{Local, Merged, Remote, merge};

/// The maximum number of rounds in which a story is merged with both trackers. A change from one tracker may
/// change the export to the other. Two rounds are enough for that, a third one confirms that nothing changes
/// any more, and the fourth is a reserve.
const ROUNDS: usize = 4;

/// A story's linked account, sync state and entry at one tracker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrackerSide {
    /// The identifier of the linked account.
    pub account: u64,
    /// The sync state that the story stores for this tracker.
    pub known: Option<Known>,
    /// The entry, if there is one.
    pub remote: Option<Remote>,
    /// True if the story must not be sent to this tracker ([`Mark::Apart`]).
    pub is_apart: bool,
}

/// The result of reconciling a story, for one tracker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrackerOutcome {
    /// True if the story takes values from this tracker.
    pub imported: bool,
    /// True if story and entry had both changed, and one of them takes values from the other.
    pub conflict: bool,
    /// The values to write to the tracker's entry, if it must be written.
    pub export: Option<Watched>,
    /// The new sync state for this tracker, if it differs from the stored one.
    pub known: Option<Known>,
}

/// The result of reconciling a story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The merged story. Its version is higher if it has changed.
    pub local: Local,
    /// The result for tracker A, then for tracker B.
    pub trackers: PerTracker<TrackerOutcome>,
}

/// Merges a story with the entries of both trackers. `sides` holds the account, sync state and entry at each
/// tracker. A side is `None` if no account is linked or its list could not be read. Returns `None` if there
/// is neither story nor entry.
#[must_use]
pub fn reconcile(
    all_episodes: u32,
    local: Option<Local>,
    sides: PerTracker<Option<TrackerSide>>,
) -> Option<Outcome> {
    let mut story = local;
    let mut known = sides.map(|side| side.and_then(|side| side.known));
    let mut trackers = PerTracker::<TrackerOutcome>::default();
    for _ in 0..ROUNDS {
        let before = story;
        for (tracker, side) in sides.iter() {
            let Some(side) = side else { continue };
            let remembered = known[tracker];
            let merged = merge_side(all_episodes, story, remembered, side);
            let Some(merged) = merged else { continue };
            let outcome = &mut trackers[tracker];
            outcome.imported |= story.is_none_or(|story| story.watched != merged.local.watched);
            outcome.conflict |= merged.conflict;
            outcome.export = merged.export;
            known[tracker] = merged.known.or(remembered);
            story = Some(merged.local);
        }
        if story == before {
            break;
        }
    }
    for tracker in TrackerName::ALL {
        let stored = sides[tracker].and_then(|side| side.known);
        trackers[tracker].known = known[tracker].filter(|_| known[tracker] != stored);
    }
    story.map(|local| Outcome { local, trackers })
}

fn merge_side(
    all_episodes: u32,
    story: Option<Local>,
    known: Option<Known>,
    side: &TrackerSide,
) -> Option<Merged> {
    let merged = merge(
        side.account,
        all_episodes,
        story.as_ref(),
        known.as_ref(),
        side.remote.as_ref(),
    )?;
    // The story takes values from the tracker but is not sent there.
    let is_withheld = side.is_apart && merged.export.is_some();
    if !is_withheld {
        return Some(merged);
    }
    let base = known.filter(|known| known.account == side.account);
    Some(Merged {
        export: None,
        conflict: false,
        known: Some(Known {
            account: side.account,
            version: merged.local.version,
            mark: Mark::Apart,
            base: base.and_then(|known| known.base),
        }),
        ..merged
    })
}
