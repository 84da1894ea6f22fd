//! HTTP calls to a tracker, within its rate limits, with deadlines and a maximum size of responses.

use std::time::Duration;

use http_client::{SetupError, client_builder};
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder, Response, Url};
use serde::de::DeserializeOwned;
use shared::clock::Clock;

use super::config::{Limits, Timeouts};
use super::error::{Cause, Detail, TrackerError, TrackerResult};
use super::pace::{CallKind, TrackerPace, Waiter};

/// The maximum size of a body, in bytes: 8 MiB. The largest page of a list has less than a tenth of this size.
pub const MAX_RESPONSE: usize = 8 * 1024 * 1024;

/// The minimum wait that a caller is asked for after status 403: the API is off, or this IP address is blocked
/// (docs/trackers.md, "Failures and back-off").
const MIN_WAIT_AFTER_403: Duration = Duration::from_hours(1);

#[derive(Debug)]
pub(super) struct Transport {
    client: Client,
    clock: Clock,
    pace: TrackerPace,
    timeouts: Timeouts,
}

/// A call to a tracker: its name for errors, its kind and its deadline.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub name: &'static str,
    kind: CallKind,
    deadline: u64,
}

impl Call {
    pub(super) fn new(kind: CallKind, name: &'static str, deadline: u64) -> Self {
        Self {
            name,
            kind,
            deadline,
        }
    }

    pub(super) fn malformed(self, what: &'static str) -> TrackerError {
        TrackerError::later(self.name, Cause::Malformed(what))
    }

    /// Returns what was read from a response, or the error for the reason why it is malformed.
    pub(super) fn check<T>(self, read: Result<T, &'static str>) -> TrackerResult<T> {
        read.map_err(|what| self.malformed(what))
    }
}

/// A response that an adapter reads: a success, or a refusal whose body may contain the reason.
pub(super) struct TrackerResponse {
    pub status: u16,
    pub body: Vec<u8>,
    /// The time that the response asks to wait, if it states a time.
    pub requested_wait: Option<Duration>,
}

impl TrackerResponse {
    pub(super) fn is_success(&self) -> bool {
        (200..=299).contains(&self.status)
    }
}

impl Transport {
    pub(super) fn new(
        limits: Limits,
        timeouts: Timeouts,
        clock: Clock,
        waiter: Waiter,
    ) -> Result<Self, SetupError> {
        let client = client_builder(timeouts.connect)?.redirect(Policy::none());
        Ok(Self {
            client: client.build()?,
            pace: TrackerPace::new(limits, clock.clone(), waiter),
            clock,
            timeouts,
        })
    }

    pub(super) fn request(&self, method: Method, url: Url) -> RequestBuilder {
        self.client
            .request(method, url)
            .header(ACCEPT, "application/json")
    }

    /// Waits until the rate limits allow a call, sends the request and reads the response.
    pub(super) async fn send(
        &self,
        call: Call,
        request: RequestBuilder,
    ) -> TrackerResult<TrackerResponse> {
        self.pace
            .wait_for_turn(call.name, call.kind, call.deadline)
            .await?;
        let time_left = Duration::from_millis(call.deadline.saturating_sub(self.clock.now_ms()));
        let request = request.timeout(self.timeouts.total.min(time_left));
        let response = request.send().await;
        let failed = |error, otherwise| self.convert_error(call.name, time_left, &error, otherwise);
        let response = response.map_err(|error| failed(error, Cause::Connection))?;
        self.read_response(call, response, time_left).await
    }

