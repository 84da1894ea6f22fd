//! A limit on the request units that a command uses in a second.

use std::time::Duration;

use aws_sdk_dynamodb::types::ConsumedCapacity;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep_until};

/// Delays calls so that they use at most this number of request units a second on average.
pub struct UnitPace {
    /// `None` for no limit.
    units_per_second: Option<u32>,
    /// The time from which the units that have been used so far are within the limit.
    paid_at: Mutex<Instant>,
}

impl UnitPace {
    /// Creates a pace with this limit; `None` for no limit.
    pub fn new(units_per_second: Option<u32>) -> Self {
        Self {
            units_per_second,
            paid_at: Mutex::new(Instant::now()),
        }
    }

    /// Waits until another call may be made.
    pub async fn wait(&self) {
        if self.units_per_second.is_some() {
            let until = *self.paid_at.lock().await;
            sleep_until(until).await;
        }
    }

    /// Counts the units of a call.
    pub async fn count<'a>(&self, used: impl IntoIterator<Item = &'a ConsumedCapacity>) {
        let used: f64 = used
            .into_iter()
            .filter_map(|used| used.capacity_units)
            .sum();
        if let Some(limit) = self.units_per_second {
            let mut paid_at = self.paid_at.lock().await;
            let pause = Duration::try_from_secs_f64(used / f64::from(limit)).unwrap_or_default();
            *paid_at = (*paid_at).max(Instant::now()) + pause;
        }
    }
}
