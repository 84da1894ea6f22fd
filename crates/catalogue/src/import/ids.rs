//! Which anime the trackers know by which numbers.

use std::collections::HashMap;

use shared::models::{AnimeId, TrackerIds};

/// The anime that are known, by their own identifiers and by those at the trackers.
#[derive(Clone, Debug, Default)]
pub struct AnimeIds {
    rows: HashMap<AnimeId, TrackerIds>,
    by_tracker_a: HashMap<u32, AnimeId>,
    by_tracker_b: HashMap<u32, AnimeId>,
}

impl AnimeIds {
    /// Takes note of an anime.
    pub fn insert(&mut self, id: AnimeId, trackers: TrackerIds) {
        if let Some(tracker_id) = trackers.a {
            self.by_tracker_a.insert(tracker_id, id);
        }
        if let Some(tracker_id) = trackers.b {
            self.by_tracker_b.insert(tracker_id, id);
        }
        self.rows.insert(id, trackers);
    }

    /// The numbers of an anime, if there is such a one.
    #[must_use]
    pub fn trackers_of(&self, id: AnimeId) -> Option<TrackerIds> {
        self.rows.get(&id).copied()
    }

    /// The anime with this number at tracker A.
    #[must_use]
    pub fn at_tracker_a(&self, number: u32) -> Option<AnimeId> {
        self.by_tracker_a.get(&number).copied()
    }

    /// The anime with this number at tracker B.
    #[must_use]
    pub fn at_tracker_b(&self, number: u32) -> Option<AnimeId> {
        self.by_tracker_b.get(&number).copied()
    }

    /// The numbers at tracker A that are known, in order.
    #[must_use]
    pub fn all_at_tracker_a(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = self.by_tracker_a.keys().copied().collect();
        numbers.sort_unstable();
        numbers
    }
}
