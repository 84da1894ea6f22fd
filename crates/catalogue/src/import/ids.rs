//! The identifiers of known anime at the trackers.

use std::collections::HashMap;

use shared::Result;
use shared::fold::fold;
use shared::models::{Anime, AnimeFormat, AnimeId, Localized, PerTracker, TrackerIds, TrackerName};

use super::anime::AnimeFields;
use super::limits::{ID_TAKEN, TRACKER_ID_RANGE, TWO_ANIME};
use crate::rows::document_store::CatalogueStore;

/// The known anime, by their identifiers in the catalogue and at the trackers.
#[derive(Clone, Debug, Default)]
pub struct AnimeIds {
    rows: HashMap<AnimeId, TrackerIds>,
    by_tracker: PerTracker<HashMap<u32, AnimeId>>,
    /// The anime that lack an identifier at a tracker, by their likeness. `None` stands for several anime with the
    /// same likeness.
    incomplete: HashMap<Likeness, Option<AnimeId>>,
}

/// The values by which entries of two trackers are recognized as the same anime, if neither entry has the identifier
/// at the other tracker.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Likeness {
    /// A title, folded.
    title: String,
    format: AnimeFormat,
    year: u16,
}

/// Returns the likenesses of an anime, one for each title.
fn likenesses(
    titles: &Localized,
    format: AnimeFormat,
    year: Option<u16>,
) -> impl Iterator<Item = Likeness> {
    // Tracker B does not distinguish short series from others.
    let format = match format {
        AnimeFormat::TvShort => AnimeFormat::Tv,
        format => format,
    };
    let titles = year
        .into_iter()
        .flat_map(|year| titles.values().map(move |title| (title, year)));
    titles.filter_map(move |(title, year)| {
        // A title of punctuation alone folds to nothing.
        let title = Some(fold(title)).filter(|title| !title.is_empty())?;
        Some(Likeness {
            title,
            format,
            year,
        })
    })
}

impl AnimeIds {
    /// Reads the identifiers from the list index, which costs a fraction of reading the table. The index lags behind
    /// the table for a moment, and the next run may begin right after a run. So a run that has written rows must
    /// wait for the index before it ends ([`CatalogueStore::wait_for_list_index`]).
    pub async fn read(store: &CatalogueStore<Anime>) -> Result<Self> {
        let mut ids = Self::default();
        for item in store.list_items().await? {
            if let Some(id) = item.id() {
                ids.insert(id, item.trackers());
                let likenesses = likenesses(&item.titles, item.format, item.season_year);
                ids.add_likenesses(id, likenesses);
            }
        }
        Ok(ids)
    }

    /// Adds an anime. If the anime is known, adds only the identifiers at trackers that it lacks. Its identifiers are
    /// kept, as a merge keeps them in the row.
    pub fn insert(&mut self, id: AnimeId, trackers: TrackerIds) {
        let known = self.trackers_of(id).unwrap_or_default();
        let trackers = TrackerIds::from_fn(|tracker| known[tracker].or(trackers[tracker]));
        for (tracker, tracker_id) in trackers.iter() {
            if let Some(tracker_id) = tracker_id {
                self.by_tracker[tracker].insert(*tracker_id, id);
            }
        }
        self.rows.insert(id, trackers);
    }

    /// Adds an anime like [`AnimeIds::insert`] does. Also records its titles, format and year, so that
    /// [`AnimeIds::find_alike`] finds it.
    pub fn insert_with(&mut self, id: AnimeId, trackers: TrackerIds, fields: &AnimeFields) {
        self.insert(id, trackers);
        if let Some(format) = fields.format {
            let likenesses = likenesses(&fields.titles, format, fields.season_year);
            self.add_likenesses(id, likenesses);
        }
    }

    fn add_likenesses(&mut self, id: AnimeId, likenesses: impl Iterator<Item = Likeness>) {
        let trackers = self.trackers_of(id).unwrap_or_default();
        if trackers.a.is_some() && trackers.b.is_some() {
            return;
        }
        for likeness in likenesses {
            let known = self.incomplete.entry(likeness).or_insert(Some(id));
            if *known != Some(id) {
                *known = None;
            }
        }
    }

    /// Returns the anime that has no identifier at this tracker, and has one of these titles, the same format and the
    /// same year. Returns `None` if there are several.
    pub fn find_alike(
        &self,
        tracker: TrackerName,
        titles: &Localized,
        format: AnimeFormat,
        year: Option<u16>,
    ) -> Option<AnimeId> {
        let mut found = None;
        for likeness in likenesses(titles, format, year) {
            let Some(known) = self.incomplete.get(&likeness) else {
                continue;
            };
            let id = (*known)?;
            if *found.get_or_insert(id) != id {
                return None;
            }
        }
        let lacks_id = |id: &AnimeId| {
            let trackers = self.trackers_of(*id);
            trackers.is_some_and(|trackers| trackers[tracker].is_none())
        };
        found.filter(lacks_id)
    }

    /// Returns the identifiers of an anime at the trackers, if the anime is known.
    pub fn trackers_of(&self, id: AnimeId) -> Option<TrackerIds> {
        self.rows.get(&id).copied()
    }

    /// Returns the anime with this identifier at a tracker.
    pub fn at(&self, tracker: TrackerName, tracker_id: u32) -> Option<AnimeId> {
        self.by_tracker[tracker].get(&tracker_id).copied()
    }

    /// Returns the anime with one of these identifiers.
    ///
    /// # Errors
    /// [`TWO_ANIME`]: the anime must be skipped.
    pub fn find(&self, trackers: TrackerIds) -> Result<Option<AnimeId>, &'static str> {
        let found = PerTracker::from_fn(|tracker| self.at(tracker, trackers[tracker]?));
        match (found.a, found.b) {
            (Some(a), Some(b)) if a != b => Err(TWO_ANIME),
            (a, b) => Ok(a.or(b)),
        }
    }

    /// Returns the identifier for an anime that is new to the catalogue ([`AnimeId::from_tracker_ids`]).
    ///
    /// # Errors
    /// [`TRACKER_ID_RANGE`] or [`ID_TAKEN`]: the anime must be skipped.
    pub fn new_id(&self, trackers: TrackerIds) -> Result<AnimeId, &'static str> {
        let id = AnimeId::from_tracker_ids(trackers.a, trackers.b).ok_or(TRACKER_ID_RANGE)?;
        match self.rows.get(&id) {
            None => Ok(id),
            Some(_) => Err(ID_TAKEN),
        }
    }

    /// Returns all identifiers at tracker A, in ascending order.
    pub fn all_at_tracker_a(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = self.by_tracker.a.keys().copied().collect();
        numbers.sort_unstable();
        numbers
    }
}
