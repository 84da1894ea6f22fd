//! The scheduled sweep: finishes the deletion of users, and of OAuth clients.

use std::collections::VecDeque;

use shared::Error;
use shared::clock::Clock;
use shared::models::UserId;
use store::{DeletionStore, Progress};

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

/// What is to be deleted.
enum Due {
    User(UserId),
    Client(String),
}

/// Clears what deleted users and clients left, and takes away their tombstones, until there are no more
/// or it is `until` (milliseconds since the Unix epoch). They take turns, so that none that has much
/// keeps the others waiting. What one's rows fail with does not either: the next sweep tries them again.
///
/// # Errors
/// When the tombstones cannot be listed.
pub async fn sweep(store: &DeletionStore, clock: &Clock, until: u64) -> Result<Report, Error> {
    let now = clock.now_ms();
    let clients = store.due_clients(now).await?.into_iter().map(Due::Client);
    let users = store.due(now).await?.into_iter().map(Due::User);
    let mut due: VecDeque<Due> = clients.chain(users).collect();
    let mut report = Report::default();
    while clock.now_ms() < until
        && let Some(one) = due.pop_front()
    {
        match go_on(store, clock, &one).await {
            Ok(Progress::Done) => report.finished += 1,
            Ok(Progress::Unfinished) => due.push_back(one),
            Err(error) => {
                tracing::warn!(%error, "a deletion is left to the next sweep");
                report.unfinished += 1;
            }
        }
    }
    report.unfinished += due.len() as u64;
    Ok(report)
}

/// Clears some of what one left; and takes the tombstone away when there is no more.
async fn go_on(store: &DeletionStore, clock: &Clock, due: &Due) -> Result<Progress, Error> {
    let progress = match due {
        // Boxed, for it is much larger than the other.
        Due::User(id) => Box::pin(store.clear(*id, PAGES_AT_ONCE, clock.now_ms())).await?,
        Due::Client(client_id) => store.clear_client(client_id, PAGES_AT_ONCE).await?,
    };
    match (progress, due) {
        (Progress::Unfinished, _) => {}
        (Progress::Done, Due::User(id)) => store.forget(*id).await?,
        (Progress::Done, Due::Client(client_id)) => store.forget_client(client_id).await?,
    }
    Ok(progress)
}
