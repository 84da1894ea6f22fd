//! Lambda entry point of the anime endpoints.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    runtime::run_api(anime::AnimeState::new, anime::router, anime::warm).await
}
