//! The migration of usernames to another folded form.

use dynamo::{Condition, Outcome, number, read, text, to_error};
use serde::Deserialize;
use shared::Result;
use shared::models::{UserId, fold_username};

use super::unique;
use super::user::{LIST_SHARD, key as user_key};
use super::user_store::UserStore;
use crate::rows::query_by;

/// The outcome of folding a username again.
enum FoldingOutcome {
    /// The new folded name is written.
    Changed,
    /// Nothing is written: another user has registered the name in the meantime.
    Taken,
    /// Nothing is written: the row from the index is outdated, because the user is deleted or the name is already
    /// folded.
    Stale,
}

/// A user in the index of names.
#[derive(Deserialize)]
struct NamedUser {
    id: UserId,
    username: String,
    username_folded: String,
}

impl UserStore {
    /// Folds the names of all users with [`fold_username`] again. Earlier versions of the service folded `-` and
    /// `_` to a space. Until such a name is folded again, its user cannot sign in by name. It is safe to interrupt and
    /// to repeat the call. Returns the number of users that were changed, and the users that were not changed because
    /// another user has registered their name in the meantime.
    pub async fn refold_names(&self) -> Result<(usize, Vec<UserId>)> {
        let shard = number(LIST_SHARD);
        let query = query_by(&self.client, &self.users, "list_shard", shard);
        let mut pages = query.index_name("ByUsername").into_paginator().send();
        let (mut changed, mut conflicts) = (0, Vec::new());
        while let Some(page) = pages.next().await {
            for row in page.map_err(to_error)?.items.unwrap_or_default() {
                let NamedUser {
                    id,
                    username,
                    username_folded: old,
                } = read(row)?;
                let new = fold_username(&username);
                if new == old {
                    continue;
                }
                match self.refold_name(id, &old, &new).await? {
                    FoldingOutcome::Changed => changed += 1,
                    FoldingOutcome::Taken => conflicts.push(id),
                    FoldingOutcome::Stale => {}
                }
            }
        }
        Ok((changed, conflicts))
    }

    async fn refold_name(&self, id: UserId, old: &str, new: &str) -> Result<FoldingOutcome> {
        let row = Condition::new("username_folded = :old")
            .value("old", text(old))
            .value("new", text(new));
        let row = row.update(&self.users, user_key(id), "SET username_folded = :new")?;
        let mut writes = self.transaction();
        let row = writes.add(row);
        let old_marker = writes.add(self.delete_marker(&unique::of_username(old), id)?);
        writes.add(self.put_marker(&unique::of_username(new), id)?);
        Ok(match writes.commit().await? {
            Outcome::Written => FoldingOutcome::Changed,
            Outcome::Refused(refused) if refused.has(row) || refused.has(old_marker) => {
                FoldingOutcome::Stale
            }
            // Only the condition of the new marker failed.
            Outcome::Refused(_) => FoldingOutcome::Taken,
        })
    }
}
