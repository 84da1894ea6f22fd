//! Logs and metrics: one JSON object per line, for CloudWatch Logs Insights and `jq`.

use std::io::Write;
use std::panic::PanicHookInfo;
use std::str::FromStr;

use serde_json::{Map, Value, json};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Begins to write log events and panics to standard error. Further calls have no effect.
pub fn init() {
    if subscriber(std::io::stderr).try_init().is_ok() {
        std::panic::set_hook(Box::new(log_panic));
    }
}

/// The crates of this workspace, for which the configured log level applies. A test compares the list with
/// `Cargo.toml`.
pub const OUR_CRATES: &[&str] = &[
    "account_pages",
    "account_sweep",
    "accounts",
    "anime",
    "auth",
    "catalog_refresh",
    "catalogue",
    "catalogue_pages",
    "cli",
    "correction_pages",
    "dynamo",
    "http_client",
    "interchange",
    "kiroku",
    "list_pages",
    "oauth",
    "openid",
    "page_parts",
    "pages",
    "playback",
    "player_messages",
    "runtime",
    "shared",
    "song",
    "stories",
    "tracker_sync",
    "trackers",
    "user",
    "user_story",
];

/// Builds a subscriber that writes log events as JSON lines, filtered by [`targets`].
pub fn subscriber<W>(writer: W) -> impl tracing::Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let lines = tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        .with_span_list(false)
        .with_writer(writer);
    tracing_subscriber::registry().with(targets()).with(lines)
}

/// The start of the names of libraries whose events are not logged: the library for passkeys logs the whole input if it
/// cannot read it. This workspace logs the cause of each refused passkey itself.
const SILENT_LIBRARIES: &str = "webauthn_rs";

/// Returns the filter of log events. The level is the value of `AWS_LAMBDA_LOG_LEVEL` (set by Lambda's logging
/// configuration), or else of `RUST_LOG`. It is `info` if neither is set, or if the value is invalid. The level applies
/// to the crates of this workspace. From libraries, only warnings and errors are logged.
pub fn targets() -> Targets {
    let level = ["AWS_LAMBDA_LOG_LEVEL", "RUST_LOG"]
        .iter()
        .find_map(|name| std::env::var(name).ok())
        .and_then(|level| LevelFilter::from_str(&level).ok())
        .unwrap_or(LevelFilter::INFO);
    OUR_CRATES
        .iter()
        .fold(Targets::new(), |targets, name| {
            targets.with_target(*name, level)
        })
        .with_target(SILENT_LIBRARIES, LevelFilter::OFF)
        .with_default(level.min(LevelFilter::WARN))
}

const NAMESPACE: &str = "Kiroku";

/// Builds a log line that CloudWatch turns into metrics (CloudWatch User Guide, "Embedded metric format
/// specification"). The metrics have these values at `now` (milliseconds since the Unix epoch), and these
/// dimensions. `unit` is CloudWatch's name of the unit of all values, such as `Count` or `Seconds`.
pub fn embedded_metrics(
    now: u64,
    dimensions: &[(&str, &str)],
    unit: &str,
    values: &[(&str, u64)],
) -> Value {
    let names: Vec<&str> = dimensions.iter().map(|(name, _)| *name).collect();
    let metric = |(name, _): &(&str, u64)| json!({"Name": name, "Unit": unit});
    let metrics: Vec<Value> = values.iter().map(metric).collect();
    // Without a level, Lambda's filter by level could drop the line.
    let mut line = Map::from_iter([
        ("level".to_owned(), json!("INFO")),
        ("message".to_owned(), json!("metrics")),
        (
            "_aws".to_owned(),
            json!({
                "Timestamp": now,
                "CloudWatchMetrics": [
                    {"Namespace": NAMESPACE, "Dimensions": [names], "Metrics": metrics}
                ],
            }),
        ),
    ]);
    for (name, value) in dimensions {
        line.insert((*name).to_owned(), json!(value));
    }
    for (name, value) in values {
        line.insert((*name).to_owned(), json!(value));
    }
    line.into()
}

/// Writes a line of metrics to standard error, from which Lambda collects the log.
pub fn log_metrics(line: &Value) {
    let mut stderr = std::io::stderr().lock();
    // A failed write to the log cannot be reported anywhere.
    let _ = writeln!(stderr, "{line}");
}

/// Logs a panic: its location, and its message if that is a string literal. A message that was formatted at
/// run time may contain private data, so it is not logged.
pub fn log_panic(panic: &PanicHookInfo<'_>) {
    let location = panic
        .location()
        .map(ToString::to_string)
        .unwrap_or_default();
    let literal = panic.payload().downcast_ref::<&'static str>();
    tracing::error!(location, literal, "panic");
}
