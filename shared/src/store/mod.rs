//! DynamoDB. Everything that knows an `AttributeValue` is in this module.

mod batch;
mod catalogue;
mod clients;
mod codes;
mod deletion;
mod grants;
mod links;
mod listing;
mod refresh;
mod sessions;
mod snapshot;
mod stories;
mod sync;
mod throttle;
mod transaction;
mod users;

pub use catalogue::{CatalogueStore, LIST_SHARDS, MAX_BATCH_READ, MAX_BATCH_WRITE, Stored};
pub use clients::{ClientStore, MAX_CLIENTS};
pub use codes::{AuthorizationRequest, CODE_S, CONSENT_S, CodeStore, Consent, Exchange, Exchanged};
pub use deletion::{DeletionStore, Progress};
pub use grants::{GrantStore, Granted};
pub use links::{Link, LinkReport, LinkStore};
pub use refresh::{RefreshState, RefreshStore};
pub use sessions::{Session, SessionStore};
pub use snapshot::{Head, SnapshotStore};
pub use stories::{Change, NewStory, StoryFilter, StoryPage, StoryStore};
pub use sync::{Due, Lease, StoryWrite, SyncStore, SyncedStory};
pub use throttle::{Limit, ThrottleStore};
pub use users::{
    NewAccount, NewLink, Refusal, Unlink, UserChange, UserPage, UserStore, UsernamePattern,
};

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A row, or its key.
type Item = HashMap<String, AttributeValue>;

fn number(number: u64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

fn as_number(value: &AttributeValue) -> Option<u64> {
    value.as_n().ok()?.parse().ok()
}

fn text(text: impl Into<String>) -> AttributeValue {
    AttributeValue::S(text.into())
}

fn read<T: DeserializeOwned>(item: Item) -> Result<T, StoreError> {
    serde_dynamo::from_item(item).map_err(StoreError::fault)
}

/// Fields as an item. Those that are null are left out: the key of an index cannot be null, and an
/// absent field reads as null again.
fn write<T: Serialize>(row: &T) -> Result<Item, StoreError> {
    let mut item: Item = serde_dynamo::to_item(row).map_err(StoreError::fault)?;
    item.retain(|_, value| !value.is_null());
    Ok(item)
}

/// The longest pause before an attempt that is another one: 25 ms, and twice as long each time. `None`
/// before the first.
fn pause_before(attempt: u32) -> Option<Duration> {
    let retry = attempt.checked_sub(1)?;
    Some(Duration::from_millis(25) * 2_u32.pow(retry))
}

/// Why the store did not answer.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// DynamoDB is out of reach, too slow, or throttles: the same call may succeed later.
    #[error("DynamoDB is out of reach: {0}")]
    Unavailable(String),
    /// DynamoDB refused the call, or holds what cannot be read: calling again does not help.
    #[error("DynamoDB: {0}")]
    Fault(String),
}

impl StoreError {
    fn fault(error: impl fmt::Display) -> Self {
        Self::Fault(error.to_string())
    }
}

/// Codes that DynamoDB sends when it has too much to do (DynamoDB Developer Guide, "Error handling
/// with DynamoDB").
const BUSY: [&str; 7] = [
    "InternalServerError",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ServiceUnavailable",
    "ThrottlingException",
    "TransactionConflictException",
    "TransactionInProgressException",
];

impl<E, R> From<SdkError<E, R>> for StoreError
where
    E: ProvideErrorMetadata + std::error::Error + 'static,
    R: fmt::Debug,
{
    fn from(error: SdkError<E, R>) -> Self {
        match &error {
            SdkError::ServiceError(service) => {
                let code = service.err().code().unwrap_or("an error without a code");
                let message = service.err().message().unwrap_or_default();
                let text = format!("{code}: {message}");
                if BUSY.contains(&code) {
                    Self::Unavailable(text)
                } else {
                    Self::Fault(text)
                }
            }
            SdkError::ConstructionFailure(_) => Self::Fault("a call that cannot be made".into()),
            SdkError::TimeoutError(_) => Self::Unavailable("no answer in time".into()),
            SdkError::DispatchFailure(_) => Self::Unavailable("no connection".into()),
            _ => Self::Unavailable("an answer that cannot be read".into()),
        }
    }
}

/// The names of the tables: those of design.md behind a prefix, which template.yaml sets to the
/// stack's name.
#[derive(Clone, Debug, Default)]
pub struct TableNames {
    prefix: String,
}

impl TableNames {
    /// Names with this prefix; without one, the names alone.
    #[must_use]
    pub fn with_prefix(prefix: impl Into<String>) -> Self {
        Self {
            prefix: prefix.into(),
        }
    }

    /// The full name of a table.
    #[must_use]
    pub fn of(&self, table: &str) -> String {
        format!("{}{table}", self.prefix)
    }
}
