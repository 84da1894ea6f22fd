//! `GET /health`: the health check of `kiroku serve`, for container engines, load balancers and monitoring.

use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use shared::Error;
use shared::http::response::CACHE_NONE;
use shared::http::{ApiError, Envelope};
use shared::models::{Anime, Song};
use store::{CatalogueDocument, Database};

/// The path of the health check.
pub const PATH: &str = "/health";

/// Time limit for the reads. Health checks of container engines usually wait for 5 seconds or longer.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Adds the health check to a router. It has none of the layers of the other endpoints, so its requests are not logged:
/// a check every few seconds would bury the other lines.
pub fn add_route(router: Router, database: Database) -> Router {
    let methods = get(health).fallback(async || ApiError::MethodNotAllowed(None));
    router.route(PATH, methods.with_state(database))
}

async fn health(State(database): State<Database>) -> Response {
    // On the heap, because the future of three reads is large.
    let problem = Box::pin(find_problem(&database));
    let checked = tokio::time::timeout(TIMEOUT, problem).await;
    let problem = match checked {
        Ok(Ok(None)) => None,
        Ok(Ok(Some(problem))) => Some(problem),
        Ok(Err(error)) => {
            tracing::warn!(%error, "health check failed");
            Some("The tables cannot be read. The log has the reason.")
        }
        Err(_) => Some("The tables cannot be read in time."),
    };
    let envelope = match problem {
        None => Envelope::ok("Healthy", "The tables and the published index can be read."),
        Some(problem) => {
            Envelope::with_status(StatusCode::SERVICE_UNAVAILABLE, "Unhealthy", problem)
        }
    };
    ([(header::CACHE_CONTROL, CACHE_NONE)], envelope).into_response()
}

/// Reads a row of the users and the heads of both published indexes: three read units.
async fn find_problem(database: &Database) -> Result<Option<&'static str>, Error> {
    let users = database.users();
    let (anime, songs) = (
        database.snapshots(Anime::KIND),
        database.snapshots(Song::KIND),
    );
    let ((), anime, songs) = tokio::try_join!(users.warm(), anime.head(), songs.head())?;
    let is_published = anime.is_some() && songs.is_some();
    Ok((!is_published).then_some("No index is published. Run kiroku publish."))
}
