//! The site function on Lambda.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::lambda::run_accounts(site::State::new, site::router, site::warm).await
}
