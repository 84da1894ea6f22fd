//! Conversion of DynamoDB's errors to [`Error`], and the errors that callers get when a condition of a write failed.

use std::fmt;

use aws_sdk_dynamodb::error::{DisplayErrorContext, ProvideErrorMetadata, SdkError};
use shared::{Error, Result};

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
pub fn was_written<T, E, R>(result: Result<T, SdkError<E, R>>) -> Result<bool>
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

/// The error of a call of DynamoDB with all its causes, for the operator.
#[derive(Debug)]
pub struct CallError(String);

impl CallError {
    /// Describes an error.
    pub fn new(error: impl std::error::Error) -> Self {
        Self(DisplayErrorContext(error).to_string())
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for CallError {}
