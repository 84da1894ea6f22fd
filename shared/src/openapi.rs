//! What the OpenAPI documents of the functions share: the parameters of pages, and the
//! answers that bring no resource.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};
use utoipa::{IntoParams, IntoResponses};

use crate::envelope::VERSION;

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
        let data = json!("The catalogue is out of reach for the moment: try again.");
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
