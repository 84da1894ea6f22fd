//! The state of the endpoints.

use std::sync::Arc;

use runtime::Environment;
use shared::Error;
use shared::auth::Tokens;
use shared::clock::Clock;
use shared::random::Random;
use site::Sessions;
use store::{ClientStore, CodeStore, GrantStore, UserStore};

/// What the endpoints work with.
#[derive(Debug)]
pub struct OAuthState {
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

impl OAuthState {
    /// Made out of what Lambda's environment says.
    ///
    /// # Errors
    /// When the environment is short of something.
    pub fn new(environment: &Environment) -> Result<Arc<Self>, lambda_http::Error> {
        let (sessions, random) = (environment.sessions(), environment.random.clone());
        Ok(Arc::new(Self {
            sessions: Sessions::new(sessions, &environment.public_url, random),
            tokens: environment.tokens()?,
            users: environment.users(),
            clients: environment.clients(),
            grants: environment.grants(),
            codes: environment.codes(),
            clock: environment.clock.clone(),
            random: environment.random.clone(),
        }))
    }
}

/// Opens the connections that the first request needs.
///
/// # Errors
/// When one cannot be opened.
pub async fn warm(state: Arc<OAuthState>) -> Result<(), Error> {
    runtime::warm(&state.tokens, &state.users).await
}
