//! The shared state of the OAuth endpoints' handlers.

use std::sync::Arc;

use accounts::applications::{ClientStore, CodeStore};
use accounts::grants::GrantStore;
use accounts::service::AccountService;
use accounts::users::UserStore;
use pages::sessions::PageSessions;
use runtime::Environment;
use shared::Result;
use shared::auth::Tokens;
use shared::clock::Clock;
use shared::random::Random;

/// The stores and services that the OAuth endpoints use.
#[derive(Debug)]
pub struct OAuthState {
    pub(crate) tokens: Tokens,
    pub(crate) sessions: Arc<PageSessions>,
    pub(crate) account_service: AccountService,
    pub(crate) users: UserStore,
    pub(crate) clients: ClientStore,
    pub(crate) grants: GrantStore,
    pub(crate) codes: CodeStore,
    pub(crate) clock: Clock,
    pub(crate) random: Random,
}

impl OAuthState {
    /// Builds the state from the environment.
    pub fn new(environment: &Environment) -> Result<Arc<Self>, lambda_http::Error> {
        let tokens = environment.tokens()?;
        Ok(Arc::new(Self {
            sessions: Arc::new(PageSessions::new(environment.sessions(&tokens), &tokens)),
            account_service: environment.account_service(&environment.accounts()?)?,
            tokens,
            users: UserStore::new(&environment.database),
            clients: ClientStore::new(&environment.database),
            grants: GrantStore::new(&environment.database),
            codes: CodeStore::new(&environment.database),
            clock: environment.database.clock.clone(),
            random: environment.database.random.clone(),
        }))
    }
}

/// Opens the connections that the first request needs.
pub async fn warm(state: Arc<OAuthState>) -> Result<()> {
    runtime::warm(&state.tokens, &state.users).await
}
