//! The error type of all code below the HTTP layer: rules, stores and services. [`crate::http::ApiError`] turns it
//! into a response.

use std::collections::BTreeMap;
use std::fmt;

use crate::log_text::{for_log, without_values};

/// The result of code below the HTTP layer.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The reasons why fields or parameters are invalid, by the name of the field or parameter.
pub type FieldErrors = BTreeMap<&'static str, String>;

/// The kind of a resource that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Missing {
    Anime,
    Application,
    Calendar,
    Field,
    Import,
    Invitation,
    Message,
    Page,
    Passkey,
    Player,
    Profile,
    /// The account at an identity provider.
    Provider,
    /// Any resource, in the documentation of the API.
    Resource,
    Song,
    Story,
    Token,
    User,
}

impl Missing {
    /// Returns the message for the caller.
    pub const fn message(self) -> &'static str {
        match self {
            Self::Anime => "Anime not found",
            Self::Application => "Application not found",
            Self::Calendar => "Calendar not found",
            Self::Field => "Field not found",
            Self::Import => "Import not found",
            Self::Invitation => "Invitation not found",
            Self::Message => "Message not found",
            Self::Page => "Page not found",
            Self::Passkey => "Passkey not found",
            Self::Player => "Player not found",
            Self::Profile => "Profile not found",
            Self::Provider => "No provider is connected",
            Self::Resource => "Not found",
            Self::Song => "Song not found",
            Self::Story => "Story not found",
            Self::Token => "Token not found",
            Self::User => "User not found",
        }
    }
}

/// The reason why an operation failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Fields or parameters that are invalid, each with its reason.
    #[error("invalid input")]
    Invalid(FieldErrors),
    /// The access token is invalid, has expired, or was revoked.
    #[error("invalid token")]
    InvalidToken,
    /// No account has this combination of username or e-mail address and password.
    #[error("wrong credentials")]
    WrongCredentials,
    /// The code of the account's second factor is wrong.
    #[error("wrong code of a second factor")]
    WrongCode {
        /// True if the account has recovery codes left.
        has_recovery_codes: bool,
        /// True if only a recovery code can help, because the secret of the app cannot be decrypted with the current
        /// keys.
        needs_recovery_code: bool,
    },
    /// The scope of the access token does not include the action.
    #[error("insufficient scope")]
    InsufficientScope,
    /// The caller is not allowed to do this. Holds the reason as a sentence for the caller.
    #[error("{0}")]
    Forbidden(&'static str),
    /// The resource does not exist.
    #[error("{}", .0.message())]
    NotFound(Missing),
    /// Fields whose values are already in use, each with its reason.
    #[error("a value is taken")]
    Conflict(FieldErrors),
    /// The cursor of a change feed is too old, or is past the feed's end because of a restore from a backup.
    #[error("the cursor has expired")]
    CursorExpired,
    /// The resource is no longer in the state that the caller expects, for example the state that `If-Match` names. A
    /// consent that is submitted again or has expired also leads to this error.
    #[error("changed since it was read")]
    Changed,
    /// Too many attempts. Holds the seconds until the next attempt is allowed.
    #[error("too many attempts")]
    TooManyRequests(u64),
    /// A tracker does not respond, or it limits the requests of this service. Holds the seconds until the next request
    /// is allowed.
    #[error("the tracker is unavailable")]
    TrackerUnavailable(u64),
    /// Every attempt to change some rows failed, because other requests changed the same rows at the same time. A
    /// retry in a moment may succeed.
    #[error("other requests change the same rows")]
    Contended,
    /// An AWS service (DynamoDB, Secrets Manager or SES) does not respond or throttles, or a condition on the
    /// caller's row keeps failing. A retry may succeed. Holds a detail for the log.
    #[error("unavailable: {}", for_log(.0))]
    Unavailable(String),
    /// An internal error that a retry does not fix. Holds a detail for the log.
    #[error("internal error: {}", for_log(.0))]
    Internal(String),
}

impl Error {
    /// Returns an internal error with a detail for the log. Quoted values are left out of the detail, because most
    /// details are errors of libraries, which quote what they cannot read.
    pub fn internal(detail: impl fmt::Display) -> Self {
        Self::Internal(without_values(&detail.to_string()))
    }

    /// Returns the error for one invalid field or parameter.
    pub fn invalid(name: &'static str, reason: impl Into<String>) -> Self {
        Self::Invalid(FieldErrors::from([(name, reason.into())]))
    }

    /// Returns the error for one field whose value is already in use.
    pub fn conflict(name: &'static str, reason: impl Into<String>) -> Self {
        Self::Conflict(FieldErrors::from([(name, reason.into())]))
    }
}
