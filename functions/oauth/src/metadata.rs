//! `/.well-known/oauth-authorization-server`: the metadata of the authorization server (RFC 8414).

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use pages::paths::AUTHORIZE;
use serde::Serialize;
use shared::auth::Scope;
use shared::http::openapi::NotModified;
use shared::http::response::CACHE_PUBLIC;
use shared::http::{ApiError, JSON};
use utoipa::ToSchema;

use crate::state::OAuthState;
use crate::{revoke, token};

/// The client authentication methods of the token and revocation endpoints.
const AUTHENTICATION_METHODS: [&str; 3] = ["client_secret_basic", "client_secret_post", "none"];

/// The metadata of the authorization server (RFC 8414, section 2).
#[derive(Serialize, ToSchema)]
#[schema(as = Metadata)]
pub(crate) struct ServerMetadata {
    #[schema(example = "https://kiroku.example")]
    issuer: String,
    #[schema(example = "https://kiroku.example/v1/oauth")]
    authorization_endpoint: String,
    #[schema(example = "https://kiroku.example/v1/oauth/token")]
    token_endpoint: String,
    #[schema(example = "https://kiroku.example/v1/oauth/revoke")]
    revocation_endpoint: String,
    #[schema(example = "https://kiroku.example/reference")]
    service_documentation: String,
    scopes_supported: [&'static str; 3],
    response_types_supported: [&'static str; 2],
    response_modes_supported: [&'static str; 2],
    grant_types_supported: [&'static str; 2],
    token_endpoint_auth_methods_supported: [&'static str; 3],
    revocation_endpoint_auth_methods_supported: [&'static str; 3],
    code_challenge_methods_supported: [&'static str; 1],
    authorization_response_iss_parameter_supported: bool,
}

/// Returns the metadata of the authorization server.
///
/// The response has no envelope, because OAuth libraries read it directly.
#[utoipa::path(
    get,
    path = "/.well-known/oauth-authorization-server",
    tag = "oauth",
    responses((status = 200, description = "The metadata", body = ServerMetadata), NotModified),
)]
pub(crate) async fn oauth_metadata(
    State(state): State<Arc<OAuthState>>,
) -> Result<Response, ApiError> {
    let url = state.tokens.public_url();
    let metadata = ServerMetadata {
        issuer: url.to_owned(),
        authorization_endpoint: format!("{url}{AUTHORIZE}"),
        token_endpoint: format!("{url}{}", token::PATH),
        revocation_endpoint: format!("{url}{}", revoke::PATH),
        service_documentation: format!("{url}/reference"),
        scopes_supported: Scope::NAMES,
        response_types_supported: ["code", "token"],
        response_modes_supported: ["query", "fragment"],
        grant_types_supported: ["authorization_code", "implicit"],
        token_endpoint_auth_methods_supported: AUTHENTICATION_METHODS,
        revocation_endpoint_auth_methods_supported: AUTHENTICATION_METHODS,
        code_challenge_methods_supported: ["S256"],
        authorization_response_iss_parameter_supported: true,
    };
    let headers = [
        (header::CONTENT_TYPE, JSON),
        (header::CACHE_CONTROL, CACHE_PUBLIC),
    ];
    let body = serde_json::to_vec(&metadata).map_err(ApiError::internal)?;
    Ok((headers, body).into_response())
}
