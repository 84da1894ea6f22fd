//! The notices that say what a form has done. The form redirects to a page whose query names the notice.
//!
//! A link on another site can also name a notice. So the redirect stores a cookie with a digest of the query, and a
//! page shows a notice only if the digest matches its query.

use axum::extract::Request;
use axum::http::Uri;
use axum::middleware::Next;
use axum::response::Response;
use shared::http::PublicUrl;
use shared::input::Params;

use crate::sessions::{digest_of_query, notice_digest, read_cookies};

/// The parameters of notices: something was done, or could not be done.
const NOTICES: [&str; 3] = ["done", "failed", "selected"];

/// Removes a notice from the query of a request, unless the browser's cookie matches the query. It is a layer around
/// all pages.
pub async fn remove_unconfirmed_notice(mut request: Request, next: Next) -> Response {
    let query = request.uri().query().unwrap_or_default();
    if let Some(rest) = Params::without(query, &NOTICES)
        && !is_confirmed(&request)
    {
        let path = request.uri().path();
        let address = if rest.is_empty() {
            path.to_owned()
        } else {
            format!("{path}?{rest}")
        };
        // The parts of a valid address are valid.
        *request.uri_mut() = Uri::try_from(address).unwrap_or_default();
    }
    next.run(request).await
}

fn is_confirmed(request: &Request) -> bool {
    let cookies = read_cookies(request.headers());
    let confirmed = notice_digest(&cookies, request.extensions().get::<PublicUrl>());
    confirmed == Some(&*digest_of_query(&request.uri().to_string()))
}
