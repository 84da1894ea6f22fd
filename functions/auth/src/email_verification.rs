//! Showing that an address is one's own, by following a link that was sent there.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use shared::auth::{Action, Bearer, CallerAddress};
use shared::http::openapi::{AlreadyExists, BadBody, Fault, NoAccess, OutOfReach, TooMany};
use shared::http::response::private;
use shared::http::{ApiError, Envelope};
use shared::input::{Fields, present};
use utoipa::ToSchema;

use crate::AuthState;

/// Sends the link once more.
#[utoipa::path(
    post,
    path = "/v1/auth/email_verification",
    tag = "auth",
    operation_id = "send_email_verification",
    security(("bearer" = [])),
    responses(
        (status = 200, description = "A link is on its way; `data` is empty", body = Envelope<String>),
        NoAccess,
        AlreadyExists,
        TooMany,
        Fault,
        OutOfReach,
    ),
)]
pub(crate) async fn send(
    State(state): State<Arc<AuthState>>,
    bearer: Bearer,
) -> Result<Response, ApiError> {
    let tokens = &state.accounts.tokens;
    let access = tokens.own(&bearer, Action::SendVerification).await?;
    let account = state.accounts.own(&access).await?;
    state.links.send_verification(&account).await?;
    Ok(private("Link sent", ""))
}

/// What the link has.
#[derive(Deserialize, ToSchema)]
#[expect(dead_code, reason = "says in the reference what the body is")]
pub(crate) struct ConfirmEmail {
    /// The token.
    #[schema(example = "link")]
    token: String,
}

/// Verifies the address, by what its link has.
#[utoipa::path(
    post,
    path = "/v1/auth/email_verification/confirm",
    tag = "auth",
    operation_id = "confirm_email",
    request_body = ConfirmEmail,
    responses(
        (status = 200, description = "The address is verified; `data` is empty", body = Envelope<String>),
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
    fields.finish()?;
    state.links.verify_email(&present(token)?, address).await?;
    Ok(private("E-mail verified", ""))
}
