//! Lambda entry point of the synchronization with trackers. It ignores the content of the schedule's event.

use lambda_http::{Error, LambdaEvent, lambda_runtime, service_fn};
use runtime::Environment;
use serde_json::Value;
use shared::clock::Clock;
use tokio::sync::OnceCell;
use tracker_sync::SyncServices;

/// Time between the end of the run and Lambda's time limit, in milliseconds, in which calls in progress can finish.
const MARGIN_MS: u64 = 30_000;

/// The clock and the services. They outlive a run, so that the next run respects a pause that a tracker has asked for.
/// They are built at the first event, because building them earlier would lengthen the cold start.
static SERVICES: OnceCell<(Clock, SyncServices)> = OnceCell::const_new();

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    runtime::observability::init();
    lambda_runtime::run(service_fn(handle)).await
}

async fn handle(event: LambdaEvent<Value>) -> Result<Value, Error> {
    let (clock, services) = SERVICES.get_or_try_init(build).await?;
    let until = event.context.deadline.saturating_sub(MARGIN_MS);
    let report = tracker_sync::run(services, until).await;
    let report = report.map_err(|error| format!("{error:?}"))?;
    report.log(clock.now_ms());
    Ok(report.to_json())
}

async fn build() -> Result<(Clock, SyncServices), Error> {
    let environment = Environment::read()?;
    let services = SyncServices::new(&environment)?;
    Ok((environment.database.clock, services))
}
