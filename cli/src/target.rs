//! The options that select the DynamoDB that a command works on.

use std::time::Duration;

use anyhow::Context;
use aws_config::BehaviorVersion;
use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::Client;
use clap::Args;
use runtime::aws::{http_client, local_credentials};
use shared::clock::Clock;
use shared::random::Random;
use store::{Database, TableNames};

/// Default address of the DynamoDB that `kiroku serve` embeds.
pub const LOCAL_ENDPOINT: &str = "http://127.0.0.1:8000";

/// Default public address of `kiroku serve`.
pub const LOCAL_PUBLIC_URL: &str = "http://127.0.0.1:9000";

/// Options that select the DynamoDB.
#[derive(Args, Clone, Debug, Default)]
pub struct Target {
    /// Address of the DynamoDB to work on. Default: a running `kiroku serve` on port 8000; with
    /// --table-prefix, AWS with the credentials and region of the environment.
    #[arg(long, env = "AWS_ENDPOINT_URL_DYNAMODB", value_name = "URL")]
    pub endpoint_url: Option<String>,

    /// Prefix of the table names. For a deployed stack: its name and a dash (the output
    /// `TablePrefix`).
    #[arg(long, env = "TABLE_PREFIX", default_value = "", value_name = "PREFIX")]
    pub table_prefix: String,
}

impl Target {
    /// Returns the address of the DynamoDB, or `None` for AWS.
    #[must_use]
    pub fn endpoint(&self) -> Option<&str> {
        match &self.endpoint_url {
            Some(url) => Some(url),
            None if self.table_prefix.is_empty() => Some(LOCAL_ENDPOINT),
            None => None,
        }
    }

    /// Returns true if no option selects a DynamoDB.
    #[must_use]
    pub fn is_unset(&self) -> bool {
        self.endpoint_url.is_none() && self.table_prefix.is_empty()
    }

    /// Returns true if the options select the DynamoDB that a local `kiroku serve` embeds, at its default address.
    #[must_use]
    pub fn is_default(&self) -> bool {
        self.endpoint() == Some(LOCAL_ENDPOINT) && self.table_prefix.is_empty()
    }

    /// Returns the database, after a test call has succeeded.
    ///
    /// # Errors
    /// When the test call fails. The message names the address, and the cause or what to do.
    pub async fn connect(&self) -> anyhow::Result<Database> {
        let client = client(self.endpoint()).await?;
        let answer = client.list_tables().limit(1).send().await;
        answer.map_err(|error| {
            let cause = aws_sdk_dynamodb::error::DisplayErrorContext(&error);
            tracing::debug!(%cause, "DynamoDB does not respond");
            match (self.endpoint(), error.into_service_error()) {
                (Some(LOCAL_ENDPOINT), _) => anyhow::anyhow!(
                    "DynamoDB does not respond at {LOCAL_ENDPOINT}: start `kiroku serve`, or set another address with \
                    --endpoint-url"
                ),
                (Some(url), error) => anyhow::anyhow!("DynamoDB does not respond at {url}: {error}"),
                (None, error) => anyhow::anyhow!(
                    "DynamoDB on AWS does not respond: {error}; check the AWS credentials and region"
                ),
            }
        })?;
        let tables = TableNames::with_prefix(&self.table_prefix);
        Ok(Database::new(
            client,
            tables,
            Clock::system(),
            Random::from_os()?,
        ))
    }
}

/// Returns the error of a call of DynamoDB with all its causes.
pub(crate) fn call_error(error: impl std::error::Error) -> anyhow::Error {
    anyhow::anyhow!("{}", aws_sdk_dynamodb::error::DisplayErrorContext(error))
}

/// Builds a client with longer timeouts and more retries than the functions use, because DynamoDB may
/// throttle an import for a while.
async fn client(endpoint: Option<&str>) -> anyhow::Result<Client> {
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(Duration::from_secs(2))
        .operation_attempt_timeout(Duration::from_secs(20))
        .build();
    let retries = RetryConfig::standard()
        .with_initial_backoff(Duration::from_millis(50))
        .with_max_attempts(5);
    let mut loader = aws_config::defaults(BehaviorVersion::latest())
        .timeout_config(timeouts)
        .retry_config(retries);
    if let Some(url) = endpoint {
        loader = loader.endpoint_url(url);
    }
    // A local DynamoDB accepts any credentials and region, so an operator without an AWS account needs none.
    if endpoint.is_some_and(is_local) {
        // The default client reads the system's root certificates, which a container may not have.
        let http = http_client(endpoint).map_err(anyhow::Error::from_boxed)?;
        loader = loader.http_client(http);
        if std::env::var_os("AWS_ACCESS_KEY_ID").is_none() {
            loader = loader.credentials_provider(local_credentials());
        }
        if std::env::var_os("AWS_REGION").is_none() {
            loader = loader.region("us-east-1");
        }
    }
    Ok(Client::new(&loader.load().await))
}

/// Returns true for an address of a local DynamoDB, which accepts any credentials and region. Addresses with
/// plain HTTP count as local, because AWS is used over HTTPS only.
fn is_local(url: &str) -> bool {
    url.starts_with("http://")
}

/// Checks the value of `--endpoint-url` before anything is sent there.
///
/// # Errors
/// When the value is not an address with `http://` or `https://`.
pub fn check_endpoint(url: &str) -> anyhow::Result<()> {
    let uri: axum::http::Uri = url.parse().context(format!("--endpoint-url {url}"))?;
    let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
    anyhow::ensure!(
        is_http && uri.authority().is_some(),
        "--endpoint-url {url}: must start with http:// or https:// and name a host"
    );
    Ok(())
}
