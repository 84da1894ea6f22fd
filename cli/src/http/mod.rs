//! The HTTP/1.1 server of `kiroku serve`. It uses hyper directly because `axum::serve` has no timeout
//! for the heads of requests.

pub mod connections;
pub(crate) mod loopback;
pub mod proxy;
mod refusals;
mod stream;

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use anyhow::anyhow;
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Version, header};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use bytes::BytesMut;
use futures_util::StreamExt;
use futures_util::stream::once;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use shared::auth::CallerAddress;
use shared::http::body::MAX_BODY;
use shared::http::event::DecodeError;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt;

use self::connections::{ConnectionLimits, OpenConnections};
use self::stream::{ServerStream, UnreadBody};

/// Time limit for the head of a request. It starts when the connection opens, or when the previous response is sent.
pub const HEAD_TIMEOUT: Duration = Duration::from_secs(15);

/// Time limit for the first 64 KB of a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(8);

/// Time limit for a client to take more of a response. It starts again with each piece that the client takes.
pub const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// Time that running requests have to finish when a server stops. Container engines end a process 10 seconds after
/// they have asked it to stop.
pub const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(9);

/// Pause after a failed `accept`, for example when the process has too many files open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The value of `Connection` in the last response of a connection.
const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// Listens on an address. `option` is the option that sets the port.
///
/// # Errors
/// When the address cannot be used. The message names the option.
pub async fn bind(host: IpAddr, port: u16, option: &str) -> anyhow::Result<TcpListener> {
    let address = SocketAddr::from((host, port));
    TcpListener::bind(address).await.map_err(|error| {
        anyhow!("cannot listen on port {port} ({error}): choose another port with {option}")
    })
}

/// Accepts the connections of a server.
pub trait Accept: Send {
    /// A connection.
    type Stream: AsyncRead + AsyncWrite + Send + Unpin + 'static;

    /// Waits for a connection. Returns it with the address that it comes from; `None` for a local connection.
    fn accept(&self) -> impl Future<Output = io::Result<(Self::Stream, Option<IpAddr>)>> + Send;
}

impl Accept for TcpListener {
    type Stream = TcpStream;

    async fn accept(&self) -> io::Result<(TcpStream, Option<IpAddr>)> {
        let (stream, peer) = Self::accept(self).await?;
        Ok((stream, Some(peer.ip())))
    }
}

#[cfg(unix)]
impl Accept for tokio::net::UnixListener {
    type Stream = tokio::net::UnixStream;

    async fn accept(&self) -> io::Result<(Self::Stream, Option<IpAddr>)> {
        let (stream, _) = Self::accept(self).await?;
        Ok((stream, None))
    }
}

/// Serves a router until `stopped` is true. Then closes idle connections, and returns once the last running
/// request has been answered. The number of connections is limited ([`MAX_CONNECTIONS`]).
///
/// [`MAX_CONNECTIONS`]: connections::MAX_CONNECTIONS
pub async fn serve(listener: impl Accept, router: Router, stopped: watch::Receiver<bool>) {
    serve_within(ConnectionLimits::default(), listener, router, stopped).await;
}

/// Does what [`serve`] does, with these limits.
pub async fn serve_within(
    limits: ConnectionLimits,
    listener: impl Accept,
    router: Router,
    mut stopped: watch::Receiver<bool>,
) {
    let connections = GracefulShutdown::new();
    let mut open = OpenConnections::new(limits);
    let mut server = http1::Builder::new();
    server
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            // `wait_for` fails if the sender has been dropped. That also stops the server.
            _ = stopped.wait_for(|stopped| *stopped) => break,
        };
        let Ok((stream, peer)) = accepted else {
            sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let Some(counted) = open.count(peer) else {
            // Dropping the stream closes the connection.
            continue;
        };
        let unread_body = UnreadBody::default();
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(WRITE_TIMEOUT));
        // The server's stream wraps the stream with the timeout. In the other order, the timeout would treat a
        // lingering close as a write, and would wake the task at each flush.
        let stream = ServerStream::new(Box::pin(stream), unread_body.clone());
        let router = router.clone();
        let service = service_fn(move |request: Request<Incoming>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(CallerAddress(peer));
            let (responding, unread_body) = (router.clone().oneshot(request), unread_body.clone());
            async move {
                let response = responding.await?;
                if response.headers().get(header::CONNECTION) == Some(&CLOSE) {
                    unread_body.record();
                }
                Ok::<Response, Infallible>(response)
            }
        });
        let connection = server.serve_connection(TokioIo::new(stream), service);
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            // The result is dropped: a connection fails only because its client disconnects or is too slow.
            let _ = connection.await;
            drop(counted);
        });
    }
    // New connections are refused while the last requests are answered.
    drop(listener);
    connections.shutdown().await;
}

