//! The DynamoDB engine of a test run: embedded in this process, or the one at `KIROKU_TEST_DYNAMODB_URL`.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Config, Region};
use aws_sdk_dynamodb::types::TimeToLiveSpecification;
use cli::data::schema::TABLES;
use dynamo::TableNames;
use dynoxide::Database;
use futures_util::future::join_all;
use runtime::aws::local_credentials;
use tempfile::TempDir;
use tokio::runtime::{Builder, Handle, Id};

use crate::leased_tables;

/// Environment variable with the address of another DynamoDB engine to test against, for example
/// <http://127.0.0.1:8000> for DynamoDB Local.
pub const ENDPOINT: &str = "KIROKU_TEST_DYNAMODB_URL";

/// The prefix of the tables that an embedded engine has from its start.
const READY_PREFIX: &str = "ready-";

/// An embedded engine. It ends with its runtime.
struct Embedded {
    endpoint: &'static str,
    /// True until a service uses the tables with the prefix [`READY_PREFIX`].
    is_unused: bool,
}

/// The embedded engines, one for each runtime. Each test has its own runtime, so the engine works on the
/// test's thread, holds only the test's tables, and ends with the test.
static EMBEDDED: LazyLock<Mutex<HashMap<Id, Embedded>>> = LazyLock::new(Mutex::default);

/// Returns the address of the engine. The first call in a runtime starts an embedded engine.
pub fn endpoint() -> &'static str {
    static EXTERNAL: LazyLock<Option<String>> = LazyLock::new(|| std::env::var(ENDPOINT).ok());
    if let Some(external) = EXTERNAL.as_deref() {
        return external;
    }
    embedded(|engine| engine.endpoint)
}

/// Returns true if the tests use the embedded engine.
pub fn is_embedded() -> bool {
    std::env::var_os(ENDPOINT).is_none()
}

/// Pauses Tokio's clock, so that timeouts and the waits between attempts take no time, if the engine is embedded. The
/// paused clock jumps to the next timeout as soon as all tasks of this process wait. So every response of an engine in
/// another process, such as DynamoDB Local, would be late.
pub fn pause_clock() {
    if is_embedded() {
        tokio::time::pause();
    }
}

/// Returns empty tables that no other service uses.
pub async fn tables(client: &Client) -> TableNames {
    if !is_embedded() {
        return leased_tables::take(client).await;
    }
    if embedded(|engine| std::mem::take(&mut engine.is_unused)) {
        return TableNames::with_prefix(READY_PREFIX.to_owned());
    }
    created_tables(client).await
}

/// Creates tables that no other service uses, as they are in the template.
///
/// # Panics
/// If the engine refuses it.
pub async fn created_tables(client: &Client) -> TableNames {
    let tables = fresh_tables();
    cli::data::tables::create_missing(client, &tables)
        .await
        .unwrap();
    tables
}

/// Disables the time to live of each table that has one.
///
/// # Panics
/// If the engine refuses it.
pub async fn disable_time_to_live(client: &Client, tables: &TableNames) {
    let names = TABLES.iter().map(|table| tables.of(table.name));
    join_all(names.map(|name| async move {
        let described = client.describe_time_to_live().table_name(&name).send();
        let described = described.await.unwrap().time_to_live_description;
        let Some(attribute) = described.and_then(|described| described.attribute_name) else {
            return;
        };
        let disabled = TimeToLiveSpecification::builder()
            .attribute_name(attribute)
            .enabled(false);
        let request = client.update_time_to_live().table_name(name);
        let request = request.time_to_live_specification(disabled.build().unwrap());
        request.send().await.unwrap();
    }))
    .await;
}

fn embedded<T>(with: impl FnOnce(&mut Embedded) -> T) -> T {
    let mut engines = EMBEDDED.lock().unwrap_or_else(PoisonError::into_inner);
    let engine = engines.entry(Handle::current().id());
    with(engine.or_insert_with(|| Embedded {
        endpoint: serve(ready_database()).leak(),
        is_unused: true,
    }))
}

/// Serves a database on the runtime of the caller, and returns the address.
fn serve(database: Database) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    listener.set_nonblocking(true).unwrap();
    let listener = tokio::net::TcpListener::from_std(listener).unwrap();
    tokio::spawn(async {
        let (_never, stopped) = tokio::sync::watch::channel(false);
        cli::http::serve(listener, cli::embedded::dynamodb::router(database), stopped).await;
    });
    format!("http://{address}")
}

/// Returns an empty database with all tables. They are created once and copied.
fn ready_database() -> Database {
    static SNAPSHOT: OnceLock<Vec<u8>> = OnceLock::new();
    let snapshot = SNAPSHOT.get_or_init(|| std::thread::spawn(snapshot).join().unwrap());
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("snapshot");
    std::fs::write(&file, snapshot).unwrap();
    let database = Database::memory().unwrap();
    database.restore_from(file.to_str().unwrap()).unwrap();
    database
}

fn snapshot() -> Vec<u8> {
    let database = Database::memory().unwrap();
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = client(&serve(database.clone()));
        let tables = TableNames::with_prefix(READY_PREFIX.to_owned());
        cli::data::tables::create_missing(&client, &tables)
            .await
            .unwrap();
    });
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("snapshot");
    database.vacuum_into(file.to_str().unwrap()).unwrap();
    std::fs::read(file).unwrap()
}

/// Returns a client of the engine at `endpoint`.
pub fn client(endpoint: &str) -> Client {
    Client::from_conf(config(endpoint).build())
}

/// Returns a client with the timeouts that the functions use.
pub fn short_timeout_client(endpoint: &str) -> Client {
    Client::from_conf(runtime::aws::set_short_timeouts(config(endpoint)).build())
}

/// Returns the configuration of [`client`]. It sets no short timeouts, so that tests pass on a busy
/// machine.
pub fn config(endpoint: &str) -> aws_sdk_dynamodb::config::Builder {
    Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .credentials_provider(local_credentials())
        .endpoint_url(endpoint)
        // All clients that are made of this configuration share the connections of one.
        .http_client(aws_smithy_http_client::Builder::new().build_http())
}

/// Returns table names that no other test uses.
fn fresh_tables() -> TableNames {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    TableNames::with_prefix(format!("t{}-{number}-", std::process::id()))
}
