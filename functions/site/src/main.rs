//! The site function on Lambda.

use shared::clock::Clock;
use shared::random::Random;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::lambda::run(|| Ok(site::unrouted(Clock::system(), Random::from_os()?))).await
}
