//! Lambda entry point of the song endpoints.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    runtime::run_catalogue(song::router).await
}
