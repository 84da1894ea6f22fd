//! The store of the table [`super::throttle`]: counters of attempts, and the networks and browsers that an account was
//! used from. All of these rows expire.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};
use dynamo::{
    Condition, Database, Item, RowOutcome, TargetRow, number, read, text, to_error, try_update_row,
    was_written,
};
use serde::Deserialize;
use shared::{Error, Result};

use super::throttle::{TABLE, key as row_key, used_key};
use crate::rows::{delete_row, put_row};

/// A limit on attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The number of attempts that are allowed in a period.
    pub attempts: u64,
    /// The length of a period, in seconds. A period begins with its first attempt.
    pub seconds: u64,
}

impl Limit {
    /// Returns the limit that allows this number of attempts in an hour.
    pub const fn per_hour(attempts: u64) -> Self {
        Self {
            attempts,
            seconds: 60 * 60,
        }
    }

    /// Returns the limit that allows this number of attempts in 24 hours.
    pub const fn per_day(attempts: u64) -> Self {
        Self {
            attempts,
            seconds: 24 * 60 * 60,
        }
    }
}

/// The maximum number of digests in a row of known networks or browsers. With 50, the row stays below 4 KB, the size of
/// one read unit.
const MAX_KNOWN: u64 = 50;

/// The maximum number of tries to write a counter that other requests change at the same time.
const MAX_TRIES: usize = 10;

/// The store of counters and of known networks.
#[derive(Clone, Debug)]
pub struct AttemptStore {
    client: Client,
    table: String,
}

#[derive(Deserialize)]
struct Counter {
    #[serde(default)]
    attempts: u64,
    expires_at: u64,
}

/// A row of known networks or browsers.
#[derive(Deserialize)]
struct KnownRow {
    #[serde(default, rename = "things")]
    digests: BTreeSet<String>,
    #[serde(default)]
    expires_at: u64,
}

/// The relation of an account to a network or a browser that is now known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Familiarity {
    /// The account had no known network or browser before.
    First,
    /// The network or browser was known before.
    Known,
    /// Other networks or browsers were known before, but not this one.
    New,
}

impl AttemptStore {
    /// Creates the store of counters and of known networks.
    pub fn new(database: &Database) -> Self {
        Self {
            client: database.client.clone(),
            table: database.tables.of(TABLE.name),
        }
    }

    /// Counts an attempt at `now` (seconds since the Unix epoch). Must be called before the attempt is made. One
    /// conditional write counts the attempt and checks the limit, so that concurrent attempts cannot exceed the limit.
    ///
    /// # Errors
    /// [`Error::TooManyRequests`] if no attempt is left in this period, with the seconds until the period ends.
    pub async fn count_attempt(&self, key: &str, limit: Limit, now: u64) -> Result<()> {
        let has_attempt_left =
            "attribute_not_exists(expires_at) OR (expires_at > :now AND attempts < :limit)";
        let has_attempt_left = Condition::new(has_attempt_left)
            .value("limit", number(limit.attempts))
            .value("now", number(now));
        let count = "ADD attempts :one SET expires_at = if_not_exists(expires_at, :end)";
        // DynamoDB can delete an expired row days late. If the row still exists, its counter starts again at 1.
        let has_expired = Condition::new("expires_at <= :now").value("now", number(now));
        let restart = "SET attempts = :one, expires_at = :end";
        for _ in 0..MAX_TRIES {
            let Some(old) = self
                .update(key, has_attempt_left.clone(), count, limit, now)
                .await?
            else {
                return Ok(());
            };
            // Without a row, the condition would hold, so `old` should be a row. If it is empty anyway, count again.
            if old.is_empty() {
                continue;
            }
            let counter: Counter = read(old)?;
            if counter.expires_at > now && counter.attempts >= limit.attempts {
                return Err(Error::TooManyRequests(counter.expires_at - now));
            }
            // If another request has deleted the row or restarted its counter in the meantime, count again.
            if counter.expires_at <= now
                && self
                    .update(key, has_expired.clone(), restart, limit, now)
                    .await?
                    .is_none()
            {
                return Ok(());
            }
        }
        Err(Error::Unavailable(
            "a counter was changed by other requests in each of 10 tries".into(),
        ))
    }

