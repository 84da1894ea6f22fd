//! `/v1/oauth`: the authorization endpoint (RFC 6749, section 3.1). GET shows the consent page and issues nothing. The
//! user's decision comes by POST.

use std::sync::Arc;

use accounts::applications::{
    AuthorizationRequest, CONSENT_LIFETIME_S, ClientKind, Consent, GivenConsent, OAuthClient,
};
use accounts::mail::SecurityEvent;
use accounts::sessions::SignedInUser;
use axum::extract::{FromRequest, Request, State};
use axum::http::Uri;
use futures_util::{FutureExt, try_join};
use pages::error::{PageError, PageResult};
use pages::paths::AUTHORIZE;
use pages::return_path::MAX_RETURN_PATH;
use pages::sessions::Visitor;
use shared::auth::{ACCESS_TOKEN_S, Action, Scope};
use shared::http::body::{self, has_media_type};
use shared::http::{ApiError, SEND_FORM};
use shared::input::Form;
use shared::{Error, FieldErrors, body, digest};

use crate::consent;
use crate::parameters::{
    BAD_SCOPE, MalformedParameter, NOT_UTF8, REPEATED, RequestParameters, encode,
};
use crate::redirect::{ApplicationRedirect, AuthorizationError};
use crate::state::OAuthState;

/// Number of random characters of an authorization code, and of the secret in a consent page: about 256 bits.
const CODE_LENGTH: usize = 43;

/// Number of characters of a PKCE challenge: a SHA-256 in Base64url without padding (RFC 7636, section 4.2).
const CHALLENGE_LENGTH: usize = 43;

/// Starts a login: shows a page that asks the user to allow or deny the application access.
///
/// A user who is not signed in is sent to the sign-in page first.
#[utoipa::path(
    get,
    path = AUTHORIZE,
    tag = "oauth",
    operation_id = "authorize",
    params(
        ("client_id" = String, Query, description = "Identifier of the client"),
        ("redirect_uri" = String, Query,
            description = "Redirect URI of the response. Must equal one of the client's registered URIs, byte for \
                byte"),
        ("response_type" = String, Query, description = "`code`, or `token` for the implicit grant"),
        ("response_mode" = Option<String>, Query,
            description = "`query` or `fragment`. The default is `query` for `response_type=code`; \
                `response_type=token` allows only `fragment`"),
        ("scope" = Option<String>, Query, pattern = "^((read|write) )*read( (read|write))*$", example = "read",
            description = "`read` or `read write`. Without it, the token gives everything that applications may do"),
        ("state" = Option<String>, Query, description = "Returned unchanged in the response"),
        ("code_challenge" = Option<String>, Query,
            description = "PKCE challenge: the Base64url SHA-256 of the verifier. Required for public clients with \
                `response_type=code`"),
        ("code_challenge_method" = Option<String>, Query, description = "`S256`. Required with `code_challenge`"),
    ),
    responses(
        (status = 200, description = "The consent page", body = String, content_type = "text/html"),
        (status = 303,
            description = "Redirect to the sign-in page, or to `redirect_uri` with `error`, `error_description`, \
                `state` and `iss`"),
        (status = 400,
            description = "An error page: the client is unknown, `redirect_uri` is not registered for it, or the \
                request is longer than 4,096 characters", body = String, content_type = "text/html"),
        (status = 500, description = "An error page: internal error of the service", body = String,
            content_type = "text/html"),
        (status = 503,
            description = "An error page: the database is temporarily unavailable; `Retry-After` gives the seconds to \
                wait", body = String, content_type = "text/html"),
    ),
)]
pub(crate) async fn show_consent(
    State(state): State<Arc<OAuthState>>,
    visitor: Visitor,
    uri: Uri,
) -> PageResult {
    let parameters = RequestParameters::parse(uri.query().unwrap_or_default().as_bytes());
    authorize(&state, &visitor, &parameters).boxed().await
}

