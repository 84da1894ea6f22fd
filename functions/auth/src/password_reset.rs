//! Choosing a new password without knowing the old one, by following a link that was sent to the
//! account's address.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use shared::auth::CallerAddress;
use shared::http::openapi::{BadBody, Fault, OutOfReach, TooMany};
use shared::http::response::private;
use shared::http::{ApiError, Envelope};
use shared::input::{Fields, present};
use shared::models::EmailAddress;
use utoipa::ToSchema;

use crate::AuthState;

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
    State(state): State<Arc<AuthState>>,
    address: CallerAddress,
    mut fields: Fields,
) -> Result<Response, ApiError> {
    let email = fields.parsed("email", EmailAddress::new);
    let email = fields.require("email", email);
    fields.finish()?;
    state.links.send_reset(present(email)?, address).await?;
    Ok(private("Link sent if there is such an account", ""))
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

/// Sets the new password, by what the link has, and ends every token of the account.
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
    State(state): State<Arc<AuthState>>,
    address: CallerAddress,
    mut fields: Fields,
) -> Result<Response, ApiError> {
    let token = fields.text("token");
    let token = fields.require("token", token);
    let password = fields.text("password");
    let password = fields.require("password", password);
    fields.finish()?;
    let (token, password) = (present(token)?, present(password)?);
    state
        .links
        .reset_password(&token, &password, address)
        .await?;
    Ok(private("Password reset", ""))
}
