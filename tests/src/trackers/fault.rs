//! What can go wrong on the way to a fake tracker and in it.

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

/// What a fake does with one request.
pub enum Fault {
    /// Does nothing, and answers with this status, these headers and this body.
    Answer(u16, Vec<(&'static str, String)>, String),
    /// Does what it should, once this is told or given up.
    Hold(oneshot::Receiver<()>),
    /// Says nothing.
    Stall,
    /// Does what it should, says half of it, and then nothing.
    StallInBody,
    /// Does what it should, and closes the connection in the middle of the answer.
    Cut,
    /// Does what it should, and answers with half of the body as if it were all.
    Truncate,
    /// Answers what it has answered before.
    Repeat,
    /// Does what it should, and answers with a body changed by this.
    Edit(Box<dyn FnOnce(&mut Value) + Send>),
    /// Does what it should, and answers with these headers as well.
    Headers(Vec<(&'static str, String)>),
}

impl Fault {
    /// Changes the answer.
    pub fn edit(change: impl FnOnce(&mut Value) + Send + 'static) -> Self {
        Self::Edit(Box::new(change))
    }

    /// Answers in the place of the tracker.
    #[must_use]
    pub fn answer(status: u16, body: &str) -> Self {
        Self::Answer(status, Vec::new(), body.to_owned())
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Fault")
    }
}

/// Writes down what comes, and does what the script says.
pub(super) async fn around(State(fake): State<Fake>, request: Request, next: Next) -> Response {
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
                Some(Fault::Hold(told)) => {
                    // Given up is as good as told.
                    let _ = told.await;
                    None
                }
                fault => fault,
            };
            let response = next.run(Request::from_parts(parts, Body::from(body))).await;
            spoil(&fake, response, fault).await
        }
    }
}

async fn spoil(fake: &Fake, response: Response, fault: Option<Fault>) -> Response {
    let (mut parts, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    fake.state().last = body.clone();
    let half = body.slice(..body.len() / 2);
    let body = match fault {
        Some(Fault::Cut) => {
            // The length that was announced does not come.
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
        Some(Fault::Truncate) => whole(&mut parts.headers, half),
        Some(Fault::Edit(change)) => {
            let mut json = serde_json::from_slice(&body).unwrap();
            change(&mut json);
            whole(&mut parts.headers, Bytes::from(json.to_string()))
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

fn whole(headers: &mut header::HeaderMap, body: Bytes) -> Body {
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
