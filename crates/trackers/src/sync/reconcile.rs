//! A story, and what both trackers have of it.

use shared::models::{Known, Mark, Watched};

use super::merge::{Local, Merged, Remote, merge};

/// How often a story is merged with both trackers until nothing changes any more. What one brings may
/// change what the other is told; two rounds are enough for that, and a third sees that they were.
const ROUNDS: usize = 4;

/// One tracker's side of a story.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrackerSide {
    /// The account that is linked there.
    pub account: u64,
    /// What the story remembers of it.
    pub known: Option<Known>,
    /// The entry, if there is one.
    pub remote: Option<Remote>,
    /// The story is not told there: see [`Mark::Apart`].
    pub is_apart: bool,
}

/// What is to be done at one tracker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrackerOutcome {
    /// The story takes something from there.
    pub imported: bool,
    /// Both it and the story had changed.
    pub conflict: bool,
    /// What it is to be told.
    pub export: Option<Watched>,
    /// What the story is to remember of it from now on, where that is something else than before.
    pub known: Option<Known>,
}

/// What becomes of a story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The story. Its version is another where it has changed.
    pub local: Local,
    /// What is to be done at each of the trackers, in their order.
    pub trackers: [TrackerOutcome; 2],
}

/// Merges a story with what each tracker has of it; `None` for one that is not linked, or whose list
/// could not be read. `None` where there is neither story nor entry.
#[must_use]
pub fn reconcile(
    all_episodes: u32,
    local: Option<Local>,
    sides: [Option<TrackerSide>; 2],
) -> Option<Outcome> {
    let mut story = local;
    let mut known = sides.map(|side| side.and_then(|side| side.known));
    let mut trackers = [TrackerOutcome::default(); 2];
    for _ in 0..ROUNDS {
        let before = story;
        for (number, side) in sides.iter().enumerate() {
            let Some(side) = side else { continue };
            let remembered = known[number];
            let merged = merge_side(all_episodes, story, remembered, side);
            let Some(merged) = merged else { continue };
            let outcome = &mut trackers[number];
            outcome.imported |= story.is_none_or(|story| story.watched != merged.local.watched);
            outcome.conflict |= merged.conflict;
            outcome.export = merged.export;
            known[number] = merged.known.or(remembered);
            story = Some(merged.local);
        }
        if story == before {
            break;
        }
    }
    for ((outcome, known), side) in trackers.iter_mut().zip(known).zip(sides) {
        outcome.known = known.filter(|_| known != side.and_then(|side| side.known));
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
    // It takes what the tracker has, and tells it nothing.
    let is_untold = side.is_apart && merged.export.is_some();
    if !is_untold {
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
