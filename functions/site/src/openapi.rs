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

/// The OpenAPI document of the whole service, as `kiroku openapi` writes it. A test holds the file
/// equal to the code, so that no cold start has to put it together.
const OPENAPI: &str = include_str!("../openapi.json");

/// As much of the document as is read here.
#[derive(Deserialize)]
pub(crate) struct Document {
    /// The groups of endpoints.
    pub tags: Vec<Tag>,
    /// By path and method.
    pub paths: BTreeMap<String, BTreeMap<String, Operation>>,
}

/// A group of endpoints.
#[derive(Deserialize)]
pub(crate) struct Tag {
    /// How its endpoints refer to it.
    pub name: String,
    /// What it is, for people.
    pub description: Option<String>,
}

/// An endpoint.
#[derive(Deserialize)]
pub(crate) struct Operation {
    /// The groups that it belongs to.
    #[serde(default)]
    pub tags: Vec<String>,
    /// What it does.
    pub summary: Option<String>,
    /// What else there is to know about it.
    pub description: Option<String>,
    /// What shows who calls: each of these is enough, and an empty one says that nothing need be.
    #[serde(default)]
    pub security: Vec<BTreeMap<String, Value>>,
}

/// This document. It is the one answer without an envelope, for tools read it as it is.
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

/// The document, parsed when it is first asked for.
pub(crate) fn document() -> Result<&'static Document, &'static serde_json::Error> {
    static DOCUMENT: LazyLock<Result<Document, serde_json::Error>> =
        LazyLock::new(|| serde_json::from_str(OPENAPI));
    DOCUMENT.as_ref()
}
