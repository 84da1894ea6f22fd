//! Transactions, which make either all of several conditional writes or none of them (docs/data-model.md,
//! "Transactions"). Also conditional updates of one row.

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::types::{
    AttributeValue, CancellationReason, ConditionCheck, Delete, Put, ReturnValue,
    ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update,
};
use shared::Error;
use shared::auth::Access;
use shared::random::Random;

use crate::errors::to_error;
use crate::item::{Item, number, text};
use crate::retry::pause_before;

/// The maximum number of attempts to make a write that conflicts with other transactions on the same row. The
/// pauses between the attempts are at most 4.8 s in all, so that a request has a response before its deadline of 8 s.
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
    /// [`Error::Contended`] if all attempts are made.
    pub async fn next(&mut self) -> Result<Duration, Error> {
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

/// The outcome of a transaction.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    /// All actions succeeded, and their writes are made.
    Written,
    /// A condition failed, and no write is made. Holds for each action, in order, the row that failed the action's
    /// condition, which is empty if there is no row; `None` if the condition is not known to have failed.
    Refused(Vec<Option<Item>>),
}

/// Makes these writes in one transaction, which is repeated while it conflicts with others.
pub async fn transact(
    client: &Client,
    actions: Vec<TransactWriteItem>,
    random: &Random,
) -> Result<Outcome, Error> {
    let mut attempts = WriteAttempts::new(random);
    loop {
        attempts.next().await?;
        if let Some(outcome) = try_transact(client, actions.clone()).await? {
            return Ok(outcome);
        }
    }
}

/// Attempts once to make these writes in one transaction. Returns `None` if the transaction conflicts with another one
/// or is throttled, so that it can succeed later. The SDK's own retries carry the same `ClientRequestToken`, so a lost
/// response does not lead to a second write.
pub async fn try_transact(
    client: &Client,
    actions: Vec<TransactWriteItem>,
) -> Result<Option<Outcome>, Error> {
    let request = client.transact_write_items();
    let sent = request.set_transact_items(Some(actions)).send().await;
    let Err(error) = sent else {
        return Ok(Some(Outcome::Written));
    };
    let reasons = match error.as_service_error() {
        Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) => {
            cancelled.cancellation_reasons.clone().unwrap_or_default()
        }
        _ => return Err(to_error(error)),
    };
    if let Some(refused) = refusals(&reasons) {
        return Ok(Some(Outcome::Refused(refused)));
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

/// A row to update.
pub struct TargetRow<'r> {
    /// The DynamoDB client.
    pub client: &'r Client,
    /// The table's full name.
    pub table: &'r str,
    /// The row's key.
    pub key: Item,
}

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
) -> Result<RowOutcome, Error> {
    let request = update_request(row, condition, update);
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
) -> Result<Option<RowOutcome>, Error> {
    send_update(update_request(row, condition, update)).await
}

fn update_request(
    row: TargetRow<'_>,
    condition: Condition,
    update: &str,
) -> UpdateItemFluentBuilder {
    let (expression, names, values) = condition.into_parts();
    row.client
        .update_item()
        .table_name(row.table)
        .set_key(Some(row.key))
        .update_expression(update)
        .condition_expression(expression)
        .set_expression_attribute_names(names)
        .set_expression_attribute_values(values)
        .return_values(ReturnValue::AllNew)
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
}

async fn send_update(request: UpdateItemFluentBuilder) -> Result<Option<RowOutcome>, Error> {
    let error = match request.send().await {
        Ok(answer) => {
            let row = answer.attributes.unwrap_or_default();
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

/// Returns the rows that failed their conditions, in the form of [`Outcome::Refused`]; `None` if no condition
/// failed.
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

/// Builds an action with a condition. It is a macro, because the builders of the actions share no trait.
macro_rules! action {
    ($condition:expr, $table:expr, $builder:expr => $action:ident) => {{
        let (expression, names, values) = $condition.into_parts();
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
/// update in the same action use. The default is no condition.
#[derive(Clone, Debug, Default)]
pub struct Condition {
    expression: String,
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
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
    pub fn name(mut self, name: &str) -> Self {
        self.names.insert(format!("#{name}"), name.to_owned());
        self
    }

    /// Adds the placeholder `:name` for a value.
    pub fn value(mut self, name: &str, value: AttributeValue) -> Self {
        self.values.insert(format!(":{name}"), value);
        self
    }

    /// Returns the condition that holds if both this one and `other` do.
    pub fn and(mut self, other: Self) -> Self {
        self.expression = format!("({}) AND ({})", self.expression, other.expression);
        self.names.extend(other.names);
        self.values.extend(other.values);
        self
    }

    /// Returns the condition on the caller's row for this access: [`Access::check`] as an expression, without
    /// the grant. `None` if no role is allowed to perform the action.
    pub fn caller_has_access(access: &Access) -> Option<Self> {
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

    /// Returns the condition that a user exists and is not deleted.
    pub fn user_exists() -> Self {
        Self::new("attribute_exists(id) AND attribute_not_exists(deleted_at)")
    }

    /// Returns the condition that a user's e-mail address was changed this number of times.
    pub fn has_email_version(version: u64) -> Self {
        if version == 0 {
            Self::new("attribute_not_exists(email_version)")
        } else {
            Self::new("email_version = :email_version").value("email_version", number(version))
        }
    }

    /// Returns the expression and its placeholders for names and values, in the form that the SDK's builders
    /// accept.
    pub fn into_parts(self) -> (String, Names, Values) {
        let (names, values) = (some(self.names), some(self.values));
        (self.expression, names, values)
    }

    /// Returns the action that only checks the condition.
    pub fn check(self, table: &str, key: Item) -> Result<TransactWriteItem, Error> {
        let check = ConditionCheck::builder().set_key(Some(key));
        action!(self, table, check => condition_check)
    }

    /// Returns the action that puts a row under the condition.
    pub fn put(self, table: &str, item: Item) -> Result<TransactWriteItem, Error> {
        let put = Put::builder().set_item(Some(item));
        action!(self, table, put => put)
    }

    /// Returns the action that updates a row under the condition. The update uses the names and values of the
    /// condition.
    pub fn update(self, table: &str, key: Item, update: &str) -> Result<TransactWriteItem, Error> {
        let update = Update::builder()
            .set_key(Some(key))
            .update_expression(update);
        action!(self, table, update => update)
    }

    /// Returns the action that deletes a row under the condition.
    pub fn delete(self, table: &str, key: Item) -> Result<TransactWriteItem, Error> {
        let delete = Delete::builder().set_key(Some(key));
        action!(self, table, delete => delete)
    }
}

/// Returns the map, or `None` if it is empty, because DynamoDB rejects an empty one.
fn some<V>(map: HashMap<String, V>) -> Option<HashMap<String, V>> {
    Some(map).filter(|map| !map.is_empty())
}
