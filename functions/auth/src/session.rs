//! Accounts and sessions: registering, signing in, and out.

use std::sync::Arc;

use axum::extract::State as With;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use shared::auth::{
    ACCESS_TOKEN_S, Access, Action, Bearer, CallerAddress, CallerRow, Purpose, REGISTER_ADDRESS,
    check_policy,
};
use shared::body::{Fields, present};
use shared::endpoint::private;
use shared::envelope::Envelope;
use shared::error::ApiError;
use shared::models::{Account, EmailAddress, Gender, User, UserId, Username, localization};
use shared::openapi::{AlreadyExists, BadBody, Fault, NoAccess, OutOfReach, SignInFailed, TooMany};
use shared::store::NewAccount;
use utoipa::ToSchema;

use crate::{State, email_verification};

/// What a user prefers who did not say.
const DEFAULT_LOCALIZATION: &str = "en";

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
    /// 3 to 32 letters, digits, `_` and `-`. No two names may be the same but for case and the
    /// difference between `_` and `-`.
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
    With(state): With<Arc<State>>,
    address: CallerAddress,
    mut fields: Fields,
) -> Result<Response, ApiError> {
    let username = fields.parsed("username", Username::new);
    let username = fields.require("username", username);
    let email = fields.parsed("email", EmailAddress::new);
    let email = fields.require("email", email);
    let password = fields.text("password");
    let password = fields.require("password", password);
    let gender = fields.wire_enum::<Gender>("gender");
    let localization = fields.parsed("localization", localization);
    if let Some(password) = &password {
        let name = username.as_ref().map_or("", Username::as_str);
        let email = email.as_ref().map_or("", EmailAddress::as_str);
        if let Err(reason) = check_policy(password, name, email) {
            fields.fail("password", reason);
        }
    }
    fields.finish()?;
    let (username, email) = (present(username)?, present(email)?);
    let password = present(password)?;
    // What is taken is said before anything is computed; whether it is free is decided as it is made.
    if let Some(taken) = state.users.taken(&username, &email).await? {
        return Err(taken.into());
    }
    // Each costs a hash.
    state
        .attempts
        .by_address("register", address, REGISTER_ADDRESS)
        .await?;
    let new = NewAccount {
        username,
        email,
        password_hash: state.passwords.hash(&password).await?,
        gender: gender.unwrap_or(Gender::Unknown),
        localization: localization.unwrap_or_else(|| DEFAULT_LOCALIZATION.to_owned()),
        created_at: state.clock.now_ms(),
    };
    let account = state.users.create(new).await?.map_err(ApiError::from)?;
    state.attempts.owner_at(account.user.id, address).await?;
    // The account is there, and its owner can have the link sent again.
    if let Err(error) = email_verification::mail(&state, &account).await {
        tracing::warn!(?error, "a link to verify an address was not sent");
    }
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
    With(state): With<Arc<State>>,
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
    let password = present(password)?;
    // What cannot be a name or an address is nobody's, and is told no sooner than one that could:
    // the empty name is looked up for it.
    let (user, given) = match (username, email) {
        (Some(name), _) => match Username::new(&name) {
            Ok(name) => (state.users.named(&name.folded()).await?, name.folded()),
            Err(_) => (state.users.named("").await?, name),
        },
        (None, email) => {
            let given = email.unwrap_or_default();
            match EmailAddress::new(&given) {
                Ok(email) => (
                    state.users.addressed(&email).await?,
                    email.as_str().to_owned(),
                ),
                Err(_) => (state.users.named("").await?, given),
            }
        }
    };
    let attempt = state.attempts.begin(user, &given, address).await?;
    // Of nobody a row is read, too: what is not there takes as long as what is.
    let account = state.users.account(user.unwrap_or(UserId::LAST)).await?;
    let account = account.filter(|_| user.is_some());
    let kept = account
        .as_ref()
        .map(|account| account.password_hash.clone());
    let verified = state.passwords.verify(&password, kept).await?;
    let account = account
        .filter(|_| verified)
        .ok_or(ApiError::WrongCredentials)?;
    state.attempts.succeeded(attempt).await?;
    signed_in(&state, "Signed in", account).await
}

async fn signed_in(
    state: &State,
    message: &'static str,
    account: Account,
) -> Result<Response, ApiError> {
    let (id, generation) = (account.user.id, account.token_generation);
    let token = state.tokens.sign(Purpose::Access, id, generation, None);
    let signed_in = SignedIn {
        access_token: token.await?,
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
    With(state): With<Arc<State>>,
    bearer: Bearer,
) -> Result<Response, ApiError> {
    let access = state.tokens.own(&bearer, Action::ReadOwnAccount).await?;
    let user = own_account(&state, &access).await?.user;
    Ok(private(format!("Hi {}", user.username), user))
}

/// The caller's account, if they may do what they want to do to it.
pub(crate) async fn own_account(state: &State, access: &Access) -> Result<Account, ApiError> {
    let account = state.users.account(access.credential.user_id).await?;
    access.check(account.as_ref().map(CallerRow::from).as_ref())?;
    account.ok_or(ApiError::InvalidToken)
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
    With(state): With<Arc<State>>,
    bearer: Bearer,
) -> Result<Response, ApiError> {
    let access = state.tokens.own(&bearer, Action::SignOutEverywhere).await?;
    let ended = state.users.sign_out_everywhere(&access).await?;
    ended.map_err(|refusal| access.refusal(refusal))?;
    Ok(private("Signed out everywhere", ""))
}
