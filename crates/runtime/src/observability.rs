//! Logs: one JSON object a line, for CloudWatch Logs Insights as for a person with `jq`.

use std::io::Write;
use std::panic::PanicHookInfo;
use std::str::FromStr;

use serde_json::{Map, Value, json};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Sends events to standard error, and panics among them. Calling it twice changes nothing.
pub fn init() {
    if subscriber(std::io::stderr).try_init().is_ok() {
        std::panic::set_hook(Box::new(log_panic));
    }
}

/// The crates of this workspace, which log from `info` on. A test holds it equal to Cargo.toml.
pub const OUR_CRATES: &[&str] = &[
    "account_sweep",
    "accounts",
    "anime",
    "auth",
    "catalog_refresh",
    "catalogue",
    "cli",
    "kiroku",
    "oauth",
    "runtime",
    "shared",
    "site",
    "song",
    "store",
    "tracker_sync",
    "trackers",
    "user",
    "user_story",
];

/// Writes events as JSON lines, at the level that `AWS_LAMBDA_LOG_LEVEL` (which Lambda's logging
/// configuration sets) or `RUST_LOG` names, else `info`. Libraries speak from `warn` on.
pub fn subscriber<W>(writer: W) -> impl tracing::Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let level = ["AWS_LAMBDA_LOG_LEVEL", "RUST_LOG"]
        .iter()
        .find_map(|name| std::env::var(name).ok())
        .and_then(|level| LevelFilter::from_str(&level).ok())
        .unwrap_or(LevelFilter::INFO);
    let targets = OUR_CRATES
        .iter()
        .fold(Targets::new(), |targets, name| {
            targets.with_target(*name, level)
        })
        .with_default(level.min(LevelFilter::WARN));
    let lines = tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        .with_span_list(false)
        .with_writer(writer);
    tracing_subscriber::registry().with(targets).with(lines)
}

/// The namespace of the metrics in CloudWatch.
const NAMESPACE: &str = "Kiroku";

/// Numbers as a line for the log that CloudWatch makes metrics of (CloudWatch User Guide, "Embedded metric
/// format specification"): counts, at `now` (milliseconds since the Unix epoch), under these dimensions.
#[must_use]
pub fn embedded_metrics(now: u64, dimensions: &[(&str, &str)], counts: &[(&str, u64)]) -> Value {
    let names: Vec<&str> = dimensions.iter().map(|(name, _)| *name).collect();
    let metric = |(name, _): &(&str, u64)| json!({"Name": name, "Unit": "Count"});
    let metrics: Vec<Value> = counts.iter().map(metric).collect();
    // With a level, Lambda's filter by level lets it through as what it is.
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
    for (name, count) in counts {
        line.insert((*name).to_owned(), json!(count));
    }
    line.into()
}

/// Writes such a line where Lambda takes it up: standard error, as all of the log.
pub fn log_metrics(line: &Value) {
    let mut stderr = std::io::stderr().lock();
    // Nobody can be told that the log cannot be written.
    let _ = writeln!(stderr, "{line}");
}

/// A panic as a log line: where it was, and what it said if that is a literal of ours. A message
/// that was put together at run time may hold anything, so it stays out.
pub fn log_panic(panic: &PanicHookInfo<'_>) {
    let location = panic
        .location()
        .map(ToString::to_string)
        .unwrap_or_default();
    let literal = panic.payload().downcast_ref::<&'static str>();
    tracing::error!(location, literal, "panic");
}