    async fn read_response(
        &self,
        call: Call,
        response: Response,
        time_left: Duration,
    ) -> TrackerResult<TrackerResponse> {
        let status = response.status().as_u16();
        let requested_wait = self.pace.requested_wait(response.headers());
        // The headers of a token endpoint do not state the limits of the API.
        if call.kind != CallKind::Token {
            self.pace.apply_limits(response.headers());
        }
        if !matches!(status, 200..=299 | 400 | 401 | 404 | 422) {
            return Err(self.refusal(call.name, status, requested_wait));
        }
        let is_html = has_html_type(&response);
        let body = self.read_body(call.name, response, time_left).await?;
        // The API never sends HTML, so this response is from a proxy or firewall in front of it.
        if is_html || body.trim_ascii_start().starts_with(b"<") {
            return Err(TrackerError::later(call.name, Cause::Html(status)));
        }
        Ok(TrackerResponse {
            status,
            body,
            requested_wait,
        })
    }

    /// Returns a response that is a success, or else the error for its status.
    pub(super) fn check_status(
        &self,
        call: Call,
        response: TrackerResponse,
    ) -> TrackerResult<TrackerResponse> {
        if response.is_success() {
            return Ok(response);
        }
        Err(self.refusal(call.name, response.status, response.requested_wait))
    }

    /// Returns the error for a response with this status, which is not a success. All adapters use this mapping.
    /// After status 403 or 429, all calls pause. `requested_wait` is the time that the response asks to wait.
    pub(super) fn refusal(
        &self,
        call: &'static str,
        status: u16,
        requested_wait: Option<Duration>,
    ) -> TrackerError {
        let detail = Detail::new(call, Cause::Status(status));
        let after = match status {
            400 | 404 | 422 => return TrackerError::Final(detail),
            401 => return TrackerError::Reconnect(detail),
            // A client that continues to call after 403 or 429 is blocked, or blocked for longer.
            403 => Some(
                self.pace
                    .pause_after_refusal(requested_wait)
                    .max(MIN_WAIT_AFTER_403),
            ),
            429 => Some(self.pace.pause_after_refusal(requested_wait)),
            _ => requested_wait,
        };
        TrackerError::Later { after, detail }
    }

    /// Reads a body of at most [`MAX_RESPONSE`] bytes.
    async fn read_body(
        &self,
        call: &'static str,
        mut response: Response,
        time_left: Duration,
    ) -> TrackerResult<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let chunk = response.chunk().await;
            let chunk = chunk
                .map_err(|error| self.convert_error(call, time_left, &error, Cause::CutOff))?;
            let Some(chunk) = chunk else {
                return Ok(body);
            };
            if body.len() + chunk.len() > MAX_RESPONSE {
                return Err(TrackerError::later(call, Cause::TooLong));
            }
            body.extend_from_slice(&chunk);
        }
    }

    /// Converts an error of the HTTP client ([`cause_of`]).
    fn convert_error(
        &self,
        call: &'static str,
        time_left: Duration,
        error: &reqwest::Error,
        otherwise: Cause,
    ) -> TrackerError {
        let allowed = if error.is_connect() {
            self.timeouts.connect
        } else {
            self.timeouts.total
        };
        TrackerError::later(call, cause_of(error, time_left, allowed, otherwise))
    }
}

/// Returns the cause of an error of the HTTP client. `time_left` is the time from the request to the deadline,
/// `allowed` the time after which the client gives up, and `otherwise` the cause if the error is neither a timeout nor
/// a redirect. The client's own message contains URLs, so it is dropped.
pub(super) fn cause_of(
    error: &reqwest::Error,
    time_left: Duration,
    allowed: Duration,
    otherwise: Cause,
) -> Cause {
    match error.is_timeout() {
        _ if error.is_redirect() => Cause::Redirect,
        true if time_left < allowed => Cause::Deadline,
        true => Cause::Timeout,
        false => otherwise,
    }
}

pub(super) fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, &'static str> {
    serde_json::from_slice(body).map_err(|_| "not the expected JSON")
}

/// Returns true if the header `Content-Type` of a response states that it is HTML.
pub(super) fn has_html_type(response: &Response) -> bool {
    let media_type = response.headers().get(CONTENT_TYPE);
    media_type.is_some_and(|value| value.as_bytes().starts_with(b"text/html"))
}
