//! Migration 1: the folded form of usernames, by which users are found at sign-in. Versions before 0.1.0 folded names
//! by other rules ([`accounts::users::UserStore::refold_names`]).

use std::fmt::Write;

use accounts::users::UserStore;
use dynamo::Database;

/// Folds the usernames again.
pub(super) async fn fold_again(database: &Database) -> anyhow::Result<Option<String>> {
    let (changed, conflicts) = UserStore::new(database).refold_names().await?;
    let mut report = format!("Upgraded {changed} user names.");
    for id in &conflicts {
        let id = id.get();
        let _ = write!(
            report,
            " User {id} cannot sign in by name: another user has registered the name."
        );
    }
    Ok((changed > 0 || !conflicts.is_empty()).then_some(report))
}
