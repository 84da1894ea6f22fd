//! Who calls the token endpoint and that of revocation (RFC 6749, sections 2.3 and 3.2.1).

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use shared::http::body::{self, has_media_type};
use store::Client;

use crate::error::{Code, OAuthError};
use crate::parameters::{Parameters, decode};
use crate::state::OAuthState;

/// A request of a client to the service: its parameters out of the query string (the contract's way) and
/// of the form, and the credentials that it was sent with.
pub(crate) struct ClientRequest {
    /// The parameters.
    pub parameters: Parameters,
    /// The client's identifier and, unless there is none, its secret.
    credentials: Result<Credentials, OAuthError>,
}

struct Credentials {
    client_id: String,
    secret: Option<String>,
    is_basic: bool,
}

impl<S: Send + Sync> FromRequest<S> for ClientRequest {
    type Rejection = OAuthError;

    async fn from_request(request: Request, _: &S) -> Result<Self, OAuthError> {
        let (parts, body) = request.into_parts();
        let query = Parameters::parse(parts.uri.query().unwrap_or_default().as_bytes());
        let form = form(&parts.headers, body).await?;
        let credentials = credentials(&parts.headers, &query, &form);
        Ok(Self {
            parameters: query.and(form),
            credentials,
        })
    }
}

/// The parameters of the body. Whoever sends everything in the query string, as the contract says, may
/// send a body that says nothing, of whatever type.
async fn form(headers: &HeaderMap, body: Body) -> Result<Parameters, OAuthError> {
    let body = body::read(body).await?;
    if has_media_type(headers, body::FORM) {
        return Ok(Parameters::parse(&body));
    }
    match body.trim_ascii() {
        b"" | b"{}" | b"null" => Ok(Parameters::default()),
        _ => Err(OAuthError::new(
            Code::InvalidRequest,
            "Send the parameters as a form: Content-Type: application/x-www-form-urlencoded.",
        )),
    }
}

/// The credentials, which may come in one way only.
fn credentials(
    headers: &HeaderMap,
    query: &Parameters,
    form: &Parameters,
) -> Result<Credentials, OAuthError> {
    let refused = |description| OAuthError::new(Code::InvalidRequest, description);
    let several = || refused("The client's credentials may be sent in one way only.");
    let twice = |_| refused("client_id and client_secret may be given only once.");
    let basic = basic(headers)?;
    let in_query = query.has("client_id") || query.has("client_secret");
    let in_form = form.has("client_id") || form.has("client_secret");
    if in_query && in_form {
        return Err(several());
    }
    let sent = if in_query { query } else { form };
    let client_id = sent.text("client_id").map_err(twice)?;
    let secret = sent.text("client_secret").map_err(twice)?;
    match (basic, client_id) {
        // Its identifier alone is no way to authenticate, and some libraries send it along.
        (Some(basic), client_id) => {
            let same = client_id.is_none_or(|client_id| client_id == basic.client_id);
            if same && secret.is_none() {
                Ok(basic)
            } else {
                Err(several())
            }
        }
        (None, Some(client_id)) => Ok(Credentials {
            client_id: client_id.to_owned(),
            secret: secret.map(str::to_owned),
            is_basic: false,
        }),
        (None, None) => Err(OAuthError::new(
            Code::InvalidClient,
            "Send client_id and client_secret: in the form, or by HTTP Basic.",
        )),
    }
}

/// The credentials of the header Authorization (RFC 6749, section 2.3.1): encoded as a form is, then in
/// Base64. Some libraries leave the former out, which is the same for what we give out.
fn basic(headers: &HeaderMap) -> Result<Option<Credentials>, OAuthError> {
    const NONE: &str = "The header Authorization has no client's credentials.";
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
    Ok(Some(Credentials {
        client_id,
        secret: Some(secret).filter(|secret| !secret.is_empty()),
        is_basic: true,
    }))
}

impl ClientRequest {
    /// The client that sent the request, once it has shown who it is. Comes before anything is consumed.
    pub async fn client(&mut self, state: &OAuthState) -> Result<Client, OAuthError> {
        const WRONG: &str = "There is no such client, or its secret is another one.";
        let taken = Err(OAuthError::Client(Code::InvalidClient, WRONG));
        let credentials = std::mem::replace(&mut self.credentials, taken)?;
        let found = state.clients.find(&credentials.client_id).await?;
        let secret = credentials.secret.as_deref();
        let client = found.filter(|client| client.authenticates(secret));
        client.ok_or(if credentials.is_basic {
            OAuthError::Basic(WRONG)
        } else {
            OAuthError::new(Code::InvalidClient, WRONG)
        })
    }
}
