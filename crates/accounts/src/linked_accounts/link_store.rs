//! Linked accounts at trackers: the store of the table [`super::tracker_link`].

use aws_sdk_dynamodb::types::AttributeValue;
use dynamo::{
    Condition, Database, Item, TargetRow, number, read, read_first_page, text, update_row, write,
};
use shared::auth::Access;
use shared::models::UserId;
use shared::{Error, Result};

use super::link_update::{NewLink, Unlink, record_linked, record_unlinked};
use super::tracker_link::{Link, LinkReport, TABLE, key};
use crate::rows::query_by;
use crate::users::conditions::user_exists;
use crate::users::user::{Account, key as user_key};
use crate::users::user_change::UserChange;
use crate::users::user_store::UserStore;

/// The store of linked accounts.
#[derive(Clone, Debug)]
pub struct LinkStore {
    table: String,
    users: UserStore,
}

impl LinkStore {
    /// Creates the store of linked accounts at trackers.
    pub fn new(database: &Database) -> Self {
        Self {
            table: database.tables.of(TABLE.name),
            users: UserStore::new(database),
        }
    }

    /// Links an account, and makes a change of the caller's own account in the same transaction.
    pub async fn link(
        &self,
        access: &Access,
        new: &NewLink,
        change: &UserChange,
    ) -> Result<Account> {
        let start = record_linked(self.users.caller_condition(access).await?, new);
        let put = Condition::default().put(&self.table, write(&new.link)?)?;
        let update = self.users.update_own_with(access, start, change, Some(put));
        update.await
    }

    /// Unlinks an account of the caller.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the value of [`Unlink::other_is_linked`] is outdated. A retry must read the
    /// account again first.
    pub async fn unlink(&self, access: &Access, unlink: Unlink) -> Result<Account> {
        let condition = self.users.caller_condition(access).await?;
        let start = record_unlinked(condition, unlink.tracker, unlink.other_is_linked);
        let row = key(access.credential.user_id, unlink.tracker);
        let delete = Condition::default().delete(&self.table, row)?;
        let change = UserChange::default();
        let update = self
            .users
            .update_own_with(access, start, &change, Some(delete));
        update.await
    }

    /// Returns the linked accounts of a user, at most one at each tracker, by a strongly consistent read. They
    /// include accounts whose tokens the tracker refuses.
    pub async fn list(&self, user: UserId) -> Result<Vec<Link>> {
        let query = query_by(
            &self.users.client,
            &self.table,
            "user_id",
            number(user.get()),
        );
        read_first_page(query.consistent_read(true), read).await
    }

    /// Stores `sealed`, new encrypted tokens of a linked account. Returns false if the user has unlinked the account
    /// or linked an account again.
    pub async fn store_tokens(&self, link: &Link, sealed: &str) -> Result<bool> {
        let is_same_link = is_same_link(link).value("tokens", text(sealed));
        self.update(link, is_same_link, "SET tokens = :tokens")
            .await
    }

    /// Stores the report of a synchronization run, the number of consecutive failures, and the time before
    /// which the tracker is not called again (milliseconds since the Unix epoch). Returns false if the user
    /// has unlinked the account or linked an account again.
    pub async fn store_report(
        &self,
        link: &Link,
        report: &LinkReport,
        failures: u32,
        not_before: u64,
    ) -> Result<bool> {
        let report = serde_dynamo::to_attribute_value(report).map_err(Error::internal)?;
        let is_same_link = is_same_link(link)
            .value("report", report)
            .value("failures", number(failures.into()))
            .value("not_before", number(not_before));
        let update = "SET report = :report, failures = :failures, not_before = :not_before";
        self.update(link, is_same_link, update).await
    }

    /// Records that the tracker refuses the tokens of a linked account. The account then counts as unlinked until the
    /// user links it again. Returns false if the user has unlinked the account or linked an account again, or if the
    /// user was deleted.
    pub async fn require_reconnect(&self, link: &Link) -> Result<bool> {
        // The update of the user's row depends on whether an account at the other tracker is linked. Each attempt is
        // for one of the two cases, and has the case as its condition. No read of the user's row is needed.
        for other_is_linked in [true, false] {
            let refused = is_same_link(link).value("yes", AttributeValue::Bool(true));
            let (user, update) = record_unlinked(user_exists(), link.tracker, other_is_linked);
            let (update, key) = (update.expression(), user_key(link.user_id));
            let mut writes = self.users.transaction();
            writes.add(refused.update(&self.table, link_key(link), "SET is_refused = :yes")?);
            writes.add(user.update(&self.users.users, key, &update)?);
            if writes.commit().await?.is_written() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn update(&self, link: &Link, condition: Condition, update: &str) -> Result<bool> {
        let row = TargetRow(&self.users.client, &self.table, link_key(link));
        let updated = update_row(row, condition, update, &self.users.random).await?;
        Ok(updated.is_written())
    }
}

/// Returns the condition that the user has neither unlinked the account nor linked an account again.
fn is_same_link(link: &Link) -> Condition {
    Condition::new("link_id = :link_id").value("link_id", text(&link.link_id))
}

fn link_key(link: &Link) -> Item {
    key(link.user_id, link.tracker)
}
