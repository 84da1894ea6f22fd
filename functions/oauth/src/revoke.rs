//! `/v1/oauth/revoke`: an application gives a token back (RFC 7009).

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use shared::auth::{Claims, Purpose};
use shared::http::Envelope;
use shared::http::openapi::{Fault, OutOfReach};

use crate::client_authentication::ClientRequest;
use crate::error::{Code, ErrorBody, OAuthError, answer};
use crate::parameters::Malformed;
use crate::state::OAuthState;

pub(crate) const PATH: &str = "/v1/oauth/revoke";

/// Ends a token of the client's. One that is none, or no longer, is as good as ended.
#[utoipa::path(
    post,
    path = "/v1/oauth/revoke",
    tag = "oauth",
    operation_id = "revoke",
    params(
        ("token" = Option<String>, Query, description = "The token; in the form is better"),
        ("client_id" = Option<String>, Query, description = "The client; as at the token endpoint"),
        ("client_secret" = Option<String>, Query, description = "Its secret"),
    ),
    responses(
        (status = 200, description = "The token is not usable any more; `data` is empty", body = Envelope<String>),
        (status = 400, description = "`error` says why not: invalid_request, or invalid_grant for a token of another client's", body = ErrorBody, example = json!(OAuthError::example(Code::InvalidRequest))),
        (status = 401, description = "`error` is invalid_client", body = ErrorBody, example = json!(OAuthError::example(Code::InvalidClient))),
        Fault,
        OutOfReach,
    ),
)]
pub(crate) async fn revoke(
    State(state): State<Arc<OAuthState>>,
    mut request: ClientRequest,
) -> Result<Response, OAuthError> {
    let client = request.client(&state).await?;
    let refused = |sentence| OAuthError::new(Code::InvalidRequest, sentence);
    if request.parameters.repeats() {
        return Err(refused("Each parameter may be given only once."));
    }
    let token = request.parameters.text("token");
    let token = token.map_err(|Malformed| refused("A parameter is not UTF-8."))?;
    let token = token.ok_or_else(|| refused("token is required."))?;
    let claims = state.tokens.verify(Purpose::Access, token).await?;
    if let Some(credential) = claims.and_then(Claims::credential) {
        let issued_to = credential.client.as_ref().map(|client| &client.client_id);
        if issued_to != Some(&client.client_id) {
            let sentence = "The token was not issued to this client.";
            return Err(OAuthError::new(Code::InvalidGrant, sentence));
        }
        state
            .grants
            .revoke(&credential, state.clock.now_s())
            .await?;
    }
    Ok(answer(StatusCode::OK, &Envelope::ok("Token revoked", "")))
}
