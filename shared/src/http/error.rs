//! Errors as responses. A caller's mistake is named, so that the caller can correct it. A fault of ours goes to
//! the log, and the caller gets one fixed sentence. docs/api.md, "Errors", lists all of them.

use std::fmt;

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use super::Envelope;
use crate::{Error, FieldErrors};

/// The error of an endpoint.
#[derive(Debug)]
pub enum ApiError {
    /// An error of a layer below HTTP.
    Below(Error),
    /// 400: the body has no fields at all. Holds the reason as a sentence.
    MalformedBody(&'static str),
    /// 400: the request cannot be decoded. Holds the part that cannot, as a sentence.
    MalformedRequest(&'static str),
    /// 400: the token was not sent as RFC 6750 requires (section 3.1, `invalid_request`). Holds the reason
    /// as a sentence.
    BearerMisused(&'static str),
    /// 401: the endpoint requires a token, and the request has none.
    NoToken,
    /// 404: no endpoint has this path.
    UnknownPath,
    /// 405: no endpoint at this path has this method. Holds the value of `Allow`; without one, the router
    /// adds its own.
    MethodNotAllowed(Option<HeaderValue>),
    /// 413: the body is too long.
    PayloadTooLarge,
    /// 415: the body has another media type. Holds what to send, as a sentence.
    UnsupportedMediaType(&'static str),
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        Self::Below(error)
    }
}

/// The sentence about JSON bodies.
pub(super) const SEND_JSON: &str = "Send JSON, and say so: Content-Type: application/json.";

/// The sentence about forms.
pub const SEND_FORM: &str = "This address takes what the form of its page sends.";

/// The sentence about a failed sign-in.
pub const WRONG_CREDENTIALS: &str = "No account has this name or address and this password.";

/// Everything that a response says about an error.
struct Description {
    status: StatusCode,
    message: &'static str,
    data: ErrorData,
    header: Option<(HeaderName, HeaderValue)>,
}

impl Description {
    fn new(status: StatusCode, message: &'static str, data: impl Into<ErrorData>) -> Self {
        Self {
            status,
            message,
            data: data.into(),
            header: None,
        }
    }

    fn with(self, name: HeaderName, value: HeaderValue) -> Self {
        Self {
            header: Some((name, value)),
            ..self
        }
    }

    /// A challenge (RFC 6750, section 3).
    fn challenge(self, challenge: &'static str) -> Self {
        self.with(
            header::WWW_AUTHENTICATE,
            HeaderValue::from_static(challenge),
        )
    }
}

impl From<Error> for Description {
    fn from(error: Error) -> Self {
        match error {
            Error::Invalid(fields) => Self::new(StatusCode::BAD_REQUEST, "Invalid parameters", fields),
            Error::InvalidToken => Self::new(
                StatusCode::UNAUTHORIZED,
                "Unauthorized",
                "The token is not valid, or no longer: sign in again.",
            )
            .challenge("Bearer error=\"invalid_token\""),
            Error::WrongCredentials => Self::new(
                StatusCode::UNAUTHORIZED,
                "Sign-in failed",
                WRONG_CREDENTIALS,
            )
            .challenge("Bearer"),
            Error::Forbidden(reason) => Self::new(StatusCode::FORBIDDEN, "Forbidden", reason),
            Error::NotFound(message) => Self::new(
                StatusCode::NOT_FOUND,
                message,
                "Nothing has this identifier.",
            ),
            Error::Conflict(fields) => Self::new(StatusCode::CONFLICT, "Already exists", fields),
            Error::Changed => Self::new(
                StatusCode::PRECONDITION_FAILED,
                "Precondition failed",
                "It has changed since it was read: read it again, and send what is still meant.",
            ),
            Error::TooManyRequests(seconds) => Self::new(
                StatusCode::TOO_MANY_REQUESTS,
                "Too many requests",
                "Too many attempts: the header Retry-After says how long to wait.",
            )
            .with(header::RETRY_AFTER, seconds.into()),
            Error::TrackerUnavailable(seconds) => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "Service unavailable",
                "The tracker does not answer, or may not be asked more for the moment: the header Retry-After says when to try again.",
            )
            .with(header::RETRY_AFTER, seconds.into()),
            Error::Unavailable(_) => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "Service unavailable",
                "The data is out of reach for the moment: try again.",
            )
            .with(header::RETRY_AFTER, HeaderValue::from_static("1")),
            Error::Internal(_) => Self::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "Internal server error",
                "The fault is ours, and it has been logged.",
            ),
        }
    }
}

