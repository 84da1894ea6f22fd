//! Responses of the page handlers.

use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use cookie::Cookie;
use shared::Error;
use shared::input::Params;
use store::Account;

use crate::error::PageError;
use crate::form::FormErrors;
use crate::layout::Page;
use crate::paths::PROFILE;
use crate::sessions::{Csrf, PageSessions, Visitor};

/// Redirects the visitor to a page of this site, with 303 so that the browser sends a GET after a form (RFC
/// 9110, section 15.4.4).
pub fn see_other(sessions: &PageSessions, path: &str) -> Result<Response, PageError> {
    let location = format!("{}{path}", sessions.public_url());
    let location = HeaderValue::try_from(location).map_err(Error::internal)?;
    let headers = [
        (header::LOCATION, location),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    Ok((StatusCode::SEE_OTHER, headers).into_response())
}

/// Redirects the visitor as [`see_other`] does, to a page whose query names a notice about what was done. `path` must
/// be an address that this service has made, because the page shows its notice.
pub fn see_notice(sessions: &PageSessions, path: &str) -> Result<Response, PageError> {
    let response = see_other(sessions, path)?;
    Ok(with_cookie(response, &sessions.notice_cookie(path)))
}

/// Redirects a signed-in user to the page they came from, or to their profile.
pub fn redirect_after_sign_in(
    sessions: &PageSessions,
    next: Option<&str>,
) -> Result<Response, PageError> {
    see_other(sessions, next.unwrap_or(PROFILE))
}

/// Starts a session for a user who has signed in, and redirects them.
pub async fn begin_session(
    sessions: &PageSessions,
    visitor: &Visitor,
    account: &Account,
    next: Option<&str>,
) -> Result<Response, PageError> {
    let cookies = sessions.begin(visitor, account).await?;
    let response = redirect_after_sign_in(sessions, next)?;
    Ok(cookies.iter().fold(response, with_cookie))
}

/// Adds a cookie to a response.
#[must_use]
pub fn with_cookie(response: Response, cookie: &Cookie<'_>) -> Response {
    let header = AppendHeaders([(header::SET_COOKIE, cookie.to_string())]);
    (header, response).into_response()
}

/// Returns the response with a page that has forms. If the visitor has no cookie for the CSRF tokens yet, the
/// response sets it. The errors of a form determine the status; without errors, it is 200.
pub fn respond_with_forms(page: Page<'_>, csrf: Csrf, errors: Option<&FormErrors>) -> Response {
    let mut response = respond_with_status(
        page,
        csrf,
        errors.map_or(StatusCode::OK, FormErrors::status),
    );
    if let Some(seconds) = errors.and_then(FormErrors::retry_after) {
        let headers = response.headers_mut();
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// Returns the response with a page that has forms, and with this status.
#[must_use]
pub fn respond_with_status(page: Page<'_>, csrf: Csrf, status: StatusCode) -> Response {
    let response = page.respond(status);
    match csrf.set_cookie {
        Some(cookie) => with_cookie(response, &cookie),
        None => response,
    }
}

/// Returns the confirmation that the query parameter `done` names by its key in `messages`. Other values are
/// ignored, so that a link cannot put its own text on a page. [`crate::notice`] has removed one that nothing confirms.
pub fn confirmation_message(uri: &Uri, messages: &[(&str, &'static str)]) -> Option<&'static str> {
    let mut params = Params::parse(uri.query().unwrap_or_default());
    let key = params.token("done")?;
    let known = messages.iter().find(|(known, _)| *known == key);
    known.map(|(_, message)| *message)
}
