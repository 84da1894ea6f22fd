//! The authentication endpoints (contract, "Authentication"; design.md, group auth).

mod email_verification;
mod page;
mod password_reset;
mod session;

use std::sync::Arc;
use std::time::Duration;

use shared::auth::{Attempts, Passwords, Tokens};
use shared::clock::Clock;
use shared::error::ApiError;
use shared::lambda::{Environment, warm_accounts};
use shared::mail::Mailer;
use shared::routing::ApiRouter;
use shared::store::UserStore;
use utoipa::OpenApi;

/// What the endpoints work with.
#[derive(Debug)]
pub struct State {
    /// Signs and verifies tokens.
    pub tokens: Tokens,
    /// The users.
    pub users: UserStore,
    /// Counts attempts.
    pub attempts: Attempts,
    /// Hashes passwords.
    pub passwords: Passwords,
    /// Sends links.
    pub mailer: Mailer,
    /// The time.
    pub clock: Clock,
    /// How long a request for a link that resets a password takes at the least: as long as sending one.
    pub reset_floor: Duration,
}

/// What SES takes to send a mail, and more.
const RESET_FLOOR: Duration = Duration::from_secs(1);

impl State {
    /// Made out of what Lambda's environment says.
    ///
    /// # Errors
    /// When the environment is short of something.
    pub fn new(environment: &Environment) -> Result<Arc<Self>, lambda_http::Error> {
        let passwords = Passwords::new(environment.random.clone());
        let (tokens, mailer) = (environment.tokens()?, environment.mailer()?);
        Ok(Self::over(
            environment,
            tokens,
            mailer,
            passwords,
            RESET_FLOOR,
        ))
    }

    /// Made with these tokens, this mailer, this hasher and this [`State::reset_floor`].
    #[must_use]
    pub fn over(
        environment: &Environment,
        tokens: Tokens,
        mailer: Mailer,
        passwords: Passwords,
        reset_floor: Duration,
    ) -> Arc<Self> {
        Arc::new(Self {
            tokens,
            users: environment.users(),
            attempts: environment.attempts(),
            passwords,
            mailer,
            clock: environment.clock.clone(),
            reset_floor,
        })
    }
}

/// Opens the connections that the first request needs.
///
/// # Errors
/// When one cannot be opened.
pub async fn warm(state: Arc<State>) -> Result<(), ApiError> {
    warm_accounts(&state.tokens, &state.users).await
}

/// The endpoints.
pub fn router(state: Arc<State>) -> ApiRouter {
    ApiRouter::new()
        .post("/v1/auth/register", session::register)
        .post("/v1/auth/login", session::login)
        .get("/v1/auth/me", session::me)
        .post("/v1/auth/logout_everywhere", session::logout_everywhere)
        .post("/v1/auth/email_verification", email_verification::send)
        .get(email_verification::CONFIRM, email_verification::form)
        .post(email_verification::CONFIRM, email_verification::confirm)
        .post("/v1/auth/password_reset", password_reset::send)
        .get(password_reset::CONFIRM, password_reset::form)
        .post(password_reset::CONFIRM, password_reset::confirm)
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
    email_verification::form,
    email_verification::confirm,
    password_reset::send,
    password_reset::form,
    password_reset::confirm,
))]
pub struct Reference;
