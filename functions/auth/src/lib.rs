//! The authentication endpoints (contract, "Authentication"; design.md, group auth).

mod email_verification;
mod password_reset;
mod session;

use std::sync::Arc;

use accounts::{Accounts, Links};
use runtime::Environment;
use shared::Error;
use shared::http::routing::ApiRouter;
use utoipa::OpenApi;

/// What the endpoints work with.
#[derive(Debug)]
pub struct AuthState {
    /// The accounts.
    pub accounts: Arc<Accounts>,
    /// Links that go by mail.
    pub links: Links,
}

impl AuthState {
    /// Made out of what Lambda's environment says.
    ///
    /// # Errors
    /// When the environment is short of something.
    pub fn new(environment: &Environment) -> Result<Arc<Self>, lambda_http::Error> {
        let accounts = environment.accounts()?;
        let links = environment.links(&accounts)?;
        Ok(Arc::new(Self { accounts, links }))
    }
}

/// Opens the connections that the first request needs.
///
/// # Errors
/// When one cannot be opened.
pub async fn warm(state: Arc<AuthState>) -> Result<(), Error> {
    runtime::warm(&state.accounts.tokens, &state.accounts.users).await
}

/// The endpoints.
pub fn router(state: Arc<AuthState>) -> ApiRouter {
    ApiRouter::new()
        .post("/v1/auth/register", session::register)
        .post("/v1/auth/login", session::login)
        .get("/v1/auth/me", session::me)
        .post("/v1/auth/logout_everywhere", session::logout_everywhere)
        .post("/v1/auth/email_verification", email_verification::send)
        .post(
            "/v1/auth/email_verification/confirm",
            email_verification::confirm,
        )
        .post("/v1/auth/password_reset", password_reset::send)
        .post("/v1/auth/password_reset/confirm", password_reset::confirm)
        .with_state(state)
}

/// What the reference says of the endpoints.
#[derive(Debug, OpenApi)]
#[openapi(paths(
    session::register,
    session::login,
    session::me,
    session::logout_everywhere,
    email_verification::send,
    email_verification::confirm,
    password_reset::send,
    password_reset::confirm,
))]
pub struct Reference;