/// Adds the checks that API Gateway makes on AWS. A server without it must make them itself.
pub fn with_gateway_checks(router: Router) -> Router {
    router.layer(from_fn(check_as_gateway))
}

async fn check_as_gateway(mut request: Request, next: Next) -> Response {
    // Every HTTP/1.1 request must have exactly one valid `Host` (RFC 9112, section 3.2).
    if request.version() == Version::HTTP_11 && !has_one_host(request.headers()) {
        // A layer of the service responds with 400 to requests that have this extension.
        let part = DecodeError("Send exactly one Host header, with the host of the address.");
        request.extensions_mut().insert(part);
    }
    read_body_first(request, next).await
}

fn has_one_host(headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let first = hosts.next().and_then(|host| host.to_str().ok());
    // `Host` is empty when the target URI has no host (RFC 9112, section 3.2).
    let is_valid = |host: &str| host.is_empty() || host.parse::<Authority>().is_ok();
    first.is_some_and(is_valid) && hosts.next().is_none()
}

/// Reads the body before the request reaches a handler, as API Gateway does. If a handler left a body unread, hyper
/// would close the connection, and the client's next request on it would fail. This layer does not read a body of more
/// than 64 KB to its end. The response to such a request has the header `Connection: close`, and the rest of the body
/// is discarded after the response.
///
/// A body that its client sends only after "100 Continue" is left to the handler, which can refuse it before it is
/// sent.
async fn read_body_first(request: Request, next: Next) -> Response {
    if waits_for_continue(request.headers()) {
        let mut response = next.run(request).await;
        if response.status().is_client_error() || response.status().is_server_error() {
            response.headers_mut().insert(header::CONNECTION, CLOSE);
        }
        return response;
    }
    let (parts, body) = request.into_parts();
    let (body, is_read) = buffer_start(body).await;
    let mut response = next.run(Request::from_parts(parts, body)).await;
    if !is_read {
        response.headers_mut().insert(header::CONNECTION, CLOSE);
    }
    response
}

/// Returns true if the client sends the body only after "100 Continue" (RFC 9110, section 10.1.1). hyper sends that
/// once the body is read.
fn waits_for_continue(headers: &HeaderMap) -> bool {
    let expected = headers.get(header::EXPECT);
    expected.is_some_and(|expected| expected.as_bytes().eq_ignore_ascii_case(b"100-continue"))
}

/// Reads the first 64 KB of a body into memory. Returns a body with the same content, and true if all of it
/// has been read.
async fn buffer_start(mut body: Body) -> (Body, bool) {
    let deadline = Instant::now() + BODY_TIMEOUT;
    let mut start = BytesMut::new();
    while start.len() <= MAX_BODY {
        match timeout_at(deadline, body.frame()).await {
            Ok(None) => return (Body::from(start.freeze()), true),
            Ok(Some(Ok(frame))) => start.extend(frame.into_data().unwrap_or_default()),
            Ok(Some(Err(_))) | Err(_) => {
                // The handler gets an incomplete body, and responds with 400.
                let error = io::Error::from(io::ErrorKind::UnexpectedEof);
                let incomplete = once(async { Err::<bytes::Bytes, _>(error) });
                return (Body::from_stream(incomplete), false);
            }
        }
    }
    let start = once(async { Ok(start.freeze()) });
    let rest = start.chain(body.into_data_stream());
    (Body::from_stream(rest), false)
}
