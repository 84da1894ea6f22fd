//! What every function's `main` does: logs, configuration, state, run.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use futures_util::FutureExt;
use lambda_http::{Error, service_fn};
use tokio::sync::Notify;
use tokio::time::timeout;
use tower::ServiceExt;

use crate::catalogue::{Catalogue, Resource};
use crate::clock::Clock;
use crate::random::Random;
use crate::routing::ApiRouter;
use crate::store::{TableNames, client};
use crate::{http, observability};

/// Names the tables: the stack's name and a dash on AWS, nothing on a developer's machine.
pub const TABLE_PREFIX: &str = "TABLE_PREFIX";

/// How long the making of the service lets the runtime's request for its first event go before it.
const HEAD_START: Duration = Duration::from_millis(1);

/// Runs the service that `make` makes. Making it begins once the runtime has asked for its first
/// event, which Lambda finds meanwhile.
///
/// # Errors
/// When Lambda's runtime API goes away. What `make` fails with is every request's error.
pub async fn run(
    make: impl FnOnce() -> Result<Router, Error> + Send + 'static,
) -> Result<(), Error> {
    observability::init();
    let asked = Arc::new(Notify::new());
    let is_asked = Arc::clone(&asked);
    let made = async move {
        // Either way it is time.
        let _ = timeout(HEAD_START, is_asked.notified()).await;
        make().map_err(|error| error.to_string())
    };
    let made = made.boxed().shared();
    tokio::spawn(made.clone());
    lambda_http::run(service_fn(move |request: lambda_http::Request| {
        let made = made.clone();
        asked.notify_one();
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
