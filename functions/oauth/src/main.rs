//! The oauth function on Lambda.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::lambda::run_accounts(oauth::State::new, oauth::router, oauth::warm).await
}
