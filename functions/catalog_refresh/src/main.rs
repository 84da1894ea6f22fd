//! Lambda entry point of the catalogue refresh. It ignores the content of the schedule's event.

// The future of a run is nested more deeply than the compiler's default limit allows.
#![recursion_limit = "256"]

use lambda_http::{Error, LambdaEvent, lambda_runtime, service_fn};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    runtime::observability::init();
    lambda_runtime::run(service_fn(async |event: LambdaEvent<Value>| {
        let context = event.context;
        catalog_refresh::run_scheduled(context.deadline, &context.env_config.function_name).await
    }))
    .await
}
