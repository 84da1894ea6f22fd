//! The smallest function over `lambda_http`. What another function's cold start takes beyond this
//! one's is our own doing; `tests/tools/cold_start.py` measures both side by side.

use lambda_http::{Error, Request, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    lambda_http::run(service_fn(hello)).await
}

async fn hello(_: Request) -> Result<&'static str, Error> {
    Ok("Hello, world")
}
