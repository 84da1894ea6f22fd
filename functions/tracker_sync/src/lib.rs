//! The scheduled synchronisation of watch histories with the trackers that users link (trackers.md,
//! "Synchronisation").
//!
//! A run takes the users who are due, each under a lease, and for each: reads their stories and the
//! whole lists of their trackers ([`connection`]), merges all three ([`plan`]), writes what the stories
//! become, tells the trackers what they lack, and remembers their answers. Each write leaves a state that
//! the next run goes on from.

mod connection;
mod plan;
mod report;
mod schedule;
mod user;

use std::sync::Arc;

use catalogue::Catalogue;
use futures_util::{StreamExt, stream};
use runtime::Environment;
use shared::Error;
use shared::auth::Sealer;
use shared::clock::Clock;
use shared::models::{Anime, TrackerName};
use shared::random::Random;
use store::{Due, LinkStore, SyncStore};
use trackers::Trackers;

pub use plan::Tracked;
pub use report::{Report, TrackerReport};
pub use schedule::{ACTIVE_MS, AGAIN_MS, IDLE_MS};
pub use user::MAX_EXPORTS;

/// The most users that a run takes: more than the trackers' limits let through in its time.
pub const MAX_USERS: i32 = 200;

/// How many users are under way at once. While one waits for its turn at a tracker, others are read.
const WORKERS: usize = 4;

/// How long a lease lasts beyond the run, in milliseconds: longer than anything that still runs then.
const LEASE_MARGIN_MS: u64 = 60_000;

/// What a run works with.
#[derive(Debug)]
pub struct SyncState {
    store: SyncStore,
    links: LinkStore,
    anime: Arc<Catalogue<Anime>>,
    trackers: Arc<Trackers>,
    sealer: Sealer,
    clock: Clock,
    random: Random,
}

impl SyncState {
    /// Builds the state.
    ///
    /// # Errors
    /// A setting is missing or cannot be used.
    pub fn new(environment: &Environment) -> Result<Self, lambda_http::Error> {
        let (client, tables) = (&environment.client, &environment.tables);
        let random = &environment.random;
        Ok(Self {
            store: SyncStore::new(client.clone(), tables, random.clone()),
            links: LinkStore::new(client.clone(), tables, random.clone()),
            anime: environment.catalogue(),
            trackers: environment.trackers()?,
            sealer: environment.sealer()?,
            clock: environment.clock.clone(),
            random: random.clone(),
        })
    }
}

/// Synchronises those who are due, until there are no more, or it is `until` (milliseconds since the Unix
/// epoch): the rest is left to the next run. What fails for one user is in the report and does not hold
/// up another.
///
/// # Errors
/// When the users who are due cannot be read, or the catalogue.
pub async fn run(state: &SyncState, until: u64) -> Result<Report, Error> {
    let mut report = Report::default();
    let is_on = |name: &TrackerName| state.trackers.is_on(*name);
    if !TrackerName::ALL.iter().any(is_on) {
        return Ok(report);
    }
    let due = state.store.due(state.clock.now_ms(), MAX_USERS).await?;
    report.due = due.len() as u64;
    if due.is_empty() {
        return Ok(report);
    }
    let tracked = Tracked::of(&*state.anime.index().await?);
    let run = state.random.short_id();
    let one = |due: Due| one(state, &tracked, &run, due, until);
    let mut done = stream::iter(due).map(one).buffer_unordered(WORKERS);
    while let Some(user) = done.next().await {
        if let Some(user) = user {
            report.add(&user);
        }
    }
    Ok(report)
}

/// Synchronises one user under a lease. `None` when it is too late, or another run has them.
async fn one(
    state: &SyncState,
    tracked: &Tracked,
    run: &str,
    due: Due,
    until: u64,
) -> Option<Report> {
    let now = state.clock.now_ms();
    if now >= until {
        return None;
    }
    let lease = state
        .store
        .lease(due.id, run, now, until + LEASE_MARGIN_MS)
        .await;
    let lease = match lease {
        Ok(lease) => lease?,
        Err(error) => return Some(failed(due, &error)),
    };
    let synchronised = user::synchronise(state, tracked, &lease, until).await;
    let (report, due_at) = match synchronised {
        Ok(outcome) => outcome,
        Err(error) => (failed(due, &error), schedule::again(state)),
    };
    // Without it the user is due when the lease is over.
    if let Err(error) = state.store.release(&lease, due_at).await {
        tracing::warn!(user = due.id.get(), %error, "a lease is not given back");
    }
    Some(report)
}

fn failed(due: Due, error: &Error) -> Report {
    tracing::warn!(user = due.id.get(), ?error, "not synchronised");
    Report {
        failed_users: 1,
        ..Report::default()
    }
}
