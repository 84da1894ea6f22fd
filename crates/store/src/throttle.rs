//! Counters of attempts, which expire.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::ReturnValuesOnConditionCheckFailure;
use serde::Deserialize;
use shared::Error;

use crate::errors::failed;
use crate::item::{Item, number, read, text};
use crate::schema::throttle::{TABLE, key as row_key};
use crate::table_names::TableNames;
use crate::transaction::Condition;
use aws_sdk_dynamodb::types::AttributeValue;

/// How many attempts there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// As many.
    pub attempts: u64,
    /// In so many seconds, from the first of them on.
    pub seconds: u64,
}

/// The most things that a row remembers: they stay within one read unit.
const MOST_THINGS: u64 = 50;

/// How often a counter is looked at that changes meanwhile.
const ROUNDS: usize = 10;

/// The table Throttle.
#[derive(Clone, Debug)]
pub struct ThrottleStore {
    client: Client,
    table: String,
}

#[derive(Deserialize)]
struct Counter {
    #[serde(default)]
    attempts: u64,
    expires_at: u64,
}

impl ThrottleStore {
    /// The table.
    #[must_use]
    pub fn new(client: Client, tables: &TableNames) -> Self {
        Self {
            client,
            table: tables.of(TABLE.name),
        }
    }

    /// Takes one of the attempts that are left at `now` (seconds since the Unix epoch), before it is
    /// made: of any number at once no more than the limit go through. When none is left, answers
    /// how many seconds it takes until there is one.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn take(&self, key: &str, limit: Limit, now: u64) -> Result<(), Error> {
        let left = "attribute_not_exists(expires_at) OR (expires_at > :now AND attempts < :limit)";
        let counted = Condition::new(left)
            .value("limit", number(limit.attempts))
            .value("now", number(now));
        let count = "ADD attempts :one SET expires_at = if_not_exists(expires_at, :end)";
        // DynamoDB deletes what has expired days later: until then it is begun again.
        let expired = Condition::new("expires_at <= :now").value("now", number(now));
        let begin = "SET attempts = :one, expires_at = :end";
        for _ in 0..ROUNDS {
            let Some(old) = self.update(key, counted.clone(), count, limit, now).await? else {
                return Ok(());
            };
            // Deleted just now, by whoever succeeded or by DynamoDB.
            if old.is_empty() {
                continue;
            }
            let counter: Counter = read(old)?;
            if counter.expires_at > now && counter.attempts >= limit.attempts {
                return Err(Error::TooManyRequests(counter.expires_at - now));
            }
            if counter.expires_at <= now
                && self
                    .update(key, expired.clone(), begin, limit, now)
                    .await?
                    .is_none()
            {
                return Ok(());
            }
        }
        Err(Error::Unavailable("a counter that others change".into()))
    }

    /// Answers the row that failed the condition, if one did.
    async fn update(
        &self,
        key: &str,
        condition: Condition,
        update: &str,
        limit: Limit,
        now: u64,
    ) -> Result<Option<Item>, Error> {
        let condition = condition
            .value("one", number(1))
            .value("end", number(now + limit.seconds));
        let (expression, names, values) = condition.into_parts();
        let updated = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(row_key(key)))
            .update_expression(update)
            .condition_expression(expression)
            .set_expression_attribute_names(names)
            .set_expression_attribute_values(values)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .send()
            .await;
        match updated {
            Ok(_) => Ok(None),
            Err(error) => match error.as_service_error() {
                Some(UpdateItemError::ConditionalCheckFailedException(failed)) => {
                    Ok(Some(failed.item.clone().unwrap_or_default()))
                }
                _ => Err(failed(error)),
            },
        }
    }

    /// Gives an attempt back that was none after all. A counter that has expired meanwhile is
    /// deleted soon, and harmless until then.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn give_back(&self, key: &str) -> Result<(), Error> {
        let request = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(row_key(key)))
            .update_expression("ADD attempts :one")
            .condition_expression("attempts > :none")
            .expression_attribute_values(":one", AttributeValue::N("-1".to_owned()))
            .expression_attribute_values(":none", number(0));
        match request.send().await {
            Err(error) if !is_refusal(&error) => Err(failed(error)),
            _ => Ok(()),
        }
    }

    /// Forgets the attempts of a counter, or what a row remembers.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn clear(&self, key: &str) -> Result<(), Error> {
        let request = self.client.delete_item().table_name(&self.table);
        request
            .set_key(Some(row_key(key)))
            .send()
            .await
            .map_err(failed)?;
        Ok(())
    }

    /// Remembers one more thing in a row until a second (since the Unix epoch), and with it whatever
    /// else the row remembers. Of too many things, only the newest stays.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn remember(&self, key: &str, thing: &str, until: u64) -> Result<(), Error> {
        let things = AttributeValue::Ss(vec![thing.to_owned()]);
        let request = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(row_key(key)))
            .update_expression("ADD things :things SET expires_at = :until")
            .condition_expression(
                "attribute_not_exists(things) OR size(things) < :most OR contains(things, :thing)",
            )
            .expression_attribute_values(":things", things.clone())
            .expression_attribute_values(":thing", text(thing))
            .expression_attribute_values(":until", number(until))
            .expression_attribute_values(":most", number(MOST_THINGS));
        match request.send().await {
            Ok(_) => return Ok(()),
            Err(error) if !is_refusal(&error) => return Err(failed(error)),
            Err(_) => {}
        }
        let mut row = row_key(key);
        row.insert("things".to_owned(), things);
        row.insert("expires_at".to_owned(), number(until));
        let request = self.client.put_item().table_name(&self.table);
        request.set_item(Some(row)).send().await.map_err(failed)?;
        Ok(())
    }

    /// Whether a row remembers a thing still.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn remembers(&self, key: &str, thing: &str, now: u64) -> Result<bool, Error> {
        let request = self.client.get_item().table_name(&self.table);
        let found = request
            .set_key(Some(row_key(key)))
            .send()
            .await
            .map_err(failed)?
            .item;
        let Some(mut row) = found else {
            return Ok(false);
        };
        let things = row.remove("things");
        let counter: Counter = read(row)?;
        let has_it = |things: AttributeValue| match things {
            AttributeValue::Ss(things) => things.iter().any(|known| known == thing),
            _ => false,
        };
        Ok(counter.expires_at > now && things.is_some_and(has_it))
    }
}

fn is_refusal<R>(error: &aws_sdk_dynamodb::error::SdkError<UpdateItemError, R>) -> bool {
    let error = error.as_service_error();
    error.is_some_and(UpdateItemError::is_conditional_check_failed_exception)
}
