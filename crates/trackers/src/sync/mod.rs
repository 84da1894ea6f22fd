//! Synchronization of a user's stories with the trackers that the user has linked (docs/trackers.md,
//! "Synchronization"): the three-way merge of a story, a tracker's entry, and the values that both had when
//! they were last synced. It has no clock and makes no calls.

mod adopt;
mod details;
mod merge;
mod reconcile;

pub use merge::{EntryChange, Local, Merged, Remote, merge};
pub use reconcile::{StoryOutcome, TrackerOutcome, TrackerSide, reconcile};
