//! Keeping a user's stories in step with the trackers that they link (trackers.md,
//! "Synchronisation"): what is kept of the last time that both sides were the same, and what follows
//! from that and from what they are now.

mod merge;
mod reconcile;

pub use merge::{Local, Merged, Remote, merge};
pub use reconcile::{Outcome, TrackerOutcome, TrackerSide, reconcile};
