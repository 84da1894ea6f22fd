//! The AWS clients of the functions: fast to make, quick to give up.

use std::sync::Arc;
use std::time::Duration;

use aws_credential_types::Credentials;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Builder, HttpClient, Region, SharedHttpClient};
use aws_sdk_secretsmanager::error::ProvideErrorMetadata;
use aws_smithy_http_client::Builder as HttpClientBuilder;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use aws_smithy_runtime_api::client::http::http_client_fn;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use shared::Error;
use shared::auth::ReadSecret;

/// The roots that AWS endpoints chain to (amazontrust.com/repository). Reading the machine's
/// whole store instead costs 3.5 ms of every cold start.
const AMAZON_ROOTS: &[u8] = include_bytes!("../certs/amazon-roots.pem");

/// What went wrong while a client was made.
pub type ClientError = Box<dyn std::error::Error + Send + Sync>;

/// Puts the environment that Lambda gives into a client's configuration: region and credentials,
/// and another address where `AWS_ENDPOINT_URL_` and the service's name is set. A macro, because each
/// service's crate has a builder of its own.
macro_rules! client {
    ($sdk:ident, $endpoint:literal, $timeouts:expr, $retries:expr) => {{
        let endpoint = env($endpoint).or_else(|| env("AWS_ENDPOINT_URL"));
        let region = env("AWS_REGION").or_else(|| env("AWS_DEFAULT_REGION"));
        let config = $sdk::config::Builder::new()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new(region.unwrap_or_else(|| "us-east-1".into())))
            .credentials_provider(lambda_credentials().unwrap_or_else(local_credentials))
            .timeout_config($timeouts)
            .retry_config($retries)
            .http_client(http_client(endpoint.as_deref())?);
        let config = match endpoint {
            Some(url) => config.endpoint_url(url),
            None => config,
        };
        Ok($sdk::Client::from_conf(config.build()))
    }};
}

/// DynamoDB, or what `AWS_ENDPOINT_URL_DYNAMODB` names.
///
/// # Errors
/// When the roots that ship with the crate cannot be used.
pub fn dynamodb() -> Result<aws_sdk_dynamodb::Client, ClientError> {
    client!(
        aws_sdk_dynamodb,
        "AWS_ENDPOINT_URL_DYNAMODB",
        timeouts(),
        retries()
    )
}

/// Secrets Manager, or what `AWS_ENDPOINT_URL_SECRETS_MANAGER` names.
///
/// # Errors
/// As [`dynamodb`].
pub fn secrets_manager() -> Result<aws_sdk_secretsmanager::Client, ClientError> {
    client!(
        aws_sdk_secretsmanager,
        "AWS_ENDPOINT_URL_SECRETS_MANAGER",
        timeouts(),
        retries()
    )
}

/// Amazon SES v2, or what `AWS_ENDPOINT_URL_SESV2` names. It is asked once: a mail whose answer was
/// late would be sent twice.
///
/// # Errors
/// As [`dynamodb`].
#[cfg(feature = "accounts")]
pub fn ses() -> Result<aws_sdk_sesv2::Client, ClientError> {
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(Duration::from_millis(500))
        .operation_timeout(Duration::from_secs(3))
        .build();
    client!(
        aws_sdk_sesv2,
        "AWS_ENDPOINT_URL_SESV2",
        timeouts,
        RetryConfig::disabled()
    )
}

/// A secret in AWS Secrets Manager.
#[derive(Debug)]
pub struct SecretsManager {
    client: aws_sdk_secretsmanager::Client,
    arn: String,
}

impl SecretsManager {
    /// The secret with this ARN.
    ///
    /// # Errors
    /// As [`dynamodb`].
    pub fn secret(arn: String) -> Result<Arc<Self>, ClientError> {
        let client = secrets_manager()?;
        Ok(Arc::new(Self { client, arn }))
    }

    /// The secret with this ARN, read by this client.
    #[must_use]
    pub fn with_client(client: aws_sdk_secretsmanager::Client, arn: String) -> Arc<Self> {
        Arc::new(Self { client, arn })
    }
}

impl ReadSecret for SecretsManager {
    fn read(&self) -> BoxFuture<'_, Result<String, Error>> {
        let request = self.client.get_secret_value().secret_id(&self.arn);
        let read = async {
            let response = request.send().await.map_err(|error| {
                // Only the code: the rest of the error may quote the response.
                let code = error
                    .as_service_error()
                    .and_then(ProvideErrorMetadata::code);
                let code = code.unwrap_or("no response");
                Error::Unavailable(format!("Secrets Manager: {code}"))
            })?;
            Ok(response.secret_string.unwrap_or_default())
        };
        read.boxed()
    }
}

/// Makes a DynamoDB client give up as soon as the functions' do.
#[must_use]
pub fn give_up_soon(config: Builder) -> Builder {
    config.timeout_config(timeouts()).retry_config(retries())
}

/// Two calls in sequence, which is the most that a request of a warm catalogue function makes, end
/// within 3 s. What needs more of them has the deadline of each request (`http::DEADLINE`).
fn timeouts() -> TimeoutConfig {
    TimeoutConfig::builder()
        .connect_timeout(Duration::from_millis(500))
        .operation_attempt_timeout(Duration::from_secs(1))
        .operation_timeout(Duration::from_millis(1400))
        .build()
}

/// Between attempts it waits 25 ms first, not the SDK's second.
fn retries() -> RetryConfig {
    RetryConfig::standard().with_initial_backoff(Duration::from_millis(25))
}

/// Over plain HTTP there is no TLS to set up. Only an endpoint of the operator's own can have a
/// certificate from somebody else's root.
fn http_client(endpoint: Option<&str>) -> Result<SharedHttpClient, ClientError> {
    let builder = HttpClientBuilder::new();
    let roots = match endpoint {
        Some(url) if url.starts_with("http://") => return Ok(builder.build_http()),
        Some(_) => TrustStore::default(),
        None => TrustStore::empty().with_pem_certificate(AMAZON_ROOTS),
    };
    let tls = TlsContext::builder().with_trust_store(roots).build()?;
    let client = builder
        .tls_provider(Provider::Rustls(CryptoMode::AwsLc))
        .tls_context(tls)
        .build_https();
    // By itself the SDK would set up TLS twice: once to see that it can, and once to use it.
    Ok(http_client_fn(move |settings, components| {
        client.http_connector(settings, components)
    }))
}

/// The credentials that Lambda puts into the environment. They last as long as the process.
fn lambda_credentials() -> Option<Credentials> {
    Some(Credentials::new(
        env("AWS_ACCESS_KEY_ID")?,
        env("AWS_SECRET_ACCESS_KEY")?,
        env("AWS_SESSION_TOKEN"),
        None,
        "environment",
    ))
}

/// What a DynamoDB on the developer's machine is content with.
#[must_use]
pub fn local_credentials() -> Credentials {
    Credentials::new("local", "local", None, None, "local")
}

/// A variable of the environment, if it is set to something.
#[must_use]
pub fn env(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
