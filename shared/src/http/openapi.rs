//! Parts that the OpenAPI descriptions of all functions share: the paging parameters of lists, the error responses and
//! the 304. The example of an error response is made from the error itself, so it equals a real response.

use std::collections::BTreeMap;

use serde_json::json;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{ContentBuilder, HeaderBuilder, Ref, RefOr, Response, ResponseBuilder};
use utoipa::{IntoParams, IntoResponses};

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

/// 500: an internal error. Any endpoint can return it.
#[derive(Debug)]
pub struct InternalError;

/// 503: the database is unavailable. Any endpoint that uses DynamoDB can return it.
#[derive(Debug)]
pub struct Unavailable;

/// 400: a parameter is invalid.
#[derive(Debug)]
pub struct InvalidParameters;

/// 404: no resource has this identifier.
#[derive(Debug)]
pub struct NothingFound;

/// 304: the resource has not changed. Any endpoint with cacheable responses can return it.
#[derive(Debug)]
pub struct NotModified;

/// 401 and 403: access is denied. Any endpoint that requires a token can return them.
#[derive(Debug)]
pub struct NoAccess;

/// 400: the access token is not sent as RFC 6750 requires. Any endpoint that requires a token can return it. An
/// endpoint that has [`InvalidParameters`], [`BadBody`] or [`BadFile`] does not list this type, because these
/// describe a 400 already.
#[derive(Debug)]
pub struct MisusedToken;

/// 400, 413 and 415: the body or one of its fields is invalid. Any endpoint that accepts a body can return
/// them.
#[derive(Debug)]
pub struct BadBody;

/// 400 and 413: a parameter or the list file is invalid.
#[derive(Debug)]
pub struct BadFile;

/// 403: registration is closed, or the server takes no passwords.
#[derive(Debug)]
pub struct RegistrationClosed;

/// 403: the server takes no passwords.
#[derive(Debug)]
pub struct NoPasswords;

/// 409: a value that must be unique is already taken.
#[derive(Debug)]
pub struct AlreadyExists;

/// 409: the user has a story of the anime already.
#[derive(Debug)]
pub struct StoryExists;

/// 410: the cursor of a change feed has expired.
#[derive(Debug)]
pub struct CursorExpired;

/// 412: the resource no longer has a state that `If-Match` lists.
#[derive(Debug)]
pub struct PreconditionFailed;

/// 429: too many attempts (docs/api.md, "Rate limits").
#[derive(Debug)]
pub struct TooMany;

type Responses = BTreeMap<String, RefOr<Response>>;

impl IntoResponses for InternalError {
    fn responses() -> Responses {
        describe_error(Error::internal(""), "Internal error of the service")
    }
}

impl IntoResponses for Unavailable {
    fn responses() -> Responses {
        let description =
            "The database is temporarily unavailable; `Retry-After` gives the seconds to wait";
        describe_error(Error::Unavailable(String::new()), description)
    }
}

impl IntoResponses for InvalidParameters {
    fn responses() -> Responses {
        let example = Error::invalid("per_page", "must be a whole number from 1 to 100");
        describe_error(
            example,
            "A parameter is invalid; `data` gives the reason for each",
        )
    }
}

impl IntoResponses for NothingFound {
    fn responses() -> Responses {
        describe_error(
            Error::NotFound(Missing::Resource),
            "No resource has this identifier",
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
        let description = "The access token is missing or invalid; `WWW-Authenticate` says which";
        let mut responses = describe_error(Error::InvalidToken, description);
        let forbidden = Error::Forbidden("This belongs to another user.");
        responses.append(&mut describe_error(
            forbidden,
            "The caller is not allowed to do this. If the scope of the token is too narrow, `WWW-Authenticate` has \
            `error=\"insufficient_scope\"`",
        ));
        responses
    }
}

impl IntoResponses for MisusedToken {
    fn responses() -> Responses {
        let description = "The access token is in the query string, or the request has several";
        describe_error(ApiError::BearerMisused(TOKEN_IN_QUERY), description)
    }
}

impl IntoResponses for BadBody {
    fn responses() -> Responses {
        let description = "A field is invalid (`data` gives the reason for each), or the body is not a JSON object";
        let mut responses = describe_error(Error::invalid("status", "is required"), description);
        responses.append(&mut describe_error(
            ApiError::PayloadTooLarge(BODY_TOO_LARGE),
            "The body is too large",
        ));
        responses.append(&mut describe_error(
            ApiError::UnsupportedMediaType(SEND_JSON),
            "`Content-Type` is not `application/json`",
        ));
        responses
    }
}

impl IntoResponses for BadFile {
    fn responses() -> Responses {
        let example = Error::invalid("file", "The file is empty.");
        let description =
            "A parameter is invalid, or the file cannot be read; `data` gives the reason";
        let mut responses = describe_error(example, description);
        responses.append(&mut describe_error(
            ApiError::PayloadTooLarge(FILE_TOO_LARGE),
            "The file is too large",
        ));
        responses
    }
}

impl IntoResponses for RegistrationClosed {
    fn responses() -> Responses {
        let example = Error::Forbidden("Registration is closed.");
        let description = "Registration is closed, or the server takes no passwords";
        describe_error(example, description)
    }
}

impl IntoResponses for NoPasswords {
    fn responses() -> Responses {
        let reason = "This server takes no passwords. Sign in with its identity provider.";
        let description = "The server takes no passwords, only sign-ins with its identity provider";
        describe_error(Error::Forbidden(reason), description)
    }
}

impl IntoResponses for AlreadyExists {
    fn responses() -> Responses {
        let example = Error::conflict("username", "is already taken");
        describe_error(example, "A value is already taken; `data` names the fields")
    }
}

impl IntoResponses for StoryExists {
    fn responses() -> Responses {
        let reason = "has the story 33554434 already; update that story";
        let description = "The user has a story of the anime already";
        let mut responses = describe_error(Error::conflict("anime_id", reason), description);
        let text_header = |description: &str| {
            let text = ObjectBuilder::new().schema_type(Type::String);
            HeaderBuilder::new()
                .schema(Some(text))
                .description(Some(description))
                .build()
        };
        for response in responses.values_mut() {
            if let RefOr::T(response) = response {
                let headers = [
                    ("Location", text_header("Path of the existing story")),
                    (
                        "ETag",
                        text_header("Tag of the existing story's state, for `If-Match`"),
                    ),
                ];
                response
                    .headers
                    .extend(headers.map(|(name, header)| (name.to_owned(), RefOr::T(header))));
            }
        }
        responses
    }
}

impl IntoResponses for CursorExpired {
    fn responses() -> Responses {
        describe_error(
            Error::CursorExpired,
            "The cursor is more than 90 days old, or the service was restored from a backup. Start over: send the \
            request without it",
        )
    }
}

impl IntoResponses for PreconditionFailed {
    fn responses() -> Responses {
        let description = "The resource no longer has a state that `If-Match` lists";
        describe_error(Error::Changed, description)
    }
}

impl IntoResponses for TooMany {
    fn responses() -> Responses {
        let description = "Too many attempts, or other requests are changing the same data; `Retry-After` gives the \
            seconds to wait";
        describe_error(Error::TooManyRequests(60), description)
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