body! {
    /// The form of the consent page. Its values come from the page.
    pub(crate) struct ConsentForm {
        /// The secret of the consent page.
        #[schema(value_type = String, required = false)]
        consent: Option<String>,
        /// The page's token against forged requests.
        #[schema(value_type = String, required = false)]
        csrf: Option<String>,
        /// `allow`; any other value denies access.
        #[schema(value_type = String, required = false, example = "allow")]
        decision: Option<String>,
        /// The path of the authorization request, to which the sign-in page returns if the session has ended.
        #[schema(value_type = String, required = false)]
        back: Option<String>,
    }
}

/// A POST request to the authorization endpoint.
pub(crate) enum PostedAuthorization {
    /// An authorization request, which can be sent by POST as well (RFC 6749, section 3.1).
    Request(RequestParameters),
    /// The form of the consent page.
    Decision(ConsentForm),
}

impl<S: Send + Sync> FromRequest<S> for PostedAuthorization {
    type Rejection = PageError;

    async fn from_request(request: Request, _: &S) -> Result<Self, PageError> {
        let (parts, body) = request.into_parts();
        if !has_media_type(&parts.headers, body::FORM_MEDIA_TYPE) {
            return Err(ApiError::UnsupportedMediaType(SEND_FORM).into());
        }
        let body = body::read(body).await?;
        let parameters = RequestParameters::parse(&body);
        if parameters.has("consent") {
            let form = Form::parse(&body).map_err(ApiError::MalformedBody)?;
            return Ok(Self::Decision(form.fields().body()?));
        }
        let query = parts.uri.query().unwrap_or_default().as_bytes();
        Ok(Self::Request(
            RequestParameters::parse(query).append(parameters),
        ))
    }
}

/// Processes the decision of the consent page and redirects the browser to the application.
///
/// The redirect carries a code (or, for the implicit grant, a token in the fragment) if the user allowed
/// access, and `error=access_denied` otherwise. A form without `consent` is an authorization request: it takes the
/// parameters of the GET request and shows the consent page.
#[utoipa::path(
    post,
    path = AUTHORIZE,
    tag = "oauth",
    request_body(content = ConsentForm, content_type = "application/x-www-form-urlencoded"),
    responses(
        (status = 200, description = "The consent page, for an authorization request", body = String,
            content_type = "text/html"),
        (status = 303,
            description = "Redirect to `redirect_uri` with `state` and `iss`, and `code` (or `access_token`, \
                `token_type`, `expires_in` and, if it was requested, `scope` in the fragment) or `error`"),
        (status = 400, description = "An error page: the consent page has already been used or has expired",
            body = String, content_type = "text/html"),
        (status = 403, description = "An error page: the form comes from another browser or site", body = String,
            content_type = "text/html"),
        (status = 413, description = "An error page: the body is too large", body = String, content_type = "text/html"),
        (status = 415, description = "An error page: the body is not a form", body = String,
            content_type = "text/html"),
        (status = 500, description = "An error page: internal error of the service", body = String,
            content_type = "text/html"),
        (status = 503,
            description = "An error page: the database is temporarily unavailable; `Retry-After` gives the seconds to \
                wait", body = String, content_type = "text/html"),
    ),
)]
pub(crate) async fn decide(
    State(state): State<Arc<OAuthState>>,
    visitor: Visitor,
    posted: PostedAuthorization,
) -> PageResult {
    let form = match posted {
        PostedAuthorization::Request(parameters) => {
            return authorize(&state, &visitor, &parameters).boxed().await;
        }
        PostedAuthorization::Decision(form) => form,
    };
    let csrf = form.csrf.unwrap_or_default();
    state
        .sessions
        .check_csrf_if_signed_in(&visitor, &csrf)
        .await?;
    // `back` is not checked here: the sign-in page accepts only paths of this site.
    let back = form.back.unwrap_or_default();
    let signed_in = state.sessions.require_user(&visitor, &back).await?;
    let id_hash = digest(&form.consent.unwrap_or_default());
    let now = state.clock.now_s();
    let session = &signed_in.credential.token_id;
    let consent = state.codes.find_consent(&id_hash, session, now).await?;
    let consent = consent.ok_or_else(consent_expired)?;
    let client = check_client(&state, &consent.request).await?;
    if form.decision.as_deref() == Some("allow") {
        require_proof(&state, &signed_in, &consent.request, &back).await?;
        allow(&state, &signed_in, &client, &consent).await
    } else {
        deny(&state, &consent).await
    }
}

