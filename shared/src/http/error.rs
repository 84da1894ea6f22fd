//! Error responses. The response to a caller's mistake describes the mistake, so that the caller can correct it. An
//! internal error is logged, and its response has a fixed sentence. docs/api.md, "Errors", lists all errors.

use std::collections::BTreeMap;
use std::fmt;

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use super::Envelope;
use crate::log_text::for_log;
use crate::{Error, FieldErrors};

/// The error of an endpoint.
#[derive(Debug)]
pub enum ApiError {
    /// An error of the code below the HTTP layer.
    Core(Error),
    /// 308: the path ends with a slash. Holds the address without it.
    TrailingSlash(HeaderValue),
    /// 400: the body cannot be parsed. Holds the reason as a sentence.
    MalformedBody(&'static str),
    /// 400: the request cannot be decoded. Holds the reason as a sentence.
    MalformedRequest(&'static str),
    /// 400: the access token was not sent as RFC 6750 requires (section 3.1, `invalid_request`). Holds the reason as a
    /// sentence.
    BearerMisused(&'static str),
    /// 401: the endpoint requires a token, and the request has none.
    NoToken,
    /// 404: no endpoint has this path.
    UnknownPath,
    /// 405: no endpoint at this path has this method. Holds the value of the header `Allow`; `None` if axum's
    /// router adds the header.
    MethodNotAllowed(Option<HeaderValue>),
    /// 413: the body is too long. Holds a sentence that names the limit.
    PayloadTooLarge(&'static str),
    /// 503: the request took longer than [`super::layers::DEADLINE`].
    TimedOut,
    /// 415: the body has the wrong media type. Holds a sentence that names the expected media type.
    UnsupportedMediaType(&'static str),
    /// 415: the body is compressed.
    UnsupportedCoding,
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        Self::Core(error)
    }
}

/// The sentence for a request whose body must be JSON and has another media type.
pub(super) const SEND_JSON: &str = "Send a JSON body with `Content-Type: application/json`.";

/// The sentence for a request whose body must be a form and has another media type.
pub const SEND_FORM: &str =
    "This page accepts only its own form (application/x-www-form-urlencoded).";

/// The sentence for a failed sign-in. It does not reveal if the account exists.
pub const WRONG_CREDENTIALS: &str = "The username, e-mail address or password is wrong.";

/// The sentence for a body that is longer than [`super::body::MAX_BODY`].
pub const BODY_TOO_LARGE: &str = "Request bodies are limited to 64 KB.";

/// The sentence for a list file that is longer than [`super::body::MAX_LIST_FILE`].
pub const FILE_TOO_LARGE: &str = "List files are limited to 5 MB. Compress the file with gzip.";

/// The sentence for every [`Error::Unavailable`]. The cause is usually DynamoDB, but can also be Secrets Manager or the
/// mail service.
pub const DATABASE_UNAVAILABLE: &str =
    "The database is temporarily unavailable. Try again in a moment.";

/// The sentence for an internal error.
pub const INTERNAL_ERROR: &str = "Something went wrong on our side. The error has been logged.";

struct ErrorParts {
    status: StatusCode,
    message: &'static str,
    data: ErrorData,
    header: Option<(HeaderName, HeaderValue)>,
}

impl ErrorParts {
    fn new(status: StatusCode, message: &'static str, data: impl Into<ErrorData>) -> Self {
        Self {
            status,
            message,
            data: data.into(),
            header: None,
        }
    }

    fn with_header(self, name: HeaderName, value: HeaderValue) -> Self {
        Self {
            header: Some((name, value)),
            ..self
        }
    }

    /// Adds a challenge, the value of `WWW-Authenticate` (RFC 6750, section 3).
    fn with_challenge(self, challenge: &'static str) -> Self {
        self.with_header(
            header::WWW_AUTHENTICATE,
            HeaderValue::from_static(challenge),
        )
    }
}

impl From<Error> for ErrorParts {
    fn from(error: Error) -> Self {
        match error {
            Error::Invalid(field_errors) => Self::new(StatusCode::BAD_REQUEST, "Invalid parameters", field_errors),
            Error::InvalidToken => Self::new(
                StatusCode::UNAUTHORIZED,
                "Unauthorized",
                "The access token is invalid or has expired. Sign in again.",
            )
            .with_challenge("Bearer error=\"invalid_token\""),
            Error::WrongCredentials => Self::new(
                StatusCode::UNAUTHORIZED,
                "Sign-in failed",
                WRONG_CREDENTIALS,
            )
            .with_challenge("Bearer"),
            // The endpoint for signing in responds with the kinds of codes instead.
            Error::WrongCode { .. } => Self::new(
                StatusCode::UNAUTHORIZED,
                "Sign-in failed",
                "The code of the second factor is wrong or has already been used.",
            )
            .with_challenge("Bearer"),
            Error::InsufficientScope => Self::new(
                StatusCode::FORBIDDEN,
                "Forbidden",
                "The scope of the access token does not allow this. The scope `read write` does.",
            )
            .with_challenge("Bearer error=\"insufficient_scope\", scope=\"read write\""),
            Error::Forbidden(reason) => Self::new(StatusCode::FORBIDDEN, "Forbidden", reason),
            Error::NotFound(missing) => Self::new(
                StatusCode::NOT_FOUND,
                missing.message(),
                "No resource has this identifier.",
            ),
            Error::Conflict(field_errors) => Self::new(StatusCode::CONFLICT, "Already exists", field_errors),
            Error::CursorExpired => Self::new(
                StatusCode::GONE,
                "Cursor expired",
                "The cursor is too old, or the service was restored from a backup. Start over: send the request \
                without since.",
            ),
            Error::Changed => Self::new(
                StatusCode::PRECONDITION_FAILED,
                "Precondition failed",
                "The resource has changed since you read it. Fetch it again and retry.",
            ),
            Error::TooManyRequests(seconds) => Self::new(
                StatusCode::TOO_MANY_REQUESTS,
                "Too many requests",
                "Too many attempts. Wait for the number of seconds in the Retry-After header.",
            )
            .with_header(header::RETRY_AFTER, seconds.into()),
            Error::Contended => Self::new(
                StatusCode::TOO_MANY_REQUESTS,
                "Too many requests",
                "Other requests are changing the same data. Try again in a moment.",
            )
            .with_header(header::RETRY_AFTER, HeaderValue::from_static("1")),
            Error::TrackerUnavailable(seconds) => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "Service unavailable",
                "The tracker is unavailable or limits requests. Try again after the number of seconds in the \
                Retry-After header.",
            )
            .with_header(header::RETRY_AFTER, seconds.into()),
            Error::Unavailable(_) => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "Service unavailable",
                DATABASE_UNAVAILABLE,
            )
            .with_header(header::RETRY_AFTER, HeaderValue::from_static("1")),
            Error::Internal(_) => Self::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "Internal server error",
                INTERNAL_ERROR,
            ),
        }
    }
}

impl From<ApiError> for ErrorParts {
    fn from(error: ApiError) -> Self {
        match error {
            ApiError::Core(error) => error.into(),
            ApiError::TrailingSlash(address) => Self::new(
                StatusCode::PERMANENT_REDIRECT,
                "Moved permanently",
                "Paths do not end with a slash. Location is the address without it.",
            )
            .with_header(header::LOCATION, address),
            ApiError::MalformedBody(reason) => {
                Self::new(StatusCode::BAD_REQUEST, "Malformed body", reason)
            }
            ApiError::MalformedRequest(reason) => {
                Self::new(StatusCode::BAD_REQUEST, "Malformed request", reason)
            }
            ApiError::BearerMisused(reason) => {
                Self::new(StatusCode::BAD_REQUEST, "Malformed authorization", reason)
                    .with_challenge("Bearer error=\"invalid_request\"")
            }
            ApiError::NoToken => Self::new(
                StatusCode::UNAUTHORIZED,
                "Unauthorized",
                "Send an access token: `Authorization: Bearer <token>`.",
            )
            .with_challenge("Bearer"),
            ApiError::UnknownPath => Self::new(
                StatusCode::NOT_FOUND,
                "Not found",
                "No endpoint has this path. The API reference is at /reference and /v1/openapi.json.",
            ),
            ApiError::MethodNotAllowed(allow) => {
                let parts = Self::new(
                    StatusCode::METHOD_NOT_ALLOWED,
                    "Method not allowed",
                    "This path does not support this method. The Allow header lists the methods that it supports.",
                );
                match allow {
                    Some(allow) => parts.with_header(header::ALLOW, allow),
                    None => parts,
                }
            }
            ApiError::PayloadTooLarge(sentence) => {
                Self::new(StatusCode::PAYLOAD_TOO_LARGE, "Body too large", sentence)
            }
            ApiError::TimedOut => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "Service unavailable",
                "The request took too long and was stopped. Try again, or send less data at once.",
            )
            .with_header(header::RETRY_AFTER, HeaderValue::from_static("1")),
            ApiError::UnsupportedMediaType(expected) => Self::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "Unsupported media type",
                expected,
            ),
            ApiError::UnsupportedCoding => Self::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "Unsupported media type",
                "Send the body uncompressed, without `Content-Encoding`.",
            )
            .with_header(
                header::ACCEPT_ENCODING,
                HeaderValue::from_static("identity"),
            ),
        }
    }
}

