//! The limit on messages at an address.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use shared::models::UserId;
use shared::{Error, Result};

/// The maximum number of messages to an address at once. A server sends a message for each episode of a series that its
/// user marks as played, and does not repeat refused messages.
const MAX_BURST: u64 = 1_500;

/// The time after which an address takes one more message, in milliseconds: 60 in a minute.
const INTERVAL_MS: u64 = 1_000;

/// The number of addresses above which addresses without recent messages are removed.
const MAX_ADDRESSES: usize = 10_000;

/// Counts the messages to each address in the memory of the process, because a message that changes nothing must write
/// nothing. On Lambda, each instance of the function has its own counters.
///
/// The value of an address is the time at which its allowance is full again: each message moves it by [`INTERVAL_MS`].
#[derive(Debug, Default)]
pub struct MessageLimiter(Mutex<HashMap<(UserId, u8), u64>>);

impl MessageLimiter {
    /// Counts a message at `now`, in milliseconds since the Unix epoch.
    ///
    /// # Errors
    /// [`Error::TooManyRequests`] if the address has had 1,500 messages beyond 60 in a minute, with the seconds until
    /// the next message is accepted.
    pub fn count(&self, address: (UserId, u8), now: u64) -> Result<()> {
        let mut counters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counters.len() >= MAX_ADDRESSES {
            counters.retain(|_, full_at| *full_at > now);
        }
        let full_at = counters.entry(address).or_insert(now);
        let next = (*full_at).max(now).saturating_add(INTERVAL_MS);
        let longest = now.saturating_add(MAX_BURST * INTERVAL_MS);
        if next > longest {
            return Err(Error::TooManyRequests((next - longest).div_ceil(1000)));
        }
        *full_at = next;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use shared::Error;
    use shared::models::UserId;

    use super::MessageLimiter;

    #[test]
    fn burst_is_accepted_and_then_one_message_in_a_second() {
        let limiter = MessageLimiter::default();
        let address = (UserId::new(1).unwrap(), 0);
        let accepted = |now: u64| limiter.count(address, now).is_ok();
        assert!((0..1_500).all(|_| accepted(1_000_000)));
        let refused = limiter.count(address, 1_000_000);
        assert!(
            matches!(refused, Err(Error::TooManyRequests(1))),
            "{refused:?}"
        );
        assert!(
            limiter.count((address.0, 1), 1_000_000).is_ok(),
            "another address"
        );
        assert!(accepted(1_001_000) && !accepted(1_001_000));
        assert!((0..60).all(|_| accepted(1_061_000)) && !accepted(1_061_000));
        // After a while, the whole burst is available again.
        assert!((0..1_500).all(|_| accepted(9_000_000)) && !accepted(9_000_000));
    }
}
