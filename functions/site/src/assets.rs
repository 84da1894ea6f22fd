//! What the pages load. It is the same for everybody.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use shared::endpoint::CACHE_PUBLIC;

/// The style of every page.
pub(crate) async fn style() -> Response {
    asset(
        "text/css; charset=utf-8",
        include_str!("../assets/style.css"),
    )
}

/// The buttons that copy. Nothing needs it.
pub(crate) async fn script() -> Response {
    let script = include_str!("../assets/site.js");
    asset("text/javascript; charset=utf-8", script)
}

/// The mark in the window's tab.
pub(crate) async fn icon() -> Response {
    asset("image/svg+xml", include_str!("../assets/icon.svg"))
}

fn asset(media_type: &'static str, body: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (header::CACHE_CONTROL, CACHE_PUBLIC),
        (
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ),
    ];
    (headers, body).into_response()
}
