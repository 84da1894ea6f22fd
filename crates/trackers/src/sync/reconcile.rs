//! Reconciliation: merges a story with the entries of both trackers.

use shared::models::{DetailsChange, PerTracker, SyncMark, SyncState, TrackerName};

use super::adopt::adopt_details;
use super::merge::{EntryChange, LocalStory, MergeOutcome, RemoteEntry, merge};
use crate::EntryLimits;

/// The maximum number of rounds in which a story is merged with both trackers. A change from one tracker can change the
/// export to the other. Two rounds are enough for that. The third round confirms that nothing changes, and the fourth
/// is a reserve.
const MAX_ROUNDS: usize = 4;

/// A story's linked account, sync state and entry at one tracker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrackerSide {
    /// The identifier of the linked account.
    pub account: u64,
    /// The details that the account's entries can hold.
    pub limits: EntryLimits,
    /// The sync state that the story stores for this tracker.
    pub sync_state: Option<SyncState>,
    /// The entry, if there is one.
    pub remote: Option<RemoteEntry>,
    /// True if the story must not be sent to this tracker ([`SyncMark::Apart`]).
    pub is_apart: bool,
    /// True if the tracker has no private entries. Then a private story must not be sent to it.
    pub lacks_private_entries: bool,
}

impl TrackerSide {
    /// Returns the details of the entry if an earlier version of the service has synced it without details.
    fn details_to_adopt(&self) -> Option<&DetailsChange> {
        let sync_state = self
            .sync_state
            .filter(|state| state.account == self.account)?;
        sync_state.base.filter(|base| base.details.is_none())?;
        self.remote.as_ref().map(|remote| &remote.details)
    }
}

/// The result of reconciling a story, for one tracker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrackerOutcome {
    /// True if the story takes values from this tracker.
    pub imported: bool,
    /// True if story and entry had both changed, and one side takes values from the other.
    pub conflict: bool,
    /// The values to write to the tracker's entry, if it must be written.
    pub export: Option<EntryChange>,
    /// The new sync state for this tracker, if it differs from the stored one.
    pub sync_state: Option<SyncState>,
}

/// The result of reconciling a story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoryOutcome {
    /// The merged story. Its version is higher if it has changed.
    pub local: LocalStory,
    /// The result for tracker A, then for tracker B.
    pub trackers: PerTracker<TrackerOutcome>,
}

/// Merges a story with the entries of both trackers. `sides` holds the account, sync state and entry at each
/// tracker. A side is `None` if no account is linked or its list could not be read. Returns `None` if there
/// is neither story nor entry.
pub fn reconcile(
    all_episodes: u32,
    local: Option<LocalStory>,
    sides: &PerTracker<Option<TrackerSide>>,
) -> Option<StoryOutcome> {
    let mut story = local;
    let stored = |tracker| sides[tracker].as_ref().and_then(|side| side.sync_state);
    let mut sync_states = PerTracker::from_fn(stored);
    let mut trackers = PerTracker::<TrackerOutcome>::default();
    if let Some(story) = &mut story {
        let entries = PerTracker::from_fn(|tracker| sides[tracker].as_ref()?.details_to_adopt());
        for (tracker, adopted) in adopt_details(story, entries).iter() {
            let base = sync_states[tracker]
                .as_mut()
                .and_then(|state| state.base.as_mut());
            if let (Some(adopted), Some(base)) = (adopted, base) {
                base.details = Some(adopted.base);
                trackers[tracker].imported = adopted.is_source;
            }
        }
    }
    for _ in 0..MAX_ROUNDS {
        let before = story.clone();
        for (tracker, side) in sides.iter() {
            let Some(side) = side else { continue };
            let sync_state = sync_states[tracker];
            let merged = merge_side(all_episodes, story.as_ref(), sync_state, side);
            let Some(merged) = merged else { continue };
            let outcome = &mut trackers[tracker];
            outcome.imported |= story
                .as_ref()
                .is_none_or(|story| story.version != merged.local.version);
            outcome.conflict |= merged.conflict;
            outcome.export = merged.export;
            sync_states[tracker] = merged.sync_state.or(sync_state);
            story = Some(merged.local);
        }
        if story == before {
            break;
        }
    }
    for tracker in TrackerName::ALL {
        trackers[tracker].sync_state =
            sync_states[tracker].filter(|_| sync_states[tracker] != stored(tracker));
    }
    story.map(|local| StoryOutcome { local, trackers })
}

fn merge_side(
    all_episodes: u32,
    story: Option<&LocalStory>,
    sync_state: Option<SyncState>,
    side: &TrackerSide,
) -> Option<MergeOutcome> {
    let merged = merge(
        side.account,
        side.limits,
        all_episodes,
        story,
        sync_state.as_ref(),
        side.remote.as_ref(),
    )?;
    // A withheld story takes values from the tracker but is not sent to it.
    let is_apart = side.is_apart || (side.lacks_private_entries && merged.local.details.private);
    let is_withheld = is_apart && merged.export.is_some();
    if !is_withheld {
        return Some(merged);
    }
    let base = sync_state.filter(|state| state.account == side.account);
    Some(MergeOutcome {
        export: None,
        conflict: false,
        sync_state: Some(SyncState {
            account: side.account,
            version: merged.local.version,
            mark: SyncMark::Apart,
            base: base.and_then(|state| state.base),
        }),
        ..merged
    })
}
