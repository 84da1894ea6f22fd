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
    let cookie = sessions.begin(visitor, account).await?;
    Ok(with_cookie(
        redirect_after_sign_in(sessions, next)?,
        &cookie,
    ))
}

/// Adds a cookie to a response.
#[must_use]
pub fn with_cookie(answer: Response, cookie: &Cookie<'_>) -> Response {
    let header = AppendHeaders([(header::SET_COOKIE, cookie.to_string())]);
    (header, answer).into_response()
}

/// Returns a page with forms. If the visitor has no cookie for the CSRF tokens yet, the response sets it. The
/// errors of a form determine the status; without errors, it is 200.
pub fn with_forms(page: Page<'_>, csrf: Csrf, errors: Option<&FormErrors>) -> Response {
    let mut answer = with_status(
        page,
        csrf,
        errors.map_or(StatusCode::OK, FormErrors::status),
    );
    if let Some(seconds) = errors.and_then(FormErrors::retry_after) {
        let headers = answer.headers_mut();
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    answer
}

/// Returns a page with forms and this status.
#[must_use]
pub fn with_status(page: Page<'_>, csrf: Csrf, status: StatusCode) -> Response {
    let answer = page.answer(status);
    match csrf.set_cookie {
        Some(cookie) => with_cookie(answer, &cookie),
        None => answer,
    }
}

/// Returns the message of the confirmation that the query parameter `done` names. Only the keys of `messages`
/// are known, so that the address of a page cannot put other text on it.
pub fn done(uri: &Uri, messages: &[(&str, &'static str)]) -> Option<&'static str> {
    let mut params = Params::parse(uri.query().unwrap_or_default());
    let key = params.token("done")?;
    let known = messages.iter().find(|(known, _)| *known == key);
    known.map(|(_, message)| *message)
}
