//! Errors as HTML pages.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use shared::http::{ApiError, ErrorText, FailedRequest};
use shared::{Error, FieldErrors};

use crate::language::{Localizer, accepted_languages};
use crate::{layout, paths};

/// An error of a page's handler.
#[derive(Debug)]
pub enum PageError {
    /// An error of the API.
    Api(ApiError),
    /// 303: the page requires a session. Holds the address of the sign-in page.
    SignInFirst(String),
    /// 400: an invalid authorization request whose error must not be sent to the application. Holds the
    /// reasons by parameter.
    LoginRefused(FieldErrors),
    /// 400: the form works only once and for a short time, and it was used already or has expired. Holds the
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

/// Explains [`PageError::LoginRefused`] to the user. The reasons follow.
const LOGIN_REFUSED: &str = "The application sent an invalid request, or its registration has changed. \
    Go back to it and try again. If that does not help, send its developer this message:";

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        let (status, message, sentences, location) = match self {
            Self::Api(error) => return error.into_response(),
            Self::SignInFirst(address) => (
                StatusCode::SEE_OTHER,
                "Sign in first",
                vec!["You must be signed in to see this page.".to_owned()],
                HeaderValue::try_from(address).ok(),
            ),
            Self::Expired(sentence) => (
                StatusCode::BAD_REQUEST,
                "This page has expired",
                vec![sentence.to_owned()],
                None,
            ),
            Self::LoginRefused(fields) => {
                let reasons = fields
                    .iter()
                    .map(|(name, reason)| format!("{name}: {reason}."));
                (
                    StatusCode::BAD_REQUEST,
                    "This login cannot continue",
                    std::iter::once(LOGIN_REFUSED.to_owned())
                        .chain(reasons)
                        .collect(),
                    None,
                )
            }
        };
        let mut page = layout::error(&Localizer::default(), status, message, &sentences);
        if let Some(location) = location {
            page.headers_mut().insert(header::LOCATION, location);
        }
        page
    }
}

/// Renders an error as an HTML page if the path is that of a page. For an unknown path outside the API, it
/// does so if the browser accepts HTML. Returns `None` otherwise, and the response is the envelope.
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
    let l10n = Localizer::new(None, &accepted_languages(&request.accept_language));
    (is_page && (request.is_matched || request.accepts_html)).then(|| {
        let sentences = text.sentences.iter();
        let sentences: Vec<String> = sentences.map(|text| l10n.translate(text)).collect();
        layout::error(&l10n, status, &l10n.translate(text.message), &sentences)
    })
}
