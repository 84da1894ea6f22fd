//! Tokens and addresses as requests bring them.

use std::net::{IpAddr, Ipv6Addr};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use lambda_http::request::RequestContext;

use crate::error::ApiError;
use crate::query::Params;

/// The longest token that is looked at. Ours have some 400 bytes.
const MAX_TOKEN: usize = 4096;

/// The token of a request that must have one (RFC 6750, section 2.1), not yet verified.
#[derive(Clone)]
pub struct Bearer(pub String);

/// The token of a request that may have one.
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
        let mut query = Params::parse(parts.uri.query().unwrap_or_default());
        if query.token("access_token").is_some() {
            return Err(ApiError::BearerMisused(
                "A token in an address ends up in logs: send it in the header Authorization.",
            ));
        }
        token(&parts.headers).map(|token| Self(token.map(Bearer)))
    }
}

/// The one token in the header Authorization. The scheme's name may be in any case (RFC 9110,
/// section 11.1). Another scheme is no token.
fn token(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    // API Gateway joins a header that is given twice with a comma, which no token has.
    if values.next().is_some() || value.as_bytes().contains(&b',') {
        return Err(ApiError::BearerMisused(
            "The header Authorization may be given only once, with one token.",
        ));
    }
    let value = value.to_str().map_err(|_| ApiError::InvalidToken)?.trim();
    let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Ok(None);
    }
    let token = token.trim();
    // An empty one, too: something was sent that is no token.
    let sound = !token.is_empty() && token.len() <= MAX_TOKEN;
    sound
        .then(|| Some(token.to_owned()))
        .ok_or(ApiError::InvalidToken)
}

/// The address that a request came from, as whoever accepted its connection saw it: API Gateway, or
/// the server on a developer's machine. Never out of a header, where a caller writes what it likes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallerAddress(pub Option<IpAddr>);

impl<S: Send + Sync> FromRequestParts<S> for CallerAddress {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
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

impl CallerAddress {
    /// The name under which attempts from this address are counted. For IPv6 these are the first 64 bits,
    /// which one customer of a provider has alone. An IPv4 address written as IPv6 (`::ffff:a.b.c.d`)
    /// counts as the IPv4 address: the first 64 bits of all of those are the same.
    #[must_use]
    pub fn network(self) -> String {
        match self.0.map(|address| address.to_canonical()) {
            None => "unknown".to_owned(),
            Some(IpAddr::V4(address)) => address.to_string(),
            Some(IpAddr::V6(address)) => {
                let network = address.to_bits() >> 64 << 64;
                Ipv6Addr::from_bits(network).to_string()
            }
        }
    }
}
