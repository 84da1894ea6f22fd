//! The clock. No other module reads the time of the system.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A clock: the system's clock, or a manual one, which moves only when a test advances it. All code that needs
/// the time receives a clock.
#[derive(Clone, Debug)]
pub struct Clock(TimeSource);

#[derive(Clone, Debug)]
enum TimeSource {
    System,
    Manual(Arc<AtomicU64>),
}

impl Clock {
    /// Returns the system's clock.
    pub fn system() -> Self {
        Self(TimeSource::System)
    }

    /// Returns a clock that stands still until [`Clock::advance`] moves it, for tests. It starts at `start`
    /// milliseconds since the Unix epoch.
    pub fn manual(start: u64) -> Self {
        Self(TimeSource::Manual(Arc::new(AtomicU64::new(start))))
    }

    /// Returns the milliseconds since the Unix epoch.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the system's clock"
    )]
    pub fn now_ms(&self) -> u64 {
        match &self.0 {
            TimeSource::System => SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| {
                    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
                }),
            TimeSource::Manual(ms) => ms.load(Ordering::Relaxed),
        }
    }

    /// Returns the whole seconds since the Unix epoch.
    pub fn now_s(&self) -> u64 {
        self.now_ms() / 1000
    }

    /// Moves a manual clock and all of its clones forward. Has no effect on the system's clock.
    pub fn advance(&self, by: Duration) {
        if let TimeSource::Manual(ms) = &self.0 {
            let by = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
            ms.fetch_add(by, Ordering::Relaxed);
        }
    }
}
