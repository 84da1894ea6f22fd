//! Clients of an embedded DynamoDB that need no port: in the process of the engine, or through its socket. This file
//! also has the timeouts and retries of all clients of the command.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Builder, Region};
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpConnector, http_client_fn,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::retry::ReconnectMode;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::response::Response;
use runtime::aws::local_credentials;
use tower::ServiceExt;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A way to an engine.
#[derive(Clone)]
pub enum EngineConnection {
    /// The engine's router, in this process.
    Router(Router),
    /// The socket of an engine in another process.
    Socket(PathBuf),
}

impl fmt::Debug for EngineConnection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Router(_) => "Router",
            Self::Socket(_) => "Socket",
        })
    }
}

impl EngineConnection {
    /// Returns a client that sends its calls to the engine in this way.
    pub fn client(self) -> Client {
        let connector = SharedHttpConnector::new(self);
        let config = Builder::new()
            .behavior_version(BehaviorVersion::latest())
            .timeout_config(timeouts())
            // There is no connection to close after an error.
            .retry_config(retries().with_reconnect_mode(ReconnectMode::ReuseAllConnections))
            // The engine accepts every region. No call uses the host.
            .region(Region::new("us-east-1"))
            .endpoint_url("http://localhost")
            .credentials_provider(local_credentials())
            .http_client(http_client_fn(move |_, _| connector.clone()));
        Client::from_conf(config.build())
    }

    async fn send(self, request: HttpRequest) -> Result<HttpResponse, BoxError> {
        let request: Request = request.try_into_http1x()?.map(Body::new);
        let response: Response = match self {
            // The call runs in a task of its own, so that several calls of one task run at the same time, and a call is
            // completed even if its caller is canceled.
            Self::Router(router) => tokio::spawn(router.oneshot(request)).await??,
            Self::Socket(path) => send_to_socket(&path, request).await?,
        };
        let (parts, body) = response.into_parts();
        let body = SdkBody::from(to_bytes(body, usize::MAX).await?);
        Ok(HttpResponse::try_from(Response::from_parts(parts, body))?)
    }
}

impl HttpConnector for EngineConnection {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let send = self.clone().send(request);
        HttpConnectorFuture::new(async { send.await.map_err(ConnectorError::io) })
    }
}

#[cfg(unix)]
async fn send_to_socket(path: &Path, request: Request) -> Result<Response, BoxError> {
    let stream = tokio::net::UnixStream::connect(path).await?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(hyper_util::rt::TokioIo::new(stream)).await?;
    // The task of the connection ends with the response.
    tokio::spawn(connection);
    Ok(sender.send_request(request).await?.map(Body::new))
}

#[cfg(not(unix))]
async fn send_to_socket(_: &Path, _: Request) -> Result<Response, BoxError> {
    Err("this system has no sockets in folders: use --endpoint-url".into())
}

/// Returns longer timeouts than the functions have, because DynamoDB may throttle an import for a while.
pub(crate) fn timeouts() -> TimeoutConfig {
    TimeoutConfig::builder()
        .connect_timeout(Duration::from_secs(2))
        .operation_attempt_timeout(Duration::from_secs(20))
        .build()
}

/// Returns more retries than the functions make.
pub(crate) fn retries() -> RetryConfig {
    RetryConfig::standard()
        .with_initial_backoff(Duration::from_millis(50))
        .with_max_attempts(5)
}
