//! Errors. The policy: a caller's mistake is named so that the caller can mend it; what is ours
//! goes to the log, and the caller gets one fixed sentence.

use std::collections::BTreeMap;
use std::fmt;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::envelope::Envelope;
use crate::store::StoreError;

/// From the name of a field or parameter to what is wrong with it.
pub type FieldErrors = BTreeMap<&'static str, String>;

/// What an endpoint answers when it does not answer with a resource.
#[derive(Debug)]
pub enum ApiError {
    /// 400: parameters or fields that cannot be taken, each with its reason.
    Invalid(FieldErrors),
    /// 400: a request of an application's for a login whose answer cannot go to that application. Holds
    /// what is wrong with which parameter.
    LoginRefused(FieldErrors),
    /// 400: a body that has no fields at all. Holds what it should be, as a sentence.
    MalformedBody(&'static str),
    /// 400: a request that could not be decoded. Holds which part of it, as a sentence.
    MalformedRequest(&'static str),
    /// 400: a token sent in a way that no token may be sent (RFC 6750, section 3.1,
    /// `invalid_request`). Holds what is wrong, as a sentence.
    BearerMisused(&'static str),
    /// 401: the endpoint wants a token, and there is none.
    NoToken,
    /// 401: the token is none of this service, has expired, or was ended.
    InvalidToken,
    /// 401: name and password do not belong together.
    WrongCredentials,
    /// 403: not the caller's. Holds why, as a sentence.
    Forbidden(&'static str),
    /// 404: no resource has this identifier. Holds the message, as "Anime not found".
    NotFound(&'static str),
    /// 404: no endpoint has this path.
    UnknownPath,
    /// 405: the path exists, the method does not. Holds the value of `Allow`; where there is
    /// none, the router adds its own.
    MethodNotAllowed(Option<HeaderValue>),
    /// 409: fields whose value somebody or something else has already.
    Conflict(FieldErrors),
    /// 412: the resource is no longer what `If-Match` says.
    PreconditionFailed,
    /// 413: a body longer than any that is needed.
    PayloadTooLarge,
    /// 415: a body that is not JSON by its own account.
    UnsupportedMediaType,
    /// 415: a body that is no form by its own account, where a page takes forms.
    NoForm,
    /// 303: a page that is for those who are signed in. Holds the address where they do so.
    SignInFirst(String),
    /// 429: too many attempts. Holds the seconds until there may be another one.
    TooManyRequests(u64),
    /// 503: what the answer needs is out of reach or throttles. Holds what, for the log.
    Unavailable(String),
    /// 503: a tracker does not answer, or may not be asked more for the moment. Holds the seconds until it
    /// may be asked again.
    TrackerUnavailable(u64),
    /// 500: a fault of ours. The detail is for the log alone.
    Internal(String),
}

/// What `WWW-Authenticate` says (RFC 6750, section 3).
mod challenge {
    use super::HeaderValue;

    pub const BARE: HeaderValue = HeaderValue::from_static("Bearer");
    pub const INVALID_TOKEN: HeaderValue =
        HeaderValue::from_static("Bearer error=\"invalid_token\"");
    pub const INVALID_REQUEST: HeaderValue =
        HeaderValue::from_static("Bearer error=\"invalid_request\"");
}

impl ApiError {
    /// A fault of ours.
    pub fn internal(detail: impl fmt::Display) -> Self {
        Self::Internal(detail.to_string())
    }

    /// One field or parameter that cannot be taken.
    pub fn invalid(name: &'static str, reason: impl Into<String>) -> Self {
        Self::Invalid(FieldErrors::from([(name, reason.into())]))
    }

    /// One field whose value is taken.
    pub fn conflict(name: &'static str, reason: impl Into<String>) -> Self {
        Self::Conflict(FieldErrors::from([(name, reason.into())]))
    }

    /// The status of the answer.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.outside().0
    }

    /// Status and message of each error: the one place that says so.
    fn outside(&self) -> (StatusCode, &'static str) {
        match self {
            Self::Invalid(_) => (StatusCode::BAD_REQUEST, "Invalid parameters"),
            Self::LoginRefused(_) => (StatusCode::BAD_REQUEST, "This login cannot go on"),
            Self::MalformedBody(_) => (StatusCode::BAD_REQUEST, "Malformed body"),
            Self::MalformedRequest(_) => (StatusCode::BAD_REQUEST, "Malformed request"),
            Self::BearerMisused(_) => (StatusCode::BAD_REQUEST, "Malformed authorization"),
            Self::NoToken | Self::InvalidToken => (StatusCode::UNAUTHORIZED, "Unauthorized"),
            Self::WrongCredentials => (StatusCode::UNAUTHORIZED, "Sign-in failed"),
            Self::Forbidden(_) => (StatusCode::FORBIDDEN, "Forbidden"),
            Self::NotFound(message) => (StatusCode::NOT_FOUND, message),
            Self::UnknownPath => (StatusCode::NOT_FOUND, "Not found"),
            Self::MethodNotAllowed(_) => (StatusCode::METHOD_NOT_ALLOWED, "Method not allowed"),
            Self::Conflict(_) => (StatusCode::CONFLICT, "Already exists"),
            Self::PreconditionFailed => (StatusCode::PRECONDITION_FAILED, "Precondition failed"),
            Self::PayloadTooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "Body too large"),
            Self::UnsupportedMediaType | Self::NoForm => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, "Unsupported media type")
            }
            Self::SignInFirst(_) => (StatusCode::SEE_OTHER, "Sign in first"),
            Self::TooManyRequests(_) => (StatusCode::TOO_MANY_REQUESTS, "Too many requests"),
            Self::Unavailable(_) | Self::TrackerUnavailable(_) => {
                (StatusCode::SERVICE_UNAVAILABLE, "Service unavailable")
            }
            Self::Internal(_) => (StatusCode::INTERNAL_SERVER_ERROR, "Internal server error"),
        }
    }

    /// The header that goes with it, if there is one.
    fn header(&self) -> Option<(header::HeaderName, HeaderValue)> {
        match self {
            Self::NoToken | Self::WrongCredentials => {
                Some((header::WWW_AUTHENTICATE, challenge::BARE))
            }
            Self::InvalidToken => Some((header::WWW_AUTHENTICATE, challenge::INVALID_TOKEN)),
            Self::BearerMisused(_) => Some((header::WWW_AUTHENTICATE, challenge::INVALID_REQUEST)),
            Self::MethodNotAllowed(allow) => Some((header::ALLOW, allow.clone()?)),
            Self::TooManyRequests(seconds) | Self::TrackerUnavailable(seconds) => {
                Some((header::RETRY_AFTER, HeaderValue::from(*seconds)))
            }
            Self::Unavailable(_) => Some((header::RETRY_AFTER, HeaderValue::from_static("1"))),
            Self::SignInFirst(address) => {
                Some((header::LOCATION, HeaderValue::from_str(address).ok()?))
            }
            _ => None,
        }
    }

    /// What `data` says of it.
    fn data(self) -> ErrorData {
        let sentence = match self {
            Self::Invalid(fields) | Self::Conflict(fields) | Self::LoginRefused(fields) => {
                return ErrorData::Fields(fields);
            }
            Self::MalformedBody(sentence)
            | Self::MalformedRequest(sentence)
            | Self::BearerMisused(sentence)
            | Self::Forbidden(sentence) => sentence,
            Self::NoToken => "Send a token: the header Authorization with Bearer and the token.",
            Self::InvalidToken => "The token is not valid, or no longer: sign in again.",
            Self::WrongCredentials => WRONG_CREDENTIALS,
            Self::NotFound(_) => "Nothing has this identifier.",
            Self::UnknownPath => {
                "Nothing is here. The reference is at /v1/openapi.json, and for people at /reference."
            }
            Self::MethodNotAllowed(_) => {
                "This path does not take this method: see the header Allow."
            }
            Self::PreconditionFailed => {
                "It has changed since it was read: read it again, and send what is still meant."
            }
            Self::PayloadTooLarge => "No body here needs more than 64 KB.",
            Self::UnsupportedMediaType => "Send JSON, and say so: Content-Type: application/json.",
            Self::NoForm => "This address takes what the form of its page sends.",
            Self::SignInFirst(_) => "This page is for those who are signed in.",
            Self::TooManyRequests(_) => {
                "Too many attempts: the header Retry-After says how long to wait."
            }
            Self::Unavailable(_) => "The data is out of reach for the moment: try again.",
            Self::TrackerUnavailable(_) => {
                "The tracker does not answer, or may not be asked more for the moment: the header Retry-After says when to try again."
            }
            Self::Internal(_) => "The fault is ours, and it has been logged.",
        };
        ErrorData::Sentence(sentence)
    }
}

/// What `data` holds on an error: a sentence, or for bad fields an object from name to reason.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum ErrorData {
    /// What to mend, as a sentence.
    Sentence(&'static str),
    /// From the name of a parameter to what is wrong with it.
    Fields(BTreeMap<&'static str, String>),
}

/// What an answer that is an error says, for a page to say it to people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The message.
    pub message: &'static str,
    /// What to mend.
    pub sentences: Vec<String>,
}

impl Told {
    fn of(message: &'static str, data: &ErrorData, lead: Option<&str>) -> Self {
        let mut sentences = match data {
            ErrorData::Sentence(sentence) => vec![(*sentence).to_owned()],
            ErrorData::Fields(fields) => fields
                .iter()
                .map(|(name, reason)| format!("{name}: {reason}."))
                .collect(),
        };
        sentences.splice(..0, lead.map(str::to_owned));
        Self { message, sentences }
    }
}

/// What is told of a name or address and a password that do not belong together.
pub const WRONG_CREDENTIALS: &str = "No account has this name or address and this password.";

/// What a user is told whom an application has sent here with a request that cannot be answered.
const ASTRAY: &str = "The application that sent you here has made a mistake, or has changed meanwhile. \
    Go back to it and try again; if that does not help, tell whoever makes it:";

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        match &self {
            Self::Unavailable(error) => tracing::warn!(error, "out of reach"),
            Self::Internal(error) => tracing::error!(error, "internal error"),
            _ => {}
        }
        let (status, message) = self.outside();
        let header = self.header();
        let lead = matches!(self, Self::LoginRefused(_)).then_some(ASTRAY);
        let data = self.data();
        let told = Told::of(message, &data, lead);
        let mut response = Envelope::with_status(status, message, data).into_response();
        response.extensions_mut().insert(told);
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some((name, value)) = header {
            headers.insert(name, value);
        }
        response
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(_) => Self::Unavailable(error.to_string()),
            StoreError::Fault(_) => Self::internal(error),
        }
    }
}
