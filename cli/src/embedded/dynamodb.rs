//! The embedded DynamoDB over HTTP, for the calls of this process, for the other `kiroku` commands, and on a port for
//! `cargo lambda watch` and any tool that speaks the DynamoDB API.
//!
//! The engine's own server is not used: it allows requests from every web origin and accepts any signature. So every
//! web page and every user of this machine could read and write the tables. The server of this module refuses requests
//! from web pages, and verifies signatures.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header, request};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use dynoxide::actions::describe_table::DescribeTableRequest;
use dynoxide::actions::query::QueryRequest;
use dynoxide::actions::scan::ScanRequest;
use dynoxide::auth_material::{self, AuthMaterial};
use dynoxide::{Database, DynoxideError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use shared::clock::Clock;

use crate::embedded::access_key::AccessKey;
use crate::embedded::database::{CallType, SharedDatabase};
use crate::http::loopback;

/// Maximum size of a request body, in bytes (DynamoDB Developer Guide, "Quotas": 16 MB for `BatchWriteItem`).
const MAX_BODY_BYTES: usize = 16 << 20;

/// The media type of the responses.
const MEDIA_TYPE: HeaderValue = HeaderValue::from_static("application/x-amz-json-1.0");

const TARGET_HEADER: HeaderName = HeaderName::from_static("x-amz-target");

/// The header of a `DescribeTable` whose caller needs no numbers of rows. The engine counts the rows of the table and
/// of its indexes one by one, which takes seconds for a million stories. DynamoDB on AWS ignores the header.
pub(crate) const WITHOUT_COUNTS: &str = "x-kiroku-without-counts";

/// The maximum number of rows in a page of a query or scan without a limit. DynamoDB ends a page at 1 MB. So does the
/// engine, but before that, it reads all remaining rows for every page.
const MAX_PAGE_ROWS: usize = 2000;

/// Serves the DynamoDB API over a database, without a check of signatures: for this process, and for a socket that only
/// its user can open.
pub fn router(database: impl Into<SharedDatabase>) -> Router {
    let methods = get(health).post(call);
    Router::new().route("/", methods.with_state(database.into()))
}

/// Serves the DynamoDB API over a database on a port that all users of this machine reach: to requests that are signed
/// with this key and come from no web page.
pub fn signed_router(database: impl Into<SharedDatabase>, key: AccessKey, clock: Clock) -> Router {
    let check = from_fn_with_state((key, clock), check_signature);
    let methods = get(health).merge(post(call).route_layer(check));
    Router::new()
        .route("/", methods.with_state(database.into()))
        .layer(from_fn(refuse_browsers))
}

/// Responds to a GET, which tools send as a health check.
async fn health() -> &'static str {
    "healthy"
}

async fn refuse_browsers(request: Request, next: Next) -> Response {
    match loopback::refusal(request.headers()) {
        None => next.run(request).await,
        Some(reason) => {
            let error = DynoxideError::AccessDeniedException(reason.to_owned());
            json_response(StatusCode::FORBIDDEN, error.to_json())
        }
    }
}

async fn check_signature(
    State((key, clock)): State<(AccessKey, Clock)>,
    request: Request,
    next: Next,
) -> Response {
    let (parts, body) = request.into_parts();
    if let Some(error) = find_incomplete_signature(&parts) {
        return json_response(StatusCode::BAD_REQUEST, error);
    }
    let Ok(body) = to_bytes(body, MAX_BODY_BYTES).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    if let Err(reason) = key.check(&parts, &body, &clock) {
        let message = format!("{reason}; use the key in the file of --dynamodb-key-file");
        let error = DynoxideError::AccessDeniedException(message);
        return json_response(StatusCode::BAD_REQUEST, error.to_json());
    }
    next.run(Request::from_parts(parts, Body::from(body))).await
}

