//! What the pages' handlers answer with.

use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use shared::Error;
use shared::input::Params;
use store::Account;

use crate::error::PageError;
use crate::form::Faults;
use crate::layout::Page;
use crate::paths::PROFILE;
use crate::sessions::{Csrf, Visitor};
use crate::state::SiteState;

/// Sends the visitor on to a page of ours, after a form (RFC 9110, section 15.4.4).
pub(crate) fn see_other(state: &SiteState, path: &str) -> Result<Response, PageError> {
    let location = format!("{}{path}", state.public_url());
    let location = HeaderValue::try_from(location).map_err(Error::internal)?;
    let headers = [
        (header::LOCATION, location),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    Ok((StatusCode::SEE_OTHER, headers).into_response())
}

/// Sends somebody on who has signed in: to where they came from, or to their profile.
pub(crate) fn go_on(state: &SiteState, next: Option<&str>) -> Result<Response, PageError> {
    see_other(state, next.unwrap_or(PROFILE))
}

/// Begins the session of somebody who has shown who they are, and sends them on.
pub(crate) async fn begin_session(
    state: &SiteState,
    visitor: &Visitor,
    account: &Account,
    next: Option<&str>,
) -> Result<Response, PageError> {
    let cookie = state.sessions.begin(visitor, account).await?;
    Ok(with_cookie(go_on(state, next)?, cookie))
}

/// An answer that sets a cookie.
pub(crate) fn with_cookie(mut answer: Response, cookie: HeaderValue) -> Response {
    answer.headers_mut().append(header::SET_COOKIE, cookie);
    answer
}

/// A page with forms, and the cookie that their tokens belong to. Of a form that came with faults the
/// answer has their status.
pub(crate) fn with_forms(page: Page<'_>, csrf: Csrf, faults: Option<&Faults>) -> Response {
    let mut answer = page.answer(faults.map_or(StatusCode::OK, Faults::status));
    if let Some(seconds) = faults.and_then(Faults::retry_after) {
        let headers = answer.headers_mut();
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    match csrf.set_cookie {
        Some(cookie) => with_cookie(answer, cookie),
        None => answer,
    }
}

/// What the parameter `done` of an address says has been done, out of these keys and sentences.
pub(crate) fn done(uri: &Uri, sentences: &[(&str, &'static str)]) -> Option<&'static str> {
    let mut params = Params::parse(uri.query().unwrap_or_default());
    let key = params.token("done")?;
    let known = sentences.iter().find(|(known, _)| *known == key);
    known.map(|(_, sentence)| *sentence)
}
