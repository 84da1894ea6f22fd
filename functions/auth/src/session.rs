//! Registration, sign-in and sign-out.

use std::sync::Arc;

use accounts::{Registration, SignInName};
use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use shared::auth::{ACCESS_TOKEN_S, Action, Bearer, CallerAddress};
use shared::http::openapi::{
    AlreadyExists, BadBody, Fault, NoAccess, SignInFailed, TooMany, Unavailable,
};
use shared::http::response::private;
use shared::http::{ApiError, Envelope};
use shared::input::{Body, Fields};
use shared::models::User;
use shared::{Error, body};
use store::Account;
use utoipa::ToSchema;

use crate::AuthState;

/// A signed-in user and an access token.
#[derive(Serialize, ToSchema)]
pub struct SignedIn {
    /// The user, with all fields.
    user: User,
    /// Access token. Send it with every request: `Authorization: Bearer <token>`.
    #[schema(example = "eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl")]
    access_token: String,
    /// Type of the token, always `Bearer`.
    #[schema(example = "Bearer")]
    token_type: &'static str,
    /// Seconds until the token expires: 2,592,000 (30 days).
    #[schema(example = 2_592_000)]
    expires_in: u64,
}

/// Creates an account and signs in.
///
/// Sends a verification link to the e-mail address.
#[utoipa::path(
    post,
    path = "/v1/auth/register",
    tag = "auth",
    operation_id = "register",
    request_body = Registration,
    responses(
        (status = 200, description = "The user and an access token", body = Envelope<SignedIn>),
        BadBody,
        AlreadyExists,
        TooMany,
        Fault,
        Unavailable,
    ),
)]
pub(crate) async fn register(
    State(state): State<Arc<AuthState>>,
    address: CallerAddress,
    fields: Fields,
) -> Result<Response, ApiError> {
    let new = Registration::read(fields)?;
    let account = state.links.register(new, address).await?;
    sign_in_response(&state, "User registered", account).await
}

body! {
    /// A sign-in request: a password, and either `username` or `email`.
    pub(crate) struct Login {
        /// Name of the user. Required unless `email` is present.
        #[schema(example = "mitsuha")]
        username: Option<String>,
        /// E-mail address of the account. Required unless `username` is present.
        email: Option<String>,
        /// Password of the account.
        #[schema(example = "kataware-doki 2016")]
        password: String,
    }
}

impl Login {
    /// Reads a sign-in request.
    fn read(mut fields: Fields) -> Result<(SignInName, String), Error> {
        let login = <Self as Body>::read(&mut fields);
        match (fields.has("username"), fields.has("email")) {
            (false, false) => fields.fail("username", "is required unless email is present"),
            (true, true) => fields.fail(
                "email",
                "cannot be combined with username; send only one of them",
            ),
            _ => {}
        }
        let login = login.and_then(|login| {
            let who = login.username.map(SignInName::Username);
            Some((who.or(login.email.map(SignInName::Email))?, login.password))
        });
        fields.finish(login)
    }
}

/// Signs in with a password.
///
/// Send either `username` or `email`, not both.
#[utoipa::path(
    post,
    path = "/v1/auth/login",
    tag = "auth",
    operation_id = "login",
    request_body = Login,
    responses(
        (status = 200, description = "The user and an access token", body = Envelope<SignedIn>),
        BadBody,
        SignInFailed,
        TooMany,
        Fault,
        Unavailable,
    ),
)]
pub(crate) async fn login(
    State(state): State<Arc<AuthState>>,
    address: CallerAddress,
    fields: Fields,
) -> Result<Response, ApiError> {
    let (who, password) = Login::read(fields)?;
    let account = state.accounts.sign_in(who, &password, address).await?;
    sign_in_response(&state, "Signed in", account).await
}

/// Issues an access token for the account and returns it together with the user.
async fn sign_in_response(
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

/// Returns the user that the access token belongs to, with all fields.
///
/// Use it to check a token: a response of 200 means that the token is valid.
#[utoipa::path(
    get,
    path = "/v1/auth/me",
    tag = "auth",
    operation_id = "me",
    security(("bearer" = [])),
    responses(
        (status = 200, description = "The caller's own account; `message` is a greeting", body = Envelope<User>),
        NoAccess,
        Fault,
        Unavailable,
    ),
)]
pub(crate) async fn me(
    State(state): State<Arc<AuthState>>,
    bearer: Bearer,
) -> Result<Response, ApiError> {
    let tokens = &state.accounts.tokens;
    let access = tokens
        .access_to_own_data(&bearer, Action::ReadOwnAccount)
        .await?;
    let user = state.accounts.own_account(&access).await?.user;
    Ok(private(format!("Hi {}", user.username), user))
}

/// Revokes every access token of the caller and ends all sessions.
///
/// Includes the token of this request and the tokens of applications. Applications cannot call this endpoint.
#[utoipa::path(
    post,
    path = "/v1/auth/logout_everywhere",
    tag = "auth",
    operation_id = "logout_everywhere",
    security(("bearer" = [])),
    responses(
        (status = 200, description = "All tokens are revoked; `data` is empty", body = Envelope<String>),
        NoAccess,
        Fault,
        Unavailable,
    ),
)]
pub(crate) async fn logout_everywhere(
    State(state): State<Arc<AuthState>>,
    bearer: Bearer,
) -> Result<Response, ApiError> {
    let tokens = &state.accounts.tokens;
    let access = tokens
        .access_to_own_data(&bearer, Action::SignOutEverywhere)
        .await?;
    state.accounts.sign_out_everywhere(&access).await?;
    Ok(private("Signed out everywhere", ""))
}
