//! The place of a service's data: a running service, a data folder, or a stack on AWS.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use store::Database;

use crate::engine::Engine;
use crate::keys::KeyStore;
use crate::target::Target;

/// Options that say where the data of a service is.
#[derive(Args, Clone, Debug)]
pub struct Place {
    /// Data folder of a service that does not run.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["endpoint_url", "table_prefix"])]
    pub data_dir: Option<PathBuf>,

    /// Key file of `kiroku serve`. Default: `keys.json` in the data folder. On AWS, the keys are in the secrets of the
    /// stack.
    #[arg(long, value_name = "FILE")]
    pub keys_file: Option<PathBuf>,

    /// Request units to use in a second, at most; no limit by default.
    #[arg(long, value_name = "UNITS", value_parser = clap::value_parser!(u32).range(1..))]
    pub units_per_second: Option<u32>,

    /// DynamoDB to work on.
    #[command(flatten)]
    pub target: Target,
}

/// The data of a service.
pub struct OpenPlace {
    /// The rows.
    pub database: Database,
    /// The engine; `None` if another process runs it.
    pub engine: Option<Engine>,
    /// The keys; `None` if the options do not say where they are.
    keys: Option<KeyStore>,
    /// False on AWS.
    pub is_local: bool,
}

impl OpenPlace {
    /// Returns the place of the keys.
    ///
    /// # Errors
    /// When the options do not say where the keys are.
    pub fn keys(&self) -> anyhow::Result<&KeyStore> {
        let keys = self.keys.as_ref();
        keys.context("--keys-file is required with --endpoint-url: the key file of that service")
    }
}

impl Place {
    /// Connects to the data. Starts the engine of a data folder.
    ///
    /// # Errors
    /// When DynamoDB does not respond, or the data folder cannot be used.
    pub async fn open(&self) -> anyhow::Result<OpenPlace> {
        let engine = match &self.data_dir {
            Some(folder) => Some(Engine::start(Some(folder), 0).await?),
            None => None,
        };
        let mut target = self.target.clone();
        if let Some(engine) = &engine {
            target.endpoint_url = Some(engine.endpoint.clone());
        }
        let keys = match (&self.keys_file, &self.data_dir) {
            (Some(file), _) => Some(KeyStore::File(file.clone())),
            (None, Some(folder)) => Some(KeyStore::File(folder.join("keys.json"))),
            // A running `kiroku serve` with its defaults.
            (None, None) if self.target.is_unset() => {
                Some(KeyStore::File(".kiroku/keys.json".into()))
            }
            (None, None) if target.endpoint().is_none() => Some(KeyStore::Secrets {
                stack: target.table_prefix.trim_end_matches('-').to_owned(),
            }),
            // The keys of another service would be taken for those of this one.
            (None, None) => None,
        };
        Ok(OpenPlace {
            database: target.connect().await?,
            engine,
            keys,
            is_local: target.endpoint().is_some(),
        })
    }
}
