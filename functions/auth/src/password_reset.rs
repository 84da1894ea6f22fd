//! Replacement of a forgotten password, by a link that is sent to the account's e-mail address.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use shared::auth::CallerAddress;
use shared::body;
use shared::http::openapi::{NoPasswords, TooMany};
use shared::http::response::private;
use shared::http::{ApiError, Envelope};
use shared::input::Fields;
use shared::models::EmailAddress;

use crate::AuthState;

body! {
    /// The account to send a password reset link to.
    pub(crate) struct ResetPassword {
        /// E-mail address of the account.
        #[schema(value_type = String, max_length = 254,
            pattern = "^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9]+(-+[A-Za-z0-9]+)*(\\.[A-Za-z0-9]+(-+[A-Za-z0-9]+)*)+$",
            example = "mitsuha@example.com")]
        email: EmailAddress,
    }
}

/// Sends a password reset link, if the e-mail address belongs to an account.
///
/// The link works once and expires after 1 hour. The response does not reveal whether the account exists.
#[utoipa::path(
    post,
    path = "/v1/auth/password_reset",
    tag = "auth",
    request_body = ResetPassword,
    responses(
        (status = 200, description = "The link was sent if the account exists; `data` is empty",
            body = Envelope<String>),
        NoPasswords,
        TooMany,
    ),
)]
pub(crate) async fn send_password_reset(
    State(state): State<Arc<AuthState>>,
    address: CallerAddress,
    fields: Fields,
) -> Result<Response, ApiError> {
    let ResetPassword { email } = fields.body()?;
    state.account_service.send_reset(email, address).await?;
    Ok(private("Link sent if the account exists", ""))
}

body! {
    /// The token of a password reset link, and a new password.
    pub(crate) struct ConfirmPassword {
        /// The token of the link.
        #[schema(example = "link")]
        token: String,
        /// New password: at least 8 characters and at most 4,096 bytes. Common passwords, the username and the
        /// e-mail address are rejected.
        #[schema(min_length = 8, max_length = 4096, example = "itomori 4 october")]
        password: String,
    }
}

/// Sets a new password with the token of a password reset link.
///
/// Revokes every access token of the account and ends its sessions.
#[utoipa::path(
    post,
    path = "/v1/auth/password_reset/confirm",
    tag = "auth",
    request_body = ConfirmPassword,
    responses(
        (status = 200, description = "The password was changed; `data` is empty", body = Envelope<String>),
        NoPasswords,
        TooMany,
    ),
)]
pub(crate) async fn reset_password(
    State(state): State<Arc<AuthState>>,
    address: CallerAddress,
    fields: Fields,
) -> Result<Response, ApiError> {
    let ConfirmPassword { token, password } = fields.body()?;
    state
        .account_service
        .reset_password(&token, &password, address)
        .await?;
    Ok(private("Password reset", ""))
}
