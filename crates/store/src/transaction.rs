//! Writes of several rows at once, each with its condition: all of them happen, or none.

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{
    AttributeValue, CancellationReason, ConditionCheck, Delete, Put, ReturnValue,
    ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update,
};
use shared::Error;
use shared::auth::Access;
use shared::random::Random;

use crate::errors::failed;
use crate::item::{Item, number, text};
use crate::retry::pause_before;

/// How often a write is sent that meets a transaction on the same row: with the pauses between, 1.6 s
/// in all at the most.
const ATTEMPTS: u32 = 7;

/// Waits before another attempt. Chance decides how long: the two that met must not meet again.
async fn back_off(attempt: u32, random: &Random) {
    if let Some(longest) = pause_before(attempt) {
        let longest = u64::try_from(longest.as_millis()).unwrap_or_default();
        tokio::time::sleep(Duration::from_millis(random.below(longest))).await;
    }
}

/// What became of a transaction.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    /// Everything is written.
    Written,
    /// Nothing is. For each action, in their order, the row whose condition failed; an empty one
    /// where there is no row; `None` where the condition held.
    Refused(Vec<Option<Item>>),
}

/// Makes these writes, once (the SDK's own attempts carry one `ClientRequestToken`, so that an
/// answer that was lost does not make it a second time).
pub async fn transact(
    client: &Client,
    actions: Vec<TransactWriteItem>,
    random: &Random,
) -> Result<Outcome, Error> {
    for attempt in 0..ATTEMPTS {
        back_off(attempt, random).await;
        let request = client.transact_write_items();
        let sent = request
            .set_transact_items(Some(actions.clone()))
            .send()
            .await;
        let Err(error) = sent else {
            return Ok(Outcome::Written);
        };
        let reasons = match error.as_service_error() {
            Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) => {
                cancelled.cancellation_reasons.clone().unwrap_or_default()
            }
            _ => return Err(failed(error)),
        };
        if let Some(refused) = refusals(&reasons) {
            return Ok(Outcome::Refused(refused));
        }
        let passing = [
            "TransactionConflict",
            "ThrottlingError",
            "ProvisionedThroughputExceeded",
        ];
        if !reasons.iter().any(|reason| passing.contains(&code(reason))) {
            let codes: Vec<&str> = reasons.iter().map(code).collect();
            return Err(Error::internal(format!("a transaction refused: {codes:?}")));
        }
    }
    Err(Error::Unavailable(
        "a transaction that others keep in the way of".into(),
    ))
}

/// A row to be updated.
pub struct Row<'r> {
    /// DynamoDB.
    pub client: &'r Client,
    /// Its table.
    pub table: &'r str,
    /// Its key.
    pub key: Item,
}

/// Updates one row under a condition, which needs no transaction, but may have to wait for one. Answers
/// the new row, or the one that failed the condition: an empty one where there is none.
pub async fn update_row(
    row: Row<'_>,
    condition: Condition,
    update: &str,
    random: &Random,
) -> Result<Result<Item, Item>, Error> {
    let (expression, names, values) = condition.into_parts();
    let request = row
        .client
        .update_item()
        .table_name(row.table)
        .set_key(Some(row.key))
        .update_expression(update)
        .condition_expression(expression)
        .set_expression_attribute_names(names)
        .set_expression_attribute_values(values)
        .return_values(ReturnValue::AllNew)
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
    for attempt in 0..ATTEMPTS {
        back_off(attempt, random).await;
        let error = match request.clone().send().await {
            Ok(answer) => return Ok(Ok(answer.attributes.unwrap_or_default())),
            Err(error) => error,
        };
        match error.as_service_error() {
            // Something is being written that looks at the row.
            Some(UpdateItemError::TransactionConflictException(_)) => {}
            Some(UpdateItemError::ConditionalCheckFailedException(failed)) => {
                return Ok(Err(failed.item.clone().unwrap_or_default()));
            }
            _ => return Err(failed(error)),
        }
    }
    Err(Error::Unavailable("a row that others keep busy".into()))
}

fn code(reason: &CancellationReason) -> &str {
    reason.code.as_deref().unwrap_or_default()
}

