//! The searches for the names of one request.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use shared::models::AnimeId;

use crate::index::search::{EXACT_POINTS, SeparatedWords};
use crate::index::{AnimeIndex, SearchQuery};
use crate::seasons::Series;

/// The maximum number of anime with the same title that are compared.
const MAX_SAME_TITLE: usize = 20;

/// The maximum number of anime with a similar title that are compared. Those that do not fit the year or the format of
/// a name are left out later.
const MAX_SIMILAR: usize = 100;

/// The work after which other requests go on: about 5 ms.
const WORK_BETWEEN_PAUSES: u64 = 2_000_000;

/// The number of places of a season map that are compared in a unit of work.
const PLACES_IN_UNIT: usize = 2;

/// The limits on the work of the searches of one request, in units of about 2.5 ns in an optimized build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameLimits {
    /// The limit on searches for similar titles. A long name takes up to 7 ms.
    pub similar: u64,
    /// The limit on all searches. A search for a title itself takes a few microseconds, so it can go on when too much
    /// work was done for similar titles.
    pub all: u64,
}

impl NameLimits {
    /// No limits, for a command that delays no other work.
    pub const NONE: Self = Self {
        similar: u64::MAX,
        all: u64::MAX,
    };
}

/// About 1 s for similar titles, and 1.5 s for all searches.
impl Default for NameLimits {
    fn default() -> Self {
        Self {
            similar: 400_000_000,
            all: 600_000_000,
        }
    }
}

/// The anime that were found for a title, best first, each with its points.
type RatedAnime = Vec<(AnimeId, u16)>;

/// The searches for the names of one request. Equal titles are searched once. The work of all searches together is
/// limited, because a request can have thousands of names.
#[derive(Debug, Default)]
pub struct NameSearches {
    limits: NameLimits,
    work: u64,
    similar_work: u64,
    /// The work until the last pause.
    work_at_pause: u64,
    /// True if a search for the current name was left out.
    pub(super) has_left_out: bool,
    separated: SeparatedWords,
    titles: HashMap<String, RatedAnime>,
    similar: HashMap<String, RatedAnime>,
    series: HashMap<AnimeId, Arc<[Series]>>,
}

impl NameSearches {
    /// Creates the searches of a request with these limits.
    pub fn new(limits: NameLimits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// Returns true about every 5 ms of work. The caller then lets other requests go on.
    pub fn is_pause_due(&mut self) -> bool {
        let is_due = self.work - self.work_at_pause >= WORK_BETWEEN_PAUSES;
        if is_due {
            self.work_at_pause = self.work;
        }
        is_due
    }

    /// Returns the anime with exactly this title.
    pub(super) fn find_titles(&mut self, index: &AnimeIndex, title: &str) -> &[(AnimeId, u16)] {
        match self.titles.entry(title.to_owned()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(_) if self.work >= self.limits.all => {
                self.has_left_out = true;
                &[]
            }
            Entry::Vacant(place) => {
                let query = SearchQuery::new(title);
                let found = query.and_then(|query| index.rate_titles(&query, &mut self.separated));
                let (mut rated, work) = found.unwrap_or_default();
                rated.retain(|(_, points)| *points >= EXACT_POINTS);
                rated.truncate(MAX_SAME_TITLE);
                self.work += work as u64;
                place.insert(rated)
            }
        }
    }

    /// Returns the anime with a similar title.
    pub(super) fn find_similar(&mut self, index: &AnimeIndex, title: &str) -> &[(AnimeId, u16)] {
        let is_over = self.work >= self.limits.all || self.similar_work >= self.limits.similar;
        match self.similar.entry(title.to_owned()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(_) if is_over => {
                self.has_left_out = true;
                &[]
            }
            Entry::Vacant(place) => {
                let found = SearchQuery::new(title).and_then(|query| index.rate(&query));
                let (mut rated, work) = found.unwrap_or_default();
                rated.truncate(MAX_SIMILAR);
                rated.shrink_to_fit();
                self.work += work as u64;
                self.similar_work += work as u64;
                place.insert(rated)
            }
        }
    }

    /// Returns the series of an anime. `read` reads them, and returns the number of places that it compares.
    pub(super) fn series_of(
        &mut self,
        anime: AnimeId,
        read: impl FnOnce() -> Option<(Arc<[Series]>, usize)>,
    ) -> Arc<[Series]> {
        let known = self.series.entry(anime).or_insert_with(|| {
            let (series, places) = read().unwrap_or_default();
            self.work += (places / PLACES_IN_UNIT) as u64;
            series
        });
        Arc::clone(known)
    }
}
