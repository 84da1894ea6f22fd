//! HTTP calls to the provider: over TLS, without redirects, and with a maximum size of responses.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use http_client::SetupError;
use oauth2::url::Url;
use oauth2::{AsyncHttpClient, HttpRequest, HttpResponse, http};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Request};

use crate::claims::JsonObject;
use crate::settings::is_local;

/// The maximum size of a response, in bytes: 256 KiB. ID tokens with many groups have a tenth of this length.
const MAX_RESPONSE: usize = 256 * 1024;

/// The maximum time to open a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// Sends the requests to the provider.
#[derive(Debug)]
pub(crate) struct Http {
    client: Client,
    /// True if the provider is on this machine, so that plain HTTP to it is allowed.
    is_local: bool,
}

/// An error of a call. It contains no part of the URL or the response.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub(crate) enum HttpError {
    #[error("a URL of the provider is not an https:// URL")]
    UnsafeUrl,
    #[error("a response of the provider is too large")]
    TooLarge,
    #[error("the provider cannot be reached")]
    Connection,
    #[error("a request or a response is malformed")]
    Malformed,
    #[error("the provider responds with status {0}")]
    Status(u16),
}

impl Http {
    pub(crate) fn new(is_local: bool) -> Result<Self, SetupError> {
        // A redirect could lead the secret, or the check of a key, to another site.
        let client = http_client::client_builder(CONNECT_TIMEOUT)?.redirect(Policy::none());
        Ok(Self {
            client: client.build()?,
            is_local,
        })
    }

    /// Checks that secrets may be sent to a URL, and that what it returns can be trusted.
    pub(crate) fn check_url(&self, url: &Url) -> Result<(), HttpError> {
        let is_safe = url.scheme() == "https" || (self.is_local && is_local(url));
        is_safe.then_some(()).ok_or(HttpError::UnsafeUrl)
    }

    /// Returns the JSON object at a URL.
    pub(crate) async fn read_object(&self, url: Url) -> Result<JsonObject, HttpError> {
        let body = self.get(url, None).await?;
        serde_json::from_slice(&body).map_err(|_| HttpError::Malformed)
    }

    /// Returns the response of a URL, to which an access token is sent.
    pub(crate) async fn get(&self, url: Url, token: Option<&str>) -> Result<Vec<u8>, HttpError> {
        self.check_url(&url)?;
        let mut request = self.client.request(Method::GET, url);
        request = request.header("accept", "application/json, application/jwt");
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let request = request.build().map_err(|_| HttpError::Malformed)?;
        let response = self.send(request).await?;
        let status = response.status().as_u16();
        (status == 200)
            .then(|| response.into_body())
            .ok_or(HttpError::Status(status))
    }

    async fn send(&self, request: Request) -> Result<HttpResponse, HttpError> {
        self.check_url(request.url())?;
        let sent = self.client.execute(request).await;
        let mut response = sent.map_err(|_| HttpError::Connection)?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|_| HttpError::Connection)? {
            if body.len() + chunk.len() > MAX_RESPONSE {
                return Err(HttpError::TooLarge);
            }
            body.extend_from_slice(&chunk);
        }
        let mut result = http::Response::new(body);
        *result.status_mut() = response.status();
        *result.headers_mut() = std::mem::take(response.headers_mut());
        Ok(result)
    }
}

impl<'c> AsyncHttpClient<'c> for Http {
    type Error = HttpError;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(async {
            let request = Request::try_from(request).map_err(|_| HttpError::Malformed)?;
            self.send(request).await
        })
    }
}
