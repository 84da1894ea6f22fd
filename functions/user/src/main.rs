//! Lambda entry point of the user endpoints.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    runtime::run_api(user::UserState::new, user::router, user::warm).await
}
