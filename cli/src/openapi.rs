//! The OpenAPI document of the whole service.

use shared::http::{Envelope, ErrorData};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};

/// What no function says of itself.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Kiroku",
        version = "1",
        description = "Anime catalogue and watch history. Every answer is an envelope: \
            `status_code` equals the HTTP status, `message` is short and fixed, and `data` holds \
            the resource, the list, or on an error what to mend. Unknown query parameters are \
            ignored; a known one with a bad value is a 400 that names it. API Gateway answers for \
            itself when a route is called too often: that 429 has no envelope. What is a user's \
            own wants the header `Authorization: Bearer` with the token of a sign-in; a token in \
            an address is refused.",
    ),
    servers((url = "/")),
    tags(
        (name = "auth", description = "Accounts, and signing in"),
        (name = "oauth", description = "Applications that act for users (OAuth 2.0)"),
        (name = "user", description = "Users"),
        (name = "user_story", description = "What users have watched"),
        (name = "anime", description = "The catalogue of anime"),
        (name = "song", description = "Their opening and ending songs"),
        (name = "site", description = "The service itself"),
    ),
    components(schemas(ErrorEnvelope)),
    modifiers(&BearerScheme),
)]
struct Service;

/// How a caller says who they are.
struct BearerScheme;

impl Modify for BearerScheme {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .bearer_format("JWT")
            .description(Some("The access token of /v1/auth/login, good for 30 days"));
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("bearer", SecurityScheme::Http(scheme.build()));
    }
}

/// An answer that is an error.
#[derive(utoipa::ToSchema)]
#[expect(
    dead_code,
    reason = "a name in the document for what every error looks like"
)]
struct ErrorEnvelope(Envelope<ErrorData>);

/// Puts the document together out of what each function says of itself.
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

/// The document as the file in the repository has it.
///
/// # Errors
/// When it cannot be serialized.
pub fn to_json() -> anyhow::Result<String> {
    Ok(format!("{}\n", document().to_pretty_json()?))
}
