//! `/v1/oauth/token`: the token endpoint (RFC 6749, section 3.2).

use std::sync::Arc;

use accounts::applications::{CodeExchange, ExchangeOutcome, OAuthClient};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use sha2::{Digest, Sha256};
use shared::auth::{ACCESS_TOKEN_S, Access, Action, Credential, Scope};
use shared::digest;
use shared::http::VERSION;
use utoipa::{IntoParams, ToSchema};

use crate::client_authentication::ClientRequest;
use crate::error::{ErrorBody, OAuthError, OAuthErrorCode, ServiceErrors, respond};
use crate::parameters::{BAD_SCOPE, RequestParameters};
use crate::state::OAuthState;

pub(crate) const PATH: &str = "/v1/oauth/token";

/// The response to a token request: the envelope, with `status` instead of `status_code`, and the fields that
/// OAuth libraries read.
#[derive(Serialize, ToSchema)]
#[schema(as = TokenAnswer)]
pub(crate) struct AccessTokenResponse {
    /// The HTTP status.
    #[schema(example = 200)]
    status: u16,
    /// A short summary.
    #[schema(example = "Token issued")]
    message: &'static str,
    /// The access token, to send as `Authorization: Bearer <token>`.
    #[schema(example = "eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl")]
    data: String,
    /// The version of the API, always "1".
    #[schema(example = "1")]
    version: &'static str,
    /// The same access token.
    #[schema(example = "eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl")]
    access_token: String,
    /// Always "Bearer".
    #[schema(example = "Bearer")]
    token_type: &'static str,
    /// Seconds until the token expires: 30 days.
    #[schema(example = 2_592_000)]
    expires_in: u64,
    /// The scope of the token. Absent if neither the authorization request nor this one had a scope.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false, example = "read write")]
    scope: Option<Scope>,
}

/// The parameters of a token request, in the form body or in the query string.
#[derive(IntoParams, ToSchema)]
#[into_params(parameter_in = Query)]
// Requests are not parsed with this type, because the credentials are read first and can be in a header. If several
// parameters are invalid, the response has only the first error, in the order in which `read_parameters` reads them.
#[expect(dead_code, reason = "describes the parameters in the document")]
struct TokenParameters {
    /// `authorization_code`, which is the default.
    grant_type: Option<String>,
    /// Identifier of the client.
    client_id: Option<String>,
    /// Secret of a confidential client.
    client_secret: Option<String>,
    /// The authorization code. It works once and expires after 3 minutes. Required.
    code: Option<String>,
    /// The redirect URI that the code was sent to. Required.
    redirect_uri: Option<String>,
    /// PKCE verifier: the text that `code_challenge` was computed from.
    #[param(min_length = 43, max_length = 128, pattern = "^[A-Za-z0-9._~-]+$")]
    #[schema(min_length = 43, max_length = 128, pattern = "^[A-Za-z0-9._~-]+$")]
    code_verifier: Option<String>,
    /// `read` or `read write`. At most the scope of the authorization request, which is the default.
    #[param(pattern = "^((read|write) )*read( (read|write))*$")]
    #[schema(pattern = "^((read|write) )*read( (read|write))*$")]
    scope: Option<String>,
}

/// Exchanges an authorization code for an access token.
///
/// Send parameters in the form body or in the query string, each one once. The client authenticates with HTTP
/// Basic, in the form (both recommended) or in the query string, in one of these ways only. A public client sends
/// only its `client_id` and a `code_verifier`.
#[utoipa::path(
    post,
    path = PATH,
    tag = "oauth",
    params(TokenParameters),
    request_body(content = Option<TokenParameters>, content_type = "application/x-www-form-urlencoded"),
    responses(
        (status = 200, description = "The access token", body = AccessTokenResponse),
        (status = 400,
            description = "`error` is `invalid_request`, `invalid_grant`, `invalid_scope` or `unsupported_grant_type`",
            body = ErrorBody, example = json!(OAuthError::example(OAuthErrorCode::InvalidGrant))),
        (status = 401, description = "`error` is `invalid_client`", body = ErrorBody,
            example = json!(OAuthError::example(OAuthErrorCode::InvalidClient))),
        ServiceErrors,
    ),
)]
pub(crate) async fn exchange(
    State(state): State<Arc<OAuthState>>,
    request: ClientRequest,
) -> Result<Response, OAuthError> {
    let (client, parameters) = request.authenticate(&state).await?;
    let (exchange, scope) = read_parameters(&state, &parameters, &client.client_id)?;
    check_exchange(&state, &client, &exchange, scope).await?;
    // The signing key is loaded before the exchange, so that the code is not used up if the key cannot be loaded.
    state.tokens.warm().await?;
    let exchange = state.codes.exchange(&exchange, state.clock.now_s());
    let mut credential = match exchange.await? {
        ExchangeOutcome::Token(credential) => credential,
        ExchangeOutcome::Refused => return Err(invalid_code()),
        ExchangeOutcome::Repeated(user_id, client) => {
            state.grants.end_tokens(user_id, &client).await?;
            return Err(OAuthError::new(
                OAuthErrorCode::InvalidGrant,
                "The code has already been used. The access tokens of this grant have been revoked.",
            ));
        }
    };
    credential.scope = scope.or(credential.scope);
    let token = state.tokens.sign_access_token(&credential).await?;
    let token_response = AccessTokenResponse {
        status: StatusCode::OK.as_u16(),
        message: "Token issued",
        data: token.clone(),
        version: VERSION,
        access_token: token,
        token_type: "Bearer",
        expires_in: ACCESS_TOKEN_S,
        scope: credential.scope,
    };
    Ok(respond(StatusCode::OK, &token_response))
}

