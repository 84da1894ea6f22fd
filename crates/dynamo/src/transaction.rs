//! Transactions, which write either all of several conditional actions or none of them (docs/data-model.md,
//! "Transactions"). Also conditional updates of one row.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::types::{
    AttributeValue, CancellationReason, ConditionCheck, Delete, Put, ReturnValue,
    ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update,
};
use shared::random::Random;
use shared::{Error, Result};

use crate::errors::to_error;
use crate::item::Item;
use crate::retry::pause_before;

/// The maximum number of attempts of a write that conflicts with other transactions on the same row. The pauses between
/// the attempts are at most 4.8 s in all, so that a request has a response before its deadline of 8 s.
const MAX_ATTEMPTS: u32 = 16;

/// The maximum pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_millis(400);

/// The attempts to make one write, at most [`MAX_ATTEMPTS`].
pub struct WriteAttempts<'r> {
    made: u32,
    random: &'r Random,
}

impl<'r> WriteAttempts<'r> {
    /// Creates the attempts of a write.
    pub fn new(random: &'r Random) -> Self {
        Self { made: 0, random }
    }

    /// Begins the next attempt. Waits before a retry, and returns the length of the pause, which is random so that two
    /// writes that have conflicted do not conflict again.
    ///
    /// # Errors
    /// [`Error::Contended`] if all attempts have been made.
    pub async fn next(&mut self) -> Result<Duration> {
        if self.made == MAX_ATTEMPTS {
            return Err(Error::Contended);
        }
        let longest = pause_before(self.made).unwrap_or_default();
        let longest = longest.min(LONGEST_PAUSE);
        let longest = u64::try_from(longest.as_micros()).unwrap_or_default();
        let pause = Duration::from_micros(self.random.below(longest.max(1)));
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        self.made += 1;
        Ok(pause)
    }
}

/// The name of an action in a [`Transaction`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionName(usize);

/// A function that returns the error for an action whose condition failed, given the row, which is empty if there is
/// none.
type RefusalError<'t> = Box<dyn FnOnce(Item) -> Error + Send + 't>;

/// A transaction to be written: either all of its actions are written or none.
#[must_use]
pub struct Transaction<'t> {
    client: &'t Client,
    random: &'t Random,
    actions: Vec<TransactWriteItem>,
    refusals: Vec<(ActionName, RefusalError<'t>)>,
}

impl<'t> Transaction<'t> {
    /// Creates a transaction without actions.
    pub fn new(client: &'t Client, random: &'t Random) -> Self {
        Self {
            client,
            random,
            actions: Vec::new(),
            refusals: Vec::new(),
        }
    }

    /// Adds an action, and returns its name.
    pub fn add(&mut self, action: TransactWriteItem) -> ActionName {
        self.actions.push(action);
        ActionName(self.actions.len() - 1)
    }

    /// Adds an action, and the error with which the transaction fails if the action's condition fails. If several such
    /// conditions fail, the error of the action that was added first counts.
    pub fn require(
        &mut self,
        action: TransactWriteItem,
        error: impl FnOnce(Item) -> Error + Send + 't,
    ) {
        let action = self.add(action);
        self.refusals.push((action, Box::new(error)));
    }

    /// Writes the actions. Repeats the transaction while it conflicts with others.
    pub async fn commit(self) -> Result<Outcome> {
        let mut attempts = WriteAttempts::new(self.random);
        loop {
            attempts.next().await?;
            if let Some(refused) = send_transaction(self.client, self.actions.clone()).await? {
                return outcome(refused, self.refusals);
            }
        }
    }

    /// Does the same as [`Self::commit`] in one attempt. Returns `None` if the transaction conflicts with another or is
    /// throttled, so that it can succeed later.
    pub async fn try_commit(self) -> Result<Option<Outcome>> {
        let refused = send_transaction(self.client, self.actions).await?;
        refused
            .map(|refused| outcome(refused, self.refusals))
            .transpose()
    }
}

/// The outcome of a transaction.
#[derive(Debug)]
#[must_use]
pub enum Outcome {
    /// All actions were written.
    Written,
    /// A condition failed, and nothing was written.
    Refused(RefusedActions),
}

impl Outcome {
    /// Returns true if all actions were written.
    pub fn is_written(&self) -> bool {
        matches!(self, Self::Written)
    }

    /// Returns `error` if a condition failed.
    pub fn or(self, error: Error) -> Result<()> {
        match self {
            Self::Written => Ok(()),
            Self::Refused(_) => Err(error),
        }
    }
}

/// The rows that failed the conditions of actions. The condition of another action is not known to have failed.
#[derive(Debug, Default)]
pub struct RefusedActions(Vec<Option<Item>>);

impl RefusedActions {
    /// Returns true if the condition of this action failed.
    pub fn has(&self, action: impl Into<Option<ActionName>>) -> bool {
        let row = action.into().and_then(|action| self.0.get(action.0));
        row.is_some_and(Option::is_some)
    }