/// Checks an authorization request and shows the consent page.
///
/// The order of the checks matters: client and redirect URI come first, because an error may be sent only to a
/// registered address. The session comes next, and everything else last (RFC 6749, section 4.1.2.1).
async fn authorize(
    state: &OAuthState,
    visitor: &Visitor,
    parameters: &RequestParameters,
) -> PageResult {
    let client = find_client(state, parameters);
    let find_session = async { Ok(state.sessions.find(visitor).await?) };
    let (client, signed_in) = try_join!(client, find_session)?;
    let redirect_uri = read_redirect_uri(&client, parameters)?;
    let back = format!("{AUTHORIZE}?{}", parameters.to_query());
    // The error names `state`, because it is the only parameter whose length the application chooses freely.
    if back.len() > MAX_RETURN_PATH {
        let reason = format!("makes the request longer than {MAX_RETURN_PATH} characters");
        return Err(invalid_authorization_request("state", reason));
    }
    let Some(signed_in) = signed_in else {
        return Err(state.sessions.sign_in_first(&back));
    };
    let encoded_state = parameters.bytes("state").unwrap_or_default().map(encode);
    let request = match read_request(&client, redirect_uri, encoded_state.clone(), parameters) {
        Ok(request) => request,
        Err(error) => {
            let redirect = ApplicationRedirect {
                redirect_uri,
                in_fragment: parameters.text("response_type") == Ok(Some("token"))
                    || parameters.text("response_mode") == Ok(Some("fragment")),
                state: encoded_state.as_deref(),
                issuer: state.tokens.public_url(),
            };
            return Ok(redirect.respond_with_error(error)?);
        }
    };
    require_proof(state, &signed_in, &request, &back).await?;
    let secret = state.random.alphanumeric(CODE_LENGTH);
    let consent = Consent {
        id_hash: digest(&secret),
        user_id: signed_in.credential.user_id,
        session: signed_in.credential.token_id.clone(),
        request,
        expires_at: state.clock.now_s() + CONSENT_LIFETIME_S,
    };
    let store_consent = state.codes.put_consent(&consent);
    let owner = state.users.find(client.user_id);
    let ((), owner) = try_join!(store_consent, owner)?;
    let csrf = state.sessions.csrf(visitor);
    Ok(consent::page(&consent::ConsentQuestion {
        l10n: &visitor.localizer(Some(&signed_in)),
        client: &client,
        owner: owner.as_ref().map(|owner| owner.username.as_str()),
        request: &consent.request,
        back: &back,
        username: &signed_in.account.user.username,
        secret: &secret,
        csrf: &csrf.token,
    }))
}

/// Checks that the user has the proof that a consent needs by [`shared::auth::PROOF_RULES`]. A consent that gives the
/// application no more access than it has needs no proof, so that users who sign in to an application again are not
/// asked for one.
async fn require_proof(
    state: &OAuthState,
    user: &SignedInUser,
    request: &AuthorizationRequest,
    back: &str,
) -> Result<(), PageError> {
    let Err(prove_first) = state.sessions.require_proof(user, back) else {
        return Ok(());
    };
    let (id, client) = (user.credential.user_id, &request.client_id);
    if state.codes.is_connected(id, client, request.scope).await? {
        return Ok(());
    }
    Err(prove_first)
}

/// Returns the client of the request. If the client is unknown, the user gets an error page and no redirect.
async fn find_client(
    state: &OAuthState,
    parameters: &RequestParameters,
) -> Result<OAuthClient, PageError> {
    let client_id = read_single_value("client_id", parameters)?;
    let found = state.clients.find(client_id).await?;
    found.ok_or_else(|| {
        invalid_authorization_request("client_id", "does not belong to a registered application")
    })
}

