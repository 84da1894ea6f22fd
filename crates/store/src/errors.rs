//! Conversion of DynamoDB's errors to [`Error`], and the errors that callers get when a condition of a write failed.

use std::fmt;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use shared::models::StoryId;
use shared::{Error, FieldErrors, Missing};

/// The error codes of DynamoDB after which a retry can succeed (DynamoDB Developer Guide, "Error handling with
/// DynamoDB").
const RETRYABLE_CODES: [&str; 7] = [
    "InternalServerError",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ServiceUnavailable",
    "ThrottlingException",
    "TransactionConflictException",
    "TransactionInProgressException",
];

/// Converts the error of a call to DynamoDB.
#[expect(clippy::needless_pass_by_value, reason = "the argument of map_err")]
pub fn to_error<E, R>(error: SdkError<E, R>) -> Error
where
    E: ProvideErrorMetadata + std::error::Error + 'static,
    R: fmt::Debug,
{
    match &error {
        SdkError::ServiceError(service) => {
            let code = service.err().code().unwrap_or("an error without a code");
            let message = service.err().message().unwrap_or_default();
            let text = format!("DynamoDB: {code}: {message}");
            if RETRYABLE_CODES.contains(&code) {
                Error::Unavailable(text)
            } else {
                Error::Internal(text)
            }
        }
        SdkError::ConstructionFailure(_) => Error::Internal("DynamoDB: invalid request".into()),
        SdkError::TimeoutError(_) => Error::Unavailable("DynamoDB: timed out".into()),
        SdkError::DispatchFailure(_) => Error::Unavailable("DynamoDB: no connection".into()),
        _ => Error::Unavailable("DynamoDB: unreadable response".into()),
    }
}

/// Returns true if a write with a condition was made, and false if its condition failed.
pub fn was_written<T, E, R>(result: Result<T, SdkError<E, R>>) -> Result<bool, Error>
where
    E: ProvideErrorMetadata + std::error::Error + 'static,
    R: fmt::Debug,
{
    let Err(error) = result else { return Ok(true) };
    let code = error.as_service_error().and_then(|service| service.code());
    if code == Some("ConditionalCheckFailedException") {
        Ok(false)
    } else {
        Err(to_error(error))
    }
}

pub const NO_USER: Error = Error::NotFound(Missing::User);
pub const NO_ANIME: Error = Error::NotFound(Missing::Anime);
pub const NO_STORY: Error = Error::NotFound(Missing::Story);
pub const NO_APPLICATION: Error = Error::NotFound(Missing::Application);
pub const NO_TOKEN: Error = Error::NotFound(Missing::Token);
pub const NO_PLAYER: Error = Error::NotFound(Missing::Player);
pub const NO_INVITATION: Error = Error::NotFound(Missing::Invitation);

/// Returns the error for an account at an identity provider that another user has.
pub fn identity_taken() -> Error {
    Error::conflict("provider", "belongs to another user")
}

/// The reason for refusing an invitation. It is the same for all invitations, so it does not reveal which ones exist.
pub const INVALID_INVITATION: &str =
    "is invalid, has expired or was already used; ask for a new one";

/// Returns the error for an invitation that is not valid.
#[must_use]
pub fn invalid_invitation() -> Error {
    Error::invalid("invitation", INVALID_INVITATION)
}

/// Returns the error for a new invitation if there are `most`, the maximum, already.
pub fn too_many_invitations(most: u8) -> Error {
    Error::conflict(
        "days",
        format!("cannot be used: there are {most} invitations already; revoke one first"),
    )
}

/// Returns the error for a `current_episode` that is greater than `count`, the number of the anime's
/// episodes.
pub fn episode_too_high(count: u32) -> Error {
    Error::invalid(
        "current_episode",
        format!("must be at most {count}, the number of the anime's episodes"),
    )
}

/// Returns the error for a second story of a user about the same anime.
pub fn story_exists(id: StoryId) -> Error {
    let reason = format!("has the story {} already; update that story", id.get());
    Error::conflict("anime_id", reason)
}

/// Returns the error for the registration of an OAuth client by a user who has `most` clients, the maximum, already.
pub fn too_many_clients(most: u64) -> Error {
    Error::conflict(
        "name",
        format!("cannot be registered: you have {most} applications already; delete one first"),
    )
}

/// Returns the error for a new profile token of a user who has `most` such tokens, the maximum, already.
pub fn too_many_tokens(most: u8) -> Error {
    Error::conflict(
        "name",
        format!("cannot be used: you have {most} tokens already; revoke one first"),
    )
}

/// Returns the error for a new choice of a user who has 1,000 of them, the maximum.
pub fn too_many_choices() -> Error {
    Error::conflict(
        "anime_id",
        "cannot be chosen: you have 1,000 choices already; take one back first",
    )
}

/// Returns the error for a new player of a user who has `most` players, the maximum, already.
pub fn too_many_players(most: u8) -> Error {
    Error::conflict(
        "name",
        format!("cannot be used: you have {most} players already; remove one first"),
    )
}

/// Returns the error for a registration whose username, e-mail address or both belong to another user.
pub fn already_taken(is_username_taken: bool, is_email_taken: bool) -> Error {
    let fields = [("username", is_username_taken), ("email", is_email_taken)].into_iter();
    let taken = fields.filter(|(_, is_taken)| *is_taken);
    let field_errors = taken.map(|(name, _)| (name, "is already taken".to_owned()));
    Error::Conflict(field_errors.collect::<FieldErrors>())
}
