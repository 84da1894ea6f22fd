//! The error of every layer below HTTP: rules, stores and services. [`crate::http::ApiError`] turns it into a
//! response.

use std::collections::BTreeMap;
use std::fmt;

/// Reasons by the name of the field or parameter they are about.
pub type FieldErrors = BTreeMap<&'static str, String>;

/// The reason why an operation was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Fields or parameters that cannot be accepted, each with its reason.
    #[error("invalid input")]
    Invalid(FieldErrors),
    /// The access token is invalid, has expired, or was revoked.
    #[error("invalid token")]
    InvalidToken,
    /// The name or address and the password do not belong together.
    #[error("wrong credentials")]
    WrongCredentials,
    /// The caller may not do this. Holds the reason as a sentence.
    #[error("{0}")]
    Forbidden(&'static str),
    /// The resource does not exist. Holds the message, such as "Anime not found".
    #[error("{0}")]
    NotFound(&'static str),
    /// Fields whose values are taken, each with its reason.
    #[error("a value is taken")]
    Conflict(FieldErrors),
    /// The resource is no longer in the state that the caller expected.
    #[error("changed since it was read")]
    Changed,
    /// Too many attempts. Holds the seconds until the next one is allowed.
    #[error("too many attempts")]
    TooManyRequests(u64),
    /// A tracker does not answer or limits our requests. Holds the seconds until it may be asked again.
    #[error("the tracker is unavailable")]
    TrackerUnavailable(u64),
    /// A service that we depend on does not answer or throttles. The same operation may succeed later.
    /// Holds a detail for the log.
    #[error("unavailable: {0}")]
    Unavailable(String),
    /// A fault of ours that a retry does not cure. Holds a detail for the log.
    #[error("internal error: {0}")]
    Internal(String),
}

impl Error {
    /// A fault of ours, with a detail for the log.
    pub fn internal(detail: impl fmt::Display) -> Self {
        Self::Internal(detail.to_string())
    }

    /// One field or parameter that cannot be accepted.
    pub fn invalid(name: &'static str, reason: impl Into<String>) -> Self {
        Self::Invalid(FieldErrors::from([(name, reason.into())]))
    }

    /// One field whose value is taken.
    pub fn conflict(name: &'static str, reason: impl Into<String>) -> Self {
        Self::Conflict(FieldErrors::from([(name, reason.into())]))
    }
}
