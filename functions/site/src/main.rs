//! The site function on Lambda.

use shared::clock::Clock;
use shared::random::Random;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::observability::init();
    lambda_http::run(site::unrouted(Clock::system(), Random::from_os()?)?).await
}