    /// Takes the row that failed the condition of this action, which is empty if there is none. Returns `None` if the
    /// condition did not fail.
    pub fn take(&mut self, action: impl Into<Option<ActionName>>) -> Option<Item> {
        self.0.get_mut(action.into()?.0)?.take()
    }
}

/// Returns the outcome of a transaction, or the error of the first required action that failed. `failed` is empty if
/// the transaction was written.
fn outcome(
    mut failed: RefusedActions,
    refusals: Vec<(ActionName, RefusalError<'_>)>,
) -> Result<Outcome> {
    for (action, error) in refusals {
        if let Some(row) = failed.take(action) {
            return Err(error(row));
        }
    }
    Ok(if failed.0.is_empty() {
        Outcome::Written
    } else {
        Outcome::Refused(failed)
    })
}

/// Attempts once to write these actions. Returns the actions that failed, which are empty if all were written, or
/// `None` if another attempt can succeed. The SDK's own retries carry the same `ClientRequestToken`, so a lost response
/// does not lead to a second write.
async fn send_transaction(
    client: &Client,
    actions: Vec<TransactWriteItem>,
) -> Result<Option<RefusedActions>> {
    let request = client.transact_write_items();
    let sent = request.set_transact_items(Some(actions)).send().await;
    let Err(error) = sent else {
        return Ok(Some(RefusedActions::default()));
    };
    let reasons = match error.as_service_error() {
        Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) => {
            cancelled.cancellation_reasons.clone().unwrap_or_default()
        }
        _ => return Err(to_error(error)),
    };
    let failed = |reason: &CancellationReason| code(reason) == "ConditionalCheckFailed";
    if reasons.iter().any(failed) {
        let row =
            |reason: CancellationReason| failed(&reason).then(|| reason.item.unwrap_or_default());
        return Ok(Some(RefusedActions(reasons.into_iter().map(row).collect())));
    }
    // The reasons after which a retry can succeed.
    let passing = [
        "TransactionConflict",
        "ThrottlingError",
        "ProvisionedThroughputExceeded",
    ];
    if reasons.iter().any(|reason| passing.contains(&code(reason))) {
        return Ok(None);
    }
    let codes: Vec<&str> = reasons.iter().map(code).collect();
    Err(Error::internal(format!(
        "DynamoDB canceled a transaction: {codes:?}"
    )))
}

/// A row to update: the DynamoDB client, the full name of the table, and the key.
pub struct TargetRow<'r>(pub &'r Client, pub &'r str, pub Item);

/// The outcome of an update of one row.
pub enum RowOutcome {
    /// The row is updated. Holds the new row.
    Written(Item),
    /// The condition failed, and nothing is written. Holds the row, empty if there is none.
    Refused(Item),
}

impl RowOutcome {
    /// Returns true if the row is updated.
    pub fn is_written(&self) -> bool {
        matches!(self, Self::Written(_))
    }
}

/// Updates one row under a condition, without a transaction. Retries while a transaction on the row is in progress.
pub async fn update_row(
    row: TargetRow<'_>,
    condition: Condition,
    update: &str,
    random: &Random,
) -> Result<RowOutcome> {
    let request = update_request(row, condition, update)?;
    let mut attempts = WriteAttempts::new(random);
    loop {
        attempts.next().await?;
        if let Some(outcome) = send_update(request.clone()).await? {
            return Ok(outcome);
        }
    }
}

/// Does the same as [`update_row`] in one attempt. Returns `None` if a transaction on the row is in progress.
pub async fn try_update_row(
    row: TargetRow<'_>,
    condition: Condition,
    update: &str,
) -> Result<Option<RowOutcome>> {
    send_update(update_request(row, condition, update)?).await
}

fn update_request(
    TargetRow(client, table, key): TargetRow<'_>,
    condition: Condition,
    update: &str,
) -> Result<UpdateItemFluentBuilder> {
    let (expression, names, values) = condition.into_parts()?;
    let request = client
        .update_item()
        .table_name(table)
        .set_key(Some(key))
        .update_expression(update)
        .condition_expression(expression)
        .set_expression_attribute_names(names)
        .set_expression_attribute_values(values)
        .return_values(ReturnValue::AllNew)
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
    Ok(request)
}

async fn send_update(request: UpdateItemFluentBuilder) -> Result<Option<RowOutcome>> {
    let error = match request.send().await {
        Ok(response) => {
            let row = response.attributes.unwrap_or_default();
            return Ok(Some(RowOutcome::Written(row)));
        }
        Err(error) => error,
    };
    match error.as_service_error() {
        // Another transaction writes or checks the row.
        Some(UpdateItemError::TransactionConflictException(_)) => Ok(None),
        Some(UpdateItemError::ConditionalCheckFailedException(failed)) => {
            let row = failed.item.clone().unwrap_or_default();
            Ok(Some(RowOutcome::Refused(row)))
        }
        _ => Err(to_error(error)),
    }
}

fn code(reason: &CancellationReason) -> &str {
    reason.code.as_deref().unwrap_or_default()
}

