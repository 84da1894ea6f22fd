//! Verification of an account's e-mail address, by a link that is sent to the address.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use shared::auth::{Action, Bearer, CallerAddress};
use shared::body;
use shared::http::openapi::{AlreadyExists, TooMany};
use shared::http::response::private;
use shared::http::{ApiError, Envelope};
use shared::input::Fields;

use crate::AuthState;

/// Sends a new verification link to the caller's e-mail address.
///
/// The link works once and expires after 24 hours. Registration sends the first link. Applications cannot call this
/// endpoint. If the address is already verified, the response is 409.
#[utoipa::path(
    post,
    path = "/v1/auth/email_verification",
    tag = "auth",
    security(("bearer" = [])),
    responses(
        (status = 200, description = "The link was sent; `data` is empty", body = Envelope<String>),
        AlreadyExists,
        TooMany,
    ),
)]
pub(crate) async fn send_email_verification(
    State(state): State<Arc<AuthState>>,
    bearer: Bearer,
) -> Result<Response, ApiError> {
    let tokens = &state.accounts.tokens;
    let access = tokens
        .access_to_own_data(&bearer, Action::SendVerification)
        .await?;
    let account = state.accounts.users.own_account(&access).await?;
    state.account_service.send_verification(&account).await?;
    Ok(private("Link sent", ""))
}

body! {
    /// The token of a verification link.
    pub(crate) struct ConfirmEmail {
        /// The token of the link.
        #[schema(example = "link")]
        token: String,
    }
}

/// Verifies an e-mail address with the token of a verification link.
///
/// The token is invalid once the address is verified.
#[utoipa::path(
    post,
    path = "/v1/auth/email_verification/confirm",
    tag = "auth",
    request_body = ConfirmEmail,
    responses(
        (status = 200, description = "The e-mail address is verified; `data` is empty", body = Envelope<String>),
        TooMany,
    ),
)]
pub(crate) async fn confirm_email(
    State(state): State<Arc<AuthState>>,
    address: CallerAddress,
    fields: Fields,
) -> Result<Response, ApiError> {
    let ConfirmEmail { token } = fields.body()?;
    state.account_service.verify_email(&token, address).await?;
    Ok(private("E-mail verified", ""))
}
