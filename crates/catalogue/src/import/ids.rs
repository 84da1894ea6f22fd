//! The identifiers of known anime at the trackers.

use std::collections::HashMap;

use shared::Error;
use shared::models::{Anime, AnimeId, TrackerIds};
use store::CatalogueStore;

use super::{ID_TAKEN, TRACKER_ID_RANGE};

/// The known anime, by their identifiers in the catalogue and by those at the trackers.
#[derive(Clone, Debug, Default)]
pub struct AnimeIds {
    rows: HashMap<AnimeId, TrackerIds>,
    by_tracker_a: HashMap<u32, AnimeId>,
    by_tracker_b: HashMap<u32, AnimeId>,
}

impl AnimeIds {
    /// Reads the identifiers from the list index, which costs a fraction of reading the table. The index lags behind
    /// the table for a moment, so a run must not begin right after another one has ended without waiting for it
    /// ([`CatalogueStore::wait_for_list_index`]).
    pub async fn read(store: &CatalogueStore<Anime>) -> Result<Self, Error> {
        let mut ids = Self::default();
        for item in store.list_items().await? {
            if let Some(id) = item.id() {
                ids.insert(id, item.trackers());
            }
        }
        Ok(ids)
    }

    /// Adds an anime, or adds identifiers at the trackers that a known one does not have. As in its row, an
    /// identifier that it has stays.
    pub fn insert(&mut self, id: AnimeId, trackers: TrackerIds) {
        let known = self.trackers_of(id).unwrap_or_default();
        let trackers = TrackerIds {
            a: known.a.or(trackers.a),
            b: known.b.or(trackers.b),
        };
        if let Some(tracker_id) = trackers.a {
            self.by_tracker_a.insert(tracker_id, id);
        }
        if let Some(tracker_id) = trackers.b {
            self.by_tracker_b.insert(tracker_id, id);
        }
        self.rows.insert(id, trackers);
    }

    /// Returns the identifiers of an anime at the trackers, if the anime is known.
    #[must_use]
    pub fn trackers_of(&self, id: AnimeId) -> Option<TrackerIds> {
        self.rows.get(&id).copied()
    }

    /// Returns the anime with this identifier at tracker A.
    #[must_use]
    pub fn at_tracker_a(&self, number: u32) -> Option<AnimeId> {
        self.by_tracker_a.get(&number).copied()
    }

    /// Returns the anime with this identifier at tracker B.
    #[must_use]
    pub fn at_tracker_b(&self, number: u32) -> Option<AnimeId> {
        self.by_tracker_b.get(&number).copied()
    }

    /// Returns the identifier for an anime that is new to the catalogue ([`AnimeId::first_seen`]).
    ///
    /// # Errors
    /// [`TRACKER_ID_RANGE`] or [`ID_TAKEN`]: the anime must be skipped.
    pub fn new_id(&self, trackers: TrackerIds) -> Result<AnimeId, &'static str> {
        let id = AnimeId::first_seen(trackers.a, trackers.b).ok_or(TRACKER_ID_RANGE)?;
        match self.rows.get(&id) {
            None => Ok(id),
            Some(_) => Err(ID_TAKEN),
        }
    }

    /// Returns all identifiers at tracker A, in ascending order.
    #[must_use]
    pub fn all_at_tracker_a(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = self.by_tracker_a.keys().copied().collect();
        numbers.sort_unstable();
        numbers
    }
}