/// Builds an action with a condition. It is a macro, because the builders of the actions share no trait.
macro_rules! action {
    ($condition:expr, $table:expr, $builder:expr => $action:ident) => {{
        let (expression, names, values) = $condition.into_parts()?;
        let part = $builder
            .table_name($table)
            // DynamoDB rejects an empty expression.
            .set_condition_expression(Some(expression).filter(|expression| !expression.is_empty()))
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

/// A condition on a row. It has an expression, and the placeholders for names and values that the expression and the
/// update in the same action use. The default has no condition. If a placeholder gets two values, the write fails with
/// an internal error.
#[derive(Clone, Debug, Default)]
pub struct Condition {
    expression: String,
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
    /// A placeholder with two values.
    clash: Option<String>,
}

impl Condition {
    /// Creates a condition from an expression (DynamoDB Developer Guide, "Condition expressions").
    pub fn new(expression: &str) -> Self {
        Self {
            expression: expression.to_owned(),
            ..Self::default()
        }
    }

    /// Adds the placeholder `#name` for an attribute whose name is a reserved word.
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        self.names.insert(format!("#{name}"), name.to_owned());
        self
    }

    /// Adds the placeholder `:name` for a value.
    #[must_use]
    pub fn value(mut self, name: &str, value: AttributeValue) -> Self {
        self.add_value(format!(":{name}"), value);
        self
    }

    fn add_value(&mut self, placeholder: String, value: AttributeValue) {
        match self.values.entry(placeholder) {
            Entry::Occupied(taken) => self.clash = Some(taken.key().clone()),
            Entry::Vacant(free) => {
                free.insert(value);
            }
        }
    }

    /// Returns the condition that holds if this condition and `other` hold.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.expression = format!("({}) AND ({})", self.expression, other.expression);
        self.names.extend(other.names);
        self.clash = self.clash.or(other.clash);
        for (placeholder, value) in other.values {
            self.add_value(placeholder, value);
        }
        self
    }

    /// Adds the placeholders of an update that sets these attributes and removes others. Returns the condition with the
    /// update.
    pub fn with_update(
        mut self,
        set: impl IntoIterator<Item = (String, AttributeValue)>,
        removed: &[&str],
    ) -> (Self, String) {
        let mut sets = Vec::new();
        for (name, value) in set {
            self = self.name(&name).value(&name, value);
            sets.push(format!("#{name} = :{name}"));
        }
        let mut update = format!("SET {}", sets.join(", "));
        for (position, name) in removed.iter().enumerate() {
            self = self.name(name);
            update.push_str(if position == 0 { " REMOVE #" } else { ", #" });
            update.push_str(name);
        }
        (self, update)
    }

    /// Returns the expression and its placeholders for names and values, in the form that the SDK's builders accept.
    fn into_parts(self) -> Result<(String, Names, Values)> {
        if let Some(placeholder) = self.clash {
            let detail = format!("the placeholder {placeholder} has two values");
            return Err(Error::internal(detail));
        }
        let (names, values) = (some(self.names), some(self.values));
        Ok((self.expression, names, values))
    }

    /// Returns the action that only checks the condition.
    pub fn check(self, table: &str, key: Item) -> Result<TransactWriteItem> {
        let check = ConditionCheck::builder().set_key(Some(key));
        action!(self, table, check => condition_check)
    }

    /// Returns the action that puts a row under the condition.
    pub fn put(self, table: &str, item: Item) -> Result<TransactWriteItem> {
        let put = Put::builder().set_item(Some(item));
        action!(self, table, put => put)
    }

    /// Returns the action that updates a row under the condition. The update uses the names and values of the
    /// condition.
    pub fn update(self, table: &str, key: Item, update: &str) -> Result<TransactWriteItem> {
        let update = Update::builder()
            .set_key(Some(key))
            .update_expression(update);
        action!(self, table, update => update)
    }

    /// Returns the action that deletes a row under the condition.
    pub fn delete(self, table: &str, key: Item) -> Result<TransactWriteItem> {
        let delete = Delete::builder().set_key(Some(key));
        action!(self, table, delete => delete)
    }
}

/// Returns the map, or `None` if it is empty, because DynamoDB rejects an empty one.
fn some<V>(map: HashMap<String, V>) -> Option<HashMap<String, V>> {
    Some(map).filter(|map| !map.is_empty())
}

#[cfg(test)]
mod tests {
    use super::Condition;
    use crate::item::{Item, number};

    #[test]
    fn placeholder_with_two_values_is_an_error() {
        let table = "UserStory";
        let one = || Condition::new("one = :one").value("one", number(1));
        let other = Condition::new("other = :one").value("one", number(2));
        for clash in [one().value("one", number(2)), one().and(other)] {
            let error = clash.check(table, Item::new()).unwrap_err();
            assert!(error.to_string().contains(":one"), "{error}");
        }
        let both = one().and(Condition::new("other = :two").value("two", number(2)));
        both.check(table, Item::new()).unwrap();
    }
}
