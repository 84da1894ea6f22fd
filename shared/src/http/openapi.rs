//! What the OpenAPI documents of the functions share: the parameters of pages, and the
//! answers that bring no resource.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};
use utoipa::{IntoParams, IntoResponses};

use super::envelope::VERSION;

/// The parameters of a catalogue's list that say which part of it is asked for.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageParameters {
    /// Rows a page; 100 when absent.
    #[param(minimum = 1, maximum = 100, example = 20)]
    pub per_page: Option<u64>,
    /// Number of the page, from 1.
    #[param(minimum = 1, example = 1)]
    pub page: Option<u64>,
    /// Where the list goes on, as the header `Link` has it.
    pub cursor: Option<String>,
}

/// 500, which any endpoint may answer.
#[derive(Debug)]
pub struct Fault;

/// 503, which any endpoint may answer that asks DynamoDB.
#[derive(Debug)]
pub struct OutOfReach;

/// 400: a parameter that cannot be taken.
#[derive(Debug)]
pub struct InvalidParameters;

/// 404: nothing has this identifier.
#[derive(Debug)]
pub struct NothingFound;

/// 304, which any endpoint may answer that sends an `ETag`.
#[derive(Debug)]
pub struct NotModified;

/// 401 and 403, which any endpoint may answer that wants a token.
#[derive(Debug)]
pub struct NoAccess;

/// 400, 413 and 415, which any endpoint may answer that takes a body.
#[derive(Debug)]
pub struct BadBody;

/// 401: name and password do not belong together.
#[derive(Debug)]
pub struct SignInFailed;

/// 409: somebody or something else has it already.
#[derive(Debug)]
pub struct AlreadyExists;

/// 412: it is no longer what `If-Match` says.
#[derive(Debug)]
pub struct NoLongerSo;

/// 429: too many attempts.
#[derive(Debug)]
pub struct TooMany;

type Responses = BTreeMap<String, RefOr<Response>>;

impl IntoResponses for Fault {
    fn responses() -> Responses {
        let data = json!("The fault is ours, and it has been logged.");
        error(
            500,
            "A fault of the service",
            "Internal server error",
            &data,
        )
    }
}

impl IntoResponses for OutOfReach {
    fn responses() -> Responses {
        let data = json!("The data is out of reach for the moment: try again.");
        let description = "DynamoDB is out of reach; `Retry-After` says when to try again";
        error(503, description, "Service unavailable", &data)
    }
}

impl IntoResponses for InvalidParameters {
    fn responses() -> Responses {
        let data = json!({"per_page": "must be a whole number from 1 to 100"});
        let description = "A parameter cannot be taken; `data` names each";
        error(400, description, "Invalid parameters", &data)
    }
}

impl IntoResponses for NothingFound {
    fn responses() -> Responses {
        let data = json!("Nothing has this identifier.");
        error(404, "Nothing has this identifier", "Anime not found", &data)
    }
}

impl IntoResponses for NotModified {
    fn responses() -> Responses {
        let response = ResponseBuilder::new()
            .description("What `If-None-Match` names is still what there is")
            .build();
        BTreeMap::from([("304".to_owned(), RefOr::T(response))])
    }
}

impl IntoResponses for NoAccess {
    fn responses() -> Responses {
        let data = json!("The token is not valid, or no longer: sign in again.");
        let description = "There is no token, or none that is valid; `WWW-Authenticate` says which";
        let mut responses = error(401, description, "Unauthorized", &data);
        let data = json!("This belongs to another user.");
        responses.append(&mut error(403, "Not the caller's", "Forbidden", &data));
        responses
    }
}

impl IntoResponses for BadBody {
    fn responses() -> Responses {
        let data = json!({"status": "is required"});
        let description = "A field cannot be taken, `data` names each; or there is no JSON object";
        let mut responses = error(400, description, "Invalid parameters", &data);
        let data = json!("No body here needs more than 64 KB.");
        responses.append(&mut error(
            413,
            "The body is too large",
            "Body too large",
            &data,
        ));
        let data = json!("Send JSON, and say so: Content-Type: application/json.");
        let description = "The body is not JSON by its own account";
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
        let data = json!("No account has this name or address and this password.");
        let description = "Name and password do not belong together, or there is no such account";
        error(401, description, "Sign-in failed", &data)
    }
}

impl IntoResponses for AlreadyExists {
    fn responses() -> Responses {
        let data = json!({"username": "is taken"});
        let description = "There is one already; `data` names the fields";
        error(409, description, "Already exists", &data)
    }
}

impl IntoResponses for NoLongerSo {
    fn responses() -> Responses {
        let data =
            json!("It has changed since it was read: read it again, and send what is still meant.");
        let description = "It is no longer what `If-Match` says";
        error(412, description, "Precondition failed", &data)
    }
}

impl IntoResponses for TooMany {
    fn responses() -> Responses {
        let data = json!("Too many attempts: the header Retry-After says how long to wait.");
        let description = "Too many attempts; `Retry-After` says how many seconds to wait";
        error(429, description, "Too many requests", &data)
    }
}

/// An answer that is an error, with an example.
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
