//! The OpenAPI document.

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use pages::paths;
use shared::http::openapi::NotModified;
use shared::http::response::CACHE_PUBLIC;
use shared::http::{JSON, PublicUrl};

/// The OpenAPI document of the whole service, as `kiroku openapi` prints it. A test compares the file with
/// the code. Embedding the file saves generating it at every cold start.
pub(crate) const OPENAPI: &str = include_str!("../openapi.json");

/// The server of the document, for a service without a path in its public URL.
const SERVER: &str = "\"url\": \"/\"";

/// Returns this OpenAPI document.
///
/// The response has no envelope, because tools read the document directly.
#[utoipa::path(
    get,
    path = paths::OPENAPI,
    tag = "site",
    operation_id = "openapi",
    responses((status = 200, description = "The OpenAPI document", body = Object), NotModified),
)]
pub(crate) async fn openapi(public_url: PublicUrl) -> Response {
    let document = match public_url.base_path() {
        "" => Body::from(OPENAPI),
        path => Body::from(OPENAPI.replacen(SERVER, &format!("\"url\": \"{path}\""), 1)),
    };
    let headers = [
        (header::CONTENT_TYPE, JSON),
        (header::CACHE_CONTROL, CACHE_PUBLIC),
    ];
    (headers, document).into_response()
}
