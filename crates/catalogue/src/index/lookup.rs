//! Parts of an index that are computed from the others at their first use, such as the order of identifiers.

use std::sync::OnceLock;

use shared::input::FilterId;

/// A part of an index that is computed from the others at its first use.
#[derive(Debug, Default)]
pub(super) struct Derived<T>(pub(super) OnceLock<T>);

/// Indexes with the same rows are equal, whether or not this part has been computed.
impl<T> PartialEq for Derived<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Derived<T> {}

/// The numbers of the rows in the order of one of their identifiers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Lookup(Derived<Vec<u32>>);

impl Lookup {
    /// Returns the numbers of the rows with this identifier, in list order. `count` is the number of all rows.
    /// `id_of` returns the identifier of a row. It must be the same function at each call, because the rows are
    /// sorted only once.
    pub(super) fn rows(&self, id: u64, count: usize, id_of: impl Fn(usize) -> u64) -> &[u32] {
        let id_of = |number: &u32| id_of(*number as usize);
        let sorted = self.0.0.get_or_init(|| {
            let mut numbers: Vec<u32> = (0..u32::try_from(count).unwrap_or(u32::MAX)).collect();
            numbers.sort_unstable_by_key(|number| (id_of(number), *number));
            numbers
        });
        let start = sorted.partition_point(|number| id_of(number) < id);
        let end = sorted.partition_point(|number| id_of(number) <= id);
        sorted.get(start..end).unwrap_or_default()
    }

    /// Returns the numbers of the rows with one of these identifiers, in list order.
    pub(super) fn rows_with_any(
        &self,
        ids: &[FilterId],
        count: usize,
        id_of: impl Fn(usize) -> u64 + Copy,
    ) -> Vec<u32> {
        let rows = ids
            .iter()
            .flat_map(|FilterId(id)| self.rows(*id, count, id_of));
        let mut rows: Vec<u32> = rows.copied().collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }
}
