//! Lambda entry point of the pages that correct the catalogue.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    runtime::run_api(
        correction_pages::CorrectionPagesState::new,
        correction_pages::router,
        correction_pages::warm,
    )
    .await
}
