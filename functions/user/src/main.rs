//! The user function on Lambda.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::lambda::run_accounts(user::State::new, user::router, user::warm).await
}
