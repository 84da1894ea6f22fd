//! The embedded DynamoDB over HTTP, for `cargo lambda watch`, the other `kiroku` commands and any tool
//! that speaks the DynamoDB API.
//!
//! The engine brings a server of its own, which is not used: it allows requests from every web origin and accepts any
//! signature. So every web page that is open on this machine could read and write the tables. The server of this
//! module refuses requests from web pages.

use std::net::IpAddr;

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use dynoxide::auth_material::{self, AuthMaterial};
use dynoxide::{Database, DynoxideError};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Maximum size of a request body, in bytes (DynamoDB Developer Guide, "Quotas": 16 MB for `BatchWriteItem`).
const MAX_BODY_BYTES: usize = 16 << 20;

/// The media type of the responses.
const MEDIA_TYPE: HeaderValue = HeaderValue::from_static("application/x-amz-json-1.0");

const TARGET_HEADER: HeaderName = HeaderName::from_static("x-amz-target");

/// Serves the DynamoDB API over a database.
pub fn router(database: Database) -> Router {
    Router::new()
        .route("/", get(health).post(call))
        .layer(from_fn(refuse_browsers))
        .with_state(database)
}

/// Responds to a GET, which tools send as a health check.
async fn health() -> &'static str {
    "healthy"
}

/// Refuses requests with an `Origin`, CORS preflights included, and requests whose `Host` is neither `localhost` nor a
/// loopback address. The host name of a web page can be made to resolve to 127.0.0.1 (DNS rebinding). Such a request
/// can lack an `Origin`.
async fn refuse_browsers(request: Request, next: Next) -> Response {
    let headers = request.headers();
    let reason = if headers.contains_key(header::ORIGIN) {
        "Web pages cannot use this database: the request has an Origin header."
    } else if !is_for_loopback(headers) {
        "Host must be localhost or a loopback address."
    } else {
        return next.run(request).await;
    };
    let error = DynoxideError::AccessDeniedException(reason.to_owned());
    answer(StatusCode::FORBIDDEN, error.to_json())
}

fn is_for_loopback(headers: &HeaderMap) -> bool {
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let Some(authority) = host.and_then(|host| host.parse::<Authority>().ok()) else {
        return false;
    };
    let host = authority.host();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || address
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

/// Runs one call of the API (DynamoDB Developer Guide, "DynamoDB low-level API").
async fn call(State(database): State<Database>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let text = |name| {
        parts
            .headers
            .get(name)
            .and_then(|value: &HeaderValue| value.to_str().ok())
    };
    let authentication = AuthMaterial {
        authorization: text(header::AUTHORIZATION),
        query: parts.uri.query().unwrap_or_default(),
        has_date_header: parts.headers.contains_key("x-amz-date")
            || parts.headers.contains_key(header::DATE),
    };
    // The request must have a signature, as at DynamoDB. The signature itself is not verified, so any credentials are
    // accepted.
    if let Some(error) = auth_material::validate(authentication) {
        return answer(StatusCode::BAD_REQUEST, error);
    }
    let target = text(TARGET_HEADER).unwrap_or_default();
    // The header is the version of the API, a dot and the operation: `DynamoDB_20120810.GetItem`.
    let operation = target.rsplit('.').next().unwrap_or_default();
    let Ok(body) = to_bytes(body, MAX_BODY_BYTES).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    match dispatch(&database, operation, &body) {
        Ok(body) => answer(StatusCode::OK, body),
        Err(error) => {
            let status = StatusCode::from_u16(error.status_code());
            answer(status.unwrap_or(StatusCode::BAD_REQUEST), error.to_json())
        }
    }
}

fn answer(status: StatusCode, body: String) -> Response {
    (status, [(header::CONTENT_TYPE, MEDIA_TYPE)], body).into_response()
}

/// Calls the engine's method for an operation. It is a macro, because each method has its own types of requests and
/// responses.
macro_rules! operations {
    ($database:ident, $operation:ident, $body:ident: $($name:literal => $method:ident,)*) => {
        match $operation {
            $($name => run_operation($body, |request| $database.$method(request)),)*
            _ => Err(DynoxideError::ValidationException(
                "X-Amz-Target does not name an operation that this database supports".to_owned(),
            )),
        }
    };
}

fn dispatch(database: &Database, operation: &str, body: &[u8]) -> Result<String, DynoxideError> {
    operations! { database, operation, body:
        "BatchExecuteStatement" => batch_execute_statement,
        "BatchGetItem" => batch_get_item,
        "BatchWriteItem" => batch_write_item,
        "CreateTable" => create_table,
        "DeleteItem" => delete_item,
        "DeleteTable" => delete_table,
        "DescribeTable" => describe_table,
        "DescribeTimeToLive" => describe_time_to_live,
        "ExecuteStatement" => execute_statement,
        "ExecuteTransaction" => execute_transaction,
        "GetItem" => get_item,
        "ListTables" => list_tables,
        "PutItem" => put_item,
        "Query" => query,
        "Scan" => scan,
        "TransactGetItems" => transact_get_items,
        "TransactWriteItems" => transact_write_items,
        "UpdateItem" => update_item,
        "UpdateTable" => update_table,
        "UpdateTimeToLive" => update_time_to_live,
    }
}

fn run_operation<Q: DeserializeOwned, A: Serialize>(
    body: &[u8],
    operation: impl FnOnce(Q) -> Result<A, DynoxideError>,
) -> Result<String, DynoxideError> {
    let request = serde_json::from_slice(body)
        .map_err(|error| DynoxideError::SerializationException(error.to_string()))?;
    let response = operation(request)?;
    serde_json::to_string(&response)
        .map_err(|error| DynoxideError::InternalServerError(error.to_string()))
}
