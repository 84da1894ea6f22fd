//! The work of the searches on this thread: the words that they compared and the parts of texts that they read. It is
//! counted where it is done, so that a test notices work that a search does not take from its budget. Only tests count
//! it.

use std::cell::Cell;

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
