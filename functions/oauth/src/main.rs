//! Lambda entry point of the OAuth endpoints.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    runtime::run_api(oauth::OAuthState::new, oauth::router, oauth::warm).await
}
