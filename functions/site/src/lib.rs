//! What belongs to no resource: where the reference is, the reference itself, and, on API Gateway,
//! the answer to every path and method that no other function has.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use serde::{Deserialize, Serialize};
use shared::clock::Clock;
use shared::endpoint::{CACHE_PUBLIC, cached};
use shared::envelope::{Envelope, JSON};
use shared::error::ApiError;
use shared::openapi::{Fault, NotModified};
use shared::random::Random;
use shared::routing::ApiRouter;
use tower::ServiceExt;
use utoipa::{OpenApi, ToSchema};

/// The OpenAPI document of the whole service, as `kiroku openapi` writes it. A test holds the file
/// equal to the code, so that no cold start has to put it together.
const OPENAPI: &str = include_str!("../openapi.json");

/// The path of the reference.
const OPENAPI_PATH: &str = "/v1/openapi.json";

/// The endpoints.
pub fn router() -> ApiRouter {
    ApiRouter::new().get("/", start).get(OPENAPI_PATH, openapi)
}

/// The endpoints, and a 405 with `Allow` for the paths of all other functions: what API Gateway
/// sends here is what its routes do not take.
pub fn unrouted(clock: Clock, random: Random) -> Router {
    let routes = router().into_inner().fallback(elsewhere);
    shared::http::layers(routes, clock, random)
}

/// Answers what is no endpoint here. The paths of the other functions are read when the first such
/// request comes: no cold start waits for it.
async fn elsewhere(request: Request) -> Response {
    static OTHERS: LazyLock<Result<Router, serde_json::Error>> = LazyLock::new(others);
    match &*OTHERS {
        Ok(others) => others.clone().oneshot(request).await.into_response(),
        Err(error) => ApiError::internal(error).into_response(),
    }
}

fn others() -> Result<Router, serde_json::Error> {
    let reference: Paths = serde_json::from_str(OPENAPI)?;
    let mut others = Router::new().fallback(async || ApiError::UnknownPath);
    for (path, methods) in &reference.paths {
        let names: Vec<String> = methods.keys().map(|name| name.to_uppercase()).collect();
        let allow = HeaderValue::from_str(&names.join(",")).ok();
        others = others.route(path, any(async || ApiError::MethodNotAllowed(allow)));
    }
    Ok(others)
}

/// As much of an OpenAPI document as names its routes.
#[derive(Deserialize)]
struct Paths {
    paths: BTreeMap<String, BTreeMap<String, serde_json::Value>>,
}

/// What the reference says of the endpoints.
#[derive(Debug, OpenApi)]
#[openapi(paths(start, openapi))]
pub struct Reference;

/// Where to go from the root of the service.
#[derive(Debug, Serialize, ToSchema)]
pub struct Start {
    /// The path of the OpenAPI 3.1 document, the reference of every endpoint.
    #[schema(example = "/v1/openapi.json")]
    reference: &'static str,
}

/// Where the reference is.
#[utoipa::path(
    get,
    path = "/",
    tag = "site",
    operation_id = "start",
    responses((status = 200, description = "Where the reference is", body = Envelope<Start>), NotModified, Fault),
)]
async fn start() -> Response {
    let start = Start {
        reference: OPENAPI_PATH,
    };
    cached("Kiroku: anime catalogue and watch history", start)
}

/// This document. It is the one answer without an envelope, for tools read it as it is.
#[utoipa::path(
    get,
    path = "/v1/openapi.json",
    tag = "site",
    operation_id = "openapi",
    responses((status = 200, description = "The OpenAPI document", body = Object), NotModified, Fault),
)]
async fn openapi() -> Response {
    let headers = [
        (header::CONTENT_TYPE, JSON),
        (header::CACHE_CONTROL, CACHE_PUBLIC),
    ];
    (headers, OPENAPI).into_response()
}
