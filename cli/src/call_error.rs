//! The errors of calls of `DynamoDB`.

/// Returns the error of a call of DynamoDB with all its causes.
pub(crate) fn call_error(error: impl std::error::Error) -> anyhow::Error {
    anyhow::anyhow!("{}", aws_sdk_dynamodb::error::DisplayErrorContext(error))
}
