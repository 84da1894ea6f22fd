//! Lambda entry point of the user story endpoints.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    runtime::run_api(
        user_story::UserStoryState::new,
        user_story::router,
        user_story::warm,
    )
    .await
}
