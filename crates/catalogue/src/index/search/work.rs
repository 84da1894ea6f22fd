//! The work of a search: what it may do, and in tests, what the searches on this thread have done.

use std::cell::Cell;

// Work is counted in units of about 2.5 ns in an optimized build: one comparison of two `Letters`. Reading texts is
// counted in reads of about 25 ns.
/// The limit on the reads, and on the units of lookups, of a search in a small index. A larger index has higher limits
/// (`Texts::new_budget`).
pub const MIN_WORK: usize = 1 << 16;
/// The units of a read.
const READING_WORK: usize = 10;

/// The work that a search may still do. It limits the time of a long query: a search without any left returns what it
/// has found.
pub struct Budget {
    /// The reads of texts. The more words a query has, the more reads it takes for each text.
    pub reading: usize,
    /// The units of work for looking words up in the vocabulary.
    pub lookups: usize,
}

impl Budget {
    /// Returns the units of work between this budget and a later one.
    pub fn work_since(&self, later: &Self) -> usize {
        let reading = self.reading.saturating_sub(later.reading);
        READING_WORK * reading + self.lookups.saturating_sub(later.lookups)
    }
}

// The words that the searches on this thread have compared, and the parts of texts that they have read. The work is
// counted where it is done, so that a test notices work that a search does not take from its budget. Only tests count
// it.
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
