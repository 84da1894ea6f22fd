//! Registration, sign-in and sign-out.

use std::borrow::Cow;
use std::sync::Arc;

use accounts::{Registration, SignInName};
use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use shared::auth::{ACCESS_TOKEN_S, Action, Bearer, CallerAddress};
use shared::http::openapi::{
    AlreadyExists, BadBody, InternalError, MisusedToken, NoAccess, RegistrationClosed,
    SignInFailed, TooMany, Unavailable, null_schema, with_keyword,
};
use shared::http::response::private;
use shared::http::{ApiError, Envelope};
use shared::input::{Body, Fields};
use shared::models::User;
use shared::{Error, body};
use store::Account;
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

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
    // The schema is inlined, because tools that sign up on their own look for the fields here.
    request_body = inline(Registration),
    responses(
        (status = 200, description = "The user and an access token", body = Envelope<SignedIn>),
        BadBody,
        RegistrationClosed,
        AlreadyExists,
        TooMany,
        InternalError,
        Unavailable,
    ),
)]
pub(crate) async fn register(
    State(state): State<Arc<AuthState>>,
    address: CallerAddress,
    fields: Fields,
) -> Result<Response, ApiError> {
    let new = Registration::read(fields, state.accounts.registration)?;
    let account = state.mail_links.register(new, address).await?;
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

/// A sign-in request with a username.
#[derive(ToSchema)]
// `Login` parses both forms at once, so that the response to a request with both a username and an e-mail address, or
// with neither, names all invalid fields.
#[expect(dead_code, reason = "describes one form of the body in the document")]
struct LoginWithUsername {
    /// Name of the user.
    #[schema(example = "mitsuha")]
    username: String,
    /// Absent.
    #[schema(schema_with = null_schema, required = false)]
    email: (),
    /// Password of the account.
    #[schema(example = "kataware-doki 2016")]
    password: String,
}

/// A sign-in request with an e-mail address.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes one form of the body in the document")]
struct LoginWithEmail {
    /// Absent.
    #[schema(schema_with = null_schema, required = false)]
    username: (),
    /// E-mail address of the account.
    #[schema(example = "mitsuha@example.com")]
    email: String,
    /// Password of the account.
    #[schema(example = "kataware-doki 2016")]
    password: String,
}

/// The schema of [`Login`]: one of its two forms.
pub(crate) struct LoginBody;

impl PartialSchema for LoginBody {
    fn schema() -> RefOr<Schema> {
        let mut login = Login::schema();
        if let RefOr::T(Schema::Object(object)) = &mut login {
            // Tools that sign in on their own send all fields that they find here. With `email` beside `username`, the
            // request would be invalid.
            object.properties.remove("email");
        }
        let forms = [LoginWithUsername::name(), LoginWithEmail::name()];
        let forms = forms.map(Ref::from_schema_name);
        with_keyword(login, "oneOf", forms)
    }
}

impl ToSchema for LoginBody {
    fn name() -> Cow<'static, str> {
        "Login".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((
            LoginWithUsername::name().into(),
            LoginWithUsername::schema(),
        ));
        schemas.push((LoginWithEmail::name().into(), LoginWithEmail::schema()));
    }
}

impl Login {
    /// Reads the username or e-mail address, and the password.
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
            let sign_in_name = login.username.map(SignInName::Username);
            Some((
                sign_in_name.or(login.email.map(SignInName::Email))?,
                login.password,
            ))
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
    request_body = LoginBody,
    responses(
        (status = 200, description = "The user and an access token", body = Envelope<SignedIn>),
        BadBody,
        SignInFailed,
        TooMany,
        InternalError,
        Unavailable,
    ),
)]
pub(crate) async fn login(
    State(state): State<Arc<AuthState>>,
    address: CallerAddress,
    fields: Fields,
) -> Result<Response, ApiError> {
    let (sign_in_name, password) = Login::read(fields)?;
    let account = state
        .accounts
        .sign_in(sign_in_name, &password, address)
        .await?;
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
            .sign_direct_access_token(account.user.id, account.token_generation)
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
        MisusedToken,
        NoAccess,
        InternalError,
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
    let user = state.accounts.users.own_account(&access).await?.user;
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
        MisusedToken,
        NoAccess,
        InternalError,
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
    state.accounts.users.sign_out_everywhere(&access).await?;
    Ok(private("Signed out everywhere", ""))
}