/// The rows whose conditions failed, if any did.
fn refusals(reasons: &[CancellationReason]) -> Option<Vec<Option<Item>>> {
    let failed = |reason: &CancellationReason| code(reason) == "ConditionalCheckFailed";
    let row = |reason: &CancellationReason| {
        failed(reason).then(|| reason.item.clone().unwrap_or_default())
    };
    reasons
        .iter()
        .any(failed)
        .then(|| reasons.iter().map(row).collect())
}

/// Puts a condition into the builder of an action. A macro, because each action has a type of its own.
macro_rules! action {
    ($condition:expr, $table:expr, $builder:expr => $action:ident) => {{
        let (expression, names, values) = $condition.into_parts();
        let part = $builder
            .table_name($table)
            .condition_expression(expression)
            .set_expression_attribute_names(names)
            .set_expression_attribute_values(values)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build()
            .map_err(Error::internal)?;
        Ok(TransactWriteItem::builder().$action(part).build())
    }};
}

type Names = Option<HashMap<String, String>>;
type Values = Option<HashMap<String, AttributeValue>>;

/// A condition on a row.
#[derive(Clone, Debug, Default)]
pub struct Condition {
    expression: String,
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
}

impl Condition {
    /// An expression of its own (DynamoDB Developer Guide, "Condition expressions").
    pub fn new(expression: &str) -> Self {
        Self {
            expression: expression.to_owned(),
            ..Self::default()
        }
    }

    /// Names an attribute whose name is a word of the language: `#name` stands for `name`.
    pub fn name(mut self, name: &str) -> Self {
        self.names.insert(format!("#{name}"), name.to_owned());
        self
    }

    /// Gives a value its name: `:name`.
    pub fn value(mut self, name: &str, value: AttributeValue) -> Self {
        self.values.insert(format!(":{name}"), value);
        self
    }

    /// Both this one and another.
    pub fn and(mut self, other: Self) -> Self {
        self.expression = format!("({}) AND ({})", self.expression, other.expression);
        self.names.extend(other.names);
        self.values.extend(other.values);
        self
    }

    /// What the caller's row must say for this access: [`Access::check`], as DynamoDB puts it. `None`
    /// where no row is enough.
    pub fn of(access: &Access) -> Option<Self> {
        let least = access.least_role?;
        let holds = "attribute_exists(id) AND attribute_not_exists(deleted_at) \
            AND (token_generation = :generation OR kept_token = :token_id) AND #role >= :least_role";
        let credential = &access.credential;
        let condition = Self::new(holds)
            .name("role")
            .value("generation", number(credential.generation))
            .value("token_id", text(&credential.token_id))
            .value("least_role", number(u64::from(u8::from(least))));
        Some(condition)
    }

    /// That a user is there, and not being deleted.
    pub fn user_exists() -> Self {
        Self::new("attribute_exists(id) AND attribute_not_exists(deleted_at)")
    }

    /// The expression, its names and its values, for a call that is no transaction.
    pub fn into_parts(self) -> (String, Names, Values) {
        let (names, values) = (some(self.names), some(self.values));
        (self.expression, names, values)
    }

    /// The action that only checks it.
    pub fn check(self, table: &str, key: Item) -> Result<TransactWriteItem, Error> {
        let check = ConditionCheck::builder().set_key(Some(key));
        action!(self, table, check => condition_check)
    }

    /// The action that puts a row under it.
    pub fn put(self, table: &str, item: Item) -> Result<TransactWriteItem, Error> {
        let put = Put::builder().set_item(Some(item));
        action!(self, table, put => put)
    }

    /// The action that updates a row under it. Names and values of the update are the condition's
    /// too.
    pub fn update(self, table: &str, key: Item, update: &str) -> Result<TransactWriteItem, Error> {
        let update = Update::builder()
            .set_key(Some(key))
            .update_expression(update);
        action!(self, table, update => update)
    }

    /// The action that deletes a row under it.
    pub fn delete(self, table: &str, key: Item) -> Result<TransactWriteItem, Error> {
        let delete = Delete::builder().set_key(Some(key));
        action!(self, table, delete => delete)
    }
}

/// DynamoDB takes no empty map.
fn some<V>(map: HashMap<String, V>) -> Option<HashMap<String, V>> {
    Some(map).filter(|map| !map.is_empty())
}
