//! Lambda entry point of the pages of the account and for staff.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    runtime::run_api(
        account_pages::AccountPagesState::new,
        account_pages::router,
        account_pages::warm,
    )
    .await
}
