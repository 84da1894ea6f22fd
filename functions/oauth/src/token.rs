//! `/v1/oauth/token`: the token endpoint (RFC 6749, section 3.2).

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use sha2::{Digest, Sha256};
use shared::auth::{ACCESS_TOKEN_S, Access, Action};
use shared::digest;
use shared::http::VERSION;
use shared::http::openapi::{Fault, OutOfReach};
use store::{Client, Exchange, Exchanged};
use utoipa::ToSchema;

use crate::client_authentication::ClientRequest;
use crate::error::{Code, ErrorBody, OAuthError, answer};
use crate::parameters::{Malformed, Parameters};
use crate::state::OAuthState;

pub(crate) const PATH: &str = "/v1/oauth/token";

/// A code that was exchanged: the envelope, whose code is named `status` here (contract, "Response
/// envelope"), and what OAuth libraries read.
#[derive(Serialize, ToSchema)]
pub(crate) struct TokenAnswer {
    /// The HTTP status of the answer.
    #[schema(example = 200)]
    status: u16,
    /// A short text that says what happened.
    #[schema(example = "Token issued")]
    message: &'static str,
    /// The token to send as `Authorization: Bearer`.
    #[schema(example = "eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl")]
    data: String,
    /// The version of the API, always "1".
    #[schema(example = "1")]
    version: &'static str,
    /// The same token.
    #[schema(example = "eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl")]
    access_token: String,
    /// Always "Bearer".
    #[schema(example = "Bearer")]
    token_type: &'static str,
    /// Seconds until the token expires: 30 days.
    #[schema(example = 2_592_000)]
    expires_in: u64,
}

/// Exchanges a code for a token. The client shows who it is in one of three ways: by HTTP Basic or in
/// the form, which is better, or in the query string, as each parameter may be sent. A public client
/// sends its `client_id` alone, and a `code_verifier`.
#[utoipa::path(
    post,
    path = "/v1/oauth/token",
    tag = "oauth",
    operation_id = "exchange",
    params(
        ("grant_type" = Option<String>, Query, description = "`authorization_code`; may be left out"),
        ("client_id" = Option<String>, Query, description = "The client"),
        ("client_secret" = Option<String>, Query, description = "Its secret"),
        ("code" = Option<String>, Query, description = "What the browser brought, within three minutes and once"),
        ("redirect_uri" = Option<String>, Query, description = "The address that it was brought to"),
        ("code_verifier" = Option<String>, Query, description = "PKCE: what the code_challenge was made of"),
    ),
    responses(
        (status = 200, description = "The token", body = TokenAnswer),
        (status = 400, description = "`error` says why not: invalid_request, invalid_grant or unsupported_grant_type", body = ErrorBody, example = json!(OAuthError::example(Code::InvalidGrant))),
        (status = 401, description = "`error` is invalid_client", body = ErrorBody, example = json!(OAuthError::example(Code::InvalidClient))),
        Fault,
        OutOfReach,
    ),
)]
pub(crate) async fn exchange(
    State(state): State<Arc<OAuthState>>,
    mut request: ClientRequest,
) -> Result<Response, OAuthError> {
    let client = request.client(&state).await?;
    let exchange = read(&state, &request.parameters, &client.client_id)?;
    check_issued(&state, &client, &exchange).await?;
    // Without a key to sign with, the code stays good.
    state.tokens.warm().await?;
    let exchanged = state.codes.exchange(&exchange, state.clock.now_s());
    let credential = match exchanged.await? {
        Exchanged::Token(credential) => credential,
        Exchanged::Refused => return Err(refused()),
        Exchanged::Again(user_id, client) => {
            state.grants.end_tokens(user_id, &client).await?;
            return Err(OAuthError::new(
                Code::InvalidGrant,
                "The code was used before: the tokens that it gave have ended.",
            ));
        }
    };
    let token = state.tokens.sign_access(&credential).await?;
    let token_answer = TokenAnswer {
        status: StatusCode::OK.as_u16(),
        message: "Token issued",
        data: token.clone(),
        version: VERSION,
        access_token: token,
        token_type: "Bearer",
        expires_in: ACCESS_TOKEN_S,
    };
    Ok(answer(StatusCode::OK, &token_answer))
}

/// Checks that what the code was issued for still holds: since then the owner of the client may have
/// removed the address, and the user may have left or disconnected the application. It comes before the
/// exchange: after it, another use of the code may end the token, and the exchange has succeeded all the
/// same.
async fn check_issued(
    state: &OAuthState,
    client: &Client,
    exchange: &Exchange,
) -> Result<(), OAuthError> {
    let Some(credential) = state.codes.find(exchange).await? else {
        // The exchange says why, and ends the tokens of a code that is used again.
        return Ok(());
    };
    if !client.registered(&exchange.redirect_uri) {
        return Err(refused());
    }
    let access = Access::new(&credential, Action::ReadOwnAccount, credential.user_id);
    let caller = state.users.caller(&credential).await?;
    access.check(caller.as_ref()).map_err(|_| refused())?;
    Ok(())
}

fn refused() -> OAuthError {
    OAuthError::new(
        Code::InvalidGrant,
        "The code is not good: it has expired, or redirect_uri, code_verifier or client are not those it was issued for.",
    )
}

fn read(
    state: &OAuthState,
    parameters: &Parameters,
    client_id: &str,
) -> Result<Exchange, OAuthError> {
    let refused = |sentence| OAuthError::new(Code::InvalidRequest, sentence);
    if parameters.repeats() {
        return Err(refused("Each parameter may be given only once."));
    }
    let text = |name| {
        let text = parameters.text(name);
        text.map_err(|Malformed| refused("A parameter is not UTF-8."))
    };
    if text("grant_type")?.is_some_and(|grant| grant != "authorization_code") {
        let sentence = "grant_type is authorization_code, or left out.";
        return Err(OAuthError::new(Code::UnsupportedGrantType, sentence));
    }
    let code = text("code")?.ok_or_else(|| refused("code is required."))?;
    let redirect_uri = text("redirect_uri")?.ok_or_else(|| refused("redirect_uri is required."))?;
    let verifier = text("code_verifier")?;
    if verifier.is_some_and(|verifier| !is_verifier(verifier)) {
        return Err(refused(
            "code_verifier has 43 to 128 letters, digits, -, ., _ and ~.",
        ));
    }
    let challenge = |verifier: &str| URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()));
    Ok(Exchange {
        code_hash: digest(code),
        client_id: client_id.to_owned(),
        redirect_uri: redirect_uri.to_owned(),
        code_challenge: verifier.map(challenge),
        token_id: state.tokens.new_id(),
    })
}

/// RFC 7636, section 4.1.
fn is_verifier(text: &str) -> bool {
    let unreserved =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
    (43..=128).contains(&text.len()) && text.bytes().all(unreserved)
}
