//! Extractors for the access token and the network address of a request.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use lambda_http::request::RequestContext;

use super::ApiError;
use crate::Error;
use crate::auth::{Bearer, CallerAddress};
use crate::input::Params;

/// The maximum length of an access token, in bytes. The access tokens of this service have about 400 bytes.
const MAX_TOKEN_BYTES: usize = 4096;

/// The sentence for an access token in the query string.
pub(super) const TOKEN_IN_QUERY: &str =
    "The access token must not be in the query string. Send it in the Authorization header.";

/// The access token of a request, if it has one.
#[derive(Clone)]
pub struct OptionalBearer(pub Option<Bearer>);

impl<S: Send + Sync> FromRequestParts<S> for Bearer {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let OptionalBearer(bearer) = OptionalBearer::from_request_parts(parts, state).await?;
        bearer.ok_or(ApiError::NoToken)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for OptionalBearer {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        // A token in the query would end up in logs and browser histories (docs/oauth.md, "Rule 28").
        let mut query = Params::parse(parts.uri.query().unwrap_or_default());
        if query.token("access_token").is_some() {
            return Err(ApiError::BearerMisused(TOKEN_IN_QUERY));
        }
        bearer_token(&parts.headers).map(|token| Self(token.map(Bearer)))
    }
}

/// Returns the token in the `Authorization` header. The name of the scheme is not case-sensitive (RFC 9110,
/// section 11.1). A header with another scheme counts as no token.
fn bearer_token(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    // API Gateway joins repeated headers with a comma, which no token contains.
    if values.next().is_some() || value.as_bytes().contains(&b',') {
        return Err(ApiError::BearerMisused(
            "Send only one Authorization header, with one token.",
        ));
    }
    let value = value.to_str().map_err(|_| Error::InvalidToken)?.trim();
    let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Ok(None);
    }
    let token = token.trim();
    // An empty token counts as an invalid token and not as an absent one, because the caller did send the scheme.
    let has_valid_length = !token.is_empty() && token.len() <= MAX_TOKEN_BYTES;
    has_valid_length
        .then(|| Some(token.to_owned()))
        .ok_or_else(|| Error::InvalidToken.into())
}

impl<S: Send + Sync> FromRequestParts<S> for CallerAddress {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        // `kiroku serve` adds the address as an extension. On Lambda it is in the event.
        if let Some(address) = parts.extensions.get::<Self>() {
            return Ok(*address);
        }
        let address = match parts.extensions.get::<RequestContext>() {
            Some(RequestContext::ApiGatewayV2(context)) => {
                let address = context.http.source_ip.as_deref();
                address.and_then(|address| address.parse().ok())
            }
            _ => None,
        };
        Ok(Self(address))
    }
}
