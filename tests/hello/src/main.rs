//! The smallest function with `lambda_http`. `tests/tools/cold_start.py` compares its cold start with
//! those of the other functions, to show the part that Kiroku's own code adds.

use lambda_http::{Error, Request, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    lambda_http::run(service_fn(hello)).await
}

async fn hello(_: Request) -> Result<&'static str, Error> {
    Ok("Hello, world")
}
