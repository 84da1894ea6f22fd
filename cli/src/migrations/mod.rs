//! The migrations: the changes of rows that earlier versions have written, in their order.
//!
//! The row `DataVersion` says how many of them have been applied to the data. `kiroku serve` makes the remaining
//! migrations when it starts, or in the background if the service works without them. `kiroku upgrade` makes all
//! migrations. If one fails, those before it are recorded, and another call makes the rest.
//!
//! A new migration gets a file here and an entry at the end of [`MIGRATIONS`]. It is safe to interrupt and to repeat,
//! and runs while the service works. Its test makes rows in the form of the version before, or opens the data of that
//! version (`tests/releases`).

mod data_version;
mod lists;
mod usernames;

use dynamo::Database;
use futures_util::future::BoxFuture;

pub(crate) use self::data_version::DataVersion;

/// A change of rows that earlier versions have written.
pub struct Migration {
    /// The name, for the log.
    pub name: &'static str,
    /// True if the service does not work before the migration.
    pub is_needed_at_start: bool,
    /// Makes the migration. Returns a summary for the operator, or `None` if nothing had to change.
    pub make: for<'d> fn(&'d Database) -> BoxFuture<'d, anyhow::Result<Option<String>>>,
}

/// All migrations. The order of entries never changes, and no entry is removed: the number of a migration is its
/// position.
pub static MIGRATIONS: [Migration; 2] = [
    Migration {
        name: "usernames",
        is_needed_at_start: true,
        make: |database| Box::pin(usernames::fold_again(database)),
    },
    Migration {
        name: "lists",
        is_needed_at_start: false,
        make: |database| Box::pin(lists::fill(database)),
    },
];

/// Reads the version of the data.
///
/// # Errors
/// When a later version of Kiroku has written the data.
pub async fn read_version(database: &Database) -> anyhow::Result<DataVersion> {
    let version = DataVersion::read(database).await?;
    anyhow::ensure!(
        version.migrations <= MIGRATIONS.len(),
        "a later version of Kiroku has written the data: use that version, or restore a backup of this one"
    );
    Ok(version)
}

/// Makes the migrations that the data needs before the service starts, and the migrations before them. Skips the first
/// `made`. Returns their summaries.
pub async fn make_at_start(database: &Database, made: usize) -> anyhow::Result<Vec<String>> {
    let needed = MIGRATIONS.iter().rposition(|next| next.is_needed_at_start);
    make(database, made, needed.map_or(0, |position| position + 1)).await
}

/// Makes all migrations that have not been applied to the data. Returns their summaries.
pub async fn make_rest(database: &Database) -> anyhow::Result<Vec<String>> {
    let made = read_version(database).await?.migrations;
    make(database, made, MIGRATIONS.len()).await
}

/// Makes all migrations, even those that the data has already seen, because functions of an earlier version may have
/// written rows since. With `checks_lists`, also checks the digests of all lists. Returns the summaries.
pub async fn upgrade(database: &Database, checks_lists: bool) -> anyhow::Result<Vec<String>> {
    let mut reports = make(database, 0, MIGRATIONS.len()).await?;
    if checks_lists {
        reports.extend(lists::check(database).await?);
    }
    Ok(reports)
}

/// Makes the migrations after the first `made`, up to the one with the number `last`, and records each.
async fn make(database: &Database, made: usize, last: usize) -> anyhow::Result<Vec<String>> {
    let mut reports = Vec::new();
    let numbered = (1..).zip(&MIGRATIONS).take(last).skip(made);
    for (number, migration) in numbered {
        tracing::debug!(number, name = migration.name, "making a migration");
        reports.extend((migration.make)(database).await?);
        DataVersion::record_migrations(database, number).await?;
    }
    Ok(reports)
}
