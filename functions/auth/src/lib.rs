//! The authentication endpoints (docs/api.md, "Authentication" and "Accounts").

mod email_verification;
mod password_reset;
mod session;

use std::sync::Arc;

use accounts::service::{AccountService, Accounts};
use runtime::Environment;
use shared::http::routing::ApiRouter;
use shared::{Result, endpoints};

/// State of the authentication endpoints.
#[derive(Debug)]
pub struct AuthState {
    accounts: Arc<Accounts>,
    account_service: AccountService,
}

impl AuthState {
    /// Creates the state from the settings of the environment.
    pub fn new(environment: &Environment) -> Result<Arc<Self>, lambda_http::Error> {
        let accounts = environment.accounts()?;
        let account_service = environment.account_service(&accounts)?;
        Ok(Arc::new(Self {
            accounts,
            account_service,
        }))
    }
}

/// Opens the connections that the first request needs.
pub async fn warm(state: Arc<AuthState>) -> Result<()> {
    runtime::warm(&state.accounts.tokens, &state.accounts.users).await
}

endpoints! {
    state: Arc<AuthState>,
    handlers: [
        session::register,
        session::login,
        session::me,
        session::logout_everywhere,
        email_verification::send_email_verification,
        email_verification::confirm_email,
        password_reset::send_password_reset,
        password_reset::reset_password,
    ],
}

/// Routes requests to the authentication endpoints.
pub fn router(state: Arc<AuthState>) -> ApiRouter {
    endpoints().with_state(state)
}
