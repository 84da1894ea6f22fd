//! Lambda entry point of the account sweep. It ignores the content of the schedule's event.

use lambda_http::{Error, LambdaEvent, lambda_runtime, service_fn};
use runtime::Environment;
use serde_json::{Value, json};

/// Time between the end of the sweep and Lambda's time limit, in milliseconds. It is longer than the
/// deletions of one turn take.
const MARGIN_MS: u64 = 15_000;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    runtime::observability::init();
    lambda_runtime::run(service_fn(handle)).await
}

async fn handle(event: LambdaEvent<Value>) -> Result<Value, Error> {
    let environment = Environment::read()?;
    let until = event.context.deadline.saturating_sub(MARGIN_MS);
    let report = account_sweep::sweep(&environment.database, until).await?;
    let (finished, unfinished) = (report.finished, report.unfinished);
    tracing::info!(finished, unfinished, "swept");
    Ok(json!({"finished": finished, "unfinished": unfinished}))
}
