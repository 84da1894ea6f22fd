//! Registration, sign-in and sign-out.

use std::sync::Arc;

use accounts::registration::Registration;
use accounts::sign_in::{SignIn, SignInName};
use accounts::users::Account;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use shared::auth::{ACCESS_TOKEN_S, Action, Bearer, CallerAddress};
use shared::http::openapi::{AlreadyExists, NoPasswords, RegistrationClosed, TooMany};
use shared::http::response::{CACHE_NONE, private};
use shared::http::{ApiError, Envelope};
use shared::input::{Body, Fields};
use shared::models::OwnUser;
use shared::{Error, Result, body};
use utoipa::ToSchema;

use crate::AuthState;

/// A signed-in user and an access token.
#[derive(Serialize, ToSchema)]
pub struct SignedIn {
    /// The user, with all fields.
    user: OwnUser,
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
    // The schema is inlined, because tools that sign up on their own look for the fields here.
    request_body = inline(Registration),
    responses(
        (status = 200, description = "The user and an access token", body = Envelope<SignedIn>),
        RegistrationClosed,
        AlreadyExists,
        TooMany,
    ),
)]
pub(crate) async fn register(
    State(state): State<Arc<AuthState>>,
    address: CallerAddress,
    fields: Fields,
) -> Result<Response, ApiError> {
    let new = Registration::read(fields, state.accounts.registration)?;
    let account = state.account_service.register(new, address).await?;
    sign_in_response(&state, "User registered", account).await
}

body! {
    /// A sign-in request: a password, and either `username` or `email`, not both.
    pub(crate) struct Login {
        /// Name of the user. Required unless `email` is present.
        #[schema(example = "mitsuha")]
        username: Option<String>,
        /// E-mail address of the account. Required unless `username` is present.
        email: Option<String>,
        /// Password of the account.
        #[schema(example = "kataware-doki 2016")]
        password: String,
        /// A code of the account's second factor: 6 digits of an authenticator app, or a recovery code. Spaces and
        /// dashes are ignored. Required for accounts with a second factor, ignored for others.
        #[schema(example = "123 456")]
        code: Option<String>,
    }
}

impl Login {
    /// Reads the username or e-mail address, the password and the code. An empty code counts as none.
    fn read(mut fields: Fields) -> Result<(SignInName, String, Option<String>)> {
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
            let sign_in_name = login.username.map(SignInName::Username);
            Some((
                sign_in_name.or(login.email.map(SignInName::Email))?,
                login.password,
                login.code.filter(|code| !code.is_empty()),
            ))
        });
        fields.finish(login)
    }
}

/// The reason why a sign-in failed: a sentence, or the codes that it needs.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
enum SignInError {
    /// The username, e-mail address or password is wrong.
    #[expect(dead_code, reason = "the error of the password makes this sentence")]
    Sentence(String),
    /// The account has a second factor.
    SecondFactor(SecondFactorNeeded),
}

/// The codes that the sign-in to an account with a second factor needs.
#[derive(Serialize, ToSchema)]
struct SecondFactorNeeded {
    /// The kinds of codes that the account has left: `totp` for the code of an authenticator app, `recovery` for a
    /// recovery code.
    second_factor: Vec<CodeKind>,
}

/// A kind of code of a second factor.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum CodeKind {
    Totp,
    Recovery,
}

/// Returns the response to a sign-in whose code is missing or wrong.
fn second_factor_response(
    message: &'static str,
    can_use_app: bool,
    has_recovery_codes: bool,
) -> Response {
    let app = can_use_app.then_some(CodeKind::Totp);
    let recovery = has_recovery_codes.then_some(CodeKind::Recovery);
    let second_factor = app.into_iter().chain(recovery).collect();
    let data = SignInError::SecondFactor(SecondFactorNeeded { second_factor });
    let headers = [
        (header::CACHE_CONTROL, CACHE_NONE),
        (header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")),
    ];
    let envelope = Envelope::with_status(StatusCode::UNAUTHORIZED, message, data);
    (headers, envelope).into_response()
}

/// Signs in with a password.
///
/// Send either `username` or `email`, not both. If the account has a second factor and `code` is missing or wrong, the
/// response is a 401 whose `data` names the kinds of codes. Each code is accepted only once.
#[utoipa::path(
    post,
    path = "/v1/auth/login",
    tag = "auth",
    request_body = Login,
    responses(
        (status = 200, description = "The user and an access token", body = Envelope<SignedIn>),
        (
            status = 401,
            description = "The username, e-mail address or password is wrong. Or the password is right, but the \
                account has a second factor, and `code` is missing or wrong",
            body = Envelope<SignInError>,
            example = json!(ApiError::from(Error::WrongCredentials).envelope()),
        ),
        NoPasswords,
        TooMany,
    ),
)]
pub(crate) async fn login(
    State(state): State<Arc<AuthState>>,
    address: CallerAddress,
    fields: Fields,
) -> Result<Response, ApiError> {
    let (sign_in_name, password, code) = Login::read(fields)?;
    let sign_in = state
        .account_service
        .sign_in(sign_in_name, &password, code.as_deref(), address);
    match sign_in.await {
        Ok(SignIn::Complete(account)) => sign_in_response(&state, "Signed in", *account).await,
        Ok(SignIn::NeedsCode(pending)) => {
            let message = "This account needs a code of its second factor";
            let has_recovery_codes = pending.has_recovery_codes;
            Ok(second_factor_response(message, true, has_recovery_codes))
        }
        Err(Error::WrongCode {
            has_recovery_codes,
            needs_recovery_code: false,
        }) => {
            let message = "The code is wrong or has already been used";
            Ok(second_factor_response(message, true, has_recovery_codes))
        }
        Err(Error::WrongCode {
            needs_recovery_code: true,
            ..
        }) => {
            let message = "Codes of the app cannot be checked. Send a recovery code";
            Ok(second_factor_response(message, false, true))
        }
        Err(error) => Err(error.into()),
    }
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
            .sign_direct_access_token(account.user.id, account.token_generation)
            .await?,
        user: account.own_user(),
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
    security(("bearer" = [])),
    responses(
        (status = 200, description = "The caller's own account; `message` is a greeting", body = Envelope<OwnUser>),
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
    let account = state.accounts.users.own_account(&access).await?;
    let greeting = format!("Hi {}", account.user.username);
    Ok(private(greeting, account.own_user()))
}

/// Revokes every access token of the caller and ends all sessions.
///
/// Includes the token of this request and the tokens of applications. Applications cannot call this endpoint.
#[utoipa::path(
    post,
    path = "/v1/auth/logout_everywhere",
    tag = "auth",
    security(("bearer" = [])),
    responses(
        (status = 200, description = "All tokens are revoked; `data` is empty", body = Envelope<String>),
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
    state.accounts.users.sign_out_everywhere(&access).await?;
    Ok(private("Signed out everywhere", ""))
}
