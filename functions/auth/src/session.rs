//! Accounts and sessions: registering, signing in, and out.

use std::sync::Arc;

use accounts::{Registration, Who};
use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use shared::auth::{ACCESS_TOKEN_S, Action, Bearer, CallerAddress};
use shared::http::openapi::{
    AlreadyExists, BadBody, Fault, NoAccess, OutOfReach, SignInFailed, TooMany,
};
use shared::http::response::private;
use shared::http::{ApiError, Envelope};
use shared::input::{Fields, present};
use shared::models::{Gender, User};
use store::Account;
use utoipa::ToSchema;

use crate::AuthState;

/// A user who has signed in.
#[derive(Serialize, ToSchema)]
pub struct SignedIn {
    /// The user, in full.
    user: User,
    /// The token to send as `Authorization: Bearer`.
    #[schema(example = "eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl")]
    access_token: String,
    /// Always "Bearer".
    #[schema(example = "Bearer")]
    token_type: &'static str,
    /// Seconds until the token expires: 30 days.
    #[schema(example = 2_592_000)]
    expires_in: u64,
}

/// A new account.
#[derive(Deserialize, ToSchema)]
#[expect(dead_code, reason = "says in the reference what the body is")]
pub(crate) struct Register {
    /// 3 to 32 letters, digits, `_` and `-`. No two names may differ only by case.
    #[schema(min_length = 3, max_length = 32, example = "taki")]
    username: String,
    /// Where the link to verify it is sent to.
    #[schema(example = "taki@example.com")]
    email: String,
    /// At least 8 characters, and none of the commonest passwords.
    #[schema(min_length = 8, example = "itomori 4 october")]
    password: String,
    /// Gender; 0 (UNKNOWN) when absent.
    #[schema(example = 1)]
    gender: Option<Gender>,
    /// Preferred locale code; `en` when absent.
    #[schema(min_length = 2, max_length = 16, example = "jp")]
    localization: Option<String>,
}

/// Makes an account, sends a link to its address, and signs in.
#[utoipa::path(
    post,
    path = "/v1/auth/register",
    tag = "auth",
    operation_id = "register",
    request_body = Register,
    responses(
        (status = 200, description = "The user and a token", body = Envelope<SignedIn>),
        BadBody,
        AlreadyExists,
        TooMany,
        Fault,
        OutOfReach,
    ),
)]
pub(crate) async fn register(
    State(state): State<Arc<AuthState>>,
    address: CallerAddress,
    fields: Fields,
) -> Result<Response, ApiError> {
    let new = Registration::read(fields)?;
    let account = state.links.register(new, address).await?;
    signed_in(&state, "User registered", account).await
}

/// Name or address, and password.
#[derive(Deserialize, ToSchema)]
#[expect(dead_code, reason = "says in the reference what the body is")]
pub(crate) struct Login {
    /// The name; or `email` in its place.
    #[schema(example = "mitsuha")]
    username: Option<String>,
    /// The address; or `username` in its place.
    email: Option<String>,
    /// The password.
    #[schema(example = "kataware-doki 2016")]
    password: String,
}

/// Signs in.
#[utoipa::path(
    post,
    path = "/v1/auth/login",
    tag = "auth",
    operation_id = "login",
    request_body = Login,
    responses(
        (status = 200, description = "The user and a token", body = Envelope<SignedIn>),
        BadBody,
        SignInFailed,
        TooMany,
        Fault,
        OutOfReach,
    ),
)]
pub(crate) async fn login(
    State(state): State<Arc<AuthState>>,
    address: CallerAddress,
    mut fields: Fields,
) -> Result<Response, ApiError> {
    let username = fields.text("username");
    let email = fields.text("email");
    let password = fields.text("password");
    let password = fields.require("password", password);
    match (&username, &email) {
        (None, None) => fields.fail("username", "is required, or email in its place"),
        (Some(_), Some(_)) => fields.fail("email", "cannot be given together with username"),
        _ => {}
    }
    fields.finish()?;
    let who = match username {
        Some(name) => Who::Username(name),
        None => Who::Email(present(email)?),
    };
    let password = present(password)?;
    let account = state.accounts.sign_in(who, &password, address).await?;
    signed_in(&state, "Signed in", account).await
}

async fn signed_in(
    state: &AuthState,
    message: &'static str,
    account: Account,
) -> Result<Response, ApiError> {
    let signed_in = SignedIn {
        access_token: state
            .accounts
            .tokens
            .sign_for(account.user.id, account.token_generation)
            .await?,
        user: account.user,
        token_type: "Bearer",
        expires_in: ACCESS_TOKEN_S,
    };
    Ok(private(message, signed_in))
}

/// Who the token belongs to: the caller, in full. A token that gets an answer here is usable.
#[utoipa::path(
    get,
    path = "/v1/auth/me",
    tag = "auth",
    operation_id = "me",
    security(("bearer" = [])),
    responses(
        (status = 200, description = "The caller; `message` is a greeting", body = Envelope<User>),
        NoAccess,
        Fault,
        OutOfReach,
    ),
)]
pub(crate) async fn me(
    State(state): State<Arc<AuthState>>,
    bearer: Bearer,
) -> Result<Response, ApiError> {
    let tokens = &state.accounts.tokens;
    let access = tokens.own(&bearer, Action::ReadOwnAccount).await?;
    let user = state.accounts.own(&access).await?.user;
    Ok(private(format!("Hi {}", user.username), user))
}

/// Ends every token of the caller's, this one and those of applications included.
#[utoipa::path(
    post,
    path = "/v1/auth/logout_everywhere",
    tag = "auth",
    operation_id = "logout_everywhere",
    security(("bearer" = [])),
    responses(
        (status = 200, description = "No token of the caller's is usable any more; `data` is empty", body = Envelope<String>),
        NoAccess,
        Fault,
        OutOfReach,
    ),
)]
pub(crate) async fn logout_everywhere(
    State(state): State<Arc<AuthState>>,
    bearer: Bearer,
) -> Result<Response, ApiError> {
    let tokens = &state.accounts.tokens;
    let access = tokens.own(&bearer, Action::SignOutEverywhere).await?;
    state.accounts.sign_out_everywhere(&access).await?;
    Ok(private("Signed out everywhere", ""))
}
