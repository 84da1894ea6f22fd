//! What every function's `main` does: logs, configuration, state, run.

use std::sync::Arc;

use axum::Router;
use futures_util::FutureExt;
use lambda_http::{Error, service_fn};
use tower::ServiceExt;

use crate::catalogue::{Catalogue, Resource};
use crate::clock::Clock;
use crate::random::Random;
use crate::routing::ApiRouter;
use crate::store::{TableNames, client};
use crate::{http, observability};

/// Names the tables: the stack's name and a dash on AWS, nothing on a developer's machine.
pub const TABLE_PREFIX: &str = "TABLE_PREFIX";

/// How often the making of the service lets other tasks go first. The runtime's request for its
/// first event takes about five turns to go out: connect, handshake, send.
const TURNS: u32 = 16;

/// Runs the service that `make` makes. Making it begins at once, but behind the runtime's request
/// for its first event: Lambda finds an event meanwhile.
///
/// # Errors
/// When Lambda's runtime API goes away. What `make` fails with is every request's error.
pub async fn run(
    make: impl FnOnce() -> Result<Router, Error> + Send + 'static,
) -> Result<(), Error> {
    observability::init();
    let made = async move {
        for _ in 0..TURNS {
            tokio::task::yield_now().await;
        }
        make().map_err(|error| error.to_string())
    };
    let made = made.boxed().shared();
    tokio::spawn(made.clone());
    lambda_http::run(service_fn(move |request: lambda_http::Request| {
        let made = made.clone();
        async move {
            let Ok(answer) = made.await?.oneshot(request).await;
            Ok::<_, Error>(answer)
        }
    }))
    .await
}

/// Runs a catalogue function: `router` over the catalogue that the environment names.
///
/// # Errors
/// As [`run`] does, and every request when the environment is short of something.
pub async fn run_catalogue<R: Resource>(
    router: fn(Arc<Catalogue<R>>) -> ApiRouter,
) -> Result<(), Error> {
    run(move || {
        let tables = TableNames::with_prefix(std::env::var(TABLE_PREFIX).unwrap_or_default());
        let (clock, random) = (Clock::system(), Random::from_os()?);
        let catalogue = Catalogue::new(client()?, &tables, clock.clone(), random.clone());
        let catalogue = Arc::new(catalogue);
        tokio::spawn(warm(Arc::clone(&catalogue)));
        Ok(http::service(router(catalogue), clock, random))
    })
    .await
}

/// Opens the connection and loads the index before the first request needs them. What fails here
/// fails again, and is answered, at that request.
async fn warm<R: Resource>(catalogue: Arc<Catalogue<R>>) {
    if let Err(error) = catalogue.index().await {
        tracing::warn!(%error, "the index is not loaded yet");
    }
}
