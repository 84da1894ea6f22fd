//! The auth function on Lambda.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::lambda::run_accounts(auth::State::new, auth::router, auth::warm).await
}
