//! The AWS clients of the Lambda functions. They are built fast and have short timeouts (docs/data-model.md,
//! "The client").

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
use shared::auth::ReadSecret;
use shared::{Error, Result};

/// The root certificates of AWS endpoints (amazontrust.com/repository). Reading the system's whole
/// certificate store instead takes 3.5 ms of every cold start.
const AMAZON_ROOTS: &[u8] = include_bytes!("../certs/amazon-roots.pem");

/// An error while creating a client.
pub type ClientError = Box<dyn std::error::Error + Send + Sync>;

/// Builds a client with the region and the credentials in the environment variables that Lambda sets. The variable
/// `$endpoint`, or else `AWS_ENDPOINT_URL`, replaces the service's endpoint, for tests and a local DynamoDB. This
/// is a macro, because the crate of each service has its own builder.
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

/// Creates a DynamoDB client, for the endpoint in `AWS_ENDPOINT_URL_DYNAMODB` if that is set.
pub fn dynamodb() -> Result<aws_sdk_dynamodb::Client, ClientError> {
    client!(
        aws_sdk_dynamodb,
        "AWS_ENDPOINT_URL_DYNAMODB",
        timeouts(),
        retries()
    )
}

/// Creates a Secrets Manager client, for the endpoint in `AWS_ENDPOINT_URL_SECRETS_MANAGER` if that is set.
pub fn secrets_manager() -> Result<aws_sdk_secretsmanager::Client, ClientError> {
    client!(
        aws_sdk_secretsmanager,
        "AWS_ENDPOINT_URL_SECRETS_MANAGER",
        timeouts(),
        retries()
    )
}

/// Creates an Amazon SES v2 client, for the endpoint in `AWS_ENDPOINT_URL_SESV2` if that is set. The client does not
/// retry, because a mail would be sent twice if the first response was only late.
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
pub struct AwsSecret {
    client: aws_sdk_secretsmanager::Client,
    arn: String,
}

impl AwsSecret {
    /// Creates a client, and returns the secret with this ARN. The secret is not read yet.
    pub fn new(arn: String) -> Result<Arc<Self>, ClientError> {
        let client = secrets_manager()?;
        Ok(Arc::new(Self { client, arn }))
    }
}

impl ReadSecret for AwsSecret {
    fn read(&self) -> BoxFuture<'_, Result<String>> {
        let request = self.client.get_secret_value().secret_id(&self.arn);
        let read = async {
            let response = request.send().await.map_err(|error| {
                // Only the error code is logged, because the rest of the error may quote the response.
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

/// Sets the short timeouts and the retries of the Lambda functions in the configuration of a DynamoDB client.
pub fn set_short_timeouts(config: Builder) -> Builder {
    config.timeout_config(timeouts()).retry_config(retries())
}

/// Returns the timeouts: 1.4 seconds for a call with its retries. A request for a catalogue list usually
/// makes two consecutive calls, so it ends within 3 seconds. Every request also has a deadline
/// ([`shared::http::layers::DEADLINE`]).
fn timeouts() -> TimeoutConfig {
    TimeoutConfig::builder()
        .connect_timeout(Duration::from_millis(500))
        .operation_attempt_timeout(Duration::from_secs(1))
        .operation_timeout(Duration::from_millis(1400))
        .build()
}

/// Returns the settings of retries. The wait before the first retry is random: at most 25 ms, instead of the SDK's
/// default of at most 1 second.
fn retries() -> RetryConfig {
    RetryConfig::standard().with_initial_backoff(Duration::from_millis(25))
}

/// Builds the HTTP client. AWS endpoints need only [`AMAZON_ROOTS`]. The system's certificate store is read
/// only for an `https://` endpoint that the operator has configured, and plain HTTP needs no TLS.
pub fn http_client(endpoint: Option<&str>) -> Result<SharedHttpClient, ClientError> {
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
    // The SDK's default connector would set up TLS twice: once to validate it, and once to use it.
    Ok(http_client_fn(move |settings, components| {
        client.http_connector(settings, components)
    }))
}

/// Reads the credentials that Lambda sets in environment variables. They are valid for as long as the process lives.
fn lambda_credentials() -> Option<Credentials> {
    Some(Credentials::new(
        env("AWS_ACCESS_KEY_ID")?,
        env("AWS_SECRET_ACCESS_KEY")?,
        env("AWS_SESSION_TOKEN"),
        None,
        "environment",
    ))
}

/// Returns credentials for a DynamoDB on a developer's machine, which accepts any credentials.
pub fn local_credentials() -> Credentials {
    Credentials::new("local", "local", None, None, "local")
}

/// Returns an environment variable if it is set and not empty.
pub fn env(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns a secret: the value of an environment variable, or the content of the file that the variable `NAME_FILE`
/// names, without the line break at its end. `None` if both variables are unset or empty.
///
/// # Errors
/// Both variables are set, or the file cannot be read. The message names the variable and never contains the secret.
pub fn secret(name: &str) -> Result<Option<String>, ClientError> {
    let file_variable = format!("{name}_FILE");
    let (value, file) = (env(name), env(&file_variable));
    let Some(file) = file else {
        return Ok(value);
    };
    if value.is_some() {
        return Err(format!("{name} and {file_variable} are both set; set one of them").into());
    }
    let text = std::fs::read_to_string(&file);
    let text = text.map_err(|error| format!("{file_variable}: cannot read {file}: {error}"))?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    if text.is_empty() {
        return Err(format!("{file_variable}: {file} is empty").into());
    }
    Ok(Some(text.to_owned()))
}
