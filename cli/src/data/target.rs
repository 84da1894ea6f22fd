//! The options that select the DynamoDB that a command works on.

use std::path::{Path, PathBuf};

use anyhow::Context;
use aws_config::BehaviorVersion;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use clap::Args;
use dynamo::{Database, TableNames};
use runtime::aws::{http_client, local_credentials};
use shared::clock::Clock;
use shared::random::Random;

use crate::embedded::connection::{retries, timeouts};
use crate::embedded::engine::{Engine, client_of_running};

/// Default public address of `kiroku serve`.
pub const LOCAL_PUBLIC_URL: &str = "http://127.0.0.1:9000";

/// Data folders in which the commands look for a running `kiroku serve`: its default, and the folder of kiroku.service.
const DATA_FOLDERS: [&str; 2] = [".kiroku", "/var/lib/kiroku"];

/// Options that select the DynamoDB.
#[derive(Args, Clone, Debug, Default)]
pub struct DatabaseOptions {
    /// Data folder of a running `kiroku serve`. Default: `.kiroku`, or else `/var/lib/kiroku`; with --table-prefix, AWS
    /// with the credentials and region of the environment.
    #[arg(long, env = "KIROKU_DATA_DIR", value_name = "DIR")]
    pub data_dir: Option<PathBuf>,

    /// Address of the DynamoDB to work on, instead of that of a running `kiroku serve`. It has precedence over
    /// --data-dir, which the container image sets.
    #[arg(long, env = "AWS_ENDPOINT_URL_DYNAMODB", value_name = "URL")]
    pub endpoint_url: Option<String>,

    /// Prefix of the table names. For a deployed stack: its name and a dash (the output `TablePrefix`).
    #[arg(long, env = "TABLE_PREFIX", default_value = "", value_name = "PREFIX")]
    pub table_prefix: String,
}

/// A DynamoDB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source<'a> {
    /// The engine of a running `kiroku serve` with this data folder.
    Folder(&'a Path),
    /// The DynamoDB at this address.
    Url(&'a str),
    /// DynamoDB on AWS.
    Aws,
}

impl DatabaseOptions {
    /// Returns the DynamoDB that the options select.
    pub fn source(&self) -> Source<'_> {
        if let Some(url) = &self.endpoint_url {
            return Source::Url(url);
        }
        if let Some(folder) = &self.data_dir {
            return Source::Folder(folder);
        }
        if !self.table_prefix.is_empty() {
            return Source::Aws;
        }
        let [first, second] = DATA_FOLDERS.map(Path::new);
        let is_second = !first.exists() && second.exists();
        Source::Folder(if is_second { second } else { first })
    }

    /// Returns true if no option selects a DynamoDB.
    pub fn is_unset(&self) -> bool {
        self.data_dir.is_none() && self.endpoint_url.is_none() && self.table_prefix.is_empty()
    }

    /// Returns true if the options select a `kiroku serve` with the default data folder.
    pub fn is_default(&self) -> bool {
        self.is_unset() && self.source() == Source::Folder(Path::new(DATA_FOLDERS[0]))
    }

    /// Returns the database, after a test call has succeeded.
    ///
    /// # Errors
    /// When the test call fails. The message names the folder or the address, and the cause or what to do.
    pub async fn connect(&self) -> anyhow::Result<Database> {
        let client = match self.source() {
            Source::Folder(folder) => client_of_running(folder).with_context(|| {
                format!(
                    "cannot reach a running `kiroku serve` with the data folder {}: start it, run this command as its \
                    user or as root, or select another one with --data-dir or --endpoint-url",
                    folder.display()
                )
            })?,
            Source::Url(url) => client(Some(url)).await?,
            Source::Aws => client(None).await?,
        };
        self.check(client).await
    }

    /// Returns the database of an engine in this process; without an engine, does the same as
    /// [`DatabaseOptions::connect`].
    pub async fn open(&self, engine: Option<&Engine>) -> anyhow::Result<Database> {
        match engine {
            Some(engine) => self.check(engine.client()).await,
            None => self.connect().await,
        }
    }

    /// Returns the database of a client, after a test call has succeeded.
    async fn check(&self, client: Client) -> anyhow::Result<Database> {
        let response = client.list_tables().limit(1).send().await;
        response.map_err(|error| {
            let cause = aws_sdk_dynamodb::error::DisplayErrorContext(&error);
            tracing::debug!(%cause, "DynamoDB does not respond");
            let error = error.into_service_error();
            // `to_string` of an error that every call can have shows only its code, so the message comes first.
            let error = error
                .message()
                .map_or_else(|| error.to_string(), str::to_owned);
            match self.source() {
                Source::Folder(folder) => anyhow::anyhow!(
                    "the `kiroku serve` with the data folder {} does not respond: {error}",
                    folder.display()
                ),
                Source::Url(url) => anyhow::anyhow!(
                    "DynamoDB does not respond at {url}: {error}"
                ),
                Source::Aws => anyhow::anyhow!(
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

/// Builds a client for DynamoDB at this address, or on AWS.
pub(crate) async fn client(endpoint: Option<&str>) -> anyhow::Result<Client> {
    let mut loader = aws_config::defaults(BehaviorVersion::latest())
        .timeout_config(timeouts())
        .retry_config(retries());
    if let Some(url) = endpoint {
        loader = loader.endpoint_url(url);
    }
    // Most local DynamoDBs accept any credentials and region, so an operator without an AWS account needs none.
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

/// Returns true for an address of a local DynamoDB. Addresses with plain HTTP count as local, because AWS is used over
/// HTTPS only.
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
