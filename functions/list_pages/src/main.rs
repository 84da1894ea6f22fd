//! Lambda entry point of the pages of a user's list.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    runtime::run_api(
        list_pages::ListPagesState::new,
        list_pages::router,
        list_pages::warm,
    )
    .await
}
