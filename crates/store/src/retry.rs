//! Pauses between attempts.

use std::time::Duration;

/// Returns the longest pause before a retry: 25 ms before the first, then twice as long each time. `None`
/// for attempt 0, which needs no pause.
pub fn pause_before(attempt: u32) -> Option<Duration> {
    let retry = attempt.checked_sub(1)?;
    Some(Duration::from_millis(25) * 2_u32.pow(retry))
}
