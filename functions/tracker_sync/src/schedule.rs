//! When a user is due next.

use std::time::Duration;

use crate::SyncState;

/// How long after a run an active user is due again, in milliseconds.
pub const ACTIVE_MS: u64 = 30 * 60 * 1000;

/// How long after a run a user is due again of whom nothing has changed for a week, in milliseconds.
pub const IDLE_MS: u64 = 6 * 60 * 60 * 1000;

/// How long after a run that left something open a user is due again, in milliseconds.
pub const AGAIN_MS: u64 = 10 * 60 * 1000;

/// The longest time until a tracker is asked again that failed, in milliseconds.
const LONGEST_MS: u64 = 24 * 60 * 60 * 1000;

/// For how long who has changed something is active, in milliseconds.
const RECENT_MS: u64 = 7 * 24 * 60 * 60 * 1000;

/// A time from now on, a tenth of it sooner or later by chance, so that those who came together do not
/// stay together.
pub fn in_about(state: &SyncState, ms: u64) -> u64 {
    let spread = state.random.below(ms / 5 + 1);
    state.clock.now_ms() + ms - ms / 10 + spread
}

/// Soon, for what was left open.
pub fn again(state: &SyncState) -> u64 {
    in_about(state, AGAIN_MS)
}

/// When all is done: sooner for who is active.
pub fn after_success(state: &SyncState, changed_at: u64, has_changed: bool) -> u64 {
    let is_recent = changed_at.saturating_add(RECENT_MS) >= state.clock.now_ms();
    let interval = if has_changed || is_recent {
        ACTIVE_MS
    } else {
        IDLE_MS
    };
    in_about(state, interval)
}

/// Milliseconds.
pub fn ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// When a tracker is asked again that has failed so often in a row: later each time, and not before it has
/// asked for.
pub fn after_failure(state: &SyncState, failures: u32, asked: Option<Duration>) -> u64 {
    let doubled = AGAIN_MS.saturating_mul(1 << failures.saturating_sub(1).min(10));
    let asked = asked.map_or(0, ms).min(LONGEST_MS);
    in_about(state, doubled.min(LONGEST_MS)).max(state.clock.now_ms() + asked)
}
