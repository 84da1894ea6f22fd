//! Access to values that threads share.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a value. A panic of another thread leaves it usable, because each write replaces a whole value.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
