//! The merge of the details of a story with those of a tracker's entry (docs/trackers.md, "Merge rules").

use shared::models::{BaseDetails, DetailName, Details, DetailsChange, PartialDate};

use crate::EntryLimits;

#[derive(Debug)]
pub(super) struct MergedDetails {
    /// The merged details of the story.
    pub story: Details,
    /// The details to write to the tracker's entry, as the tracker can hold them.
    pub export: DetailsChange,
    /// True if a detail had changed on both sides, and one side takes the value of the other.
    pub has_conflict: bool,
}

/// Merges each detail on its own. If it has changed on only one side, the change wins. If it has changed on both sides,
/// the newer side wins, with three exceptions: the larger number of repeats wins, the earlier of two new dates wins,
/// and private wins over public. With the default base, a detail that is set counts as changed. A detail that is `None`
/// in `remote` is neither read nor overwritten: the tracker does not have it, or a story cannot hold its value.
pub(super) fn merge_details(
    local: &Details,
    remote: &DetailsChange,
    base: BaseDetails,
    limits: EntryLimits,
    remote_is_newer: bool,
) -> MergedDetails {
    let here = DetailsChange::from(local.clone());
    let storable = storable_details(local, limits);
    let (mut import, mut export) = (DetailsChange::default(), DetailsChange::default());
    let mut has_conflict = false;
    for name in DetailName::ALL {
        let (ours, theirs) = (name.number(&here), name.number(remote));
        // A tracker with coarser scores is up to date if it has the nearest score that it can hold.
        if theirs.is_none() || theirs == ours || theirs == name.number(&storable) {
            continue;
        }
        let local_changed = ours != Some(base.local.get(name));
        let remote_changed = theirs != Some(base.remote.get(name));
        let takes_theirs = match (local_changed, remote_changed) {
            (false, false) => continue,
            (true, true) => {
                has_conflict = true;
                match name {
                    DetailName::Repeats | DetailName::Private => theirs > ours,
                    // Both sides set dates automatically. If neither side had this date before, the earlier of the
                    // two is closer to the event.
                    DetailName::StartedOn | DetailName::FinishedOn if base.local.get(name) == 0 => {
                        theirs > Some(0) && theirs < ours
                    }
                    _ => remote_is_newer,
                }
            }
            (_, remote_changed) => remote_changed,
        };
        if takes_theirs {
            name.copy(remote, &mut import);
        } else {
            name.copy(&storable, &mut export);
        }
    }
    MergedDetails {
        story: import.apply_to(local),
        export,
        has_conflict,
    }
}

/// Returns the details as a tracker can hold them: with the nearest score of its format, and without incomplete
/// dates if it needs complete ones.
fn storable_details(details: &Details, limits: EntryLimits) -> DetailsChange {
    let is_storable = |date: &Option<PartialDate>| {
        let is_complete = date.is_none_or(|date| date.day().is_some());
        is_complete || !limits.needs_complete_dates
    };
    DetailsChange {
        score: Some(details.score.map(|score| limits.scores.round(score))),
        started_on: Some(details.started_on).filter(is_storable),
        finished_on: Some(details.finished_on).filter(is_storable),
        ..details.clone().into()
    }
}

/// Returns the base for the details of a story and an entry that are now in sync. A detail that is `None` in
/// `remote` keeps its values in the earlier base `before`.
pub(super) fn base_of(local: &Details, remote: &DetailsChange, before: BaseDetails) -> BaseDetails {
    let mut base = before;
    let local = DetailsChange::from(local.clone());
    for name in DetailName::ALL {
        if let (Some(ours), Some(theirs)) = (name.number(&local), name.number(remote)) {
            base.local.set(name, ours);
            base.remote.set(name, theirs);
        }
    }
    base
}
