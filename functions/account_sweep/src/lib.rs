//! The scheduled sweep: finishes the deletion of users, and of OAuth clients.

use shared::clock::Clock;
use shared::models::UserId;
use shared::store::{DeletionStore, Progress, StoreError};

/// Pages of 25 rows that are cleared before the time is looked at again.
const PAGES_AT_ONCE: usize = 2;

/// What a sweep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Users and clients of whom nothing is left.
    pub finished: u64,
    /// Users and clients whom the next sweep goes on with.
    pub unfinished: u64,
}

impl Report {
    /// Counts what became of one. What its rows fail with does not keep the others: the next sweep tries
    /// them again.
    fn count(&mut self, result: Result<Progress, StoreError>) {
        match result {
            Ok(Progress::Done) => self.finished += 1,
            Ok(Progress::Unfinished) => self.unfinished += 1,
            Err(error) => {
                tracing::warn!(%error, "a deletion is left to the next sweep");
                self.unfinished += 1;
            }
        }
    }
}

/// Clears what deleted users and clients left, and takes away their tombstones, until there are no more or it is
/// `until` (milliseconds since the Unix epoch). Users come first: their clients become tombstones, too.
///
/// # Errors
/// When the tombstones cannot be listed.
pub async fn sweep(store: &DeletionStore, clock: &Clock, until: u64) -> Result<Report, StoreError> {
    let mut report = Report::default();
    for id in store.due(clock.now_ms()).await? {
        report.count(finish(store, clock, until, id).await);
    }
    for client_id in store.due_clients(clock.now_ms()).await? {
        report.count(finish_client(store, clock, until, &client_id).await);
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
        if store.clear(id, PAGES_AT_ONCE, clock.now_ms()).await? == Progress::Done {
            store.forget(id).await?;
            return Ok(Progress::Done);
        }
    }
    Ok(Progress::Unfinished)
}

async fn finish_client(
    store: &DeletionStore,
    clock: &Clock,
    until: u64,
    client_id: &str,
) -> Result<Progress, StoreError> {
    while clock.now_ms() < until {
        if store.clear_client(client_id, PAGES_AT_ONCE).await? == Progress::Done {
            store.forget_client(client_id).await?;
            return Ok(Progress::Done);
        }
    }
    Ok(Progress::Unfinished)
}
