//! The work of a search: what it may do, and in tests, what the searches on this thread have done.

use std::cell::Cell;

// The work of a search, in steps. A step of reading is about 25 ns in an optimized build, and a step of a lookup
// about 2.5 ns.
/// The limit on the steps of a search in a small index, for reading and for lookups each. A larger index has higher
/// limits (`Texts::new_budget`).
pub const MIN_WORK: usize = 1 << 16;
/// The work of a step of reading, in steps of lookups.
const READING_WORK: usize = 10;

/// The steps that a search may still take. They limit the time of a long query: a search without steps left returns
/// what it has found.
pub struct Budget {
    /// The steps for reading texts. The more words a query has, the more steps it takes for each text.
    pub reading: usize,
    /// The steps for looking words up in the vocabulary.
    pub lookups: usize,
}

impl Budget {
    /// Returns the work between this budget and a later one, in steps of lookups.
    pub fn work_since(&self, later: &Self) -> usize {
        let reading = self.reading.saturating_sub(later.reading);
        READING_WORK * reading + self.lookups.saturating_sub(later.lookups)
    }
}

// The words that the searches on this thread have compared, and the parts of texts that they have read. The work is
// counted where it is done, so that a test notices work for which a search takes no steps from its budget. Only tests
// count it.
thread_local! {
    static TOTAL: Cell<usize> = const { Cell::new(0) };
}

/// Adds work.
pub fn add(work: usize) {
    if cfg!(test) {
        TOTAL.set(TOTAL.get() + work);
    }
}

/// Returns the work since the last call, and starts again at 0.
#[cfg(test)]
pub fn take_total() -> usize {
    TOTAL.take()
}
