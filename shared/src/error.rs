//! The error type of every layer below HTTP: rules, stores and services. [`crate::http::ApiError`] turns it
//! into a response.

use std::collections::BTreeMap;
use std::fmt;

/// Reasons for an error by the name of the field or parameter.
pub type FieldErrors = BTreeMap<&'static str, String>;

/// The reason for the failure of an operation.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Fields or parameters that are invalid, each with its reason.
    #[error("invalid input")]
    Invalid(FieldErrors),
    /// The access token is invalid, has expired, or was revoked.
    #[error("invalid token")]
    InvalidToken,
    /// No account has this username or e-mail address with this password.
    #[error("wrong credentials")]
    WrongCredentials,
    /// The caller is not allowed to do this. Holds the reason as a sentence.
    #[error("{0}")]
    Forbidden(&'static str),
    /// The resource does not exist. Holds the message, such as "Anime not found".
    #[error("{0}")]
    NotFound(&'static str),
    /// Fields whose values are taken, each with its reason.
    #[error("a value is taken")]
    Conflict(FieldErrors),
    /// The resource is no longer in a state that the caller expects (`If-Match`).
    #[error("changed since it was read")]
    Changed,
    /// Too many attempts. Holds the seconds until the next one is allowed.
    #[error("too many attempts")]
    TooManyRequests(u64),
    /// A tracker does not respond or limits our requests. Holds the seconds until the next request is
    /// allowed.
    #[error("the tracker is unavailable")]
    TrackerUnavailable(u64),
    /// A service that this one depends on does not respond or throttles. A retry may succeed. Holds a detail
    /// for the log.
    #[error("unavailable: {0}")]
    Unavailable(String),
    /// An internal error that a retry does not cure. Holds a detail for the log.
    #[error("internal error: {0}")]
    Internal(String),
}

impl Error {
    /// Returns an internal error with a detail for the log.
    pub fn internal(detail: impl fmt::Display) -> Self {
        Self::Internal(detail.to_string())
    }

    /// Returns the error for one invalid field or parameter.
    pub fn invalid(name: &'static str, reason: impl Into<String>) -> Self {
        Self::Invalid(FieldErrors::from([(name, reason.into())]))
    }

    /// Returns the error for one field whose value is taken.
    pub fn conflict(name: &'static str, reason: impl Into<String>) -> Self {
        Self::Conflict(FieldErrors::from([(name, reason.into())]))
    }
}