/// Returns the error of DynamoDB for a request without a complete signature.
fn find_incomplete_signature(request: &request::Parts) -> Option<String> {
    auth_material::validate(AuthMaterial {
        authorization: header_text(&request.headers, header::AUTHORIZATION),
        query: request.uri.query().unwrap_or_default(),
        has_date_header: request.headers.contains_key("x-amz-date")
            || request.headers.contains_key(header::DATE),
    })
}

fn header_text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Runs one call of the API (DynamoDB Developer Guide, "DynamoDB low-level API").
async fn call(State(database): State<SharedDatabase>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let target = header_text(&parts.headers, TARGET_HEADER).unwrap_or_default();
    // The header is the version of the API, a dot and the operation: `DynamoDB_20120810.GetItem`.
    let operation = target.rsplit('.').next().unwrap_or_default().to_owned();
    let Ok(body) = to_bytes(body, MAX_BODY_BYTES).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let ran = if operation == "DescribeTable" && parts.headers.contains_key(WITHOUT_COUNTS) {
        let describe = move |database: &Database| describe_without_counts(database, &body);
        database.run(CallType::ShortRead, describe).await
    } else {
        let call_type = type_of(&operation);
        let dispatch = move |database: &Database| dispatch(database, &operation, &body);
        database.run(call_type, dispatch).await
    };
    match ran {
        Ok(body) => json_response(StatusCode::OK, body),
        Err(error) => {
            let status = StatusCode::from_u16(error.status_code());
            json_response(status.unwrap_or(StatusCode::BAD_REQUEST), error.to_json())
        }
    }
}

/// Returns the type of the calls of an operation. Operations that are rarely called use the connection that writes.
fn type_of(operation: &str) -> CallType {
    match operation {
        "GetItem" | "BatchGetItem" => CallType::ShortRead,
        "Query" | "Scan" | "DescribeTable" => CallType::LongRead,
        "CreateTable" | "DeleteTable" | "UpdateTable" | "UpdateTimeToLive" => CallType::TableChange,
        _ => CallType::Write,
    }
}

/// Responds to `DescribeTable` with only the definition of the table.
fn describe_without_counts(database: &Database, body: &[u8]) -> Result<String, DynoxideError> {
    run_operation(body, |request: DescribeTableRequest| {
        let name = request.table_name;
        let table = database.get_table_metadata(&name)?.ok_or_else(|| {
            let message = format!("Requested resource not found: Table: {name} not found");
            DynoxideError::ResourceNotFoundException(message)
        })?;
        let mut indexes = match &table.gsi_definitions {
            Some(definitions) => read_definition::<Vec<Value>>(definitions)?,
            None => Vec::new(),
        };
        for index in &mut indexes {
            // The engine builds an index before it responds.
            index["IndexStatus"] = "ACTIVE".into();
        }
        Ok(json!({"Table": {
            "TableName": name,
            "TableStatus": table.table_status,
            "KeySchema": read_definition::<Value>(&table.key_schema)?,
            "AttributeDefinitions": read_definition::<Value>(&table.attribute_definitions)?,
            "GlobalSecondaryIndexes": indexes,
        }}))
    })
}

fn read_definition<T: DeserializeOwned>(definition: &str) -> Result<T, DynoxideError> {
    serde_json::from_str(definition)
        .map_err(|error| DynoxideError::InternalServerError(error.to_string()))
}

fn json_response(status: StatusCode, body: String) -> Response {
    (status, [(header::CONTENT_TYPE, MEDIA_TYPE)], body).into_response()
}

/// Calls the engine's method for an operation. It is a macro, because each method has its own types of requests and
/// responses.
macro_rules! operations {
    ($database:ident, $operation:ident, $body:ident: $($name:literal => $method:ident,)*) => {
        match $operation {
            "Query" => run_operation($body, |mut request: QueryRequest| {
                request.limit.get_or_insert(MAX_PAGE_ROWS);
                $database.query(request)
            }),
            "Scan" => run_operation($body, |mut request: ScanRequest| {
                request.limit.get_or_insert(MAX_PAGE_ROWS);
                $database.scan(request)
            }),
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
