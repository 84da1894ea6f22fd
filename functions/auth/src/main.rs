//! Lambda entry point of the authentication endpoints.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    runtime::run_api(auth::AuthState::new, auth::router, auth::warm).await
}
