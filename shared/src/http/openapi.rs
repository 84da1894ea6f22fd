//! Parts that the OpenAPI descriptions of all functions share: the paging parameters of lists, the error responses and
//! the 304. The example of an error response is made from the error itself, so it equals a real response.
//!
//! [`complete_operation`] adds the responses and headers that follow from the rest of an operation's description.

use std::collections::BTreeMap;

use serde_json::json;
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{
    ContentBuilder, Header, HeaderBuilder, Ref, RefOr, Response, ResponseBuilder,
};
use utoipa::{IntoParams, IntoResponses, PartialSchema};

use super::ApiError;
use super::bearer::TOKEN_IN_QUERY;
use super::error::{BODY_TOO_LARGE, FILE_TOO_LARGE, SEND_JSON};
use crate::{Error, Missing};

/// The paging parameters of a catalogue list.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageParameters {
    /// Rows per page; 100 when absent.
    #[param(minimum = 1, maximum = 100, example = 20)]
    pub per_page: Option<u64>,
    /// Page number, from 1. Cannot be combined with `cursor`.
    #[param(minimum = 1, maximum = 9_007_199_254_740_991_u64, example = 1)]
    pub page: Option<u64>,
    /// Position at which the page starts, taken from the `Link` header of the previous page. Valid only with the
    /// same filters. Cannot be combined with `page`.
    #[param(pattern = "^[A-Za-z0-9_-]+$")]
    pub cursor: Option<String>,
}

/// The paging parameters of a list of users or stories.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CursorParameters {
    /// Maximum number of results on the page, from 1 to 100. Default: 100
    #[param(minimum = 1, maximum = 100, example = 20)]
    pub per_page: Option<u64>,
    #[doc = "Position at which the page starts, taken from the `Link` header of the previous page. Valid only with \
        the same filters"]
    #[param(pattern = "^[A-Za-z0-9_-]+$")]
    pub cursor: Option<String>,
}

/// 304: the resource has not changed. Any endpoint with cacheable responses can return it.
#[derive(Debug)]
pub struct NotModified;

/// 409: the user already has a story about the anime.
#[derive(Debug)]
pub struct StoryExists;

type Responses = BTreeMap<String, RefOr<Response>>;

