//! `/v1/oauth`: the authorization endpoint (RFC 6749, section 3.1). GET shows a page and issues nothing;
//! what the user decides there comes by POST.

use std::sync::Arc;

use accounts::SignedIn;
use axum::extract::{FromRequest, Request, State};
use axum::http::Uri;
use axum::response::Response;
use futures_util::{FutureExt, try_join};
use shared::auth::{ACCESS_TOKEN_S, Action};
use shared::http::body::{self, has_media_type};
use shared::http::openapi::{Fault, OutOfReach};
use shared::http::{ApiError, SEND_FORM};
use shared::input::Form;
use shared::{Error, FieldErrors, digest};
use site::paths::AUTHORIZE;
use site::{MAX_RETURN_PATH, PageError, Visitor};
use store::{AuthorizationRequest, CONSENT_S, Client, ClientKind, Consent};

use crate::consent;
use crate::parameters::{Malformed, Parameters, encode};
use crate::redirect::{Redirect, Refused};
use crate::state::OAuthState;

/// Characters of a code, and of what a consent page holds: some 256 bits.
const CODE: usize = 43;

/// Characters of a challenge: a SHA-256 in Base64 (RFC 7636, section 4.2).
const CHALLENGE: usize = 43;

/// Begins a login: a page asks the user, who signs in first if need be, whether the application may act
/// for them.
#[utoipa::path(
    get,
    path = "/v1/oauth",
    tag = "oauth",
    operation_id = "authorize",
    params(
        ("client_id" = String, Query, description = "The client"),
        ("redirect_uri" = String, Query, description = "Where the answer goes to: byte for byte an address that the client has registered"),
        ("response_type" = String, Query, description = "`code`, or `token` for the implicit grant"),
        ("response_mode" = Option<String>, Query, description = "`query` or `fragment`; by default `query` with `response_type=code`, and always `fragment` with `response_type=token`"),
        ("state" = Option<String>, Query, description = "Comes back as it is"),
        ("code_challenge" = Option<String>, Query, description = "PKCE; public clients must send one"),
        ("code_challenge_method" = Option<String>, Query, description = "`S256`; goes with a code_challenge"),
    ),
    responses(
        (status = 200, description = "The page that asks", body = String, content_type = "text/html"),
        (status = 303, description = "To the page to sign in; or to redirect_uri, with `error`, `state` and `iss`"),
        (status = 400, description = "A page: there is no such client, or redirect_uri is not one of its addresses", body = String, content_type = "text/html"),
        Fault,
        OutOfReach,
    ),
)]
pub(crate) async fn ask(
    State(state): State<Arc<OAuthState>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, PageError> {
    let parameters = Parameters::parse(uri.query().unwrap_or_default().as_bytes());
    authorize(&state, &visitor, &parameters).boxed().await
}

/// What came to the endpoint by POST.
pub(crate) enum Posted {
    /// An authorization request, which may come so, too (RFC 6749, section 3.1).
    Request(Parameters),
    /// The form of the page that asks.
    Decision(Form),
}

impl<S: Send + Sync> FromRequest<S> for Posted {
    type Rejection = PageError;

    async fn from_request(request: Request, _: &S) -> Result<Self, PageError> {
        let (parts, body) = request.into_parts();
        if !has_media_type(&parts.headers, body::FORM) {
            return Err(ApiError::UnsupportedMediaType(SEND_FORM).into());
        }
        let body = body::read(body).await?;
        let parameters = Parameters::parse(&body);
        if parameters.has("consent") {
            return Ok(Self::Decision(
                Form::parse(&body).map_err(ApiError::MalformedBody)?,
            ));
        }
        let query = parts.uri.query().unwrap_or_default().as_bytes();
        Ok(Self::Request(Parameters::parse(query).and(parameters)))
    }
}

/// Takes what the user has decided on the page, and sends the browser to the application: with a code
/// (or, by the implicit grant, a token behind `#`), or with `error=access_denied`.
#[utoipa::path(
    post,
    path = "/v1/oauth",
    tag = "oauth",
    operation_id = "decide",
    responses(
        (status = 303, description = "To redirect_uri, with `code` (or, behind `#`, `access_token`, `token_type` and `expires_in`) or `error`, and `state` and `iss`"),
        (status = 400, description = "A page: it was answered before, or long ago", body = String, content_type = "text/html"),
        (status = 403, description = "A page: it was not this browser that it was shown to", body = String, content_type = "text/html"),
        Fault,
        OutOfReach,
    ),
)]
pub(crate) async fn decide(
    State(state): State<Arc<OAuthState>>,
    visitor: Visitor,
    posted: Posted,
) -> Result<Response, PageError> {
    let form = match posted {
        Posted::Request(parameters) => {
            return authorize(&state, &visitor, &parameters).boxed().await;
        }
        Posted::Decision(form) => form,
    };
    state.sessions.check_csrf(&visitor, form.value("csrf"))?;
    let signed_in = state.sessions.require(&visitor, form.value("back")).await?;
    let id_hash = digest(form.value("consent"));
    let now = state.clock.now_s();
    let session = &signed_in.credential.token_id;
    let asked = state.codes.asked(&id_hash, session, now).await?;
    let asked = asked.ok_or_else(spent)?;
    check_client(&state, &asked.request).await?;
    if form.value("decision") == "allow" {
        allow(&state, &signed_in, &asked).await
    } else {
        deny(&state, &asked).await
    }
}

