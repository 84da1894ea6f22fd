//! Lambda entry point of the synchronization with trackers. It ignores the content of the schedule's event.

use std::sync::Arc;

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
    let environment = Environment::read()?;
    // The state outlives a run, so that the next one respects a pause that a tracker has asked for.
    let state = Arc::new(SyncState::new(&environment)?);
    lambda_runtime::run(service_fn(move |event: LambdaEvent<Value>| {
        let (state, clock) = (Arc::clone(&state), environment.clock.clone());
        async move {
            let until = event.context.deadline.saturating_sub(MARGIN_MS);
            let report = tracker_sync::run(&state, until).await;
            let report = report.map_err(|error| format!("{error:?}"))?;
            report.log(clock.now_ms());
            Ok::<_, Error>(report.to_json())
        }
    }))
    .await
}
