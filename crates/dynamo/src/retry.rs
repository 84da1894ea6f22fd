//! The pauses between attempts.

use std::time::Duration;

/// Returns the pause before an attempt: 25 ms before the first retry, then twice as long each time. `None` for
/// attempt 0, the first one. Transactions wait for a random time up to this pause.
pub fn pause_before(attempt: u32) -> Option<Duration> {
    let retry = attempt.checked_sub(1)?;
    Some(Duration::from_millis(25) * 2_u32.pow(retry))
}