/// A request, checked in the order that keeps answers from those who must not have them: client, then
/// address, then the user, then everything else (RFC 6749, section 4.1.2.1).
async fn authorize(
    state: &OAuthState,
    visitor: &Visitor,
    parameters: &Parameters,
) -> Result<Response, PageError> {
    let client = client(state, parameters);
    let signed_in = async { Ok(state.sessions.find(visitor).await?) };
    let (client, signed_in) = try_join!(client, signed_in)?;
    let redirect_uri = redirect_uri(&client, parameters)?;
    let back = format!("{AUTHORIZE}?{}", parameters.to_query());
    if back.len() > MAX_RETURN_PATH {
        let reason = format!("makes the request longer than {MAX_RETURN_PATH} characters");
        return Err(login_refused("state", reason));
    }
    let Some(signed_in) = signed_in else {
        return Err(state.sessions.sign_in_first(&back));
    };
    let echo = parameters.bytes("state").unwrap_or_default().map(encode);
    let request = match read(&client, redirect_uri, echo.clone(), parameters) {
        Ok(request) => request,
        Err(refused) => {
            let redirect = Redirect {
                to: redirect_uri,
                in_fragment: parameters.text("response_type") == Ok(Some("token"))
                    || parameters.text("response_mode") == Ok(Some("fragment")),
                state: echo.as_deref(),
                issuer: state.tokens.public_url(),
            };
            return Ok(redirect.error(refused)?);
        }
    };
    let id = state.random.alphanumeric(CODE);
    let asked = Consent {
        id_hash: digest(&id),
        user_id: signed_in.credential.user_id,
        session: signed_in.credential.token_id.clone(),
        request,
        expires_at: state.clock.now_s() + CONSENT_S,
    };
    let (asking, owner) = (state.codes.ask(&asked), state.users.find(client.user_id));
    let ((), owner) = try_join!(asking, owner)?;
    let csrf = state.sessions.csrf(visitor)?;
    Ok(consent::page(&consent::Question {
        client: &client,
        owner: owner.as_ref().map(|owner| owner.username.as_str()),
        redirect_uri,
        back: &back,
        username: &signed_in.account.user.username,
        id: &id,
        csrf: &csrf.token,
    }))
}

/// The client that asks. What cannot be told to its address is told on a page.
async fn client(state: &OAuthState, parameters: &Parameters) -> Result<Client, PageError> {
    let client_id = single("client_id", parameters)?;
    let found = state.clients.find(client_id).await?;
    found.ok_or_else(|| login_refused("client_id", "is no application's"))
}

/// Checks that an application is still what it was when the page was shown: its owner may have deleted
/// it meanwhile, or taken the address back. (What is deleted just now is cleared by the sweep, a minute
/// later.)
async fn check_client(state: &OAuthState, request: &AuthorizationRequest) -> Result<(), PageError> {
    let client = state.clients.find(&request.client_id).await?;
    let same = client.is_some_and(|client| {
        client.registered(&request.redirect_uri) && (client.implicit || !request.implicit)
    });
    same.then_some(())
        .ok_or_else(|| login_refused("client_id", "has changed since the page was opened"))
}

fn redirect_uri<'p>(client: &Client, parameters: &'p Parameters) -> Result<&'p str, PageError> {
    let redirect_uri = single("redirect_uri", parameters)?;
    let registered = client.registered(redirect_uri);
    registered.then_some(redirect_uri).ok_or_else(|| {
        let reason = "is not an address that the application has registered, byte for byte";
        login_refused("redirect_uri", reason)
    })
}

fn single<'p>(name: &'static str, parameters: &'p Parameters) -> Result<&'p str, PageError> {
    let reason = match parameters.text(name) {
        Ok(Some(value)) => return Ok(value),
        Ok(None) => "is required",
        Err(Malformed) => "must be given only once",
    };
    Err(login_refused(name, reason))
}

/// What can be told to nobody but the user (RFC 6749, section 4.1.2.1).
fn login_refused(name: &'static str, reason: impl Into<String>) -> PageError {
    PageError::LoginRefused(FieldErrors::from([(name, reason.into())]))
}

