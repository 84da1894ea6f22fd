//! Access to values that threads share.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a value. It stays usable after a panic of another thread, because each write replaces a whole value.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
