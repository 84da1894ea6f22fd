//! Errors of pages.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use shared::http::layers::FailedRequest;
use shared::http::{ApiError, ErrorText};
use shared::{Error, FieldErrors};

use crate::{layout, paths};

/// The error of a page.
#[derive(Debug)]
pub enum PageError {
    /// An error that the API has, too.
    Api(ApiError),
    /// 303: the page requires a session. Holds the address of the sign-in page.
    SignInFirst(String),
    /// 400: an application's authorization request that cannot be answered to the application. Holds the
    /// reasons by parameter.
    LoginRefused(FieldErrors),
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

/// Shown to a user whom an application has sent with a request that cannot be answered.
const LOGIN_REFUSED: &str = "The application that sent you here has made a mistake, or has changed meanwhile. \
    Go back to it and try again; if that does not help, tell whoever makes it:";

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        let (status, message, sentences, location) = match self {
            Self::Api(error) => return error.into_response(),
            Self::SignInFirst(address) => (
                StatusCode::SEE_OTHER,
                "Sign in first",
                vec!["This page is for those who are signed in.".to_owned()],
                HeaderValue::try_from(address).ok(),
            ),
            Self::LoginRefused(fields) => {
                let reasons = fields
                    .iter()
                    .map(|(name, reason)| format!("{name}: {reason}."));
                (
                    StatusCode::BAD_REQUEST,
                    "This login cannot go on",
                    std::iter::once(LOGIN_REFUSED.to_owned())
                        .chain(reasons)
                        .collect(),
                    None,
                )
            }
        };
        let mut page = layout::error(status, message, &sentences);
        if let Some(location) = location {
            page.headers_mut().insert(header::LOCATION, location);
        }
        page
    }
}

/// Renders an error as a page where a person sees it: at the path of a page, and at an unknown path when the
/// browser asks for HTML. Elsewhere the envelope stays.
#[must_use]
pub fn error_page(
    request: &FailedRequest,
    status: StatusCode,
    text: &ErrorText,
) -> Option<Response> {
    let is_api = ["/v1/", "/.well-known/"]
        .iter()
        .any(|prefix| request.path.starts_with(prefix));
    let is_page = request.path == paths::AUTHORIZE || !is_api;
    (is_page && (request.is_matched || request.accepts_html))
        .then(|| layout::error(status, text.message, &text.sentences))
}
