//! Parts of an index that are computed from the others at their first use, such as row numbers sorted by identifier or
//! year.

use std::sync::OnceLock;

use shared::input::FilterId;

/// A part of an index that is computed from the others at its first use.
#[derive(Debug, Default)]
pub(super) struct LazyPart<T>(pub(super) OnceLock<T>);

/// Indexes with the same rows are equal, whether or not this part has been computed.
impl<T> PartialEq for LazyPart<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for LazyPart<T> {}

/// The row numbers, sorted by one value of the rows: an identifier or the year.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SortedRows(LazyPart<Vec<u32>>);

impl SortedRows {
    /// Returns the numbers of the rows with this value, in list order. `count` is the number of all rows. `key_of`
    /// returns the value of a row. Both must be the same at each call, because the rows are sorted only once.
    pub(super) fn rows(&self, key: u64, count: usize, key_of: impl Fn(usize) -> u64) -> &[u32] {
        let key_of = |number: &u32| key_of(*number as usize);
        let sorted = self.0.0.get_or_init(|| {
            let mut numbers: Vec<u32> = (0..u32::try_from(count).unwrap_or(u32::MAX)).collect();
            numbers.sort_unstable_by_key(|number| (key_of(number), *number));
            numbers
        });
        let start = sorted.partition_point(|number| key_of(number) < key);
        let end = sorted.partition_point(|number| key_of(number) <= key);
        sorted.get(start..end).unwrap_or_default()
    }

    /// Returns the numbers of the rows whose value is one of these identifiers, in list order.
    pub(super) fn rows_with_any(
        &self,
        ids: &[FilterId],
        count: usize,
        key_of: impl Fn(usize) -> u64 + Copy,
    ) -> Vec<u32> {
        let rows = ids
            .iter()
            .flat_map(|FilterId(id)| self.rows(*id, count, key_of));
        let mut rows: Vec<u32> = rows.copied().collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }
}
