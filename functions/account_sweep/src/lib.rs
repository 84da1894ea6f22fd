//! The scheduled sweep, which finishes the deletion of users and OAuth clients (docs/data-model.md, "Deletion").

use std::collections::VecDeque;

use accounts::deletion::DeletionStore;
use dynamo::{Database, DeletionProgress};
use shared::Result;
use shared::models::UserId;
use stories::deletion::StoryDeletion;

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
pub async fn sweep(database: &Database, until: u64) -> Result<SweepReport> {
    let (accounts, stories) = (DeletionStore::new(database), StoryDeletion::new(database));
    let clock = &database.clock;
    let now = clock.now_ms();
    let clients = accounts
        .due_clients(now)
        .await?
        .into_iter()
        .map(DueDeletion::Client);
    let users = accounts
        .due_users(now)
        .await?
        .into_iter()
        .map(DueDeletion::User);
    let mut due: VecDeque<DueDeletion> = clients.chain(users).collect();
    let mut report = SweepReport::default();
    while clock.now_ms() < until
        && let Some(deletion) = due.pop_front()
    {
        match delete_some_rows(&accounts, &stories, &deletion, clock.now_ms()).await {
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

/// Deletes some of the remaining rows, and the tombstone once no row is left. Each domain deletes its own tables.
async fn delete_some_rows(
    accounts: &DeletionStore,
    stories: &StoryDeletion,
    deletion: &DueDeletion,
    now: u64,
) -> Result<DeletionProgress> {
    match deletion {
        DueDeletion::User(id) => {
            // The futures are boxed, because they are much larger than the future for a client.
            let of_accounts = Box::pin(accounts.delete_data_of_user(*id, PAGES_PER_TURN, now));
            let of_stories = Box::pin(stories.delete_data_of_user(*id, PAGES_PER_TURN));
            let progress = [of_accounts.await?, of_stories.await?];
            if progress.contains(&DeletionProgress::Unfinished) {
                return Ok(DeletionProgress::Unfinished);
            }
            accounts.delete_user_tombstone(*id).await?;
        }
        DueDeletion::Client(client_id) => {
            let progress = accounts
                .grants()
                .delete_of_client(client_id, PAGES_PER_TURN);
            if progress.await? == DeletionProgress::Unfinished {
                return Ok(DeletionProgress::Unfinished);
            }
            accounts.delete_client_tombstone(client_id).await?;
        }
    }
    Ok(DeletionProgress::Done)
}