impl From<ApiError> for Description {
    fn from(error: ApiError) -> Self {
        match error {
            ApiError::Below(error) => error.into(),
            ApiError::MalformedBody(reason) => {
                Self::new(StatusCode::BAD_REQUEST, "Malformed body", reason)
            }
            ApiError::MalformedRequest(reason) => {
                Self::new(StatusCode::BAD_REQUEST, "Malformed request", reason)
            }
            ApiError::BearerMisused(reason) => {
                Self::new(StatusCode::BAD_REQUEST, "Malformed authorization", reason)
                    .challenge("Bearer error=\"invalid_request\"")
            }
            ApiError::NoToken => Self::new(
                StatusCode::UNAUTHORIZED,
                "Unauthorized",
                "Send a token: the header Authorization with Bearer and the token.",
            )
            .challenge("Bearer"),
            ApiError::UnknownPath => Self::new(
                StatusCode::NOT_FOUND,
                "Not found",
                "Nothing is here. The reference is at /v1/openapi.json, and for people at /reference.",
            ),
            ApiError::MethodNotAllowed(allow) => {
                let description = Self::new(
                    StatusCode::METHOD_NOT_ALLOWED,
                    "Method not allowed",
                    "This path does not take this method: see the header Allow.",
                );
                match allow {
                    Some(allow) => description.with(header::ALLOW, allow),
                    None => description,
                }
            }
            ApiError::PayloadTooLarge => Self::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "Body too large",
                "No body here needs more than 64 KB.",
            ),
            ApiError::UnsupportedMediaType(expected) => Self::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "Unsupported media type",
                expected,
            ),
        }
    }
}

/// The `data` of an error: a sentence, or for invalid fields the reasons by field.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum ErrorData {
    /// What to do about it.
    Sentence(&'static str),
    /// The reasons by the name of the field or parameter.
    Fields(FieldErrors),
}

impl From<&'static str> for ErrorData {
    fn from(sentence: &'static str) -> Self {
        Self::Sentence(sentence)
    }
}

impl From<FieldErrors> for ErrorData {
    fn from(fields: FieldErrors) -> Self {
        Self::Fields(fields)
    }
}

/// The text of an error, for a page. An extension of every response that is an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorText {
    /// The message.
    pub message: &'static str,
    /// What to do about it.
    pub sentences: Vec<String>,
}

impl ErrorText {
    fn new(message: &'static str, data: &ErrorData) -> Self {
        let sentences = match data {
            ErrorData::Sentence(sentence) => vec![(*sentence).to_owned()],
            ErrorData::Fields(fields) => fields
                .iter()
                .map(|(name, reason)| format!("{name}: {reason}."))
                .collect(),
        };
        Self { message, sentences }
    }
}

impl ApiError {
    /// A fault of ours, with a detail for the log.
    pub fn internal(detail: impl fmt::Display) -> Self {
        Error::internal(detail).into()
    }

    /// Logs an error that is not the caller's.
    pub fn log(&self) {
        match self {
            Self::Below(Error::Unavailable(error)) => tracing::warn!(error, "unavailable"),
            Self::Below(Error::Internal(error)) => tracing::error!(error, "internal error"),
            _ => {}
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        self.log();
        let Description {
            status,
            message,
            data,
            header,
        } = self.into();
        let text = ErrorText::new(message, &data);
        let mut response = Envelope::with_status(status, message, data).into_response();
        response.extensions_mut().insert(text);
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.extend(header);
        response
    }
}
