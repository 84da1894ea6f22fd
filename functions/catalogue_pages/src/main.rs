//! Lambda entry point of the pages for visitors and of the catalogue.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    runtime::run_api(
        catalogue_pages::CataloguePagesState::new,
        catalogue_pages::router,
        catalogue_pages::warm,
    )
    .await
}
