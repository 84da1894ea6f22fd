//! Lambda entry point of the playback endpoints.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    runtime::run_api(
        playback::PlaybackState::new,
        playback::router,
        playback::warm,
    )
    .await
}
