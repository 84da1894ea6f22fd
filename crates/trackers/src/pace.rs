//! The pace of the calls to a tracker: keeps its rate limits for the whole process (docs/trackers.md, "Pace
//! and limits").

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::HeaderMap;
use shared::clock::Clock;

use super::config::Limits;
use super::error::{Cause, Detail, TrackerError, TrackerResult};

/// The pause after a tracker responds with status 403 or 429 or reports that no calls remain, if it does not state
/// how long to wait.
const DEFAULT_PAUSE: Duration = Duration::from_mins(1);

/// The maximum wait that is accepted from a header.
const MAX_WAIT: Duration = Duration::from_hours(24);

/// The way in which calls wait. Like the clock, it is an argument, so that tests do not have to sleep.
#[derive(Clone, Debug)]
pub enum Waiter {
    /// Sleeps.
    Sleep,
    /// Advances a manual clock and returns at once.
    Move(Clock),
}

impl Waiter {
    pub(super) async fn wait(&self, time: Duration) {
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
    /// A token request. It goes to another server than the API, so only a pause delays it.
    Token,
}

/// Delays the calls to a tracker so that they stay within its limits.
#[derive(Debug)]
pub struct TrackerPace {
    clock: Clock,
    waiter: Waiter,
    limits: Limits,
    past: Mutex<CallHistory>,
}

/// The times of the last calls, and the limits that responses have stated. Times are in milliseconds since the Unix
/// epoch.
#[derive(Clone, Copy, Debug, Default)]
struct CallHistory {
    /// The time of the last call that was not a token request.
    call: Option<u64>,
    write: Option<u64>,
    paused_until: u64,
    /// The minimum time between two calls according to the limit that the tracker has stated last, in milliseconds.
    spacing: u64,
}

impl TrackerPace {
    /// Creates a pace that keeps these limits.
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
    /// [`TrackerError::Later`] if the call is not allowed before the deadline. The error is returned at once, not
    /// at the deadline.
    pub async fn wait_for_turn(
        &self,
        call: &'static str,
        kind: CallKind,
        deadline: u64,
    ) -> TrackerResult<()> {
        loop {
            let now = self.clock.now_ms();
            if now >= deadline {
                return Err(TrackerError::later(call, Cause::NoTurn));
            }
            let Some(wait) = self.try_call(kind, now) else {
                return Ok(());
            };
            if now.saturating_add(to_ms(wait)) >= deadline {
                return Err(TrackerError::Later {
                    after: Some(wait),
                    detail: Detail::new(call, Cause::NoTurn),
                });
            }
            // Other calls may be waiting for the same turn. The first call to wake up takes it, and the others wait
            // again.
            self.waiter.wait(wait).await;
        }
    }

    /// Records a call and returns `None` if it is allowed now. Otherwise returns the time until the next turn.
    fn try_call(&self, kind: CallKind, now: u64) -> Option<Duration> {
        let mut past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
        let spacing = spacing(self.limits.calls_a_minute).max(past.spacing);
        let after = |last: Option<u64>, gap| last.map_or(0, |last| last.saturating_add(gap));
        let call = after(past.call, spacing);
        let write = after(past.write, to_ms(self.limits.between_writes));
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

    /// Delays all calls until this duration has passed.
    pub fn pause(&self, time: Duration) {
        let until = self.clock.now_ms().saturating_add(to_ms(time));
        let mut past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
        past.paused_until = past.paused_until.max(until);
    }

    /// Applies the limits that the headers of a response state. If no calls remain, calls pause.
    pub(super) fn apply_limits(&self, headers: &HeaderMap) {
        if let Some(limit) = read_number(headers, "x-ratelimit-limit").filter(|limit| *limit > 0) {
            let limit = u32::try_from(limit).unwrap_or(u32::MAX);
            let mut past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
            past.spacing = spacing(limit);
        }
        if read_number(headers, "x-ratelimit-remaining") == Some(0) {
            self.pause(self.requested_wait(headers).unwrap_or(DEFAULT_PAUSE));
        }
    }

    /// Returns the time that a response asks to wait, if it states a time. A shorter time than 1 second counts as
    /// 1 second, and a longer time than 24 hours as 24 hours.
    pub(super) fn requested_wait(&self, headers: &HeaderMap) -> Option<Duration> {
        let seconds = read_number(headers, "retry-after").map(Duration::from_secs);
        let wait = seconds.or_else(|| self.time_to_reset(headers))?;
        Some(wait.clamp(Duration::from_secs(1), MAX_WAIT))
    }

    /// Pauses after a refusal, for the time that the tracker asks to wait, or else for 1 minute. Returns the
    /// duration of the pause.
    pub(super) fn pause_after_refusal(&self, requested_wait: Option<Duration>) -> Duration {
        let time = requested_wait.unwrap_or(DEFAULT_PAUSE);
        self.pause(time);
        time
    }

    fn time_to_reset(&self, headers: &HeaderMap) -> Option<Duration> {
        let reset = read_number(headers, "x-ratelimit-reset")?;
        let left = reset.checked_sub(self.clock.now_s())?;
        Some(Duration::from_secs(left).clamp(Duration::from_secs(1), MAX_WAIT))
    }
}

/// Returns the minimum time between two calls, in milliseconds. It allows one call a minute less than the limit.
/// With the full number, the response to the last call of a minute would state that no calls remain, and a pause
/// would follow.
fn spacing(calls_a_minute: u32) -> u64 {
    60_000_u64.div_ceil(u64::from(calls_a_minute.saturating_sub(1).max(1)))
}

fn to_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Reads a header that is a whole number. An invalid number counts as absent.
fn read_number(headers: &HeaderMap, name: &str) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}
