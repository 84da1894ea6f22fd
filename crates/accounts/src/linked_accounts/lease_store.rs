//! The users who are due for synchronization, and the leases of the runs of `tracker_sync` (docs/trackers.md, "Runs and
//! leases"). Both are attributes of the users' rows.

use dynamo::{ActionName, Condition, Database, Transaction, number, read, read_first_page, text};
use serde::Deserialize;
use shared::Result;
use shared::models::UserId;

use crate::users::conditions::user_exists;
use crate::users::user::{SYNC_SHARD, key as user_key};
use crate::users::user_store::UserStore;

/// The part of an update of the user's row that ends a run. It also counts the run, so that no list in memory is used
/// with earlier sync states.
const END_OF_RUN: &str = "REMOVE sync_lease, sync_lease_until ADD sync_runs :one";

/// A user who is due for synchronization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct DueUser {
    /// The user.
    pub id: UserId,
    /// The time since which the user is due, in milliseconds since the Unix epoch.
    pub sync_due_at: u64,
}

/// The exclusive right of one run to synchronize a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The user.
    pub user: UserId,
    /// The identifier of the run that has the lease.
    pub run: String,
    /// The time at which it expires, in milliseconds since the Unix epoch.
    pub until: u64,
}

/// The store of leases.
#[derive(Clone, Debug)]
pub struct LeaseStore {
    users: UserStore,
}

impl LeaseStore {
    /// Creates the store of leases.
    pub fn new(database: &Database) -> Self {
        Self {
            users: UserStore::new(database),
        }
    }

    /// Returns at most `limit` users who are due at `now` (milliseconds since the Unix epoch), longest due
    /// first. Reads a secondary index, which can lag behind changes.
    pub async fn due_users(&self, now: u64, limit: i32) -> Result<Vec<DueUser>> {
        let query = self
            .users
            .client
            .query()
            .table_name(&self.users.users)
            .index_name("SyncDue")
            .key_condition_expression("sync_shard = :shard AND sync_due_at <= :now")
            .expression_attribute_values(":shard", number(SYNC_SHARD))
            .expression_attribute_values(":now", number(now))
            .limit(limit);
        read_first_page(query, read).await
    }

    /// Takes the lease of a user who is due, with one conditional write. Returns `None` if another run has
    /// the lease, or if the user is no longer due. The user becomes due again when the lease expires, or as soon
    /// as one of the user's stories changes. `until` is the time at which the lease expires. `now` and `until` are in
    /// milliseconds since the Unix epoch.
    pub async fn take_lease(
        &self,
        user: UserId,
        run: &str,
        now: u64,
        until: u64,
    ) -> Result<Option<Lease>> {
        let is_free = Condition::new(
            "attribute_exists(sync_shard) AND attribute_not_exists(deleted_at) AND sync_due_at <= :now \
             AND (attribute_not_exists(sync_lease) OR sync_lease_until <= :now)",
        );
        let is_free = is_free
            .value("now", number(now))
            .value("run", text(run))
            .value("until", number(until));
        let take = "SET sync_lease = :run, sync_lease_until = :until, sync_due_at = :until";
        let taken = self.users.update(user, is_free, take).await?;
        Ok(taken.is_written().then(|| Lease {
            user,
            run: run.to_owned(),
            until,
        }))
    }

    /// Releases a lease. `due_at` is the time at which the user is due next, in milliseconds since the Unix epoch. A
    /// user whose stories have changed during the run is already due, and stays due. Does nothing if another run has
    /// the lease.
    pub async fn release_lease(&self, lease: &Lease, due_at: u64) -> Result<()> {
        let leased = || has_lease(lease).value("one", number(1));
        // The write that took the lease has set `sync_due_at` to the lease's expiry. Another value means that a story
        // has changed since then.
        let unchanged = Condition::new("sync_due_at = :until")
            .value("until", number(lease.until))
            .value("due", number(due_at));
        let due = format!("SET sync_due_at = :due {END_OF_RUN}");
        let update = self.users.update(lease.user, leased().and(unchanged), &due);
        if !update.await?.is_written() {
            self.users.update(lease.user, leased(), END_OF_RUN).await?;
        }
        Ok(())
    }

    /// Begins a transaction that fails unless the run has the lease. Also returns the name of this check.
    pub fn begin(&self, lease: &Lease) -> Result<(Transaction<'_>, ActionName)> {
        let mut transaction = self.users.transaction();
        let check = has_lease(lease).check(&self.users.users, user_key(lease.user))?;
        let check = transaction.add(check);
        Ok((transaction, check))
    }

    /// Begins a transaction that counts a run of a user. It fails if the user does not exist.
    pub fn begin_run(&self, user: UserId) -> Result<Transaction<'_>> {
        let mut transaction = self.users.transaction();
        let (exists, count) = count_run();
        transaction.add(exists.update(&self.users.users, user_key(user), count)?);
        Ok(transaction)
    }

    /// Counts a run of a user, unless the user does not exist.
    pub async fn count_run(&self, user: UserId) -> Result<()> {
        let (exists, count) = count_run();
        self.users.update(user, exists, count).await.map(drop)
    }
}

fn has_lease(lease: &Lease) -> Condition {
    Condition::new("sync_lease = :run").value("run", text(&lease.run))
}

fn count_run() -> (Condition, &'static str) {
    (user_exists().value("one", number(1)), "ADD sync_runs :one")
}