/// Declares error responses, each with the errors that are its examples and with their descriptions.
macro_rules! error_responses {
    ($($(#[$doc:meta])* $name:ident: $($example:expr => $description:expr),+;)+) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub struct $name;

            impl IntoResponses for $name {
                fn responses() -> Responses {
                    let mut responses = Responses::new();
                    $(responses.extend(describe_error($example, $description));)+
                    responses
                }
            }
        )+
    };
}

error_responses! {
    /// 400, 413 and 415: the body is invalid.
    BadBody:
        Error::invalid("status", "is required") =>
            "A field is invalid (`data` gives the reason for each), or the body is not a JSON object",
        ApiError::PayloadTooLarge(BODY_TOO_LARGE) => "The body is too large",
        ApiError::UnsupportedMediaType(SEND_JSON) => "`Content-Type` is not `application/json`";
    /// 400 and 413: a parameter or the list file is invalid.
    BadFile:
        Error::invalid("file", "The file is empty.") =>
            "A parameter is invalid, or the file cannot be read; `data` gives the reason",
        ApiError::PayloadTooLarge(FILE_TOO_LARGE) => "The file is too large";
    /// 401 and 403: the token is missing, invalid or insufficient.
    NoAccess:
        Error::InvalidToken => "The access token is missing or invalid; `WWW-Authenticate` says which",
        Error::Forbidden("This belongs to another user.") =>
            "The caller is not allowed to do this. If the scope of the token is too narrow, `WWW-Authenticate` has \
            `error=\"insufficient_scope\"`";
    /// 404: no resource has this identifier.
    NothingFound: Error::NotFound(Missing::Resource) => "No resource has this identifier";
    /// 403: registration is closed, or the server takes no passwords.
    RegistrationClosed: Error::Forbidden("Registration is closed.") =>
        "Registration is closed, or the server takes no passwords";
    /// 403: the server takes no passwords.
    NoPasswords: Error::Forbidden("This server takes no passwords. Sign in with its identity provider.") =>
        "The server takes no passwords, only sign-ins with its identity provider";
    /// 409: a value that must be unique is already taken.
    AlreadyExists: Error::conflict("username", "is already taken") =>
        "A value is already taken; `data` names the fields";
    /// 410: the cursor of a change feed has expired.
    CursorExpired: Error::CursorExpired =>
        "The cursor is more than 90 days old, or the service was restored from a backup. Start over: send the \
        request without it";
    /// 429: too many attempts (docs/api.md, "Rate limits").
    TooMany: Error::TooManyRequests(60) =>
        "Too many attempts, or other requests are changing the same data; `Retry-After` gives the seconds to wait";
}

/// The paths of operations that read no database.
const WITHOUT_DATABASE: [&str; 2] = [
    "/.well-known/oauth-authorization-server",
    "/v1/openapi.json",
];

/// Adds the parts that follow from the rest of an operation's description: the errors that every operation with such
/// parameters, such a body or such a token can return, and the headers of pages and of responses that can be cached.
/// Responses and headers that are already in the description stay unchanged.
pub fn complete_operation(path: &str, operation: &mut Operation) {
    let parameters = operation.parameters.iter().flatten();
    let parameters: Vec<String> = parameters
        .filter_map(|parameter| match parameter {
            RefOr::T(parameter) => Some(parameter.name.clone()),
            RefOr::Ref(_) => None,
        })
        .collect();
    let mut errors = errors_of_input(operation, &parameters);
    errors.extend(describe_error(
        Error::internal(""),
        "Internal error of the service",
    ));
    if !WITHOUT_DATABASE.contains(&path) {
        errors.extend(describe_error(
            Error::Unavailable(String::new()),
            "The database is temporarily unavailable; `Retry-After` gives the seconds to wait",
        ));
    }
    let responses = &mut operation.responses.responses;
    let headers = success_headers(&parameters, responses.contains_key("304"));
    if let Some(RefOr::T(success)) = responses.get_mut("200") {
        for (name, header) in headers {
            let header = RefOr::T(header);
            success.headers.entry(name.to_owned()).or_insert(header);
        }
    }
    for (status, response) in errors {
        responses.entry(status).or_insert(response);
    }
}

/// Describes the errors of a request's token, parameters and body.
fn errors_of_input(operation: &Operation, parameters: &[String]) -> Responses {
    let needs_token = operation.security.is_some();
    // An endpoint that describes its own 400, for example of a list file, also describes the other errors of its body.
    let mut errors = if operation.responses.responses.contains_key("400") {
        Responses::new()
    } else if operation.request_body.is_some() {
        BadBody::responses()
    } else if !parameters.is_empty() {
        describe_error(
            Error::invalid("per_page", "must be a whole number from 1 to 100"),
            "A parameter is invalid; `data` gives the reason for each",
        )
    } else if needs_token {
        // RFC 6750 allows only one token, in a header.
        describe_error(
            ApiError::BearerMisused(TOKEN_IN_QUERY),
            "The access token is in the query string, or the request has several",
        )
    } else {
        Responses::new()
    };
    if needs_token {
        errors.extend(NoAccess::responses());
    }
    if parameters.iter().any(|name| name == "If-Match") {
        errors.extend(describe_error(
            Error::Changed,
            "The resource no longer has a state that `If-Match` lists",
        ));
    }
    errors
}

/// Describes the headers of a successful response: of a page of a list, and of a response that can be cached.
fn success_headers(parameters: &[String], can_be_cached: bool) -> Vec<(&'static str, Header)> {
    let has = |name| parameters.iter().any(|parameter| parameter == name);
    let mut headers = Vec::new();
    if has("cursor") {
        let next = "Address of the next page, as `<...>; rel=\"next\"`. Absent on the last page";
        headers.push(("Link", text_header(next)));
    }
    if has("page") {
        let total = HeaderBuilder::new()
            .schema(Some(u64::schema()))
            .description(Some("Number of results over all pages"));
        headers.push(("X-Total-Count", total.build()));
    }
    // Without parameters, the response is a file of the service itself.
    if can_be_cached && !parameters.is_empty() {
        let tag = "Tag of this response. Send it as `If-None-Match` to get a 304 while the response is unchanged";
        headers.push(("ETag", text_header(tag)));
    }
    headers
}

fn text_header(description: &str) -> Header {
    let text = ObjectBuilder::new().schema_type(Type::String);
    HeaderBuilder::new()
        .schema(Some(text))
        .description(Some(description))
        .build()
}

impl IntoResponses for NotModified {
    fn responses() -> Responses {
        let response = ResponseBuilder::new()
            .description("The resource still has an entity tag that `If-None-Match` lists")
            .build();
        BTreeMap::from([("304".to_owned(), RefOr::T(response))])
    }
}

impl IntoResponses for StoryExists {
    fn responses() -> Responses {
        let reason = "has the story 33554434 already; update that story";
        let description = "The user has a story of the anime already";
        let mut responses = describe_error(Error::conflict("anime_id", reason), description);
        let headers = [
            ("Location", "Path of the existing story"),
            ("ETag", "Tag of the existing story's state, for `If-Match`"),
        ];
        let headers = headers.map(|(name, text)| (name.to_owned(), RefOr::T(text_header(text))));
        if let Some(RefOr::T(response)) = responses.values_mut().next() {
            response.headers.extend(headers);
        }
        responses
    }
}

/// Describes an error response. Its status and its example come from `example`.
fn describe_error(example: impl Into<ApiError>, description: &str) -> Responses {
    let envelope = example.into().envelope();
    let status = envelope.status_code.to_string();
    let content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name("ErrorEnvelope")))
        .example(Some(json!(envelope)))
        .build();
    let response = ResponseBuilder::new()
        .description(description)
        .content("application/json", content)
        .build();
    BTreeMap::from([(status, RefOr::T(response))])
}
