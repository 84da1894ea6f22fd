//! Choosing a new password without knowing the old one, by following a link that was sent to the
//! account's address.

use std::sync::Arc;

use axum::extract::State as With;
use axum::http::Uri;
use axum::response::Response;
use futures_util::future::join;
use serde::Deserialize;
use shared::auth::{CallerAddress, MAIL_ADDRESS, Purpose, check_policy, user_of};
use shared::body::{Fields, FormOrFields, present};
use shared::endpoint::private;
use shared::envelope::Envelope;
use shared::error::ApiError;
use shared::mail::Mail;
use shared::models::EmailAddress;
use shared::openapi::{BadBody, Fault, OutOfReach, TooMany};
use utoipa::ToSchema;

use crate::State;
use crate::page::{self, Form};

/// Where the link leads.
pub(crate) const CONFIRM: &str = "/v1/auth/password_reset/confirm";

const FORM: Form = Form {
    action: CONFIRM,
    title: "Choose a new password",
    text: "It has at least 8 characters. Whoever is signed in to the account now will be signed out.",
    password: true,
    button: "Set password",
    message: "Password reset",
    done: "Your password is the new one. Sign in with it.",
};

/// What is wrong with a link, for people.
const SPENT: &str = "is not valid, has expired, or was used before: ask for another link";

/// Whose password.
#[derive(Deserialize, ToSchema)]
#[expect(dead_code, reason = "says in the reference what the body is")]
pub(crate) struct ResetPassword {
    /// The address of the account.
    #[schema(example = "mitsuha@example.com")]
    email: String,
}

/// Sends a link to an address, if there is an account that has it. The answer does not say.
#[utoipa::path(
    post,
    path = "/v1/auth/password_reset",
    tag = "auth",
    operation_id = "send_password_reset",
    request_body = ResetPassword,
    responses(
        (status = 200, description = "If there is such an account, a link is on its way; `data` is empty", body = Envelope<String>),
        BadBody,
        TooMany,
        Fault,
        OutOfReach,
    ),
)]
pub(crate) async fn send(
    With(state): With<Arc<State>>,
    address: CallerAddress,
    mut fields: Fields,
) -> Result<Response, ApiError> {
    let email = fields.parsed("email", EmailAddress::new);
    let email = fields.require("email", email);
    fields.finish()?;
    let email = present(email)?;
    state
        .attempts
        .by_address("password_reset", address, MAIL_ADDRESS)
        .await?;
    // Whatever comes of it, the answer is the same, and comes no sooner for an address that nobody has.
    let floor = tokio::time::sleep(state.reset_floor);
    let (mailed, ()) = join(mail(&state, email), floor).await;
    if let Err(error) = mailed {
        match error {
            ApiError::TooManyRequests(_) => {}
            error => tracing::warn!(?error, "a link to reset a password was not sent"),
        }
    }
    Ok(private("Link sent if there is such an account", ""))
}

async fn mail(state: &State, to: EmailAddress) -> Result<(), ApiError> {
    let account = match state.users.addressed(&to).await? {
        Some(id) => state.users.account(id).await?,
        None => None,
    };
    let Some(account) = account else {
        return Ok(());
    };
    state.attempts.mail("password_reset", &to).await?;
    let id = account.user.id;
    // The link works for the password that there is now: once it is another one, no more.
    let version = account.password_version;
    let token = state
        .tokens
        .sign(Purpose::PasswordReset, id, version, None)
        .await?;
    let url = state.tokens.public_url();
    let text = format!(
        "Hi {},\n\nfollow this link to choose a new password. It is good for an hour, and once:\n\n\
         {url}{CONFIRM}?token={token}\n\nIf you did not ask for it, do nothing: your password stays what it is.\n",
        account.user.username
    );
    let subject = "Choose a new password";
    state.mailer.send(&Mail { to, subject, text }).await
}

/// The page that the link leads to.
#[utoipa::path(
    get,
    path = "/v1/auth/password_reset/confirm",
    tag = "auth",
    operation_id = "password_reset_page",
    params(("token" = String, Query, description = "What the link has", example = "link")),
    responses((status = 200, description = "A page with a form", body = String, content_type = "text/html")),
)]
pub(crate) async fn form(uri: Uri) -> Response {
    page::of_link(&FORM, &uri)
}

/// What the link has, and the new password.
#[derive(Deserialize, ToSchema)]
#[expect(dead_code, reason = "says in the reference what the body is")]
pub(crate) struct ConfirmPassword {
    /// The token.
    #[schema(example = "link")]
    token: String,
    /// At least 8 characters, and none of the commonest passwords.
    #[schema(min_length = 8, example = "itomori 4 october")]
    password: String,
}

/// Sets the new password, by what the link has, and ends every token of the account. A form is
/// answered with a page.
#[utoipa::path(
    post,
    path = "/v1/auth/password_reset/confirm",
    tag = "auth",
    operation_id = "reset_password",
    request_body = ConfirmPassword,
    responses(
        (status = 200, description = "The password is the new one; `data` is empty", body = Envelope<String>),
        BadBody,
        TooMany,
        Fault,
        OutOfReach,
    ),
)]
pub(crate) async fn confirm(
    With(state): With<Arc<State>>,
    address: CallerAddress,
    FormOrFields {
        mut fields,
        is_form,
    }: FormOrFields,
) -> Result<Response, ApiError> {
    let token = fields.text("token");
    let token = fields.require("token", token);
    let password = fields.text("password");
    let password = fields.require("password", password);
    let reset = async {
        fields.finish()?;
        state
            .attempts
            .by_address("link", address, MAIL_ADDRESS)
            .await?;
        let token = token.as_deref().unwrap_or_default();
        let password = password.as_deref().unwrap_or_default();
        reset(&state, token, password, address).await
    };
    let result = reset.await;
    page::answer(&FORM, token.as_deref(), is_form, result)
}

async fn reset(
    state: &State,
    token: &str,
    password: &str,
    address: CallerAddress,
) -> Result<(), ApiError> {
    let spent = || ApiError::invalid("token", SPENT);
    let claims = state.tokens.verify(Purpose::PasswordReset, token).await?;
    let claims = claims.ok_or_else(spent)?;
    let id = user_of(&claims).ok_or_else(spent)?;
    let account = state.users.account(id).await?.ok_or_else(spent)?;
    if account.password_version != claims.ver {
        return Err(spent());
    }
    let email = account.user.email.as_deref().unwrap_or_default();
    check_policy(password, &account.user.username, email)
        .map_err(|reason| ApiError::invalid("password", reason))?;
    let hash = state.passwords.hash(password).await?;
    if !state.users.reset_password(id, claims.ver, hash).await? {
        return Err(spent());
    }
    state.attempts.forget(id).await?;
    Ok(state.attempts.owner_at(id, address).await?)
}