/// The `data` of an error: a sentence, or the reasons by field.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum ErrorData {
    /// The reason, and what to do about it.
    Sentence(&'static str),
    /// The reasons by the name of the field or parameter.
    // Not `FieldErrors`: `utoipa` derives a map only from the written-out type.
    Fields(BTreeMap<&'static str, String>),
}

impl From<&'static str> for ErrorData {
    fn from(sentence: &'static str) -> Self {
        Self::Sentence(sentence)
    }
}

impl From<FieldErrors> for ErrorData {
    fn from(field_errors: FieldErrors) -> Self {
        Self::Fields(field_errors)
    }
}

/// The text of an error, for rendering it as a page. Every response that is made from an [`ApiError`] carries it as an
/// extension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorText {
    /// The message of the envelope, such as "Not found".
    pub message: &'static str,
    /// The reason, and what to do about it; `None` if the reasons are in `field_errors`.
    pub sentence: Option<&'static str>,
    /// The reasons by the name of the field or parameter.
    pub field_errors: FieldErrors,
}

impl ErrorText {
    fn new(message: &'static str, data: &ErrorData) -> Self {
        let (sentence, field_errors) = match data {
            ErrorData::Sentence(sentence) => (Some(*sentence), FieldErrors::new()),
            ErrorData::Fields(field_errors) => (None, field_errors.clone()),
        };
        Self {
            message,
            sentence,
            field_errors,
        }
    }
}

impl ApiError {
    /// Returns an internal error with a detail for the log.
    pub fn internal(detail: impl fmt::Display) -> Self {
        Error::internal(detail).into()
    }

    /// Returns the body of the response.
    pub fn envelope(self) -> Envelope<ErrorData> {
        let ErrorParts {
            status,
            message,
            data,
            ..
        } = self.into();
        Envelope::with_status(status, message, data)
    }

    /// Logs an unavailable service and an exceeded time limit at level `warn`, and an internal error at level `error`.
    /// All other errors are part of normal operation and are not logged.
    pub fn log(&self) {
        match self {
            Self::Core(Error::Unavailable(error)) => {
                tracing::warn!(error = for_log(error), "unavailable");
            }
            Self::TimedOut => tracing::warn!(error = "time limit exceeded", "unavailable"),
            Self::Core(Error::Internal(error)) => {
                tracing::error!(error = for_log(error), "internal error");
            }
            _ => {}
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        self.log();
        let ErrorParts {
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
