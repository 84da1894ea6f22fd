//! Faults of a fake tracker, and of the connection to it.

use std::convert::Infallible;
use std::fmt;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream::{self, StreamExt};
use serde_json::Value;
use tokio::sync::oneshot;

use super::{Fake, Received};

/// The fake's behavior for one request.
pub enum Fault {
    /// Responds with this status, these headers and this body, without processing the request.
    Answer(u16, Vec<(&'static str, String)>, String),
    /// Processes the request once the sender has sent or is dropped.
    Hold(oneshot::Receiver<()>),
    /// Never responds.
    Stall,
    /// Processes the request, sends half of the response, and then nothing.
    StallInBody,
    /// Processes the request, and closes the connection in the middle of the response.
    Cut,
    /// Processes the request, and responds with half of the body as if it were complete.
    Truncate,
    /// Processes the request, and responds with a body that never ends, of which this length is announced.
    Endless(Option<u64>),
    /// Repeats the previous response.
    Repeat,
    /// Processes the request, and responds with the body that this function changes.
    Edit(Box<dyn FnOnce(&mut Value) + Send>),
    /// Processes the request, and adds these headers to the response.
    Headers(Vec<(&'static str, String)>),
}

impl Fault {
    /// Changes the response body.
    pub fn edit(change: impl FnOnce(&mut Value) + Send + 'static) -> Self {
        Self::Edit(Box::new(change))
    }

    /// Responds in place of the tracker.
    pub fn answer(status: u16, body: &str) -> Self {
        Self::Answer(status, Vec::new(), body.to_owned())
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Fault")
    }
}

/// Records the request, and applies the next scripted fault.
pub(super) async fn inject_fault(
    State(fake): State<Fake>,
    request: Request,
    next: Next,
) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let fault = {
        let mut state = fake.state();
        state.received.push(Received {
            method: parts.method.to_string(),
            path: parts.uri.path().to_owned(),
            query: parts.uri.query().unwrap_or_default().to_owned(),
            headers: parts.headers.clone(),
            body: String::from_utf8(body.to_vec()).unwrap(),
            at: fake.clock.now_ms(),
        });
        state.script.pop_front().flatten()
    };
    match fault {
        Some(Fault::Stall) => std::future::pending().await,
        Some(Fault::Answer(status, headers, body)) => answer(status, headers, body),
        Some(Fault::Repeat) => answer(200, Vec::new(), fake.state().last.clone()),
        fault => {
            let fault = match fault {
                Some(Fault::Hold(released)) => {
                    // A dropped sender also releases the request.
                    let _ = released.await;
                    None
                }
                fault => fault,
            };
            let response = next.run(Request::from_parts(parts, Body::from(body))).await;
            apply_to_response(&fake, response, fault).await
        }
    }
}

async fn apply_to_response(fake: &Fake, response: Response, fault: Option<Fault>) -> Response {
    let (mut parts, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    fake.state().last = body.clone();
    let half = body.slice(..body.len() / 2);
    let body = match fault {
        Some(Fault::Cut) => {
            // The header announces the full length, so that the client notices the missing half.
            parts
                .headers
                .insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
            Body::from_stream(stream::iter([Ok::<Bytes, Infallible>(half)]))
        }
        Some(Fault::StallInBody) => {
            parts.headers.remove(header::CONTENT_LENGTH);
            let half = stream::iter([Ok::<Bytes, Infallible>(half)]);
            Body::from_stream(half.chain(stream::pending()))
        }
        Some(Fault::Endless(length)) => {
            parts.headers.remove(header::CONTENT_LENGTH);
            if let Some(length) = length {
                parts.headers.insert(header::CONTENT_LENGTH, length.into());
            }
            let piece = Bytes::from(vec![b'7'; 65_536]);
            Body::from_stream(stream::repeat_with(move || {
                Ok::<Bytes, Infallible>(piece.clone())
            }))
        }
        Some(Fault::Truncate) => without_length(&mut parts.headers, half),
        Some(Fault::Edit(change)) => {
            let mut json = serde_json::from_slice(&body).unwrap();
            change(&mut json);
            without_length(&mut parts.headers, Bytes::from(json.to_string()))
        }
        Some(Fault::Headers(headers)) => {
            for (name, value) in headers {
                parts.headers.insert(name, value.parse().unwrap());
            }
            Body::from(body)
        }
        _ => Body::from(body),
    };
    Response::from_parts(parts, body)
}

fn without_length(headers: &mut header::HeaderMap, body: Bytes) -> Body {
    headers.remove(header::CONTENT_LENGTH);
    Body::from(body)
}

fn answer(status: u16, headers: Vec<(&'static str, String)>, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    for (name, value) in headers {
        response.headers_mut().insert(name, value.parse().unwrap());
    }
    response
}