/// What is asked for, of a client and an address that are known.
fn read(
    client: &Client,
    redirect_uri: &str,
    state: Option<String>,
    parameters: &Parameters,
) -> Result<AuthorizationRequest, Refused> {
    if parameters.repeats() {
        let sentence = "Each parameter may be given only once.";
        return Err(Refused("invalid_request", sentence));
    }
    let text = |name| {
        let sentence = "A parameter is not UTF-8.";
        let text: Result<Option<&str>, Refused> = parameters
            .text(name)
            .map_err(|Malformed| Refused("invalid_request", sentence));
        text
    };
    let implicit = match text("response_type")? {
        Some("code") => false,
        Some("token") => true,
        Some(_) => {
            let sentence = "response_type is code or token.";
            return Err(Refused("unsupported_response_type", sentence));
        }
        None => return Err(Refused("invalid_request", "response_type is required.")),
    };
    if implicit && !client.implicit {
        let sentence = "The application has not opted in to the implicit grant.";
        return Err(Refused("unauthorized_client", sentence));
    }
    let fragment = read_response_mode(text("response_mode")?, implicit)?;
    let challenge = text("code_challenge")?;
    let challenge = read_challenge(challenge, text("code_challenge_method")?)?;
    if !implicit && client.kind == ClientKind::Public && challenge.is_none() {
        let sentence = "A public client must send a code_challenge (PKCE, RFC 7636).";
        return Err(Refused("invalid_request", sentence));
    }
    Ok(AuthorizationRequest {
        client_id: client.client_id.clone(),
        redirect_uri: redirect_uri.to_owned(),
        implicit,
        fragment,
        state,
        code_challenge: challenge,
    })
}

/// Returns true if the response goes into the fragment (OAuth 2.0 Multiple Response Type Encoding
/// Practices, section 2.1). A token must never be part of a query, which servers log.
fn read_response_mode(mode: Option<&str>, implicit: bool) -> Result<bool, Refused> {
    match (mode, implicit) {
        (None, implicit) => Ok(implicit),
        (Some("fragment"), _) => Ok(true),
        (Some("query"), false) => Ok(false),
        (Some("query"), true) => {
            let sentence = "With response_type=token, response_mode must be fragment.";
            Err(Refused("invalid_request", sentence))
        }
        (Some(_), _) => {
            let sentence = "response_mode must be query or fragment.";
            Err(Refused("invalid_request", sentence))
        }
    }
}

/// PKCE's challenge. Without a method it would be the verifier itself, which protects nothing.
fn read_challenge(
    challenge: Option<&str>,
    method: Option<&str>,
) -> Result<Option<String>, Refused> {
    let refused = |sentence| Err(Refused("invalid_request", sentence));
    match (challenge, method) {
        (None, None) => Ok(None),
        (None, Some(_)) => refused("code_challenge_method goes with a code_challenge."),
        (Some(_), None) => refused("code_challenge_method is required, and is S256."),
        (Some(challenge), Some("S256")) => {
            let base64url = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
            if challenge.len() == CHALLENGE && challenge.bytes().all(base64url) {
                Ok(Some(challenge.to_owned()))
            } else {
                refused("code_challenge must be the verifier's SHA-256 in Base64: 43 characters.")
            }
        }
        (Some(_), Some(_)) => refused("code_challenge_method is S256."),
    }
}

/// The user has allowed it: one write uses the page up, connects the application and issues the code.
async fn allow(
    state: &OAuthState,
    user: &SignedIn,
    asked: &Consent,
) -> Result<Response, PageError> {
    let redirect = Redirect::of(&asked.request, state.tokens.public_url());
    // An implicit grant ends with a signature: without a key, nothing is used up.
    state.tokens.warm().await?;
    let code = (!asked.request.implicit).then(|| state.random.alphanumeric(CODE));
    let access = user.access(Action::Connect);
    let code_hash = code.as_deref().map(digest);
    let token_id = state.tokens.new_id();
    let now = state.clock.now_ms();
    let given = state
        .codes
        .give(&access, asked, code_hash, token_id, now)
        .await;
    let credential = given.map_err(|error| match error {
        Error::Changed => spent(),
        error => error.into(),
    })?;
    if let Some(code) = code {
        return Ok(redirect.with(&[("code", &code)])?);
    }
    let token = state.tokens.sign_access(&credential).await?;
    Ok(redirect.with(&[
        ("access_token", &token),
        ("token_type", "Bearer"),
        ("expires_in", &ACCESS_TOKEN_S.to_string()),
    ])?)
}

async fn deny(state: &OAuthState, asked: &Consent) -> Result<Response, PageError> {
    if !state.codes.refuse(asked, state.clock.now_s()).await? {
        return Err(spent());
    }
    let redirect = Redirect::of(&asked.request, state.tokens.public_url());
    Ok(redirect.error(Refused("access_denied", "The user has not allowed it."))?)
}

/// A page that asks is good once, for ten minutes, and in the browser that it was shown to.
fn spent() -> PageError {
    let error = ApiError::MalformedBody(
        "This page was answered before, or is too old. Go back to the application, and log in there once more.",
    );
    error.into()
}
