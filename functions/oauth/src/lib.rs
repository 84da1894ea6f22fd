//! The OAuth 2.0 provider (docs/oauth.md, "Grants"): the authorization code grant and the implicit grant of
//! RFC 6749, with PKCE (RFC 7636), following RFC 9700.
//!
//! [`authorize`] asks the user for consent on a page, and redirects to the application with an authorization
//! code, or for the implicit grant with a token. The application exchanges the code at [`token`] and can
//! revoke the token at [`revoke`].

mod authorize;
mod client_authentication;
mod consent;
mod error;
mod metadata;
mod parameters;
mod redirect;
mod revoke;
mod state;
mod token;

use std::sync::Arc;

use pages::error::error_page;
use pages::paths::AUTHORIZE;
use shared::http::routing::ApiRouter;
use utoipa::OpenApi;

pub use state::{OAuthState, warm};

/// Routes requests to the OAuth endpoints.
pub fn router(state: Arc<OAuthState>) -> ApiRouter {
    ApiRouter::new()
        .get(AUTHORIZE, authorize::ask)
        .post(AUTHORIZE, authorize::decide)
        .post(token::PATH, token::exchange)
        .post(revoke::PATH, revoke::revoke)
        .get(metadata::PATH, metadata::metadata)
        .with_state(state)
        .with_error_page(error_page)
}

/// The OpenAPI description of the OAuth endpoints.
#[derive(Debug, OpenApi)]
#[openapi(paths(
    authorize::ask,
    authorize::decide,
    token::exchange,
    revoke::revoke,
    metadata::metadata,
))]
pub struct Reference;
