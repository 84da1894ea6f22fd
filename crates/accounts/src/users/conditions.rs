//! Conditions on rows of the table [`super::user`], and the errors if they fail.

use aws_sdk_dynamodb::types::AttributeValue;
use dynamo::{Condition, Item, number, read, text};
use shared::auth::{Access, CallerRow};
use shared::models::Role;
use shared::{Error, Result};

pub fn role_value(role: Role) -> AttributeValue {
    number(u64::from(u8::from(role)))
}

/// Returns the condition on the caller's row for this access, without the grant: [`Access::check`] as an expression,
/// with `least_role` in place of the least role of the access.
pub fn caller_has_access(access: &Access, least_role: Role) -> Condition {
    let holds = "attribute_exists(id) AND attribute_not_exists(deleted_at) \
        AND (token_generation = :generation OR kept_token = :token_id) AND #role >= :least_role";
    let credential = &access.credential;
    Condition::new(holds)
        .name("role")
        .value("generation", number(credential.generation))
        .value("token_id", text(&credential.token_id))
        .value("least_role", role_value(least_role))
}

/// Returns the condition that a user exists and is not deleted.
pub fn user_exists() -> Condition {
    Condition::new("attribute_exists(id) AND attribute_not_exists(deleted_at)")
}

/// Returns the error for a write whose condition on the caller's row failed. `row` is that row, empty if there is none.
pub fn denied(access: &Access, row: Item) -> Error {
    match caller_row(row) {
        Ok(row) => access.denied(row.as_ref()),
        Err(error) => error,
    }
}

/// Reads a row that failed a condition on the caller. An empty item stands for a row that does not exist.
pub fn caller_row(row: Item) -> Result<Option<CallerRow>> {
    Some(row)
        .filter(|row| !row.is_empty())
        .map(read)
        .transpose()
}

/// Returns the condition that a user's e-mail address was changed this number of times.
pub fn has_email_version(version: u64) -> Condition {
    if version == 0 {
        Condition::new("attribute_not_exists(email_version)")
    } else {
        Condition::new("email_version = :email_version").value("email_version", number(version))
    }
}
