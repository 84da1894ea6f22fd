//! The scheduled sweep, which finishes the deletion of users and OAuth clients (docs/data-model.md,
//! "Deletion").

use std::collections::VecDeque;

use accounts::users::DeletionStore;
use dynamo::delete_rows::DeletionProgress;
use shared::Error;
use shared::clock::Clock;
use shared::models::UserId;

/// Maximum number of pages, of 25 rows each, that are deleted in one turn of a user or client.
const PAGES_PER_TURN: usize = 2;

/// The result of a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SweepReport {
    /// Number of users and clients whose rows are all deleted.
    pub finished: u64,
    /// Number of users and clients that are left to the next sweep.
    pub unfinished: u64,
}

/// A deleted user or client whose rows are not all deleted yet.
enum DueDeletion {
    User(UserId),
    Client(String),
}

/// Deletes the remaining rows of deleted users and clients, and then their tombstones. Stops at `until`
/// (milliseconds since the Unix epoch). Users and clients take turns, so that a user or client with many
/// rows does not delay the others. After an error, a user or client is left to the next sweep.
///
/// # Errors
/// The tombstones cannot be listed.
pub async fn sweep(store: &DeletionStore, clock: &Clock, until: u64) -> Result<SweepReport, Error> {
    let now = clock.now_ms();
    let clients = store
        .due_clients(now)
        .await?
        .into_iter()
        .map(DueDeletion::Client);
    let users = store
        .due_users(now)
        .await?
        .into_iter()
        .map(DueDeletion::User);
    let mut due: VecDeque<DueDeletion> = clients.chain(users).collect();
    let mut report = SweepReport::default();
    while clock.now_ms() < until
        && let Some(deletion) = due.pop_front()
    {
        match delete_some_rows(store, clock, &deletion).await {
            Ok(DeletionProgress::Done) => report.finished += 1,
            Ok(DeletionProgress::Unfinished) => due.push_back(deletion),
            Err(error) => {
                tracing::warn!(%error, "a deletion is left to the next sweep");
                report.unfinished += 1;
            }
        }
    }
    report.unfinished += due.len() as u64;
    Ok(report)
}

/// Deletes some of the remaining rows, and the tombstone once no row is left.
async fn delete_some_rows(
    store: &DeletionStore,
    clock: &Clock,
    deletion: &DueDeletion,
) -> Result<DeletionProgress, Error> {
    let progress = match deletion {
        // The future is boxed, because it is much larger than the future for a client.
        DueDeletion::User(id) => {
            Box::pin(store.delete_data_of_user(*id, PAGES_PER_TURN, clock.now_ms())).await?
        }
        DueDeletion::Client(client_id) => {
            store
                .delete_grants_of_client(client_id, PAGES_PER_TURN)
                .await?
        }
    };
    match (progress, deletion) {
        (DeletionProgress::Unfinished, _) => {}
        (DeletionProgress::Done, DueDeletion::User(id)) => store.delete_user_tombstone(*id).await?,
        (DeletionProgress::Done, DueDeletion::Client(client_id)) => {
            store.delete_client_tombstone(client_id).await?;
        }
    }
    Ok(progress)
}
