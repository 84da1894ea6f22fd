//! The location of a service's data: a running service, a data folder, or a stack on AWS.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use dynamo::Database;

use crate::data::target::{DatabaseOptions, Source};
use crate::embedded::engine::{Engine, client_of_running};
use crate::keys::{self, KeyStore};

/// Options that say where the data of a service is.
#[derive(Args, Clone, Debug)]
pub struct DataLocation {
    /// Key file of `kiroku serve`. Default: `keys.json` in the data folder. On AWS, the keys are in the secrets of the
    /// stack.
    #[arg(long, value_name = "FILE")]
    pub keys_file: Option<PathBuf>,

    /// Request units to use in a second, at most; no limit by default.
    #[arg(long, value_name = "UNITS", value_parser = clap::value_parser!(u32).range(1..))]
    pub units_per_second: Option<u32>,

    /// DynamoDB to work on.
    #[command(flatten)]
    pub target: DatabaseOptions,
}

/// The data of a service.
pub struct OpenLocation {
    /// The rows.
    pub database: Database,
    /// The engine; `None` if another process runs it.
    pub engine: Option<Engine>,
    /// The keys; `None` if the options do not state their place.
    keys: Option<KeyStore>,
    /// False on AWS.
    pub is_local: bool,
}

impl OpenLocation {
    /// Returns the place of the keys.
    ///
    /// # Errors
    /// When the options do not say where the keys are.
    pub fn keys(&self) -> anyhow::Result<&KeyStore> {
        let keys = self.keys.as_ref();
        keys.context("--keys-file is required with --endpoint-url: the key file of that service")
    }

    /// Makes new keys for a service whose backup has none, unless it has keys.
    pub fn create_missing_keys(&self) -> anyhow::Result<()> {
        match &self.keys {
            Some(KeyStore::File(file)) => keys::create_missing(file, &self.database.random),
            // A stack has keys from its deployment.
            Some(KeyStore::Secrets { .. }) | None => Ok(()),
        }
    }
}

impl DataLocation {
    /// Connects to the data. Starts the engine of a data folder.
    pub async fn open(&self) -> anyhow::Result<OpenLocation> {
        let source = self.target.source();
        // This function itself opens the data folder of a service that does not run.
        let engine = match source {
            Source::Folder(folder) if client_of_running(folder).is_none() => {
                Some(Engine::start(Some(folder))?)
            }
            _ => None,
        };
        let database = self.target.open(engine.as_ref()).await?;
        let keys = match (&self.keys_file, source) {
            (Some(file), _) => Some(KeyStore::File(file.clone())),
            (None, Source::Folder(folder)) => Some(KeyStore::File(folder.join("keys.json"))),
            (None, Source::Aws) => Some(KeyStore::Secrets {
                stack: self.target.table_prefix.trim_end_matches('-').to_owned(),
            }),
            // Otherwise, the keys of another service would be taken for the keys of this one.
            (None, Source::Url(_)) => None,
        };
        Ok(OpenLocation {
            database,
            engine,
            keys,
            is_local: source != Source::Aws,
        })
    }
}
