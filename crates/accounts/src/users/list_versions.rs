//! The versions of users' lists of stories, which are attributes of the users' rows.

use dynamo::{Condition, RowOutcome, get, number, read, signed_number, to_error};
use serde::Deserialize;
use shared::Result;
use shared::models::{ListVersion, UserId};

use super::conditions::user_exists;
use super::user::key as user_key;
use super::user_store::UserStore;

/// A user, and the version of the user's list.
#[derive(Clone, Debug, Deserialize)]
pub struct UserListVersion {
    /// The user.
    pub id: UserId,
    /// The version.
    #[serde(flatten)]
    pub list: ListVersion,
}

/// The digests of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListDigests {
    /// The digest of the stories.
    pub stories: i64,
    /// The digest of the deletions.
    pub deletions: i64,
    /// The number above which deletions count.
    pub deletions_since: u64,
}

impl UserStore {
    /// Returns the version of a user's list, by a strongly consistent read. A user who does not exist has the version
    /// of an empty list.
    pub async fn list_version(&self, user: UserId) -> Result<ListVersion> {
        let row = get(&self.client, &self.users, user_key(user)).await?;
        row.map_or_else(|| Ok(ListVersion::default()), read)
    }

    /// Returns the versions of all users' lists, without the latest changes. Scans the table.
    pub async fn list_versions(&self) -> Result<Vec<UserListVersion>> {
        let scan = self.client.scan().table_name(&self.users);
        let scan = scan
            .filter_expression("attribute_not_exists(deleted_at)")
            .projection_expression(
                "id, last_change_number, digest_number, story_digest, deletion_digest",
            )
            .consistent_read(true);
        let mut versions = Vec::new();
        let mut rows = scan.into_paginator().items().send();
        while let Some(row) = rows.next().await {
            versions.push(read(row.map_err(to_error)?)?);
        }
        Ok(versions)
    }

    /// Stores the digests of the list after the change with this number. Returns the new version; `None` if a later
    /// change was made.
    pub async fn store_digests(
        &self,
        user: UserId,
        last_change_number: u64,
        digests: ListDigests,
    ) -> Result<Option<ListVersion>> {
        let unchanged = match last_change_number {
            0 => "attribute_not_exists(last_change_number) OR last_change_number = :last",
            _ => "last_change_number = :last",
        };
        let unchanged = user_exists()
            .and(Condition::new(unchanged))
            .value("last", number(last_change_number))
            .value("digest", signed_number(digests.stories))
            .value("deletions", signed_number(digests.deletions))
            .value("since", number(digests.deletions_since));
        let update = "SET last_change_number = :last, digest_number = :last, story_digest = :digest, \
                      deletion_digest = :deletions, deletions_since = :since";
        match self.update(user, unchanged, update).await? {
            RowOutcome::Written(row) => read(row).map(Some),
            RowOutcome::Refused(_) => Ok(None),
        }
    }
}
