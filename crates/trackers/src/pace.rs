//! The pace of the calls to a tracker: keeps its rate limits for the whole process (docs/trackers.md, "Pace
//! and limits").

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::HeaderMap;
use shared::clock::Clock;

use super::config::Limits;
use super::error::{Cause, Detail, TrackerError};

/// The pause after a tracker refuses a call or reports that no calls remain, if it does not state how long to
/// wait.
const PAUSE: Duration = Duration::from_mins(1);

/// The maximum wait that is accepted from a header.
const LONGEST: Duration = Duration::from_hours(24);

/// The way to wait for a duration. It is passed in, like the clock, so that tests do not have to sleep.
#[derive(Clone, Debug)]
pub enum Waiter {
    /// Sleeps.
    Sleep,
    /// Advances a manual clock and returns at once.
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

/// The kind of a call. The limits differ by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// A call that reads.
    Read,
    /// A call that writes.
    Write,
    /// A token request. Its server is not the API's, so only a pause delays it.
    Token,
}

/// Delays the calls to a tracker so that they stay within its limits.
#[derive(Debug)]
pub struct Pace {
    clock: Clock,
    waiter: Waiter,
    limits: Limits,
    past: Mutex<Past>,
}

/// The times of the last calls, in milliseconds since the Unix epoch, and the limits that responses have
/// stated.
#[derive(Clone, Copy, Debug, Default)]
struct Past {
    call: Option<u64>,
    write: Option<u64>,
    /// The end of the pause that the tracker asked for.
    paused_until: u64,
    /// The minimum time between calls, in milliseconds, by the limit that the tracker has stated.
    spacing: u64,
}

impl Pace {
    /// Creates a pace that keeps these limits.
    #[must_use]
    pub fn new(limits: Limits, clock: Clock, waiter: Waiter) -> Self {
        Self {
            clock,
            waiter,
            limits,
            past: Mutex::default(),
        }
    }

    /// Waits until a call of this kind is allowed. `call` is its name, for errors.
    ///
    /// # Errors
    /// [`TrackerError::Later`], without waiting further, if the call is not allowed before the deadline.
    pub async fn turn(
        &self,
        call: &'static str,
        kind: CallKind,
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
            // Other calls may be waiting for the same turn. The first one to wake up takes it, and the others
            // wait again.
            self.waiter.wait(wait).await;
        }
    }

    /// Records a call and returns `None` if it is allowed now. Otherwise returns the time until the next
    /// turn.
    fn wait_for(&self, kind: CallKind, now: u64) -> Option<Duration> {
        let mut past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
        let spacing = spacing(self.limits.calls_a_minute).max(past.spacing);
        let since = |last: Option<u64>, gap| last.map_or(0, |last| last.saturating_add(gap));
        let call = since(past.call, spacing);
        let write = since(past.write, ms(self.limits.between_writes));
        let at = match kind {
            CallKind::Token => past.paused_until,
            CallKind::Read => past.paused_until.max(call),
            CallKind::Write => past.paused_until.max(call).max(write),
        };
        if at > now {
            return Some(Duration::from_millis(at - now));
        }
        if kind != CallKind::Token {
            past.call = Some(now);
        }
        if kind == CallKind::Write {
            past.write = Some(now);
        }
        None
    }

    /// Allows no call for this duration.
    pub fn pause(&self, time: Duration) {
        let until = self.clock.now_ms().saturating_add(ms(time));
        let mut past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
        past.paused_until = past.paused_until.max(until);
    }

    /// Applies the limits that the headers of a response state. If no calls remain, calls pause.
    pub(super) fn heed(&self, headers: &HeaderMap) {
        if let Some(limit) = number(headers, "x-ratelimit-limit").filter(|limit| *limit > 0) {
            let limit = u32::try_from(limit).unwrap_or(u32::MAX);
            let mut past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
            past.spacing = spacing(limit);
        }
        if number(headers, "x-ratelimit-remaining") == Some(0) {
            self.pause(self.requested_wait(headers).unwrap_or(PAUSE));
        }
    }

    /// Returns the time that a response asks to wait, if it states one: from 1 second to 24 hours.
    pub(super) fn requested_wait(&self, headers: &HeaderMap) -> Option<Duration> {
        let seconds = number(headers, "retry-after").map(Duration::from_secs);
        let wait = seconds.or_else(|| self.until_reset(headers))?;
        Some(wait.clamp(Duration::from_secs(1), LONGEST))
    }

    /// Pauses after a refusal, for the time that the tracker asked for or for one minute. Returns the
    /// duration.
    pub(super) fn pause_for(&self, requested_wait: Option<Duration>) -> Duration {
        let time = requested_wait.unwrap_or(PAUSE);
        self.pause(time);
        time
    }

    fn until_reset(&self, headers: &HeaderMap) -> Option<Duration> {
        let reset = number(headers, "x-ratelimit-reset")?;
        let left = reset.checked_sub(self.clock.now_s())?;
        Some(Duration::from_secs(left).clamp(Duration::from_secs(1), LONGEST))
    }
}

/// Returns the spacing between calls, in milliseconds. It allows one call a minute fewer than the limit,
/// because the response to the last call of a minute would state that no calls remain, and a pause would
/// follow.
fn spacing(calls_a_minute: u32) -> u64 {
    60_000_u64.div_ceil(u64::from(calls_a_minute.saturating_sub(1).max(1)))
}

fn ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Reads a header that is a whole number. An invalid number counts as absent.
fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}