/// Checks that the application still exists and allows this redirect URI and grant. Returns the application.
///
/// The owner may have deleted or changed the application after the consent page was shown. This does not change
/// the pending consent.
async fn check_client(
    state: &OAuthState,
    request: &AuthorizationRequest,
) -> Result<OAuthClient, PageError> {
    let client = state.clients.find(&request.client_id).await?;
    let unchanged = client.filter(|client| {
        client.has_redirect_uri(&request.redirect_uri) && (client.implicit || !request.implicit)
    });
    unchanged.ok_or_else(|| {
        invalid_authorization_request(
            "client_id",
            "belongs to an application that has changed since the page was opened",
        )
    })
}

fn read_redirect_uri<'p>(
    client: &OAuthClient,
    parameters: &'p RequestParameters,
) -> Result<&'p str, PageError> {
    let redirect_uri = read_single_value("redirect_uri", parameters)?;
    let is_registered = client.has_redirect_uri(redirect_uri);
    is_registered.then_some(redirect_uri).ok_or_else(|| {
        let reason = "must equal a registered redirect URI of the application, byte for byte";
        invalid_authorization_request("redirect_uri", reason)
    })
}

fn read_single_value<'p>(
    name: &'static str,
    parameters: &'p RequestParameters,
) -> Result<&'p str, PageError> {
    let reason = match parameters.text(name) {
        Ok(Some(value)) => return Ok(value),
        Ok(None) => "is required",
        Err(MalformedParameter) => "must be sent only once",
    };
    Err(invalid_authorization_request(name, reason))
}

/// Returns an error that is shown to the user and never sent to the application (RFC 6749, section 4.1.2.1).
fn invalid_authorization_request(name: &'static str, reason: impl Into<String>) -> PageError {
    PageError::InvalidAuthorizationRequest(FieldErrors::from([(name, reason.into())]))
}

/// Reads the parameters other than `client_id` and `redirect_uri`, which were checked before.
fn read_request(
    client: &OAuthClient,
    redirect_uri: &str,
    state: Option<String>,
    parameters: &RequestParameters,
) -> Result<AuthorizationRequest, AuthorizationError> {
    if parameters.has_repeated() {
        return Err(AuthorizationError("invalid_request", REPEATED));
    }
    let text = |name| {
        let text = parameters.text(name);
        text.map_err(|MalformedParameter| AuthorizationError("invalid_request", NOT_UTF8))
    };
    let implicit = match text("response_type")? {
        Some("code") => false,
        Some("token") => true,
        Some(_) => {
            let sentence = "response_type must be code or token.";
            return Err(AuthorizationError("unsupported_response_type", sentence));
        }
        None => {
            return Err(AuthorizationError(
                "invalid_request",
                "response_type is required.",
            ));
        }
    };
    if implicit && !client.implicit {
        let sentence = "The client may not use the implicit grant. Use response_type=code, or enable the grant on the \
            developer page.";
        return Err(AuthorizationError("unauthorized_client", sentence));
    }
    let fragment = read_response_mode(text("response_mode")?, implicit)?;
    let challenge = text("code_challenge")?;
    let challenge = read_challenge(challenge, text("code_challenge_method")?)?;
    if !implicit && client.kind == ClientKind::Public && challenge.is_none() {
        let sentence = "code_challenge is required for public clients (PKCE, RFC 7636).";
        return Err(AuthorizationError("invalid_request", sentence));
    }
    let invalid_scope = AuthorizationError("invalid_scope", BAD_SCOPE);
    let scope = |text| Scope::parse(text).ok_or(invalid_scope);
    let scope = text("scope")?.map(scope).transpose()?;
    Ok(AuthorizationRequest {
        client_id: client.client_id.clone(),
        redirect_uri: redirect_uri.to_owned(),
        implicit,
        fragment,
        state,
        code_challenge: challenge,
        scope,
    })
}

