//! Client authentication at the token and revocation endpoints (RFC 6749, sections 2.3 and 3.2.1).

use accounts::applications::OAuthClient;
use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use shared::http::body::{self, has_media_type};

use crate::error::{OAuthError, OAuthErrorCode};
use crate::parameters::{REPEATED, RequestParameters, decode};
use crate::state::OAuthState;

/// A request from an OAuth client: its parameters from the query string and the form, and its credentials
/// (docs/oauth.md, "Rule 23").
pub(crate) struct ClientRequest {
    /// The parameters, including `client_id` and `client_secret`.
    parameters: RequestParameters,
    /// The credentials, which are not verified yet.
    credentials: Result<ClientCredentials, OAuthError>,
}

struct ClientCredentials {
    client_id: String,
    secret: Option<String>,
    /// True if the credentials were sent with HTTP Basic.
    is_basic: bool,
}

impl<S: Send + Sync> FromRequest<S> for ClientRequest {
    type Rejection = OAuthError;

    async fn from_request(request: Request, _: &S) -> Result<Self, OAuthError> {
        let (parts, body) = request.into_parts();
        let query = RequestParameters::parse(parts.uri.query().unwrap_or_default().as_bytes());
        let form = read_form(&parts.headers, body).await?;
        let credentials = read_credentials(&parts.headers, &query, &form);
        Ok(Self {
            parameters: query.append(form),
            credentials,
        })
    }
}

/// Reads the parameters of the body. A client that sends everything in the query string may send an empty
/// body of any media type (docs/oauth.md, "Token request").
async fn read_form(headers: &HeaderMap, body: Body) -> Result<RequestParameters, OAuthError> {
    let body = body::read(body).await?;
    if has_media_type(headers, body::FORM_MEDIA_TYPE) {
        return Ok(RequestParameters::parse(&body));
    }
    match body.trim_ascii() {
        b"" | b"{}" | b"null" => Ok(RequestParameters::default()),
        _ => Err(OAuthError::invalid_request(
            "Send the parameters as a form: Content-Type: application/x-www-form-urlencoded.",
        )),
    }
}

/// Reads the credentials, which must be sent in exactly one way.
fn read_credentials(
    headers: &HeaderMap,
    query: &RequestParameters,
    form: &RequestParameters,
) -> Result<ClientCredentials, OAuthError> {
    let sent_in_several_ways = || {
        OAuthError::invalid_request(
            "Client credentials must be sent in only one way: with HTTP Basic, in the form or in the query string.",
        )
    };
    let sent_twice = |_| {
        OAuthError::invalid_request("client_id and client_secret must each be sent once, as UTF-8.")
    };
    let basic = read_basic(headers)?;
    let in_query = query.has("client_id") || query.has("client_secret");
    let in_form = form.has("client_id") || form.has("client_secret");
    if in_query && in_form {
        return Err(sent_in_several_ways());
    }
    let sent = if in_query { query } else { form };
    let client_id = sent.text("client_id").map_err(sent_twice)?;
    let secret = sent.text("client_secret").map_err(sent_twice)?;
    match (basic, client_id) {
        // Some libraries repeat `client_id` beside HTTP Basic. The identifier alone does not count as a second way.
        (Some(basic), client_id) => {
            let is_same = client_id.is_none_or(|client_id| client_id == basic.client_id);
            if is_same && secret.is_none() {
                Ok(basic)
            } else {
                Err(sent_in_several_ways())
            }
        }
        (None, Some(client_id)) => Ok(ClientCredentials {
            client_id: client_id.to_owned(),
            secret: secret.map(str::to_owned),
            is_basic: false,
        }),
        (None, None) => Err(OAuthError::new(
            OAuthErrorCode::InvalidClient,
            "Client credentials are required. Send client_id and client_secret in the form or with HTTP Basic.",
        )),
    }
}

/// Reads the credentials in the `Authorization` header, if there is one. Identifier and secret are form-encoded,
/// joined with a colon, and then encoded in Base64 (RFC 6749, section 2.3.1). Some libraries skip the form
/// encoding. That makes no difference, because identifiers and secrets of this service are alphanumeric.
fn read_basic(headers: &HeaderMap) -> Result<Option<ClientCredentials>, OAuthError> {
    const NONE: &str = "The Authorization header must hold client credentials (HTTP Basic).";
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    let pair = || {
        let value = value.to_str().ok()?;
        let (scheme, encoded) = value.split_once(' ')?;
        let decoded = STANDARD.decode(encoded.trim()).ok()?;
        let at = decoded.iter().position(|byte| *byte == b':')?;
        let text = |bytes: &[u8]| String::from_utf8(decode(bytes)).ok();
        let pair = (text(&decoded[..at])?, text(&decoded[at + 1..])?);
        scheme.eq_ignore_ascii_case("basic").then_some(pair)
    };
    let pair = pair().filter(|_| values.next().is_none());
    let (client_id, secret) = pair.ok_or(OAuthError::Basic(NONE))?;
    Ok(Some(ClientCredentials {
        client_id,
        secret: Some(secret).filter(|secret| !secret.is_empty()),
        is_basic: true,
    }))
}

impl ClientRequest {
    /// Authenticates the client, and returns it with the parameters. A repeated parameter is an error. This must
    /// happen before a code is used up, because only the client that the code was issued to may use it up.
    pub async fn authenticate(
        self,
        state: &OAuthState,
    ) -> Result<(OAuthClient, RequestParameters), OAuthError> {
        const WRONG: &str = "The client is unknown, or its secret is missing or wrong.";
        let credentials = self.credentials?;
        let found = state.clients.find(&credentials.client_id).await?;
        let secret = credentials.secret.as_deref();
        let Some(client) = found.filter(|client| client.authenticates(secret)) else {
            return Err(if credentials.is_basic {
                OAuthError::Basic(WRONG)
            } else {
                OAuthError::new(OAuthErrorCode::InvalidClient, WRONG)
            });
        };
        if self.parameters.has_repeated() {
            return Err(OAuthError::invalid_request(REPEATED));
        }
        Ok((client, self.parameters))
    }
}
