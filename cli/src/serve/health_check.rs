//! `GET /health`: the health check of `kiroku serve`, for container engines, load balancers and monitoring.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use accounts::throttling::{AttemptStore, Limit};
use accounts::users::UserStore;
use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use catalogue::rows::CatalogueDocument;
use catalogue::snapshots::SnapshotStore;
use dynamo::Database;
use shared::Result;
use shared::http::response::CACHE_NONE;
use shared::http::{ApiError, Envelope};
use shared::models::{Anime, Song};

/// The path of the health check.
pub const PATH: &str = "/health";

/// Time limit for the reads. Health checks of container engines usually wait for 5 seconds or longer.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Interval between two writes of the health check, in seconds. Anyone can send such requests.
const WRITE_INTERVAL_S: u64 = 10;

/// The counter that the health check writes. It only matters whether it can be written.
const COUNTER: &str = "health";

/// The limit of the counter, which is never reached.
const LIMIT: Limit = Limit::per_hour(u64::MAX);

/// Adds the health check to a router. It has none of the layers of the other endpoints, so its requests are not logged:
/// a check every few seconds would bury the other lines.
pub fn add_route(router: Router, database: Database) -> Router {
    let methods = get(health).fallback(async || ApiError::MethodNotAllowed(None));
    let check = HealthCheck {
        database,
        written_at: Arc::default(),
    };
    router.route(PATH, methods.with_state(check))
}

#[derive(Clone)]
struct HealthCheck {
    database: Database,
    /// The time of the last successful write, in seconds since the Unix epoch.
    written_at: Arc<AtomicU64>,
}

async fn health(State(check): State<HealthCheck>) -> Response {
    let checked = tokio::time::timeout(TIMEOUT, check.find_problem()).await;
    let problem = checked.unwrap_or(Some("The tables do not respond in time."));
    let envelope = match problem {
        None => Envelope::ok(
            "Healthy",
            "The tables can be read and written, and the index is published.",
        ),
        Some(problem) => {
            Envelope::with_status(StatusCode::SERVICE_UNAVAILABLE, "Unhealthy", problem)
        }
    };
    ([(header::CACHE_CONTROL, CACHE_NONE)], envelope).into_response()
}

impl HealthCheck {
    async fn find_problem(&self) -> Option<&'static str> {
        // The future is on the heap, because a future of three reads is large.
        match Box::pin(self.read()).await {
            Ok(true) => {}
            Ok(false) => return Some("No index is published. Run kiroku publish."),
            Err(error) => {
                tracing::warn!(%error, "health check failed");
                return Some("The tables cannot be read. The log has the reason.");
            }
        }
        let Err(error) = self.write().await else {
            return None;
        };
        tracing::warn!(%error, "health check failed: the tables cannot be written");
        Some("The tables cannot be written. The log has the reason.")
    }

    /// Reads a row of the users and the heads of both published indexes: three read units. Returns true if both are
    /// published.
    async fn read(&self) -> Result<bool> {
        let users = UserStore::new(&self.database);
        let (anime, songs) = (
            SnapshotStore::new(&self.database, Anime::KIND),
            SnapshotStore::new(&self.database, Song::KIND),
        );
        let ((), anime, songs) = tokio::try_join!(users.warm(), anime.head(), songs.head())?;
        Ok(anime.is_some() && songs.is_some())
    }

    /// Writes a row, for one write unit, unless a recent write has succeeded. The write is needed because reads succeed
    /// even on a full disk.
    async fn write(&self) -> Result<()> {
        let now = self.database.clock.now_s();
        let written_at = self.written_at.load(Ordering::Relaxed);
        if now.abs_diff(written_at) < WRITE_INTERVAL_S {
            return Ok(());
        }
        let throttle = AttemptStore::new(&self.database);
        throttle.count_attempt(COUNTER, LIMIT, now).await?;
        self.written_at.store(now, Ordering::Relaxed);
        Ok(())
    }
}
