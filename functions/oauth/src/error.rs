//! Errors of the token and revocation endpoints (RFC 6749, section 5.2): the fields of the envelope, and `error` and
//! `error_description` beside them. No value is ever null, because some libraries fail on null values.

use std::collections::BTreeMap;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::json;
use shared::Error;
use shared::http::response::CACHE_NONE;
use shared::http::{ApiError, BODY_TOO_LARGE, DATABASE_UNAVAILABLE, INTERNAL_ERROR, JSON, VERSION};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, ResponseBuilder};
use utoipa::{IntoResponses, ToSchema};

use crate::parameters::{MalformedParameter, NOT_UTF8};

/// The OAuth error code of an error that the client caused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OAuthErrorCode {
    /// A parameter is missing, repeated or malformed.
    InvalidRequest,
    /// Client authentication failed.
    InvalidClient,
    /// The code or token is invalid, or was issued to another client.
    InvalidGrant,
    /// The scope is unknown, or wider than the scope of the code.
    InvalidScope,
    /// The grant type is not `authorization_code`.
    UnsupportedGrantType,
}

impl OAuthErrorCode {
    const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::InvalidClient => "invalid_client",
            Self::InvalidGrant => "invalid_grant",
            Self::InvalidScope => "invalid_scope",
            Self::UnsupportedGrantType => "unsupported_grant_type",
        }
    }
}

/// An error of the token or revocation endpoint.
#[derive(Debug)]
pub(crate) enum OAuthError {
    /// An error that the client caused, with its description.
    Client(OAuthErrorCode, &'static str),
    /// HTTP Basic credentials are invalid. The response must ask for Basic credentials (RFC 6749, section 5.2).
    Basic(&'static str),
    /// An error of the service, or of reading the request's body.
    Service(ApiError),
}

impl From<ApiError> for OAuthError {
    fn from(error: ApiError) -> Self {
        Self::Service(error)
    }
}

impl From<Error> for OAuthError {
    fn from(error: Error) -> Self {
        Self::Service(error.into())
    }
}

/// Client authentication has already rejected repeated parameters, so a malformed parameter is one that is not UTF-8.
impl From<MalformedParameter> for OAuthError {
    fn from(_: MalformedParameter) -> Self {
        Self::invalid_request(NOT_UTF8)
    }
}

/// 413, 500 and 503: the errors of reading the body and of the service.
pub(crate) struct ServiceErrors;

impl IntoResponses for ServiceErrors {
    fn responses() -> BTreeMap<String, RefOr<utoipa::openapi::Response>> {
        let errors = [
            (
                ApiError::PayloadTooLarge(BODY_TOO_LARGE),
                "The body is too large",
            ),
            (ApiError::internal(""), "Internal error of the service"),
            (
                Error::Unavailable(String::new()).into(),
                "The database is temporarily unavailable; `Retry-After` gives the seconds to wait",
            ),
        ];
        let response = |(error, description): (ApiError, &str)| {
            let body = OAuthError::from(error).body();
            let content = ContentBuilder::new()
                .schema(Some(Ref::from_schema_name(ErrorBody::name())))
                .example(Some(json!(body)));
            let response = ResponseBuilder::new()
                .description(description)
                .content("application/json", content.build());
            (body.status.to_string(), RefOr::T(response.build()))
        };
        errors.map(response).into()
    }
}

/// The body of an OAuth error.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ErrorBody {
    /// The HTTP status, named as in the token response.
    #[schema(example = 400)]
    status: u16,
    /// The HTTP status, named as in every other response.
    #[schema(example = 400)]
    status_code: u16,
    /// A short summary.
    #[schema(example = "Request refused")]
    message: &'static str,
    /// The same as `error_description`.
    data: &'static str,
    /// The version of the API, always "1".
    #[schema(example = "1")]
    version: &'static str,
    /// The OAuth error code.
    #[schema(example = "invalid_grant")]
    error: &'static str,
    /// A sentence that says what is wrong.
    error_description: &'static str,
}

impl OAuthError {
    pub fn new(code: OAuthErrorCode, description: &'static str) -> Self {
        Self::Client(code, description)
    }

    /// Returns the error for a parameter that is missing, repeated or malformed.
    pub fn invalid_request(description: &'static str) -> Self {
        Self::new(OAuthErrorCode::InvalidRequest, description)
    }

    /// Returns an example body for the OpenAPI document.
    pub fn example(code: OAuthErrorCode) -> ErrorBody {
        Self::new(code, "A sentence that says what is wrong.").body()
    }

    fn body(&self) -> ErrorBody {
        let (status, error, description) = self.response_parts();
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

    /// Returns the status, the OAuth error code and the description that the client sees.
    fn response_parts(&self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Self::Basic(description) | Self::Client(OAuthErrorCode::InvalidClient, description) => {
                (
                    StatusCode::UNAUTHORIZED,
                    OAuthErrorCode::InvalidClient.as_str(),
                    description,
                )
            }
            Self::Client(code, description) => {
                (StatusCode::BAD_REQUEST, code.as_str(), description)
            }
            Self::Service(ApiError::PayloadTooLarge(limit)) => (
                StatusCode::PAYLOAD_TOO_LARGE,
                OAuthErrorCode::InvalidRequest.as_str(),
                limit,
            ),
            Self::Service(ApiError::MalformedBody(sentence)) => (
                StatusCode::BAD_REQUEST,
                OAuthErrorCode::InvalidRequest.as_str(),
                sentence,
            ),
            Self::Service(ApiError::Core(Error::Unavailable(_) | Error::Contended)) => (
                StatusCode::SERVICE_UNAVAILABLE,
                "temporarily_unavailable",
                DATABASE_UNAVAILABLE,
            ),
            Self::Service(_) => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "server_error",
                INTERNAL_ERROR,
            ),
        }
    }
}

impl IntoResponse for OAuthError {
    fn into_response(self) -> Response {
        let (status, ..) = self.response_parts();
        let mut response = respond(status, &self.body());
        let headers = response.headers_mut();
        match self {
            Self::Basic(_) => {
                let challenge = HeaderValue::from_static("Basic realm=\"Kiroku\"");
                headers.insert(header::WWW_AUTHENTICATE, challenge);
            }
            Self::Service(error) => {
                error.log();
                if matches!(
                    error,
                    ApiError::Core(Error::Unavailable(_) | Error::Contended)
                ) {
                    headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
                }
            }
            Self::Client(..) => {}
        }
        response
    }
}

/// Returns a JSON response that must not be cached (RFC 6749, section 5.1).
pub(crate) fn respond<T: Serialize>(status: StatusCode, body: &T) -> Response {
    let headers = [
        (header::CONTENT_TYPE, JSON),
        (header::CACHE_CONTROL, CACHE_NONE),
        (header::PRAGMA, HeaderValue::from_static("no-cache")),
    ];
    match serde_json::to_vec(body) {
        Ok(body) => (status, headers, body).into_response(),
        Err(error) => ApiError::internal(error).into_response(),
    }
}
