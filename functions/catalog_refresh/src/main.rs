//! The refresh of the catalogue on Lambda. What the schedule sends is not read.

// What a run waits for is nested more deeply than the compiler looks by itself.
#![recursion_limit = "256"]

use lambda_http::{Error, LambdaEvent, lambda_runtime, service_fn};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    runtime::observability::init();
    lambda_runtime::run(service_fn(|event: LambdaEvent<Value>| {
        catalog_refresh::scheduled(event.context.deadline)
    }))
    .await
}
