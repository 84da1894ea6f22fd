//! Synchronization of a user's stories with the trackers that the user has linked (docs/trackers.md,
//! "Synchronization"): the three-way merge of a story, a tracker's entry, and the values that both had when
//! they were last synced. The merge reads no clock and makes no calls.

mod adopt;
mod details;
mod merge;
mod reconcile;

pub use merge::{EntryChange, LocalStory, MergeOutcome, RemoteEntry, merge};
pub use reconcile::{StoryOutcome, TrackerOutcome, TrackerSide, reconcile};
