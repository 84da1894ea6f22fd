//! The OpenAPI document of the whole service.

use shared::http::{Envelope, ErrorData};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};

/// The parts of the document that belong to no single function.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Kiroku",
        version = "1",
        description = "Anime catalogue and watch history. Except where an endpoint says otherwise, a JSON \
            response is an envelope: `status_code` equals the HTTP status, `message` is short and fixed, and `data` holds \
            the resource, the list, or the details of an error. Unknown query parameters are \
            ignored. A known query parameter with an invalid value gets a 400 that names it. When \
            a route is called too often, API Gateway responds with a 429 that has no envelope. \
            Requests for a user's data need an access token: `Authorization: Bearer <token>`. \
            A token in the query string is refused.",
    ),
    servers((url = "/")),
    tags(
        (name = "auth", description = "Accounts and sign-in"),
        (name = "oauth", description = "OAuth 2.0 for applications that act for users"),
        (name = "user", description = "Users"),
        (name = "user_story", description = "Watch histories of users"),
        (name = "anime", description = "Anime catalogue"),
        (name = "song", description = "Opening and ending songs of anime"),
        (name = "site", description = "This document"),
    ),
    components(schemas(ErrorEnvelope)),
    modifiers(&BearerScheme),
)]
struct Service;

/// Adds the security scheme for access tokens.
struct BearerScheme;

impl Modify for BearerScheme {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .bearer_format("JWT")
            .description(Some("An access token. It expires after 30 days."));
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("bearer", SecurityScheme::Http(scheme.build()));
    }
}

/// An error response.
#[derive(utoipa::ToSchema)]
#[expect(
    dead_code,
    reason = "names the schema of all error responses in the document"
)]
struct ErrorEnvelope(Envelope<ErrorData>);

/// Merges the documents of all functions.
#[must_use]
pub fn document() -> utoipa::openapi::OpenApi {
    let mut document = Service::openapi();
    for part in [
        auth::Reference::openapi(),
        oauth::Reference::openapi(),
        user::Reference::openapi(),
        user_story::Reference::openapi(),
        anime::Reference::openapi(),
        song::Reference::openapi(),
        site::Reference::openapi(),
    ] {
        document.merge(part);
    }
    document
}

/// Returns the document as it is stored in `functions/site/openapi.json`.
///
/// # Errors
/// When the document cannot be serialized.
pub fn to_json() -> anyhow::Result<String> {
    Ok(format!("{}\n", document().to_pretty_json()?))
}
