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
mod token;

use std::sync::Arc;

use shared::auth::{Sessions, Tokens};
use shared::clock::Clock;
use shared::error::ApiError;
use shared::lambda::Environment;
use shared::random::Random;
use shared::routing::ApiRouter;
use shared::store::{ClientStore, CodeStore, GrantStore, UserStore};
use utoipa::OpenApi;

/// What the endpoints work with.
#[derive(Debug)]
pub struct State {
    /// Signs and verifies tokens.
    pub tokens: Tokens,
    /// Who is signed in on the web pages.
    pub sessions: Sessions,
    /// The users.
    pub users: UserStore,
    /// The applications.
    pub clients: ClientStore,
    /// What users have granted them.
    pub grants: GrantStore,
    /// Authorizations on their way.
    pub codes: CodeStore,
    /// The time.
    pub clock: Clock,
    /// Chance.
    pub random: Random,
}

impl State {
    /// Made out of what Lambda's environment says.
    ///
    /// # Errors
    /// When the environment is short of something.
    pub fn new(environment: &Environment) -> Result<Arc<Self>, lambda_http::Error> {
        Ok(Self::over(environment, environment.tokens()?))
    }

    /// Made with these tokens.
    #[must_use]
    pub fn over(environment: &Environment, tokens: Tokens) -> Arc<Self> {
        Arc::new(Self {
            sessions: environment.sessions(),
            tokens,
            users: environment.users(),
            clients: environment.clients(),
            grants: environment.grants(),
            codes: environment.codes(),
            clock: environment.clock.clone(),
            random: environment.random.clone(),
        })
    }
}

/// Opens the connections that the first request needs.
///
/// # Errors
/// When one cannot be opened.
pub async fn warm(state: Arc<State>) -> Result<(), ApiError> {
    shared::lambda::warm(&state.tokens, &state.users).await
}

/// The endpoints.
pub fn router(state: Arc<State>) -> ApiRouter {
    ApiRouter::new()
        .get(authorize::PATH, authorize::ask)
        .post(authorize::PATH, authorize::decide)
        .post(token::PATH, token::exchange)
        .post(revoke::PATH, revoke::revoke)
        .get(metadata::PATH, metadata::metadata)
        .with_state(state)
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