    /// Updates a counter under a condition. Returns `None` if it was updated. Otherwise returns the row that
    /// failed the condition, empty if there is no row.
    async fn update(
        &self,
        key: &str,
        condition: Condition,
        update: &str,
        limit: Limit,
        now: u64,
    ) -> Result<Option<Item>> {
        let condition = condition
            .value("one", number(1))
            .value("end", number(now + limit.seconds));
        let row = TargetRow(&self.client, &self.table, row_key(key));
        Ok(match try_update_row(row, condition, update).await? {
            Some(RowOutcome::Written(_)) => None,
            Some(RowOutcome::Refused(row)) => Some(row),
            // No transaction writes counters.
            None => Some(Item::new()),
        })
    }

    /// Decreases a counter by 1, for an attempt that turns out not to count. It is safe to decrease an expired
    /// counter, because its value is ignored.
    pub async fn uncount_attempt(&self, key: &str) -> Result<()> {
        let request = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(row_key(key)))
            .update_expression("ADD attempts :one")
            .condition_expression("attempts > :none")
            .expression_attribute_values(":one", AttributeValue::N("-1".to_owned()))
            .expression_attribute_values(":none", number(0));
        was_written(request.send().await).map(|_| ())
    }

    /// Deletes a row: a counter, or the networks of an account.
    pub async fn delete(&self, key: &str) -> Result<()> {
        delete_row(&self.client, &self.table, row_key(key)).await
    }

    /// Marks a text as used up, until `until` (seconds since the Unix epoch). `digest` is the digest of the text.
    /// Returns false if it was used up before, so that of two concurrent calls only one returns true.
    pub async fn use_up(&self, digest: &str, until: u64) -> Result<bool> {
        let mut row = row_key(&used_key(digest));
        row.insert("expires_at".to_owned(), number(until));
        let request = self.client.put_item().table_name(&self.table);
        let request = request
            .set_item(Some(row))
            .condition_expression("attribute_not_exists(expires_at)");
        was_written(request.send().await)
    }

    /// Makes a text usable again after the action for which it was used has failed.
    pub async fn undo_use(&self, digest: &str) -> Result<()> {
        self.delete(&used_key(digest)).await
    }

    /// Adds a digest to a row of known networks or browsers. The whole row then expires at `until`, in seconds since
    /// the Unix epoch. If the row already has 50 other digests, they are removed.
    pub async fn add_known(&self, key: &str, digest: &str, until: u64) -> Result<Familiarity> {
        let digests = AttributeValue::Ss(vec![digest.to_owned()]);
        let request = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(row_key(key)))
            .update_expression("ADD things :digests SET expires_at = :until")
            .condition_expression(
                "attribute_not_exists(things) OR size(things) < :most OR contains(things, :digest)",
            )
            .expression_attribute_values(":digests", digests.clone())
            .expression_attribute_values(":digest", text(digest))
            .expression_attribute_values(":until", number(until))
            .expression_attribute_values(":most", number(MAX_KNOWN))
            .return_values(ReturnValue::AllOld);
        match request.send().await {
            Ok(updated) => {
                let before: KnownRow = read(updated.attributes.unwrap_or_default())?;
                return Ok(if before.digests.contains(digest) {
                    Familiarity::Known
                } else if before.digests.is_empty() {
                    Familiarity::First
                } else {
                    Familiarity::New
                });
            }
            failed => {
                was_written(failed)?;
            }
        }
        // The row is full: start again with this digest alone.
        let mut row = row_key(key);
        row.insert("things".to_owned(), digests);
        row.insert("expires_at".to_owned(), number(until));
        put_row(&self.client, &self.table, row).await?;
        Ok(Familiarity::New)
    }

    /// Returns true if a row of known networks has the digest of this network, and has not expired at `now`
    /// (seconds since the Unix epoch). The read is eventually consistent.
    pub async fn is_known_network(&self, key: &str, network: &str, now: u64) -> Result<bool> {
        let request = self.client.get_item().table_name(&self.table);
        let request = request.set_key(Some(row_key(key)));
        let Some(row) = request.send().await.map_err(to_error)?.item else {
            return Ok(false);
        };
        let row: KnownRow = read(row)?;
        Ok(row.expires_at > now && row.digests.contains(network))
    }
}
