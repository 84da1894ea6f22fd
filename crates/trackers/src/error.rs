//! What to do when a tracker does not do what it was asked.

use std::fmt;
use std::time::Duration;

/// Why a call brought nothing, as what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrackerError {
    /// The tracker will never take it: do not ask again.
    #[error("final: {0}")]
    Final(Detail),
    /// The token is refused. Where there is a refresh token it may be used, once; when that is refused
    /// as well, the user must connect anew.
    #[error("reconnect: {0}")]
    Reconnect(Detail),
    /// Ask again: after this time at the earliest, where the tracker or its limits say.
    #[error("later: {detail}")]
    Later {
        /// How long to wait at the least.
        after: Option<Duration>,
        /// What happened.
        detail: Detail,
    },
}

/// What happened, for the log. It is made of fixed words and numbers alone, so that no token, code,
/// name or part of a body can get into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail {
    call: &'static str,
    cause: Cause,
}

/// Why a call brought nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Status of HTTP, or of an error in an answer of GraphQL.
    Status(u16),
    /// A page for people, with this status: something before the API has answered.
    Html(u16),
    /// No connection.
    Connection,
    /// No whole answer in time.
    Timeout,
    /// The answer ended before its end.
    CutOff,
    /// A body longer than any that is needed.
    TooLong,
    /// A body that is not what it should be, and what is wrong with it.
    Malformed(&'static str),
    /// The limits leave no time for it before the deadline.
    NoTurn,
    /// The client that the operator has configured is refused.
    ClientRefused,
    /// There is nothing to get new tokens with.
    NoRefreshToken,
    /// What should be a token has characters that no token has.
    NoToken,
}

impl Detail {
    /// What happened to a call.
    #[must_use]
    pub fn new(call: &'static str, cause: Cause) -> Self {
        Self { call, cause }
    }

    /// Why it brought nothing.
    #[must_use]
    pub fn cause(self) -> Cause {
        self.cause
    }
}

impl TrackerError {
    /// What happened.
    #[must_use]
    pub fn detail(&self) -> Detail {
        match self {
            Self::Final(detail) | Self::Reconnect(detail) | Self::Later { detail, .. } => *detail,
        }
    }

    pub(super) fn later(call: &'static str, cause: Cause) -> Self {
        Self::Later {
            after: None,
            detail: Detail::new(call, cause),
        }
    }
}

impl fmt::Display for Detail {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.call, self.cause)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self {
            Self::Status(status) => return write!(formatter, "status {status}"),
            Self::Html(status) => return write!(formatter, "a page of HTML, status {status}"),
            Self::Malformed(what) => return write!(formatter, "malformed: {what}"),
            Self::Connection => "no connection",
            Self::Timeout => "no answer in time",
            Self::CutOff => "the answer was cut off",
            Self::TooLong => "the body is too long",
            Self::NoTurn => "the limits leave no time before the deadline",
            Self::ClientRefused => "the configured client is refused",
            Self::NoRefreshToken => "there is no refresh token",
            Self::NoToken => "no token has such characters",
        };
        formatter.write_str(words)
    }
}
