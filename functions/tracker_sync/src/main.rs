//! Lambda entry point of the synchronization with trackers. It ignores the content of the schedule's event.

use lambda_http::{Error, LambdaEvent, lambda_runtime, service_fn};
use runtime::Environment;
use serde_json::Value;
use tracker_sync::SyncState;

/// Time between the end of the run and Lambda's time limit, in milliseconds, in which calls in progress can
/// finish.
const MARGIN_MS: u64 = 30_000;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    runtime::observability::init();
    lambda_runtime::run(service_fn(handle)).await
}

async fn handle(event: LambdaEvent<Value>) -> Result<Value, Error> {
    let environment = Environment::read()?;
    let state = SyncState::new(&environment)?;
    let until = event.context.deadline.saturating_sub(MARGIN_MS);
    let report = tracker_sync::run(&state, until).await;
    let report = report.map_err(|error| format!("{error:?}"))?;
    report.log(environment.clock.now_ms());
    Ok(report.to_json())
}
