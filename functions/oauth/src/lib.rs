//! The OAuth 2.0 provider (contract, "Authentication and OAuth endpoints"): the authorization code grant
//! and the implicit grant of RFC 6749, with PKCE (RFC 7636), as RFC 9700 advises.
//!
//! A user is asked at [`authorize`], on a page; the answer goes to the application by a redirect. The
//! application exchanges its code at [`token`], and may end a token at [`revoke`].

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

use shared::http::routing::ApiRouter;
use site::error_page;
use site::paths::AUTHORIZE;
use utoipa::OpenApi;

pub use state::{OAuthState, warm};

/// The endpoints.
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

/// What the reference says of the endpoints.
#[derive(Debug, OpenApi)]
#[openapi(paths(
    authorize::ask,
    authorize::decide,
    token::exchange,
    revoke::revoke,
    metadata::metadata,
))]
pub struct Reference;
