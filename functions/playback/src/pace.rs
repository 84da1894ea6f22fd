//! The limit on messages at an address.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use shared::Error;
use shared::models::UserId;

/// The maximum number of messages to an address in a minute.
const MAX_MESSAGES: u32 = 60;

/// The length of a period, in milliseconds.
const MINUTE_MS: u64 = 60_000;

/// The number of addresses from which the counters of past minutes are removed.
const MAX_ADDRESSES: usize = 10_000;

/// Counts the messages to each address in the memory of the process, because a message that changes nothing must write
/// nothing. On Lambda, each instance of the function has its own counters.
#[derive(Debug, Default)]
pub struct Pace(Mutex<HashMap<(UserId, u8), Minute>>);

#[derive(Clone, Copy, Debug)]
struct Minute {
    begun_ms: u64,
    messages: u32,
}

impl Pace {
    /// Counts a message at `now`, in milliseconds since the Unix epoch.
    ///
    /// # Errors
    /// [`Error::TooManyRequests`] if the address has had 60 messages in this minute, with the seconds until it ends.
    pub fn count(&self, address: (UserId, u8), now: u64) -> Result<(), Error> {
        let mut counters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_past = |minute: &Minute| now >= minute.begun_ms.saturating_add(MINUTE_MS);
        if counters.len() >= MAX_ADDRESSES {
            counters.retain(|_, minute| !is_past(minute));
        }
        let new = Minute {
            begun_ms: now,
            messages: 0,
        };
        let minute = counters.entry(address).or_insert(new);
        if is_past(minute) {
            *minute = new;
        }
        if minute.messages >= MAX_MESSAGES {
            let end = minute.begun_ms + MINUTE_MS;
            return Err(Error::TooManyRequests(
                end.saturating_sub(now).div_ceil(1000),
            ));
        }
        minute.messages += 1;
        Ok(())
    }
}
