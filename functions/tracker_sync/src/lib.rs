//! The scheduled synchronization of watch histories with the trackers that users have linked
//! (docs/trackers.md, "Synchronization").
//!
//! A run synchronizes the users that are due, each under a lease. For each user it reads the stories and the
//! whole list of each tracker ([`connection`]), merges them ([`plan`]), writes the changed stories, sends
//! each tracker the entries that it lacks or that differ, and stores the tracker's responses. A run can end
//! after any write: the next one continues from the stored state.

mod connection;
mod plan;
mod report;
mod schedule;
mod services;
mod user;

use accounts::linked_accounts::DueUser;
use futures_util::{StreamExt, stream};
use shared::models::TrackerName;
use shared::{Error, Result};

pub use plan::TrackedCatalogue;
pub use report::{SyncReport, TrackerReport};
pub use schedule::{ACTIVE_MS, IDLE_MS, RETRY_MS};
pub use services::SyncServices;
pub use user::MAX_EXPORTS;

/// Maximum number of users in a run. The trackers' rate limits allow fewer in the time of a run.
pub const MAX_USERS: i32 = 200;

/// Number of users that are synchronized at the same time. While the calls for one user wait for a tracker's rate
/// limit, the stories of the other users are read.
const WORKERS: usize = 4;

/// Time from the end of the run to the end of its leases, in milliseconds. A call that is still in progress at the
/// end of the run takes less time.
const LEASE_MARGIN_MS: u64 = 60_000;

/// Synchronizes the users that are due, at most [`MAX_USERS`]. Stops at `until` (milliseconds since the Unix epoch) and
/// leaves the other users to the next run. An error for one user is counted in the report and does not stop the run.
pub async fn run(services: &SyncServices, until: u64) -> Result<SyncReport> {
    let mut report = SyncReport::default();
    let is_on = |name: &TrackerName| services.trackers.is_on(*name);
    if !TrackerName::ALL.iter().any(is_on) {
        return Ok(report);
    }
    let due = services
        .leases
        .due_users(services.clock.now_ms(), MAX_USERS)
        .await?;
    report.due = due.len() as u64;
    if due.is_empty() {
        return Ok(report);
    }
    let tracked = TrackedCatalogue::of(&*services.anime.index().await?);
    let run = services.random.short_id();
    let synchronize = |due: DueUser| synchronize_user(services, &tracked, &run, due, until);
    let mut reports = stream::iter(due).map(synchronize).buffer_unordered(WORKERS);
    while let Some(user_report) = reports.next().await {
        if let Some(user_report) = user_report {
            report.add(&user_report);
        }
    }
    Ok(report)
}

/// Synchronizes one user under a lease. Returns `None` if the time is over or another run has the lease.
async fn synchronize_user(
    services: &SyncServices,
    tracked: &TrackedCatalogue,
    run: &str,
    due: DueUser,
    until: u64,
) -> Option<SyncReport> {
    let now = services.clock.now_ms();
    if now >= until {
        return None;
    }
    let lease = services
        .leases
        .take_lease(due.id, run, now, until + LEASE_MARGIN_MS)
        .await;
    let lease = match lease {
        Ok(lease) => lease?,
        Err(error) => return Some(report_failure(due, &error)),
    };
    let synchronized = user::synchronize(services, tracked, &lease, until).await;
    let (report, due_at) = match synchronized {
        Ok(outcome) => outcome,
        Err(error) => (
            report_failure(due, &error),
            schedule::after_incomplete_run(services),
        ),
    };
    // If this fails, the user is due again when the lease ends.
    if let Err(error) = services.leases.release_lease(&lease, due_at).await {
        tracing::warn!(user = due.id.get(), %error, "a lease was not released");
    }
    Some(report)
}

fn report_failure(due: DueUser, error: &Error) -> SyncReport {
    tracing::warn!(user = due.id.get(), %error, "a user was not synchronized");
    SyncReport {
        failed_users: 1,
        ..SyncReport::default()
    }
}
