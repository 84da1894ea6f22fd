//! Keeps the limits of a tracker, for all of a process.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::HeaderMap;
use shared::clock::Clock;

use super::config::Limits;
use super::error::{Cause, Detail, TrackerError};

/// How long nothing is asked when a tracker says "too much" and not for how long.
const PAUSE: Duration = Duration::from_mins(1);

/// The longest time that a header is believed.
const LONGEST: Duration = Duration::from_hours(24);

/// Lets time pass. Passed in, as the clock is.
#[derive(Clone, Debug)]
pub enum Waiter {
    /// Sleeps.
    Sleep,
    /// Moves a manual clock on, and is back at once.
    Move(Clock),
}

impl Waiter {
    async fn wait(&self, time: Duration) {
        match self {
            Self::Sleep => tokio::time::sleep(time).await,
            Self::Move(clock) => clock.advance(time),
        }
    }
}

/// What a call does, as far as limits go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Gets tokens, from another server than the API's: only a pause holds it up.
    Token,
}

/// Spaces the calls to a tracker.
#[derive(Debug)]
pub struct Pace {
    clock: Clock,
    waiter: Waiter,
    limits: Limits,
    past: Mutex<Past>,
}

/// What was called, in milliseconds since the Unix epoch, and what the tracker has said.
#[derive(Clone, Copy, Debug, Default)]
struct Past {
    call: Option<u64>,
    write: Option<u64>,
    /// Until when the tracker wants to be left alone.
    paused_until: u64,
    /// The least time between calls, by the limit that the tracker itself has named.
    spacing: u64,
}

impl Pace {
    /// Keeps these limits.
    #[must_use]
    pub fn new(limits: Limits, clock: Clock, waiter: Waiter) -> Self {
        Self {
            clock,
            waiter,
            limits,
            past: Mutex::default(),
        }
    }

    /// Waits until there may be a call.
    ///
    /// # Errors
    /// [`TrackerError::Later`] at once, when that would be at the deadline or after it.
    pub async fn turn(
        &self,
        call: &'static str,
        kind: Kind,
        deadline: u64,
    ) -> Result<(), TrackerError> {
        loop {
            let now = self.clock.now_ms();
            if now >= deadline {
                return Err(TrackerError::later(call, Cause::NoTurn));
            }
            let Some(wait) = self.wait_for(kind, now) else {
                return Ok(());
            };
            if now.saturating_add(ms(wait)) >= deadline {
                return Err(TrackerError::Later {
                    after: Some(wait),
                    detail: Detail::new(call, Cause::NoTurn),
                });
            }
            // Others wait, too: whoever comes first has the turn, and the rest look again.
            self.waiter.wait(wait).await;
        }
    }

    /// Takes the turn that is now, or says how long it takes until the next.
    fn wait_for(&self, kind: Kind, now: u64) -> Option<Duration> {
        let mut past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
        let spacing = spacing(self.limits.calls_a_minute).max(past.spacing);
        let since = |last: Option<u64>, gap| last.map_or(0, |last| last.saturating_add(gap));
        let call = since(past.call, spacing);
        let write = since(past.write, ms(self.limits.between_writes));
        let at = match kind {
            Kind::Token => past.paused_until,
            Kind::Read => past.paused_until.max(call),
            Kind::Write => past.paused_until.max(call).max(write),
        };
        if at > now {
            return Some(Duration::from_millis(at - now));
        }
        if kind != Kind::Token {
            past.call = Some(now);
        }
        if kind == Kind::Write {
            past.write = Some(now);
        }
        None
    }

    /// Asks nothing for some time.
    pub fn pause(&self, time: Duration) {
        let until = self.clock.now_ms().saturating_add(ms(time));
        let mut past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
        past.paused_until = past.paused_until.max(until);
    }

    /// Heeds what an answer says of the limits: with nothing remaining there is a pause.
    pub(super) fn heed(&self, headers: &HeaderMap) {
        if let Some(limit) = number(headers, "x-ratelimit-limit").filter(|limit| *limit > 0) {
            let limit = u32::try_from(limit).unwrap_or(u32::MAX);
            let mut past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
            past.spacing = spacing(limit);
        }
        if number(headers, "x-ratelimit-remaining") == Some(0) {
            self.pause(self.asked_for(headers).unwrap_or(PAUSE));
        }
    }

    /// How long an answer asks to be left alone, if it does.
    pub(super) fn asked_for(&self, headers: &HeaderMap) -> Option<Duration> {
        let seconds = number(headers, "retry-after").map(Duration::from_secs);
        let asked = seconds.or_else(|| self.until_reset(headers))?;
        Some(asked.clamp(Duration::from_secs(1), LONGEST))
    }

    /// A pause after a refusal: what the tracker has asked for, or a minute.
    pub(super) fn pause_for(&self, asked: Option<Duration>) -> Duration {
        let time = asked.unwrap_or(PAUSE);
        self.pause(time);
        time
    }

    fn until_reset(&self, headers: &HeaderMap) -> Option<Duration> {
        let reset = number(headers, "x-ratelimit-reset")?;
        let left = reset.checked_sub(self.clock.now_s())?;
        Some(Duration::from_secs(left).clamp(Duration::from_secs(1), LONGEST))
    }
}

/// Milliseconds from call to call: for one call a minute fewer than there may be, or the last of each
/// minute would be answered with "nothing remaining", and a pause follow.
fn spacing(calls_a_minute: u32) -> u64 {
    60_000_u64.div_ceil(u64::from(calls_a_minute.saturating_sub(1).max(1)))
}

fn ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A header that is a whole number. What is none is as good as absent.
fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}
