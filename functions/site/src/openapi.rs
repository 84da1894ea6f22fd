//! The OpenAPI document.

use axum::http::header;
use axum::response::{IntoResponse, Response};
use pages::paths;
use shared::http::JSON;
use shared::http::openapi::{InternalError, NotModified};
use shared::http::response::CACHE_PUBLIC;

/// The OpenAPI document of the whole service, as `kiroku openapi` prints it. A test compares the file with
/// the code. Embedding the file saves generating it at every cold start.
pub(crate) const OPENAPI: &str = include_str!("../openapi.json");

/// Returns this OpenAPI document.
///
/// The response has no envelope, because tools read the document directly.
#[utoipa::path(
    get,
    path = paths::OPENAPI,
    tag = "site",
    operation_id = "openapi",
    responses((status = 200, description = "The OpenAPI document", body = Object), NotModified, InternalError),
)]
pub(crate) async fn openapi() -> Response {
    let headers = [
        (header::CONTENT_TYPE, JSON),
        (header::CACHE_CONTROL, CACHE_PUBLIC),
    ];
    (headers, OPENAPI).into_response()
}
