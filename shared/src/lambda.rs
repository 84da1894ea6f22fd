//! What every function's `main` does: logs, configuration, state, run.

use std::sync::Arc;

use crate::catalogue::{Catalogue, Resource};
use crate::clock::Clock;
use crate::random::Random;
use crate::routing::ApiRouter;
use crate::store::{TableNames, client};
use crate::{http, observability};

/// Names the tables: the stack's name and a dash on AWS, nothing on a developer's machine.
pub const TABLE_PREFIX: &str = "TABLE_PREFIX";

/// Runs a catalogue function: `router` over the catalogue that the environment names.
///
/// # Errors
/// When the environment is short of something, or Lambda's runtime API goes away.
pub async fn run_catalogue<R: Resource>(
    router: fn(Arc<Catalogue<R>>) -> ApiRouter,
) -> Result<(), lambda_http::Error> {
    observability::init();
    let tables = TableNames::with_prefix(std::env::var(TABLE_PREFIX).unwrap_or_default());
    let (clock, random) = (Clock::system(), Random::from_os()?);
    let catalogue = Catalogue::new(client()?, &tables, clock.clone(), random.clone());
    let catalogue = Arc::new(catalogue);
    warm(Arc::clone(&catalogue));
    lambda_http::run(http::service(router(catalogue), clock, random)).await
}

/// Opens the connection and loads the index while the runtime asks for its first event, so that
/// the first request finds both. What fails here fails again, and is answered, at that request.
fn warm<R: Resource>(catalogue: Arc<Catalogue<R>>) {
    tokio::spawn(async move {
        if let Err(error) = catalogue.index().await {
            tracing::warn!(%error, "the index is not loaded yet");
        }
    });
}
