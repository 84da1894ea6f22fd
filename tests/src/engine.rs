//! The DynamoDB engine of a test run: embedded in this process, or the one at `KIROKU_TEST_DYNAMODB_URL`.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Config, Region};
use dynoxide::Database;
use runtime::aws::local_credentials;
use store::TableNames;

/// Environment variable with the address of another DynamoDB engine to test against, for example
/// <http://127.0.0.1:8000> for DynamoDB Local.
pub const ENDPOINT: &str = "KIROKU_TEST_DYNAMODB_URL";

/// Returns the address of the engine. The first call starts the embedded engine, which runs until the
/// process ends.
#[must_use]
pub fn endpoint() -> &'static str {
    static ENDPOINT_URL: OnceLock<String> = OnceLock::new();
    ENDPOINT_URL.get_or_init(|| std::env::var(ENDPOINT).unwrap_or_else(|_| embedded()))
}

/// Returns true if the tests use the embedded engine.
#[must_use]
pub fn is_embedded() -> bool {
    std::env::var_os(ENDPOINT).is_none()
}

fn embedded() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    listener.set_nonblocking(true).unwrap();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            let database = Database::memory().unwrap();
            let (_never, stopped) = tokio::sync::watch::channel(false);
            cli::http::serve(listener, cli::dynamodb::router(database), stopped).await;
        });
    });
    format!("http://{address}")
}

/// Returns a client of the engine at `endpoint`.
#[must_use]
pub fn client(endpoint: &str) -> Client {
    Client::from_conf(config(endpoint).build())
}

/// Returns a client with the time-outs that the functions use.
#[must_use]
pub fn short_timeout_client(endpoint: &str) -> Client {
    Client::from_conf(runtime::aws::give_up_soon(config(endpoint)).build())
}

/// Returns the configuration of [`client`]. It sets no short time-outs, so that tests pass on a busy
/// machine.
#[must_use]
pub fn config(endpoint: &str) -> aws_sdk_dynamodb::config::Builder {
    Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .credentials_provider(local_credentials())
        .endpoint_url(endpoint)
}

/// Returns table names that no other test uses.
#[must_use]
pub fn fresh_tables() -> TableNames {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    TableNames::with_prefix(format!("t{}-{number}-", std::process::id()))
}