/// Reads the response mode. Returns true if the response goes into the fragment (OAuth 2.0 Multiple Response
/// Type Encoding Practices, section 2.1). Servers log query strings, so a query string must not contain a token.
fn read_response_mode(mode: Option<&str>, implicit: bool) -> Result<bool, AuthorizationError> {
    match (mode, implicit) {
        (None, implicit) => Ok(implicit),
        (Some("fragment"), _) => Ok(true),
        (Some("query"), false) => Ok(false),
        (Some("query"), true) => {
            let sentence = "With response_type=token, response_mode must be fragment.";
            Err(AuthorizationError("invalid_request", sentence))
        }
        (Some(_), _) => {
            let sentence = "response_mode must be query or fragment.";
            Err(AuthorizationError("invalid_request", sentence))
        }
    }
}

/// Reads the PKCE challenge.
///
/// The method is required, because its default in RFC 7636 is `plain`. With `plain`, the challenge is the verifier
/// itself, which protects nothing.
fn read_challenge(
    challenge: Option<&str>,
    method: Option<&str>,
) -> Result<Option<String>, AuthorizationError> {
    let invalid = |sentence| Err(AuthorizationError("invalid_request", sentence));
    match (challenge, method) {
        (None, None) => Ok(None),
        (None, Some(_)) => invalid("code_challenge is required with code_challenge_method."),
        (Some(_), None) => invalid("code_challenge_method is required and must be S256."),
        (Some(challenge), Some("S256")) => {
            let is_base64url =
                |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
            if challenge.len() == CHALLENGE_LENGTH && challenge.bytes().all(is_base64url) {
                Ok(Some(challenge.to_owned()))
            } else {
                invalid(
                    "code_challenge must be the Base64url SHA-256 of the verifier: 43 characters.",
                )
            }
        }
        (Some(_), Some(_)) => invalid("code_challenge_method must be S256."),
    }
}

/// Grants access: one transaction uses up the consent, connects the application and issues the code. Tells the user by
/// mail if the application can do more than before, but not every time that it asks for consent.
async fn allow(
    state: &OAuthState,
    user: &SignedInUser,
    client: &OAuthClient,
    consent: &Consent,
) -> PageResult {
    let redirect = ApplicationRedirect::of(&consent.request, state.tokens.public_url());
    // The implicit grant signs a token after the consent is used up. If no key is available, the request must fail
    // before that.
    state.tokens.warm().await?;
    let code = (!consent.request.implicit).then(|| state.random.alphanumeric(CODE_LENGTH));
    let access = user.access(Action::Connect);
    let code_hash = code.as_deref().map(digest);
    let token_id = state.tokens.new_id();
    let now = state.clock.now_ms();
    let granted = state
        .codes
        .grant_consent(&access, consent, code_hash, token_id, now)
        .await;
    let GivenConsent {
        credential,
        is_more,
    } = granted.map_err(|error| match error {
        Error::Changed => consent_expired(),
        error => error.into(),
    })?;
    if is_more {
        let event = SecurityEvent::ApplicationConnected(&client.name);
        state.account_service.notify(&user.account, event).await;
    }
    if let Some(code) = code {
        return Ok(redirect.respond_with(&[("code", &code)])?);
    }
    let token = state.tokens.sign_access_token(&credential).await?;
    let expires_in = ACCESS_TOKEN_S.to_string();
    let mut parameters = vec![
        ("access_token", token.as_str()),
        ("token_type", "Bearer"),
        ("expires_in", &expires_in),
    ];
    parameters.extend(credential.scope.map(|scope| ("scope", scope.name())));
    Ok(redirect.respond_with(&parameters)?)
}

/// Uses up the consent and returns `access_denied` to the application.
async fn deny(state: &OAuthState, consent: &Consent) -> PageResult {
    if !state
        .codes
        .deny_consent(consent, state.clock.now_s())
        .await?
    {
        return Err(consent_expired());
    }
    let redirect = ApplicationRedirect::of(&consent.request, state.tokens.public_url());
    Ok(redirect.respond_with_error(AuthorizationError(
        "access_denied",
        "The user denied the request.",
    ))?)
}

/// Returns the error for a consent that has already been used or has expired. A consent works once, within 10 minutes,
/// and only in the session that opened the page.
fn consent_expired() -> PageError {
    PageError::Expired(
        "It has already been used, or too much time has passed. Go back to the application and sign in again.",
    )
}
