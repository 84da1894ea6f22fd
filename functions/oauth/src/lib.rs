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

use pages::error_page::error_page;
use shared::endpoints;
use shared::http::routing::ApiRouter;

pub use state::{OAuthState, warm};

endpoints! {
    state: Arc<OAuthState>,
    handlers: [
        authorize::show_consent,
        authorize::decide,
        token::exchange,
        revoke::revoke,
        metadata::oauth_metadata,
    ],
}

/// Routes requests to the OAuth endpoints.
pub fn router(state: Arc<OAuthState>) -> ApiRouter {
    let error_page = error_page(Arc::clone(&state.sessions));
    endpoints().with_state(state).with_error_page(error_page)
}
