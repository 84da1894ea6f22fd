//! Lambda entry point of the web pages.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    runtime::run_api(site::SiteState::new, site::router, site::warm).await
}
