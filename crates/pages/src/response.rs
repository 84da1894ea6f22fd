//! Responses of the page handlers.

use accounts::users::Account;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use cookie::Cookie;
use shared::http::response::CACHE_NONE;
use shared::{Error, Result};

use crate::error::PageResult;
use crate::paths::PROFILE;
use crate::sessions::{PageSessions, Visitor};

/// Redirects the visitor to a page of this site, with 303 so that the browser sends a GET after a form (RFC
/// 9110, section 15.4.4).
pub fn see_other(sessions: &PageSessions, path: &str) -> PageResult {
    Ok(leave_for(&format!("{}{path}", sessions.public_url()))?)
}

/// Redirects the visitor to an address, which can be on another site.
pub fn leave_for(address: &str) -> Result<Response> {
    let location = HeaderValue::try_from(address).map_err(Error::internal)?;
    let headers = [
        (header::LOCATION, location),
        (header::CACHE_CONTROL, CACHE_NONE),
    ];
    Ok((StatusCode::SEE_OTHER, headers).into_response())
}

/// Redirects the visitor as [`see_other`] does, to a page whose query names a notice about what was done. `path` must
/// be an address that this service has built, because the page trusts its notice.
pub fn see_notice(sessions: &PageSessions, path: &str) -> PageResult {
    let response = see_other(sessions, path)?;
    Ok(with_cookie(response, &sessions.notice_cookie(path)))
}

/// Redirects a signed-in user to the page that they came from, or to their profile.
pub fn redirect_after_sign_in(sessions: &PageSessions, next: Option<&str>) -> PageResult {
    see_other(sessions, next.unwrap_or(PROFILE))
}

/// Starts a session for a user who has signed in, and redirects them.
pub async fn begin_session(
    sessions: &PageSessions,
    visitor: &Visitor,
    account: &Account,
    next: Option<&str>,
) -> PageResult {
    let cookies = sessions.begin(visitor, account).await?;
    let response = redirect_after_sign_in(sessions, next)?;
    Ok(cookies.iter().fold(response, with_cookie))
}

/// Adds a cookie to a response.
pub fn with_cookie(response: Response, cookie: &Cookie<'_>) -> Response {
    let header = AppendHeaders([(header::SET_COOKIE, cookie.to_string())]);
    (header, response).into_response()
}
