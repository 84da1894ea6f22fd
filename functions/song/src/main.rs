//! Lambda entry point of the song endpoints.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    runtime::run_api(runtime::Environment::catalogue, song::router, song::warm).await
}
