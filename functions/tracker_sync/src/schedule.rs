//! The times at which users are due (docs/trackers.md, "Schedule").

use std::time::Duration;

use crate::services::SyncServices;

/// The interval between two runs for an active user, in milliseconds: 30 minutes.
pub const ACTIVE_MS: u64 = 30 * 60 * 1000;

/// The interval between two runs for a user without changes for a week, in milliseconds: 6 hours.
pub const IDLE_MS: u64 = 6 * 60 * 60 * 1000;

/// The interval after an incomplete run or a first failure, in milliseconds: 10 minutes.
pub const RETRY_MS: u64 = 10 * 60 * 1000;

/// The longest interval after consecutive failures, before it is varied by up to 10 %, in milliseconds: 24 hours. A
/// longer wait that a tracker asks for is shortened to this time.
const LONGEST_MS: u64 = 24 * 60 * 60 * 1000;

/// The time for which a user counts as active after a change, in milliseconds: 7 days.
const RECENT_MS: u64 = 7 * 24 * 60 * 60 * 1000;

/// Returns a time about `ms` milliseconds from now. It varies at random by up to 10 % either way, so that
/// users who were due together are spread over later runs.
pub fn after_about(services: &SyncServices, ms: u64) -> u64 {
    let spread = services.random.below(ms / 5 + 1);
    services.clock.now_ms() + ms - ms / 10 + spread
}

/// Returns the due time after an incomplete run.
pub fn after_incomplete_run(services: &SyncServices) -> u64 {
    after_about(services, RETRY_MS)
}

/// Returns the due time after a complete run, which is sooner for an active user.
pub fn after_success(services: &SyncServices, changed_at: u64, has_changed: bool) -> u64 {
    let is_recent = changed_at.saturating_add(RECENT_MS) >= services.clock.now_ms();
    let interval = if has_changed || is_recent {
        ACTIVE_MS
    } else {
        IDLE_MS
    };
    after_about(services, interval)
}

/// Converts a duration to milliseconds.
pub fn to_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Returns the time at which a failed tracker is tried again. The interval is 10 minutes after the first failure,
/// doubles with each consecutive failure up to 24 hours, and varies by up to 10 %. If the tracker asks for a longer
/// wait, that is used instead, but at most 24 hours of it.
pub fn after_failure(
    services: &SyncServices,
    failures: u32,
    requested_wait: Option<Duration>,
) -> u64 {
    let doubled = RETRY_MS.saturating_mul(1 << failures.saturating_sub(1).min(10));
    let wait = requested_wait.map_or(0, to_ms).min(LONGEST_MS);
    after_about(services, doubled.min(LONGEST_MS)).max(services.clock.now_ms() + wait)
}
