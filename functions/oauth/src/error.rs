//! Errors as OAuth names them (RFC 6749, section 5.2): beside the envelope, with `error` and
//! `error_description`. None of its keys is ever null, for libraries take that amiss.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use shared::Error;
use shared::http::{ApiError, JSON, VERSION};
use utoipa::ToSchema;

/// What a client did wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    /// A parameter is missing, given twice, or cannot be taken.
    InvalidRequest,
    /// The client is not who it says.
    InvalidClient,
    /// The code is not good, or not for this client.
    InvalidGrant,
    /// There is another grant than that of the code.
    UnsupportedGrantType,
}

impl Code {
    const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::InvalidClient => "invalid_client",
            Self::InvalidGrant => "invalid_grant",
            Self::UnsupportedGrantType => "unsupported_grant_type",
        }
    }
}

/// Why the token endpoint, or that of revocation, refuses.
#[derive(Debug)]
pub(crate) enum OAuthError {
    /// The client's mistake, and a sentence that says what to mend.
    Client(Code, &'static str),
    /// The client's credentials, which came by HTTP Basic, are none: the answer has to ask for others
    /// (RFC 6749, section 5.2).
    Basic(&'static str),
    /// What is wrong here, and not with the client.
    Here(ApiError),
}

impl From<ApiError> for OAuthError {
    fn from(error: ApiError) -> Self {
        Self::Here(error)
    }
}

impl From<Error> for OAuthError {
    fn from(error: Error) -> Self {
        Self::Here(error.into())
    }
}

/// What the body of such an error is.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ErrorBody {
    /// The HTTP status of the answer, by the token endpoint's name for it.
    #[schema(example = 400)]
    status: u16,
    /// The same, by the name that it has everywhere else.
    #[schema(example = 400)]
    status_code: u16,
    /// A short text that says what happened.
    #[schema(example = "Request refused")]
    message: &'static str,
    /// What to mend.
    data: &'static str,
    /// The version of the API, always "1".
    #[schema(example = "1")]
    version: &'static str,
    /// The error as OAuth names it.
    #[schema(example = "invalid_grant")]
    error: &'static str,
    /// What to mend.
    error_description: &'static str,
}

impl OAuthError {
    pub fn new(code: Code, description: &'static str) -> Self {
        Self::Client(code, description)
    }

    /// How such an answer looks, for the reference.
    pub fn example(code: Code) -> ErrorBody {
        Self::new(code, "What to mend, as a sentence.").body()
    }

    fn body(&self) -> ErrorBody {
        let (status, error, description) = self.outside();
        ErrorBody {
            status: status.as_u16(),
            status_code: status.as_u16(),
            message: "Request refused",
            data: description,
            version: VERSION,
            error,
            error_description: description,
        }
    }

    /// Status, error and description of each: the one place that says so.
    fn outside(&self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Self::Basic(description) | Self::Client(Code::InvalidClient, description) => (
                StatusCode::UNAUTHORIZED,
                Code::InvalidClient.as_str(),
                description,
            ),
            Self::Client(code, description) => {
                (StatusCode::BAD_REQUEST, code.as_str(), description)
            }
            Self::Here(ApiError::PayloadTooLarge) => (
                StatusCode::PAYLOAD_TOO_LARGE,
                Code::InvalidRequest.as_str(),
                "No body here needs more than 64 KB.",
            ),
            Self::Here(ApiError::MalformedBody(sentence)) => (
                StatusCode::BAD_REQUEST,
                Code::InvalidRequest.as_str(),
                sentence,
            ),
            Self::Here(ApiError::Below(Error::Unavailable(_))) => (
                StatusCode::SERVICE_UNAVAILABLE,
                "temporarily_unavailable",
                "The data is out of reach for the moment: try again.",
            ),
            Self::Here(_) => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "server_error",
                "The fault is ours, and it has been logged.",
            ),
        }
    }
}

impl IntoResponse for OAuthError {
    fn into_response(self) -> Response {
        let (status, ..) = self.outside();
        let mut response = answer(status, &self.body());
        let headers = response.headers_mut();
        match self {
            Self::Basic(_) => {
                let challenge = HeaderValue::from_static("Basic realm=\"Kiroku\"");
                headers.insert(header::WWW_AUTHENTICATE, challenge);
            }
            Self::Here(error) => {
                error.log();
                if matches!(error, ApiError::Below(Error::Unavailable(_))) {
                    headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
                }
            }
            Self::Client(..) => {}
        }
        response
    }
}

/// An answer that nobody keeps (RFC 6749, section 5.1).
pub(crate) fn answer<T: Serialize>(status: StatusCode, body: &T) -> Response {
    let headers = [
        (header::CONTENT_TYPE, JSON),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::PRAGMA, HeaderValue::from_static("no-cache")),
    ];
    match serde_json::to_vec(body) {
        Ok(body) => (status, headers, body).into_response(),
        Err(error) => ApiError::internal(error).into_response(),
    }
}
