//! The index in memory for lists and random picks (docs/data-model.md, "Snapshots").
//!
//! Rows are in list order. A search reads them once and allocates nothing for each row: facets are compared
//! in place, and a text pattern is searched for in one arena with the folded texts of all rows, so that the
//! search moves from hit to hit.

mod anime;
mod song;
mod text;

pub use anime::{AnimeFilter, AnimeIndex, TrackedAnime};
pub use song::{SongFilter, SongIndex};
pub use text::TextColumn;

use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::input::{PageRequest, Start};

/// The rows of a list, in list order.
pub trait ListIndex: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The filters of the list.
    type Filter;

    /// Returns a page of the rows that pass the filter.
    fn search(&self, filter: &Self::Filter, page: PageRequest) -> Matches;

    /// Returns the place of the row at a position of the list.
    fn place(&self, position: usize) -> Option<u64>;

    /// Returns the number of rows.
    fn len(&self) -> usize;

    /// Returns true if there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A part of a list, by the places of its rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    /// The number of matching rows on all pages.
    pub total: usize,
    /// The places of the page's rows in the list's order.
    pub places: Vec<u64>,
    /// True if a matching row comes after the page.
    pub more: bool,
}

/// Collects a page from matching rows, which it receives in list order.
struct Window {
    matches: Matches,
    per_page: usize,
    skip: usize,
    after: Option<u64>,
}

impl Window {
    fn new(page: PageRequest) -> Self {
        let matches = Matches {
            places: Vec::with_capacity(page.per_page),
            ..Matches::default()
        };
        Self {
            matches,
            per_page: page.per_page,
            skip: page.offset(),
            after: match page.start {
                Start::After(place) => Some(place),
                Start::First | Start::Page(_) => None,
            },
        }
    }

    fn take(&mut self, place: u64) {
        let position = self.matches.total;
        self.matches.total += 1;
        if position < self.skip || self.after.is_some_and(|after| place <= after) {
            return;
        }
        if self.matches.places.len() < self.per_page {
            self.matches.places.push(place);
        } else {
            self.matches.more = true;
        }
    }
}

/// Collects a page of the `rows` that `accept` returns true for. `rows` are those that match a text pattern,
/// or all.
fn search(
    places: impl Fn(usize) -> u64,
    rows: impl Iterator<Item = usize>,
    accept: impl Fn(usize) -> bool,
    page: PageRequest,
) -> Matches {
    let mut window = Window::new(page);
    for row in rows {
        if accept(row) {
            window.take(places(row));
        }
    }
    window.matches
}
