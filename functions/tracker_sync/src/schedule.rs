//! The times at which users are due (docs/trackers.md, "Schedule").

use std::time::Duration;

use crate::state::SyncState;

/// The interval between two runs for an active user, in milliseconds: 30 minutes.
pub const ACTIVE_MS: u64 = 30 * 60 * 1000;

/// The interval between two runs for a user without changes for a week, in milliseconds: 6 hours.
pub const IDLE_MS: u64 = 6 * 60 * 60 * 1000;

/// The interval after an incomplete run, in milliseconds: 10 minutes.
pub const AGAIN_MS: u64 = 10 * 60 * 1000;

/// The longest interval after failures in a row, in milliseconds: 24 hours.
const LONGEST_MS: u64 = 24 * 60 * 60 * 1000;

/// Period after a change in which a user counts as active, in milliseconds: 7 days.
const RECENT_MS: u64 = 7 * 24 * 60 * 60 * 1000;

/// Returns a time about `ms` milliseconds from now. It varies at random by up to 10 % either way, so that
/// users who were due together are spread over later runs.
pub fn in_about(state: &SyncState, ms: u64) -> u64 {
    let spread = state.random.below(ms / 5 + 1);
    state.clock.now_ms() + ms - ms / 10 + spread
}

/// Returns the due time after an incomplete run.
pub fn again(state: &SyncState) -> u64 {
    in_about(state, AGAIN_MS)
}

/// Returns the due time after a complete run, which is sooner for an active user.
pub fn after_success(state: &SyncState, changed_at: u64, has_changed: bool) -> u64 {
    let is_recent = changed_at.saturating_add(RECENT_MS) >= state.clock.now_ms();
    let interval = if has_changed || is_recent {
        ACTIVE_MS
    } else {
        IDLE_MS
    };
    in_about(state, interval)
}

/// Converts a duration to milliseconds.
pub fn ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Returns the time at which a failed tracker is tried again. The interval doubles with each consecutive
/// failure, and is at least the time that the tracker asks to wait, up to 24 hours.
pub fn after_failure(state: &SyncState, failures: u32, asked: Option<Duration>) -> u64 {
    let doubled = AGAIN_MS.saturating_mul(1 << failures.saturating_sub(1).min(10));
    let asked = asked.map_or(0, ms).min(LONGEST_MS);
    in_about(state, doubled.min(LONGEST_MS)).max(state.clock.now_ms() + asked)
}
