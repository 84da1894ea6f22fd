//! Errors of calls to a tracker.

use std::time::Duration;

/// The result of a call to a tracker.
pub type TrackerResult<T> = Result<T, TrackerError>;

/// An error of a call, classified by what the caller can do about it (docs/trackers.md, "Failures and back-off").
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrackerError {
    /// The tracker refuses the call for good. A retry cannot succeed.
    #[error("final: {0}")]
    Final(Detail),
    /// The tracker refuses the access token. The caller may refresh the tokens once and retry. If that also fails, the
    /// user must link the account again.
    #[error("reconnect: {0}")]
    Reconnect(Detail),
    /// The call may succeed later. A retry must wait for `after`, if it is known.
    #[error("later: {detail}")]
    Later {
        /// The minimum time to wait, if the tracker or its limits state one.
        after: Option<Duration>,
        /// The failed call and its cause.
        detail: Detail,
    },
}

/// The failed call and its cause, for the log. It contains only fixed words and numbers, so no token, code,
/// name or part of a body can get into a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{call}: {cause}")]
pub struct Detail {
    call: &'static str,
    cause: Cause,
}

/// The cause of a failed call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// An HTTP status, or the status of an error in a GraphQL response.
    #[error("status {0}")]
    Status(u16),
    /// An HTML page with this status. It is from a proxy or firewall in front of the API, not from the API.
    #[error("an HTML page, status {0}")]
    Html(u16),
    /// No connection could be opened, or it closed before the response began.
    #[error("no connection")]
    Connection,
    /// The response was not complete in time.
    #[error("no response in time")]
    Timeout,
    /// The connection closed before the response was complete.
    #[error("the response was cut off")]
    CutOff,
    /// The body is longer than [`super::MAX_RESPONSE`], or a file is longer than its limit.
    #[error("the body is too long")]
    TooLong,
    /// The body is malformed, for this reason.
    #[error("malformed: {0}")]
    Malformed(&'static str),
    /// The response was not complete at the deadline, which was earlier than the call would have timed out. It
    /// does not count as a failure of the tracker.
    #[error("no response before the deadline")]
    Deadline,
    /// The rate limits allow no call before the deadline, or the deadline has already passed.
    #[error("the limits allow no call before the deadline")]
    NoTurn,
    /// The tracker refuses the client that the operator has registered there.
    #[error("the configured client is refused")]
    ClientRefused,
    /// A redirect of a download that is not followed: it leads to an unsafe address, or there were too many redirects.
    #[error("a redirect to an unsafe address, or too many redirects")]
    Redirect,
    /// A file could not be read or stored on this machine.
    #[error("the file could not be read or stored on this machine")]
    Disk,
    /// A file does not have the digest that its publisher states.
    #[error("the file does not have the digest that is published for it")]
    Digest,
    /// There is no refresh token to get new tokens with.
    #[error("there is no refresh token")]
    NoRefreshToken,
    /// The access token is empty or has characters that cannot be sent in a header.
    #[error("the token is empty or has invalid characters")]
    NoToken,
}

impl Detail {
    /// Describes a failed call.
    pub fn new(call: &'static str, cause: Cause) -> Self {
        Self { call, cause }
    }

    /// Returns the cause.
    pub fn cause(self) -> Cause {
        self.cause
    }
}

impl TrackerError {
    /// Returns the failed call and its cause.
    pub fn detail(&self) -> Detail {
        match self {
            Self::Final(detail) | Self::Reconnect(detail) | Self::Later { detail, .. } => *detail,
        }
    }

    pub(super) fn reconnect(call: &'static str, cause: Cause) -> Self {
        Self::Reconnect(Detail::new(call, cause))
    }

    pub(super) fn later(call: &'static str, cause: Cause) -> Self {
        Self::Later {
            after: None,
            detail: Detail::new(call, cause),
        }
    }
}
