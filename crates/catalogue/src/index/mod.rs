//! The index in memory, for lists and random picks (docs/data-model.md, "Snapshots").
//!
//! Rows are in list order. A row is identified by its number, from 0, or by its list key
//! ([`store::Document::list_key`]). A search reads the rows once and allocates nothing for each row: the
//! fields that filters compare are in the row itself, except genres, which are in one list for all rows, and
//! texts. The folded texts of a column, such as the titles, are in one string, the arena, in which a search
//! jumps from match to match.

mod anime;
mod song;
mod text;

pub use anime::{AnimeFilter, AnimeIndex, TrackedAnime};
pub use song::{SongFilter, SongIndex};
pub use text::TextColumn;

use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::input::{PageRequest, Start};

/// An index in memory: the rows of a list, in list order.
pub trait ListIndex: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The filters of the list.
    type Filter;

    /// Returns a page of the rows that pass the filter.
    fn search(&self, filter: &Self::Filter, page: PageRequest) -> Matches;

    /// Returns the list key of the row with this number, from 0; `None` after the last row.
    fn list_key(&self, position: usize) -> Option<u64>;

    /// Returns the number of rows.
    fn len(&self) -> usize;

    /// Returns true if there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A page of a list, by the list keys of its rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    /// The number of matching rows on all pages.
    pub total: usize,
    /// The list keys of the page's rows, in list order.
    pub list_keys: Vec<u64>,
    /// True if a matching row comes after the page.
    pub more: bool,
}

/// Collects a page from the matching rows of a list, which it receives in list order.
struct Window {
    matches: Matches,
    per_page: usize,
    skip: usize,
    after: Option<u64>,
}

impl Window {
    fn new(page: PageRequest) -> Self {
        let matches = Matches {
            list_keys: Vec::with_capacity(page.per_page),
            ..Matches::default()
        };
        Self {
            matches,
            per_page: page.per_page,
            skip: page.offset(),
            after: match page.start {
                Start::After(list_key) => Some(list_key),
                Start::First | Start::Page(_) => None,
            },
        }
    }

    fn take(&mut self, list_key: u64) {
        let position = self.matches.total;
        self.matches.total += 1;
        if position < self.skip || self.after.is_some_and(|after| list_key <= after) {
            return;
        }
        if self.matches.list_keys.len() < self.per_page {
            self.matches.list_keys.push(list_key);
        } else {
            self.matches.more = true;
        }
    }
}

/// Returns a page of the rows for which `accept` returns true. `rows` are the numbers of the rows that match
/// the text pattern, or of all rows. `list_keys` returns the list key of a row.
fn search(
    list_keys: impl Fn(usize) -> u64,
    rows: impl Iterator<Item = usize>,
    accept: impl Fn(usize) -> bool,
    page: PageRequest,
) -> Matches {
    let mut window = Window::new(page);
    for row in rows {
        if accept(row) {
            window.take(list_keys(row));
        }
    }
    window.matches
}
