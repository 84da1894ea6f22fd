//! The OpenAPI document.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::Value;
use shared::http::JSON;
use shared::http::openapi::{Fault, NotModified};
use shared::http::response::CACHE_PUBLIC;

/// The OpenAPI document of the whole service, as `kiroku openapi` prints it. A test compares the file with
/// the code. Embedding the file saves generating it at every cold start.
const OPENAPI: &str = include_str!("../openapi.json");

/// The parts of the document that the reference page shows.
#[derive(Deserialize)]
pub(crate) struct Document {
    /// The groups of endpoints.
    pub tags: Vec<Tag>,
    /// The endpoints, by path and method.
    pub paths: BTreeMap<String, BTreeMap<String, Operation>>,
}

/// A group of endpoints.
#[derive(Deserialize)]
pub(crate) struct Tag {
    /// The name by which endpoints refer to it.
    pub name: String,
    /// The heading of the group.
    pub description: Option<String>,
}

/// An endpoint.
#[derive(Deserialize)]
pub(crate) struct Operation {
    /// The groups that it belongs to, by name.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The summary.
    pub summary: Option<String>,
    /// The details.
    pub description: Option<String>,
    /// The ways to authenticate, of which one is enough. An empty one means that authentication is optional.
    #[serde(default)]
    pub security: Vec<BTreeMap<String, Value>>,
}

/// Returns this OpenAPI document.
///
/// The response has no envelope, because tools read the document directly.
#[utoipa::path(
    get,
    path = "/v1/openapi.json",
    tag = "site",
    operation_id = "openapi",
    responses((status = 200, description = "The OpenAPI document", body = Object), NotModified, Fault),
)]
pub(crate) async fn openapi() -> Response {
    let headers = [
        (header::CONTENT_TYPE, JSON),
        (header::CACHE_CONTROL, CACHE_PUBLIC),
    ];
    (headers, OPENAPI).into_response()
}

/// Returns the document, parsed on first use.
pub(crate) fn document() -> Result<&'static Document, &'static serde_json::Error> {
    static DOCUMENT: LazyLock<Result<Document, serde_json::Error>> =
        LazyLock::new(|| serde_json::from_str(OPENAPI));
    DOCUMENT.as_ref()
}
