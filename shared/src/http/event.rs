//! Conversion of API Gateway events (payload format 2.0) to requests, and of responses to the format that API
//! Gateway expects.
//!
//! `lambda_http` panics on an event whose path, query, host or body it cannot decode. This module therefore decodes
//! path, query and body, and does not use the host. If a part cannot be decoded, the response is a 400.

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Uri, header};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use lambda_http::aws_lambda_events::apigw::ApiGatewayV2httpRequest;
use lambda_http::request::LambdaRequest;
use lambda_http::{Adapter, Error, LambdaEvent, Service, service_fn};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use tower::ServiceExt;

/// Characters that are percent-encoded in a query string, because [`Uri`] does not accept them there.
const NOT_IN_QUERY: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>');

/// Characters that are percent-encoded in a path: the characters of [`NOT_IN_QUERY`], others that [`Uri`] does not
/// accept in a path, and `?`, which would begin the query.
const NOT_IN_PATH: &AsciiSet = &NOT_IN_QUERY.add(b'?').add(b'`').add(b'{').add(b'}');

/// The reason why a request could not be decoded, as a sentence. The response to a request with this
/// extension is a 400.
#[derive(Clone, Copy, Debug)]
pub struct DecodeError(pub &'static str);

/// An event of API Gateway.
#[derive(Clone, Debug)]
pub struct GatewayEvent(ApiGatewayV2httpRequest);

impl<'de> Deserialize<'de> for GatewayEvent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let event = Box::<RawValue>::deserialize(deserializer)?;
        // One header with characters outside ASCII makes parsing of the whole event fail. `kiroku serve`
        // accepts such a header, but no handler can read it, so removing it here leads to the same response.
        let event = serde_json::from_str(event.get())
            .or_else(|_| serde_json::from_str(event.get()).and_then(parse_without_invalid_headers));
        event.map(Self).map_err(D::Error::custom)
    }
}

/// Parses an event, leaving out headers that are not valid in HTTP.
fn parse_without_invalid_headers(mut event: Value) -> serde_json::Result<ApiGatewayV2httpRequest> {
    if let Some(headers) = event["headers"].as_object_mut() {
        headers.retain(|name, value| {
            let value = value.as_str().map(HeaderValue::from_str);
            name.parse::<HeaderName>().is_ok() && matches!(value, Some(Ok(_)))
        });
    }
    serde_json::from_value(event)
}

/// Handles an event with a router. The returned value serializes to the response that API Gateway expects.
pub async fn respond(
    router: Router,
    event: LambdaEvent<GatewayEvent>,
) -> Result<impl Serialize + Send, Error> {
    let LambdaEvent {
        payload: GatewayEvent(mut event),
        context,
    } = event;
    let (uri, uri_error) = read_uri(&event);
    let (body, body_error) = read_body(&mut event);
    let undecodable = uri_error.or(body_error);
    // These parts are removed, because `lambda_http` would build an absolute URI from them and panic if that fails.
    event.headers.remove(header::HOST);
    event.request_context.domain_name = None;
    event.raw_path = None;
    event.raw_query_string = None;
    let handler = service_fn(move |request: lambda_http::Request| {
        let mut request = request.map(|_| body.clone());
        *request.uri_mut() = uri.clone();
        if let Some(reason) = undecodable {
            request.extensions_mut().insert(reason);
        }
        let router = router.clone();
        async move {
            let request = request.map(Body::from);
            let Ok(response) = router.oneshot(request).await;
            Ok::<_, Error>(response)
        }
    });
    let event = LambdaEvent::new(LambdaRequest::ApiGatewayV2(event), context);
    Adapter::from(handler).call(event).await
}

/// Returns the path and query of an event as a URI. If they are too long for a URI, returns the reason for a 400, and
/// as the URI the path alone, or `/v1/` if the path is also too long.
fn read_uri(event: &ApiGatewayV2httpRequest) -> (Uri, Option<DecodeError>) {
    let path = event.raw_path.as_deref().unwrap_or_default();
    let path = utf8_percent_encode(path.strip_prefix('/').unwrap_or(path), NOT_IN_PATH);
    let path = format!("/{path}");
    let query = event.raw_query_string.as_deref().unwrap_or_default();
    let address = match query {
        "" => path.clone(),
        query => format!("{path}?{}", utf8_percent_encode(query, NOT_IN_QUERY)),
    };
    if let Ok(uri) = Uri::try_from(address) {
        return (uri, None);
    }
    // All characters that a URI cannot contain are encoded, so only the length can be wrong.
    let too_long = DecodeError("The address is too long. Use at most 65,534 characters.");
    let path = Uri::try_from(path).unwrap_or_else(|_| Uri::from_static("/v1/"));
    (path, Some(too_long))
}

/// Takes the body from an event and decodes it. If it is not valid Base64, returns an empty body and the reason for
/// a 400.
fn read_body(event: &mut ApiGatewayV2httpRequest) -> (bytes::Bytes, Option<DecodeError>) {
    let body = event.body.take().unwrap_or_default();
    if !event.is_base64_encoded {
        return (body.into(), None);
    }
    if let Ok(body) = STANDARD.decode(body) {
        return (body.into(), None);
    }
    let invalid = DecodeError("The body of the event is not valid Base64.");
    (bytes::Bytes::new(), Some(invalid))
}
