//! Synchronization of a user's stories with the trackers that the user has linked (docs/trackers.md,
//! "Synchronization"): the three-way merge between a story, a tracker's entry, and the state in which both
//! were last the same.

mod merge;
mod reconcile;

pub use merge::{Local, Merged, Remote, merge};
pub use reconcile::{Outcome, TrackerOutcome, TrackerSide, reconcile};
