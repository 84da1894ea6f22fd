//! The errors of the handlers of pages. [`crate::error_page`] renders them.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use shared::http::{ApiError, ErrorText};
use shared::{Error, FieldErrors};

/// The result of a page's handler.
pub type PageResult = Result<Response, PageError>;

/// An error of a page's handler.
#[derive(Debug)]
pub enum PageError {
    /// An error of the API.
    Api(ApiError),
    /// 303: the page requires a session. Holds the address of the sign-in page, to which the response redirects.
    SignInFirst(String),
    /// 303: the action requires a proof of the last 10 minutes that the user is the owner of the account. Holds the
    /// address of the page that asks for it, to which the response redirects.
    ProveFirst(String),
    /// 400: an invalid authorization request whose error must not be sent to the application. Holds the
    /// errors of its parameters.
    InvalidAuthorizationRequest(FieldErrors),
    /// 400: the form works only once and for a short time, and it has already been used or has expired. Holds the
    /// explanation for the user.
    Expired(&'static str),
}

impl From<ApiError> for PageError {
    fn from(error: ApiError) -> Self {
        Self::Api(error)
    }
}

impl From<Error> for PageError {
    fn from(error: Error) -> Self {
        Self::Api(error.into())
    }
}

/// Explains [`PageError::InvalidAuthorizationRequest`] to the user. On the page, the errors of the parameters are
/// listed after this text.
const INVALID_REQUEST: &str = "The application sent an invalid request, or its registration has changed. \
    Go back to it and try again. If that does not help, send its developer this message:";

/// Attaches the text of the error to the response. [`crate::error_page`] renders the page later, because it knows the
/// visitor.
impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        let no_field_errors = FieldErrors::new();
        let (status, message, sentence, field_errors, location) = match self {
            Self::Api(error) => return error.into_response(),
            Self::SignInFirst(address) => (
                StatusCode::SEE_OTHER,
                "Sign in first",
                "You must be signed in to see this page.",
                no_field_errors,
                HeaderValue::try_from(address).ok(),
            ),
            Self::ProveFirst(address) => (
                StatusCode::SEE_OTHER,
                "Confirm first that it is you",
                "This change needs a proof that it is you.",
                no_field_errors,
                HeaderValue::try_from(address).ok(),
            ),
            Self::Expired(sentence) => (
                StatusCode::BAD_REQUEST,
                "This page has expired",
                sentence,
                no_field_errors,
                None,
            ),
            Self::InvalidAuthorizationRequest(field_errors) => (
                StatusCode::BAD_REQUEST,
                "This sign-in cannot continue",
                INVALID_REQUEST,
                field_errors,
                None,
            ),
        };
        let mut response = status.into_response();
        response.extensions_mut().insert(ErrorText {
            message,
            sentence: Some(sentence),
            field_errors,
        });
        if let Some(location) = location {
            response.headers_mut().insert(header::LOCATION, location);
        }
        response
    }
}