/// Checks that a token with this scope may still be issued for the code. Since the code was issued, the client's owner
/// may have removed the redirect URI, and the user may have deleted the account or disconnected the application.
///
/// This check must come before the exchange. After the exchange, a concurrent second use of the code may already have
/// revoked the new token, and the check would fail although the exchange has succeeded.
async fn check_exchange(
    state: &OAuthState,
    client: &OAuthClient,
    exchange: &CodeExchange,
    scope: Option<Scope>,
) -> Result<(), OAuthError> {
    let Some(credential) = state.codes.preview_exchange(exchange).await? else {
        // The code is unknown or was used before. The exchange finds out which of the two is true, and revokes the
        // tokens of a used code.
        return Ok(());
    };
    if !client.has_redirect_uri(&exchange.redirect_uri) {
        return Err(invalid_code());
    }
    // Any action would do, so its scope does not matter.
    let any_scope = Credential {
        scope: None,
        ..credential.clone()
    };
    let access = Access::new(&any_scope, Action::ReadOwnAccount, credential.user_id);
    let caller = state.users.caller(&credential).await?;
    access.check(caller.as_ref()).map_err(|_| invalid_code())?;
    // The exchange refuses the code of another client. An error here would reveal the scope of that code.
    let is_own = credential
        .client
        .is_some_and(|granted| granted.client_id == client.client_id);
    if is_own && scope.is_some_and(|scope| !Scope::covers(credential.scope, scope)) {
        let sentence = "scope must not be wider than the scope of the code.";
        return Err(OAuthError::new(OAuthErrorCode::InvalidScope, sentence));
    }
    Ok(())
}

fn invalid_code() -> OAuthError {
    OAuthError::new(
        OAuthErrorCode::InvalidGrant,
        "The code is invalid or has expired, or it was issued for another client, redirect_uri or code_verifier.",
    )
}

fn read_parameters(
    state: &OAuthState,
    parameters: &RequestParameters,
    client_id: &str,
) -> Result<(CodeExchange, Option<Scope>), OAuthError> {
    let invalid = OAuthError::invalid_request;
    if parameters
        .text("grant_type")?
        .is_some_and(|grant_type| grant_type != "authorization_code")
    {
        let sentence = "grant_type must be authorization_code or absent.";
        return Err(OAuthError::new(
            OAuthErrorCode::UnsupportedGrantType,
            sentence,
        ));
    }
    let code = parameters.text("code")?;
    let code = code.ok_or_else(|| invalid("code is required."))?;
    let redirect_uri = parameters.text("redirect_uri")?;
    let redirect_uri = redirect_uri.ok_or_else(|| invalid("redirect_uri is required."))?;
    let verifier = parameters.text("code_verifier")?;
    if verifier.is_some_and(|verifier| !is_verifier(verifier)) {
        return Err(invalid(
            "code_verifier must have 43 to 128 characters: letters, digits, -, ., _ and ~.",
        ));
    }
    let invalid_scope = || OAuthError::new(OAuthErrorCode::InvalidScope, BAD_SCOPE);
    let scope = |text| Scope::parse(text).ok_or_else(invalid_scope);
    let scope = parameters.text("scope")?.map(scope).transpose()?;
    let challenge = |verifier: &str| URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()));
    let exchange = CodeExchange {
        code_hash: digest(code),
        client_id: client_id.to_owned(),
        redirect_uri: redirect_uri.to_owned(),
        code_challenge: verifier.map(challenge),
        token_id: state.tokens.new_id(),
    };
    Ok((exchange, scope))
}

/// Returns true if the text is a well-formed PKCE verifier (RFC 7636, section 4.1).
fn is_verifier(text: &str) -> bool {
    let is_unreserved =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
    (43..=128).contains(&text.len()) && text.bytes().all(is_unreserved)
}
