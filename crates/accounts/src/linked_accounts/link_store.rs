//! Linked accounts at trackers: the store of the table [`crate::users::tracker_link`].

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use dynamo::{
    Condition, Database, Item, TargetRow, Transaction, number, read, read_first_page, text,
    update_row,
};
use shared::Error;
use shared::models::UserId;
use shared::random::Random;

use crate::rows::query_by;
use crate::users::conditions::user_exists;
use crate::users::link_update::record_unlinked;
use crate::users::tracker_link::{Link, LinkReport, TABLE, key};
use crate::users::user::{self, key as user_key};

/// The store of linked accounts.
#[derive(Clone, Debug)]
pub struct LinkStore {
    client: Client,
    table: String,
    user_table: String,
    random: Random,
}

impl LinkStore {
    /// Creates the store of linked accounts at trackers.
    pub fn new(database: &Database) -> Self {
        Self {
            client: database.client.clone(),
            table: database.tables.of(TABLE.name),
            user_table: database.tables.of(user::TABLE.name),
            random: database.random.clone(),
        }
    }

    /// Returns the linked accounts of a user, at most one at each tracker, by a strongly consistent read. They
    /// include accounts whose tokens the tracker refuses.
    pub async fn list(&self, user: UserId) -> Result<Vec<Link>, Error> {
        let query = query_by(&self.client, &self.table, "user_id", number(user.get()));
        read_first_page(query.consistent_read(true), read).await
    }

    /// Stores `sealed`, new encrypted tokens of a linked account. Returns false if the user has unlinked the account
    /// or linked an account again.
    pub async fn store_tokens(&self, link: &Link, sealed: &str) -> Result<bool, Error> {
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
    ) -> Result<bool, Error> {
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
    pub async fn require_reconnect(&self, link: &Link) -> Result<bool, Error> {
        // The update of the user's row depends on whether an account at the other tracker is linked. Each attempt is
        // for one of the two cases, and has the case as its condition. No read of the user's row is needed.
        for other_is_linked in [true, false] {
            let refused = is_same_link(link).value("yes", AttributeValue::Bool(true));
            let (user, update) = record_unlinked(user_exists(), link.tracker, other_is_linked);
            let (update, key) = (update.expression(), user_key(link.user_id));
            let mut writes = Transaction::new(&self.client, &self.random);
            writes.add(refused.update(&self.table, link_key(link), "SET is_refused = :yes")?);
            writes.add(user.update(&self.user_table, key, &update)?);
            if writes.commit().await?.is_written() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn update(&self, link: &Link, condition: Condition, update: &str) -> Result<bool, Error> {
        let row = TargetRow(&self.client, &self.table, link_key(link));
        let updated = update_row(row, condition, update, &self.random).await?;
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
