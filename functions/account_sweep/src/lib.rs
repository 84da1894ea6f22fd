//! The scheduled sweep: finishes the deletion of users.

use shared::clock::Clock;
use shared::models::UserId;
use shared::store::{DeletionStore, Progress, StoreError};

/// Pages of 25 rows that are cleared before the time is looked at again.
const PAGES_AT_ONCE: usize = 2;

/// What a sweep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Users of whom nothing is left.
    pub finished: u64,
    /// Users whom the next sweep goes on with.
    pub unfinished: u64,
}

/// Clears what deleted users left, and takes away their tombstones, until there are no more or it is
/// `until` (milliseconds since the Unix epoch). What one user's rows fail with does not keep the
/// others: the next sweep tries them again.
///
/// # Errors
/// When the tombstones cannot be listed.
pub async fn sweep(store: &DeletionStore, clock: &Clock, until: u64) -> Result<Report, StoreError> {
    let mut report = Report::default();
    for id in store.due(clock.now_ms()).await? {
        match finish(store, clock, until, id).await {
            Ok(Progress::Done) => report.finished += 1,
            Ok(Progress::Unfinished) => report.unfinished += 1,
            Err(error) => {
                tracing::warn!(%error, user_id = id.get(), "a deletion is left to the next sweep");
                report.unfinished += 1;
            }
        }
    }
    Ok(report)
}

async fn finish(
    store: &DeletionStore,
    clock: &Clock,
    until: u64,
    id: UserId,
) -> Result<Progress, StoreError> {
    while clock.now_ms() < until {
        if store.clear(id, PAGES_AT_ONCE).await? == Progress::Done {
            store.forget(id).await?;
            return Ok(Progress::Done);
        }
    }
    Ok(Progress::Unfinished)
}
