//! Lambda entry point of the catalogue refresh. It ignores the content of the schedule's event.

// The future of a run is nested more deeply than the compiler's default limit allows.
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
