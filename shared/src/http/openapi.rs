//! Parts that the OpenAPI documents of all functions share: the parameters of pages, and the responses
//! without a resource. The examples repeat the sentences of `error.rs`.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};
use utoipa::{IntoParams, IntoResponses};

use super::envelope::VERSION;

/// The paging parameters of a catalogue list.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageParameters {
    /// Rows per page; 100 when absent.
    #[param(minimum = 1, maximum = 100, example = 20)]
    pub per_page: Option<u64>,
    /// Page number, from 1. Cannot be combined with `cursor`.
    #[param(minimum = 1, example = 1)]
    pub page: Option<u64>,
    /// Position in the list, taken from the `Link` header of the previous page.
    pub cursor: Option<String>,
}

/// 500: an internal error. Any endpoint can return it.
#[derive(Debug)]
pub struct Fault;

/// 503: the database is unavailable. Any endpoint that uses DynamoDB can return it.
#[derive(Debug)]
pub struct OutOfReach;

/// 400: a parameter is invalid.
#[derive(Debug)]
pub struct InvalidParameters;

/// 404: no resource has this identifier.
#[derive(Debug)]
pub struct NothingFound;

/// 304: the resource has not changed. Any endpoint that sends an `ETag` can return it.
#[derive(Debug)]
pub struct NotModified;

/// 401 and 403: access is denied. Any endpoint that requires a token can return them.
#[derive(Debug)]
pub struct NoAccess;

/// 400, 413 and 415: the body is invalid. Any endpoint that accepts a body can return them.
#[derive(Debug)]
pub struct BadBody;

/// 401: the sign-in failed.
#[derive(Debug)]
pub struct SignInFailed;

/// 409: a value is already taken.
#[derive(Debug)]
pub struct AlreadyExists;

/// 412: the resource no longer has a state that `If-Match` lists.
#[derive(Debug)]
pub struct NoLongerSo;

/// 429: too many attempts.
#[derive(Debug)]
pub struct TooMany;

type Responses = BTreeMap<String, RefOr<Response>>;

impl IntoResponses for Fault {
    fn responses() -> Responses {
        let data = json!("Something went wrong on our side. The error has been logged.");
        error(
            500,
            "Internal error of the service",
            "Internal server error",
            &data,
        )
    }
}

impl IntoResponses for OutOfReach {
    fn responses() -> Responses {
        let data = json!("The database is temporarily unavailable. Try again in a moment.");
        let description =
            "The database is temporarily unavailable; `Retry-After` gives the seconds to wait";
        error(503, description, "Service unavailable", &data)
    }
}

impl IntoResponses for InvalidParameters {
    fn responses() -> Responses {
        let data = json!({"per_page": "must be a whole number from 1 to 100"});
        let description = "A parameter is invalid; `data` gives the reason for each";
        error(400, description, "Invalid parameters", &data)
    }
}

impl IntoResponses for NothingFound {
    fn responses() -> Responses {
        let data = json!("No resource has this identifier.");
        error(
            404,
            "No resource has this identifier",
            "Anime not found",
            &data,
        )
    }
}

impl IntoResponses for NotModified {
    fn responses() -> Responses {
        let response = ResponseBuilder::new()
            .description("The resource still has an entity tag that `If-None-Match` lists")
            .build();
        BTreeMap::from([("304".to_owned(), RefOr::T(response))])
    }
}

impl IntoResponses for NoAccess {
    fn responses() -> Responses {
        let data = json!("The access token is invalid or has expired. Sign in again.");
        let description = "The access token is missing or invalid; `WWW-Authenticate` says which";
        let mut responses = error(401, description, "Unauthorized", &data);
        let data = json!("This belongs to another user.");
        responses.append(&mut error(
            403,
            "The caller is not allowed to do this",
            "Forbidden",
            &data,
        ));
        responses
    }
}

impl IntoResponses for BadBody {
    fn responses() -> Responses {
        let data = json!({"status": "is required"});
        let description = "A field is invalid (`data` gives the reason for each), or the body is not a JSON object";
        let mut responses = error(400, description, "Invalid parameters", &data);
        let data = json!("Request bodies are limited to 64 KB.");
        responses.append(&mut error(
            413,
            "The body is too large",
            "Body too large",
            &data,
        ));
        let data = json!("Send a JSON body with `Content-Type: application/json`.");
        let description = "`Content-Type` is not `application/json`";
        responses.append(&mut error(
            415,
            description,
            "Unsupported media type",
            &data,
        ));
        responses
    }
}

impl IntoResponses for SignInFailed {
    fn responses() -> Responses {
        let data = json!("The username, e-mail address or password is wrong.");
        let description = "The username, e-mail address or password is wrong";
        error(401, description, "Sign-in failed", &data)
    }
}

impl IntoResponses for AlreadyExists {
    fn responses() -> Responses {
        let data = json!({"username": "is taken"});
        let description = "A value is already taken; `data` names the fields";
        error(409, description, "Already exists", &data)
    }
}

impl IntoResponses for NoLongerSo {
    fn responses() -> Responses {
        let data = json!("The resource has changed since you read it. Fetch it again and retry.");
        let description = "The resource no longer has a state that `If-Match` lists";
        error(412, description, "Precondition failed", &data)
    }
}

impl IntoResponses for TooMany {
    fn responses() -> Responses {
        let data =
            json!("Too many attempts. Wait for the number of seconds in the Retry-After header.");
        let description = "Too many attempts; `Retry-After` gives the seconds to wait";
        error(429, description, "Too many requests", &data)
    }
}

/// Returns an error response with an example.
fn error(status: u16, description: &str, message: &str, data: &Value) -> Responses {
    let example = json!({
        "status_code": status, "message": message, "data": data, "version": VERSION
    });
    let content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name("ErrorEnvelope")))
        .example(Some(example))
        .build();
    let response = ResponseBuilder::new()
        .description(description)
        .content("application/json", content)
        .build();
    BTreeMap::from([(status.to_string(), RefOr::T(response))])
}
