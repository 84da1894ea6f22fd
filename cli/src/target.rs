//! Which DynamoDB a command works on.

use std::time::Duration;

use anyhow::Context;
use aws_config::BehaviorVersion;
use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::Client;
use clap::Args;
use runtime::aws::local_credentials;
use store::TableNames;

/// Where `kiroku serve` keeps its DynamoDB when nothing else is asked for.
pub const LOCAL_ENDPOINT: &str = "http://127.0.0.1:8000";

/// Options that say which DynamoDB is meant.
#[derive(Args, Clone, Debug, Default)]
pub struct Target {
    /// The DynamoDB to work on. Without it: that of a running `kiroku serve`
    /// on port 8000, or, with --table-prefix, AWS by its ordinary environment.
    #[arg(long, env = "AWS_ENDPOINT_URL_DYNAMODB", value_name = "URL")]
    pub endpoint_url: Option<String>,

    /// What the tables' names begin with: for a deployed stack its name and a dash (output
    /// `TablePrefix`).
    #[arg(long, env = "TABLE_PREFIX", default_value = "", value_name = "PREFIX")]
    pub table_prefix: String,
}

impl Target {
    /// The address that calls go to; `None` for AWS.
    #[must_use]
    pub fn endpoint(&self) -> Option<&str> {
        match &self.endpoint_url {
            Some(url) => Some(url),
            None if self.table_prefix.is_empty() => Some(LOCAL_ENDPOINT),
            None => None,
        }
    }

    /// The names of the tables.
    #[must_use]
    pub fn tables(&self) -> TableNames {
        TableNames::with_prefix(&self.table_prefix)
    }

    /// A client, once the DynamoDB has answered it.
    ///
    /// # Errors
    /// When it does not answer, with what to do about it.
    pub async fn connect(&self) -> anyhow::Result<Client> {
        let client = client(self.endpoint()).await;
        let answer = client.list_tables().limit(1).send().await;
        answer.map_err(|error| {
            let cause = aws_sdk_dynamodb::error::DisplayErrorContext(&error);
            tracing::debug!(%cause, "the DynamoDB did not answer");
            match (self.endpoint(), error.into_service_error()) {
                (Some(LOCAL_ENDPOINT), _) => anyhow::anyhow!(
                    "no DynamoDB answers at {LOCAL_ENDPOINT}: start `kiroku serve`, or name another with --endpoint-url"
                ),
                (Some(url), error) => anyhow::anyhow!("no DynamoDB answers at {url}: {error}"),
                (None, error) => anyhow::anyhow!("AWS does not answer: {error}"),
            }
        })?;
        Ok(client)
    }
}

/// A client with more patience than the functions have: an import may be throttled for a while.
async fn client(endpoint: Option<&str>) -> Client {
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
    // Nothing may be asked for that only AWS could answer.
    if endpoint.is_some_and(is_local) {
        if std::env::var_os("AWS_ACCESS_KEY_ID").is_none() {
            loader = loader.credentials_provider(local_credentials());
        }
        if std::env::var_os("AWS_REGION").is_none() {
            loader = loader.region("us-east-1");
        }
    }
    Client::new(&loader.load().await)
}

/// Whether an address is one that takes any credentials and region. Plain HTTP never is AWS.
fn is_local(url: &str) -> bool {
    url.starts_with("http://")
}

/// Checks that an address can be one, before anything is sent there.
///
/// # Errors
/// When it cannot.
pub fn check_endpoint(url: &str) -> anyhow::Result<()> {
    let uri: axum::http::Uri = url.parse().context(format!("--endpoint-url {url}"))?;
    let known = matches!(uri.scheme_str(), Some("http" | "https"));
    anyhow::ensure!(
        known && uri.authority().is_some(),
        "--endpoint-url {url}: an address begins with http:// or https://"
    );
    Ok(())
}
