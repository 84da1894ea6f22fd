//! Counters of attempts, which expire.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::ReturnValuesOnConditionCheckFailure;
use serde::Deserialize;

use super::transaction::Condition;
use super::{Item, StoreError, TableNames, number, read, text};

/// How many attempts there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// As many.
    pub attempts: u64,
    /// In so many seconds, from the first of them on.
    pub seconds: u64,
}

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
            table: tables.of("Throttle"),
        }
    }

    /// Takes one of the attempts that are left at `now` (seconds since the Unix epoch), before it is
    /// made: of any number at once no more than the limit go through. When none is left, answers
    /// how many seconds it takes until there is one.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn take(
        &self,
        key: &str,
        limit: Limit,
        now: u64,
    ) -> Result<Result<(), u64>, StoreError> {
        let left = "attribute_not_exists(expires_at) OR (expires_at > :now AND attempts < :limit)";
        let counted = Condition::new(left)
            .value("limit", number(limit.attempts))
            .value("now", number(now));
        let count = "ADD attempts :one SET expires_at = if_not_exists(expires_at, :end)";
        // DynamoDB deletes what has expired days later: until then it is begun again.
        let expired = Condition::new("expires_at <= :now").value("now", number(now));
        let begin = "SET attempts = :one, expires_at = :end";
        loop {
            let Some(old) = self.update(key, counted.clone(), count, limit, now).await? else {
                return Ok(Ok(()));
            };
            // Deleted just now, by whoever succeeded or by DynamoDB.
            if old.is_empty() {
                continue;
            }
            let counter: Counter = read(old)?;
            if counter.expires_at > now && counter.attempts >= limit.attempts {
                return Ok(Err(counter.expires_at - now));
            }
            if counter.expires_at <= now
                && self
                    .update(key, expired.clone(), begin, limit, now)
                    .await?
                    .is_none()
            {
                return Ok(Ok(()));
            }
        }
    }

    /// Answers the row that failed the condition, if one did.
    async fn update(
        &self,
        key: &str,
        condition: Condition,
        update: &str,
        limit: Limit,
        now: u64,
    ) -> Result<Option<Item>, StoreError> {
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
                _ => Err(error.into()),
            },
        }
    }

    /// Gives an attempt back that was none after all. A counter that has expired meanwhile is
    /// deleted soon, and harmless until then.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn give_back(&self, key: &str) -> Result<(), StoreError> {
        let request = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(row_key(key)))
            .update_expression("ADD attempts :one")
            .condition_expression("attempts > :none")
            .expression_attribute_values(":one", super::AttributeValue::N("-1".to_owned()))
            .expression_attribute_values(":none", number(0));
        match request.send().await {
            Err(error) if !is_refusal(&error) => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Forgets the attempts of a counter, or a mark.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn clear(&self, key: &str) -> Result<(), StoreError> {
        let request = self.client.delete_item().table_name(&self.table);
        request.set_key(Some(row_key(key))).send().await?;
        Ok(())
    }

    /// Remembers something until a second (since the Unix epoch).
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn mark(&self, key: &str, until: u64) -> Result<(), StoreError> {
        let mut item = row_key(key);
        item.insert("expires_at".to_owned(), number(until));
        let request = self.client.put_item().table_name(&self.table);
        request.set_item(Some(item)).send().await?;
        Ok(())
    }

    /// Whether something is remembered still.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn is_marked(&self, key: &str, now: u64) -> Result<bool, StoreError> {
        let request = self.client.get_item().table_name(&self.table);
        let found = request.set_key(Some(row_key(key))).send().await?.item;
        let counter: Option<Counter> = found.map(read).transpose()?;
        Ok(counter.is_some_and(|counter| counter.expires_at > now))
    }
}

fn is_refusal<R>(error: &aws_sdk_dynamodb::error::SdkError<UpdateItemError, R>) -> bool {
    let error = error.as_service_error();
    error.is_some_and(UpdateItemError::is_conditional_check_failed_exception)
}

fn row_key(key: &str) -> Item {
    HashMap::from([("key".to_owned(), text(key))])
}
