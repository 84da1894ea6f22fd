//! Builds API Gateway events and reads the responses of Lambda functions.

use std::io::Read;

use axum::Router;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use lambda_http::{Context, LambdaEvent};
use serde_json::{Value, json};
use shared::http::event::{self, GatewayEvent};

use crate::service::Answer;

/// Reads the event `events/<name>.json`.
pub fn event(name: &str) -> Value {
    let path = format!("{}/../events/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Returns an event with this method, path and query string.
pub fn request(method: &str, path: &str, query: &str) -> Value {
    let mut event = event("anime-find");
    event["rawPath"] = path.into();
    event["rawQueryString"] = query.into();
    event["requestContext"]["http"]["method"] = method.into();
    event["requestContext"]["http"]["path"] = path.into();
    event
}

/// Adds a content type and a body to an event.
pub fn with_body(mut event: Value, content_type: &str, body: &str) -> Value {
    event["headers"]["content-type"] = content_type.into();
    event["body"] = body.into();
    event
}

/// Sends an event to a router in the way that a Lambda function does. Decompresses the response body.
pub async fn invoke(router: &Router, event: &Value) -> Answer {
    let event: GatewayEvent = serde_json::from_str(&event.to_string()).unwrap();
    let event = LambdaEvent::new(event, Context::default());
    let response = event::respond(router.clone(), event).await.unwrap();
    read(&json!(response))
}

fn read(response: &Value) -> Answer {
    let mut headers = HeaderMap::new();
    let single = response["headers"].as_object().into_iter().flatten();
    let single = single.map(|(name, value)| (name, std::slice::from_ref(value)));
    let multiple = response["multiValueHeaders"]
        .as_object()
        .into_iter()
        .flatten();
    let multiple = multiple.map(|(name, values)| (name, values.as_array().unwrap().as_slice()));
    for (name, values) in single.chain(multiple) {
        for value in values {
            let name: HeaderName = name.parse().unwrap();
            headers.append(name, value.as_str().unwrap().parse().unwrap());
        }
    }
    for cookie in response["cookies"].as_array().into_iter().flatten() {
        headers.append(
            header::SET_COOKIE,
            cookie.as_str().unwrap().parse().unwrap(),
        );
    }
    let body = response["body"].as_str().unwrap_or_default();
    let body = match response["isBase64Encoded"].as_bool() {
        Some(true) => STANDARD.decode(body).unwrap(),
        _ => body.as_bytes().to_vec(),
    };
    let body = match headers.get(header::CONTENT_ENCODING) {
        Some(encoding) if encoding == "gzip" => {
            let mut text = Vec::new();
            GzDecoder::new(&body[..]).read_to_end(&mut text).unwrap();
            text
        }
        _ => body,
    };
    let status = response["statusCode"].as_u64().unwrap();
    Answer {
        status: StatusCode::from_u16(u16::try_from(status).unwrap()).unwrap(),
        headers,
        body: body.into(),
    }
}
