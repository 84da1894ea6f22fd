//! The database of `kiroku serve`: its start, and the upgrade of its data.

use std::net::Ipv4Addr;

use anyhow::Context;
use catalogue::rows::CatalogueDocument;
use dynamo::Database;
use shared::models::{Anime, Song};

use crate::data::restore_marker;
use crate::data::tables::{self, FoundTables};
use crate::data::target::{DatabaseOptions, check_endpoint};
use crate::embedded::access_key::AccessKey;
use crate::embedded::engine::Engine;
use crate::http;
use crate::import::{publish, sample};
use crate::migrations::{self, DataVersion, MIGRATIONS};
use crate::serve::args::ServeArgs;

/// The database of the service.
pub struct OpenDatabase {
    /// The database.
    pub database: Database,
    /// The embedded engine; `None` with another DynamoDB.
    pub engine: Option<Engine>,
    /// The address at which tools reach the DynamoDB; `None` if there is none.
    pub address: Option<String>,
}

/// Opens the database, upgrades its data, and lets other commands and tools use it.
pub async fn open_database(args: &ServeArgs) -> anyhow::Result<OpenDatabase> {
    let listener = match args.dynamodb_port {
        Some(port) if args.endpoint_url.is_none() => {
            Some(http::bind(Ipv4Addr::LOCALHOST.into(), port, "--dynamodb-port").await?)
        }
        _ => None,
    };
    let mut engine = if let Some(endpoint) = &args.endpoint_url {
        check_endpoint(endpoint)?;
        None
    } else {
        let folder = (!args.in_memory).then_some(args.data_dir.as_path());
        Some(Engine::start(folder)?)
    };
    let target = DatabaseOptions {
        data_dir: engine.as_ref().map(|_| args.data_dir.clone()),
        endpoint_url: args.endpoint_url.clone(),
        table_prefix: args.table_prefix.clone(),
    };
    let database = target.open(engine.as_ref()).await?;
    let prepared = prepare(&database, engine.as_ref(), args.empty).await;
    prepared.map_err(|error| match &engine {
        Some(engine) => engine.explain(error),
        None => error,
    })?;
    let mut address = args.endpoint_url.clone();
    if let Some(engine) = &mut engine {
        engine.open_readers().await?;
        engine.delete_expired_rows();
        engine.serve_socket();
        if let Some(listener) = listener {
            address = Some(format!("http://{}", listener.local_addr()?));
            engine.serve_port(listener, access_key(args, &database)?);
        }
    }
    Ok(OpenDatabase {
        database,
        engine,
        address,
    })
}

/// Returns the access key for the port of the embedded DynamoDB.
fn access_key(args: &ServeArgs, database: &Database) -> anyhow::Result<AccessKey> {
    let in_folder = || (!args.in_memory).then(|| args.data_dir.join("dynamodb.env"));
    let file = args.dynamodb_key_file.clone().or_else(in_folder);
    if let Some(file) = file {
        return AccessKey::read_or_create(&file, &database.random);
    }
    tracing::warn!(
        "no tool can use --dynamodb-port: with --in-memory it needs --dynamodb-key-file"
    );
    Ok(AccessKey::new(&database.random))
}

/// Creates missing tables, and upgrades the tables and rows of an earlier version. A new catalogue is filled with the
/// sample, unless `empty` is set. A catalogue is published if it is new or upgraded, or if its snapshot has the format
/// of another version.
///
/// If tables are missing or change, the data folder of `engine` is either unchanged or complete: after an interruption
/// or failure, the next start begins with the earlier data. If the tables are current, no copy of the data is made,
/// because the remaining steps can be repeated: the migrations, and the publication of an outdated index.
async fn prepare(database: &Database, engine: Option<&Engine>, empty: bool) -> anyhow::Result<()> {
    restore_marker::check_absent(database).await?;
    let (mut is_outdated, mut is_new_catalogue) = (false, false);
    let mut version = migrations::read_version(database).await?;
    let has_current_tables = version.has_current_tables();
    if !has_current_tables {
        let (client, names) = (&database.client, &database.tables);
        let found = tables::find(client, names).await?;
        is_outdated = found == FoundTables::Outdated;
        if is_outdated {
            println!("Upgrading the data of an earlier version.");
        }
        if found != FoundTables::Current {
            engine.map_or(Ok(()), Engine::begin_upgrade)?;
        }
        let created = tables::create_missing(client, names).await?;
        is_new_catalogue = created.iter().any(|name| name == Anime::TABLE.name);
        if found == FoundTables::None {
            version.migrations = MIGRATIONS.len();
            DataVersion::record_migrations(database, version.migrations).await?;
        }
    }
    for report in migrations::make_at_start(database, version.migrations).await? {
        println!("{report}");
    }
    if is_new_catalogue && !empty {
        sample::load(database)
            .await
            .context("cannot load the sample catalogue")?;
    }
    let is_published = !catalogue::is_snapshot_outdated::<Anime>(database).await?
        && !catalogue::is_snapshot_outdated::<Song>(database).await?;
    if is_new_catalogue || is_outdated || !is_published {
        publish(database).await?;
    }
    if !has_current_tables {
        DataVersion::record_tables(database).await?;
    }
    engine.map_or(Ok(()), Engine::finish_upgrade)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::prepare;
    use crate::data::target::DatabaseOptions;
    use crate::embedded::engine::Engine;
    use crate::serve::call_meter::{CallMeter, RecordCall};

    /// The operations of calls.
    #[derive(Clone, Debug, Default)]
    struct Operations(Arc<Mutex<Vec<String>>>);

    impl RecordCall for Operations {
        fn record(&self, operation: &str, _: bool, _: f64) {
            self.0.lock().unwrap().push(operation.to_owned());
        }
    }

    #[tokio::test]
    async fn start_with_current_data_reads_a_few_rows() {
        let engine = Engine::start(None).unwrap();
        let opened = DatabaseOptions::default().open(Some(&engine)).await;
        let mut database = opened.unwrap();
        prepare(&database, Some(&engine), true).await.unwrap();
        let operations = Operations::default();
        let config = database.client.config().to_builder();
        let config = config.interceptor(CallMeter(operations.clone()));
        database.client = aws_sdk_dynamodb::Client::from_conf(config.build());
        prepare(&database, Some(&engine), true).await.unwrap();
        // The reads are for the marker of a restore, the version of the data, and the heads of the snapshots of anime
        // and songs.
        assert_eq!(*operations.0.lock().unwrap(), ["GetItem"; 4]);
    }
}
