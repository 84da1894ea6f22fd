//! The entries of users' lists at a tracker, and the users' accounts there.

use shared::models::{DetailsChange, MAX_REPEATS, WatchProgress, WatchStatus};

use crate::score_format::ScoreFormat;

/// A user's entry for one anime at a tracker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackerEntry {
    /// The anime's identifier at the tracker.
    pub media_id: u32,
    /// The watch status.
    pub status: WatchStatus,
    /// The number of episodes watched.
    pub progress: u32,
    /// The details. A detail is `None` if the tracker does not have it, or if a story cannot hold its value.
    /// Tracker B has no private entries.
    pub details: DetailsChange,
    /// Time of the last change, in seconds since the Unix epoch; 0 if the tracker does not state it.
    pub updated_at: u64,
    /// The tracker's number of episodes, if known. The tracker does not store progress beyond it.
    pub episodes: Option<u32>,
}

/// A user's list of anime at a tracker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserList {
    /// The entries, ordered by the anime's identifier.
    pub entries: Vec<TrackerEntry>,
    /// The details that the entries can hold.
    pub limits: EntryLimits,
}

/// The details that a user's entries at a tracker can hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EntryLimits {
    /// The format of the user's scores.
    pub scores: ScoreFormat,
    /// True if only complete dates can be written. Incomplete dates can still be read.
    pub needs_complete_dates: bool,
}

/// The values to write to a user's entry for one anime. A value that is `None` stays unchanged at the tracker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryWrite {
    /// The anime's identifier at the tracker.
    pub media_id: u32,
    /// The watch status and the number of episodes watched.
    pub watched: Option<WatchProgress>,
    /// The tracker's number of episodes, if known: see [`TrackerEntry::episodes`].
    pub episodes: Option<u32>,
    /// The details. Tracker B has no private entries and ignores `private`.
    pub details: DetailsChange,
}

impl EntryWrite {
    /// Returns the status and the progress to send. The progress is limited to what the tracker can store.
    pub fn watched_to_send(&self) -> Option<WatchProgress> {
        let watched = self.watched?;
        Some(as_stored(watched, self.episodes))
    }
}

/// Returns the values that a tracker with this number of episodes would store for `watched`: its own number of episodes
/// if completed, otherwise at most that number (docs/trackers.md, "Known traps").
pub(crate) fn as_stored(watched: WatchProgress, episodes: Option<u32>) -> WatchProgress {
    let progress = match episodes {
        Some(all) if watched.status == WatchStatus::Completed => all,
        Some(all) => watched.progress.min(all),
        None => watched.progress,
    };
    WatchProgress {
        progress,
        ..watched
    }
}

/// Converts a number of repeats. Returns `None` if a story cannot hold it.
pub(crate) fn parse_repeats(number: i64) -> Option<u16> {
    let repeats = u16::try_from(number).ok();
    repeats.filter(|repeats| *repeats <= MAX_REPEATS)
}

/// The account at a tracker that a token belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Viewer {
    /// The account's identifier at the tracker.
    pub id: u64,
    /// The account's name at the tracker.
    pub name: String,
    /// URL of the account's image. Only an HTTPS URL is kept, because web pages show the image.
    pub avatar: Option<String>,
}

impl Viewer {
    pub(crate) fn new(id: u64, name: String, avatar: Option<String>) -> Self {
        let avatar = avatar.filter(|address| address.starts_with("https://"));
        Self { id, name, avatar }
    }
}
