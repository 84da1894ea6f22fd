//! The DynamoDB of `kiroku serve`: the embedded engine with its data folder, or another process.

use std::fs::{self, File, TryLockError};
use std::net::Ipv4Addr;
use std::path::Path;

use anyhow::{Context, anyhow};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::serve::{SHUTDOWN_TIMEOUT, ServeArgs};
use crate::target::check_endpoint;
use crate::tasks::TASK_INTERVAL;
use crate::{dynamodb, http};

/// The DynamoDB that the service uses.
pub struct Engine {
    /// The address of the DynamoDB.
    pub endpoint: String,
    /// `None` if another process serves the endpoint.
    embedded: Option<Embedded>,
}

struct Embedded {
    /// Location of the data, for the operator.
    location: String,
    stopping: watch::Sender<bool>,
    server: JoinHandle<()>,
    /// The task that deletes expired rows.
    expiry: JoinHandle<()>,
    /// Locks the data folder until it is dropped.
    _lock: Option<File>,
}

impl Engine {
    /// Starts the embedded engine, unless `--endpoint-url` names another DynamoDB.
    ///
    /// # Errors
    /// When the address, the port or the data folder cannot be used. The message names the option or the folder.
    pub async fn start(args: &ServeArgs) -> anyhow::Result<Self> {
        if let Some(endpoint) = args.endpoint_url.clone() {
            check_endpoint(&endpoint)?;
            return Ok(Self {
                endpoint,
                embedded: None,
            });
        }
        let loopback = Ipv4Addr::LOCALHOST.into();
        let listener = http::bind(loopback, args.dynamodb_port, "--dynamodb-port").await?;
        let endpoint = format!("http://{}", listener.local_addr()?);
        let (database, lock) = open_database(args)?;
        let (stopping, stopped) = watch::channel(false);
        let expiry = tokio::spawn(delete_expired_rows(database.clone()));
        let server = http::serve(listener, dynamodb::router(database), stopped);
        Ok(Self {
            endpoint,
            embedded: Some(Embedded {
                location: data_location(args),
                stopping,
                server: tokio::spawn(server),
                expiry,
                _lock: lock,
            }),
        })
    }

    /// Returns the location of the data, for the operator; `None` if another process serves the endpoint.
    #[must_use]
    pub fn location(&self) -> Option<&str> {
        Some(&self.embedded.as_ref()?.location)
    }

    /// Stops the embedded DynamoDB after its running requests, at the latest after [`SHUTDOWN_TIMEOUT`]. Does
    /// nothing if another process serves the endpoint. Nothing needs to be saved, because the writes that were
    /// acknowledged are in the data folder already.
    pub async fn stop(self) {
        let Some(embedded) = self.embedded else {
            return;
        };
        embedded.expiry.abort();
        embedded.stopping.send_replace(true);
        // An open connection without a running request must not keep the process alive.
        let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, embedded.server).await;
    }
}

fn data_location(args: &ServeArgs) -> String {
    if args.in_memory {
        "in memory".into()
    } else {
        format!("in {}", args.data_dir.display())
    }
}

fn open_database(args: &ServeArgs) -> anyhow::Result<(dynoxide::Database, Option<File>)> {
    if args.in_memory {
        let database = dynoxide::Database::memory().map_err(|error| anyhow!("{error}"))?;
        return Ok((database, None));
    }
    let folder = &args.data_dir;
    open_folder(folder).with_context(|| format!("cannot use the data folder {}", folder.display()))
}

fn open_folder(folder: &Path) -> anyhow::Result<(dynoxide::Database, Option<File>)> {
    fs::create_dir_all(folder)?;
    let lock = File::create(folder.join("lock"))?;
    lock.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => anyhow!("another `kiroku serve` is using it"),
        TryLockError::Error(error) => anyhow!("cannot lock it: {error}"),
    })?;
    let path = folder.join("dynamodb.sqlite");
    let path = path.to_str().context("its path is not valid UTF-8")?;
    let database = dynoxide::Database::new(path).map_err(|error| anyhow!("{error}"))?;
    Ok((database, Some(lock)))
}

/// Deletes expired rows once a minute. On AWS, DynamoDB's time to live does that.
async fn delete_expired_rows(database: dynoxide::Database) {
    let mut turns = tokio::time::interval(TASK_INTERVAL);
    loop {
        turns.tick().await;
        let database = database.clone();
        match tokio::task::spawn_blocking(move || database.sweep_ttl()).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::warn!(%error, "cannot delete expired rows"),
            // The task panicked, or the process is stopping.
            Err(_) => return,
        }
    }
}
