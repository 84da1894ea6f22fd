//! The static files of the pages: style, script and icon.

use axum::http::{HeaderValue, Uri, header};
use axum::response::{IntoResponse, Response};
use shared::http::response::CACHE_PUBLIC;
use shared::input::Params;

use crate::layout::{Asset, ICON, SCRIPT, STYLE};

/// `Cache-Control` of addresses that include the version of the file, because their content never changes.
const CACHE_FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// `GET /style.css`
pub(crate) async fn style(uri: Uri) -> Response {
    answer(&STYLE, &uri)
}

/// `GET /site.js`
pub(crate) async fn script(uri: Uri) -> Response {
    answer(&SCRIPT, &uri)
}

/// `GET /icon.svg`
pub(crate) async fn icon(uri: Uri) -> Response {
    answer(&ICON, &uri)
}

fn answer(asset: &Asset, uri: &Uri) -> Response {
    let mut params = Params::parse(uri.query().unwrap_or_default());
    let is_this = params.token("v") == Some(asset.version());
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static(asset.media_type),
        ),
        (
            header::CACHE_CONTROL,
            if is_this { CACHE_FOREVER } else { CACHE_PUBLIC },
        ),
        (
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ),
    ];
    (headers, asset.content).into_response()
}
