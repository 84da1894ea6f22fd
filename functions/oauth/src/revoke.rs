//! `/v1/oauth/revoke`: the revocation endpoint (RFC 7009).

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use shared::auth::TokenPurpose;
use shared::http::Envelope;
use utoipa::{IntoParams, ToSchema};

use crate::client_authentication::ClientRequest;
use crate::error::{ErrorBody, OAuthError, OAuthErrorCode, ServiceErrors, respond};
use crate::state::OAuthState;

pub(crate) const PATH: &str = "/v1/oauth/revoke";

/// The parameters of a revocation request, in the form body or in the query string.
#[derive(IntoParams, ToSchema)]
#[into_params(parameter_in = Query)]
// Requests are not parsed with this type, because the credentials are read before the token and can be in a header.
#[expect(dead_code, reason = "describes the parameters in the document")]
struct RevocationParameters {
    /// The token to revoke. Required. Prefer the form body, because servers log query strings.
    token: Option<String>,
    /// Identifier of the client. Send credentials as at the token endpoint.
    client_id: Option<String>,
    /// Secret of a confidential client.
    client_secret: Option<String>,
}

/// Revokes an access token of the client.
///
/// Also succeeds if the token is invalid or has expired.
#[utoipa::path(
    post,
    path = PATH,
    tag = "oauth",
    params(RevocationParameters),
    request_body(content = Option<RevocationParameters>, content_type = "application/x-www-form-urlencoded"),
    responses(
        (status = 200, description = "The token is revoked, or was not valid. `data` is empty",
            body = Envelope<String>),
        (status = 400, description = "`error` is `invalid_request`, or `invalid_grant` for a token of another client, \
            of a user's own sign-in, or of the profile page",
            body = ErrorBody, example = json!(OAuthError::example(OAuthErrorCode::InvalidRequest))),
        (status = 401, description = "`error` is `invalid_client`", body = ErrorBody,
            example = json!(OAuthError::example(OAuthErrorCode::InvalidClient))),
        ServiceErrors,
    ),
)]
pub(crate) async fn revoke(
    State(state): State<Arc<OAuthState>>,
    request: ClientRequest,
) -> Result<Response, OAuthError> {
    let (client, parameters) = request.authenticate(&state).await?;
    let token = parameters.text("token")?;
    let token = token.ok_or_else(|| OAuthError::invalid_request("token is required."))?;
    let claims = state.tokens.verify(TokenPurpose::Access, token).await?;
    let now = state.clock.now_s();
    if let Some(credential) = claims.and_then(|claims| claims.credential(now)) {
        let issued_to = credential.client.as_ref().map(|client| &client.client_id);
        if issued_to != Some(&client.client_id) {
            let sentence = "The token was not issued to this client.";
            return Err(OAuthError::new(OAuthErrorCode::InvalidGrant, sentence));
        }
        state.grants.revoke(&credential, now).await?;
    }
    Ok(respond(StatusCode::OK, &Envelope::ok("Token revoked", "")))
}
