//! Logs: one JSON object a line, for CloudWatch Logs Insights as for a person with `jq`.

use std::panic::PanicHookInfo;
use std::str::FromStr;

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
    let ours = [
        "account_sweep",
        "anime",
        "auth",
        "cli",
        "kiroku",
        "shared",
        "site",
        "song",
        "user",
        "user_story",
    ];
    let targets = ours
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
