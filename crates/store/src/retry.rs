//! Pauses between attempts.

use std::time::Duration;

/// The longest pause before an attempt that is another one: 25 ms, and twice as long each time. `None`
/// before the first.
pub fn pause_before(attempt: u32) -> Option<Duration> {
    let retry = attempt.checked_sub(1)?;
    Some(Duration::from_millis(25) * 2_u32.pow(retry))
}
