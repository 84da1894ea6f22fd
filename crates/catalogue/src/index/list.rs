//! A list in memory: its interface, the parts of filters that all lists have, and pages.

use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::input::{FilterId, PageRequest, PageStart};

use super::main_titles::MainTitles;
use super::search::RankKey;
use crate::index::search::{SearchQuery, TextSearch};
use crate::rows::document::RowRevision;

/// An index in memory: the rows of a list, in list order.
pub trait ListIndex: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The filters of the list.
    type Filter;

    /// Returns a page of the rows that pass the filter. Returns `None` if the filter has a `search` and the texts
    /// for it are not loaded.
    fn search(&self, filter: &Self::Filter, page: PageRequest) -> Option<Matches>;

    /// Returns the texts for searches. They are not serialized with the index.
    fn texts(&self) -> &TextSearch;

    /// Returns the main titles for exports; `None` if no export has documents of this kind. They are not serialized
    /// with the index.
    fn main_titles(&self) -> Option<&MainTitles> {
        None
    }

    /// Returns true if the parts of the index fit together. If not, its bytes were damaged.
    fn is_consistent(&self) -> bool;

    /// Returns the row with this number, from 0; `None` after the last row.
    fn row(&self, number: usize) -> Option<IndexedRow>;

    /// Returns the row with this identifier.
    fn find(&self, id: u64) -> Option<IndexedRow>;

    /// Returns the number of rows.
    fn len(&self) -> usize;

    /// Returns true if there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A row of the list, which stands for a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexedRow {
    /// The identifier of the document.
    pub id: u64,
    /// The revision of the document's row when the index was built.
    pub revision: RowRevision,
    /// The list key: the position in the list.
    pub list_key: u64,
}

impl IndexedRow {
    /// Returns a row with only an identifier.
    pub fn unknown(id: u64) -> Self {
        Self {
            id,
            revision: None,
            list_key: 0,
        }
    }

    /// Returns the identifier and the revision.
    pub fn version(&self) -> (u64, RowRevision) {
        (self.id, self.revision)
    }
}

/// A page of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    /// The number of matching rows on all pages.
    pub total: usize,
    /// The page's rows: in list order, or for a search in order of rank.
    pub rows: Vec<IndexedRow>,
    /// The position after which the next page begins, if a matching row comes after this page: the list key of
    /// the last row, or for a search its rank and list key.
    pub next: Option<u128>,
}

/// Identifiers in a filter, any of which may match. `None` accepts all rows.
pub(super) type Ids = Option<Vec<FilterId>>;

/// Returns true if a row with this identifier is accepted.
pub(super) fn accepts(ids: &Ids, id: u64) -> bool {
    ids.as_ref().is_none_or(|ids| ids.contains(&FilterId(id)))
}

/// A row of an index.
pub(super) trait IndexEntry {
    /// Returns the row as the list has it.
    fn listed(&self) -> IndexedRow;
}

/// The rows of an index, in list order, and the page of them that is wanted.
pub(super) struct WantedPage<'i, R> {
    pub rows: &'i [R],
    pub page: PageRequest,
}

impl<R: IndexEntry> WantedPage<'_, R> {
    /// Returns the number of rows up to a list key.
    fn rows_up_to(&self, list_key: impl TryInto<u64>) -> usize {
        let list_key = list_key.try_into().unwrap_or(u64::MAX);
        self.rows
            .partition_point(|row| row.listed().list_key <= list_key)
    }

    /// Returns a page of the rows that a search finds and for which `accept` returns true; `None` if the texts are not
    /// loaded.
    pub fn search(
        &self,
        texts: &TextSearch,
        query: &SearchQuery,
        accept: impl Fn(usize) -> bool,
    ) -> Option<Matches> {
        let page = self.page;
        // The next page begins at the same rank with the first row after the list key, even if no row has that list key
        // any longer.
        let first_after = |position: u128| {
            let row = self.rows_up_to(position & u128::from(u64::MAX));
            RankKey {
                // A rank beyond the range, from a forged cursor, is after all results.
                rank: u16::try_from(position >> 64).unwrap_or(u16::MAX),
                row: u32::try_from(row).unwrap_or(u32::MAX),
            }
        };
        let from = match page.start {
            PageStart::After(position) => Some(first_after(position)),
            PageStart::First | PageStart::Page(_) => None,
        };
        let found = texts.search(query, accept, from, page.offset(), page.per_page)?;
        let keys = found.keys.iter();
        let rows: Vec<IndexedRow> = keys
            .map(|key| self.rows[key.row as usize].listed())
            .collect();
        let last = found.keys.last().zip(rows.last());
        let position = |(key, row): (&RankKey, &IndexedRow)| {
            u128::from(key.rank) << 64 | u128::from(row.list_key)
        };
        Some(Matches {
            total: found.total,
            next: last.filter(|_| found.has_more).map(position),
            rows,
        })
    }

    /// Returns a page of all rows, without visiting the rows before the page.
    pub fn all(&self) -> Matches {
        let count = self.rows.len();
        let start = match self.page.start {
            PageStart::After(position) => self.rows_up_to(position),
            PageStart::First | PageStart::Page(_) => self.page.offset().min(count),
        };
        let end = start.saturating_add(self.page.per_page).min(count);
        let rows: Vec<IndexedRow> = self.rows[start..end].iter().map(R::listed).collect();
        let last = rows.last().filter(|_| end < count);
        Matches {
            total: count,
            next: last.map(|row| row.list_key.into()),
            rows,
        }
    }

    /// Returns a page of the rows for which `accept` returns true. `rows` are the numbers of the rows to check, in
    /// ascending order: those that an identifier, a text pattern or the year selects, or all rows.
    pub fn accepted(
        &self,
        rows: impl Iterator<Item = usize>,
        accept: impl Fn(usize) -> bool,
    ) -> Matches {
        let page = self.page;
        let mut matching = rows.filter(|row| accept(*row)).peekable();
        let mut before = 0;
        match page.start {
            PageStart::After(position) => {
                let start = self.rows_up_to(position);
                while matching.next_if(|row| *row < start).is_some() {
                    before += 1;
                }
            }
            PageStart::First | PageStart::Page(_) => {
                before = matching.by_ref().take(page.offset()).count();
            }
        }
        let mut rows = Vec::with_capacity(page.per_page);
        let listed = matching.by_ref().take(page.per_page);
        rows.extend(listed.map(|row| self.rows[row].listed()));
        let after = matching.count();
        let last: Option<&IndexedRow> = rows.last().filter(|_| after > 0);
        Matches {
            total: before + rows.len() + after,
            next: last.map(|row| row.list_key.into()),
            rows,
        }
    }
}
