//! The DynamoDB client of the functions: fast to make, quick to give up.

use std::time::Duration;

use aws_credential_types::Credentials;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{
    BehaviorVersion, Builder, Config, HttpClient, Region, SharedHttpClient,
};
use aws_smithy_http_client::Builder as HttpClientBuilder;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use aws_smithy_runtime_api::client::http::http_client_fn;

/// The roots that AWS endpoints chain to (amazontrust.com/repository). Reading the machine's
/// whole store instead costs 3.5 ms of every cold start.
const AMAZON_ROOTS: &[u8] = include_bytes!("../../certs/amazon-roots.pem");

/// Makes a client out of the environment that Lambda gives: region and credentials, and
/// `AWS_ENDPOINT_URL_DYNAMODB` where another DynamoDB is meant.
///
/// # Errors
/// When the roots that ship with the crate cannot be used.
pub fn client() -> Result<Client, Box<dyn std::error::Error + Send + Sync>> {
    let endpoint = env("AWS_ENDPOINT_URL_DYNAMODB").or_else(|| env("AWS_ENDPOINT_URL"));
    let region = env("AWS_REGION").or_else(|| env("AWS_DEFAULT_REGION"));
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new(region.unwrap_or_else(|| "us-east-1".into())))
        .credentials_provider(lambda_credentials().unwrap_or_else(local_credentials))
        .http_client(http_client(endpoint.as_deref())?);
    let config = match endpoint {
        Some(url) => config.endpoint_url(url),
        None => config,
    };
    Ok(Client::from_conf(give_up_soon(config).build()))
}

/// Makes a client give up soon: two calls in sequence, which is the most that a request of a warm
/// function makes, end within 3 s. Between attempts it waits 25 ms first, not the SDK's second.
#[must_use]
pub fn give_up_soon(config: Builder) -> Builder {
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(Duration::from_millis(500))
        .operation_attempt_timeout(Duration::from_secs(1))
        .operation_timeout(Duration::from_millis(1400));
    let retries = RetryConfig::standard().with_initial_backoff(Duration::from_millis(25));
    config
        .timeout_config(timeouts.build())
        .retry_config(retries)
}

/// Over plain HTTP there is no TLS to set up. Only an endpoint of the operator's own can have a
/// certificate from somebody else's root.
fn http_client(
    endpoint: Option<&str>,
) -> Result<SharedHttpClient, Box<dyn std::error::Error + Send + Sync>> {
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

fn env(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
