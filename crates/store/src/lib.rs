//! DynamoDB: the tables ([`schema`]) and one store for each kind of data. Nothing outside this crate knows
//! an `AttributeValue`, and nothing in it knows HTTP or a tracker.
//!
//! Every function fails with [`Error::Unavailable`] when DynamoDB does not answer or throttles, and with
//! [`Error::Internal`] when it refuses a request. Other errors are listed at the functions. "Strongly
//! consistent" reads see every write that was answered before; reads of an index may miss the last moments.

mod batch;
mod catalogue;
mod clients;
mod codes;
mod deletion;
mod errors;
mod grants;
mod links;
mod listing;
mod refresh;
pub mod schema;
mod sessions;
mod snapshot;
mod stories;
mod sync;
mod throttle;
mod transaction;
mod users;

pub use catalogue::{
    CatalogueStore, Document, LIST_SHARDS, MAX_BATCH_READ, MAX_BATCH_WRITE, Stored,
};
pub use clients::{ClientStore, MAX_CLIENTS};
pub use codes::{CODE_S, CONSENT_S, CodeStore, Exchange, Exchanged};
pub use deletion::{DeletionStore, Progress};
pub use grants::GrantStore;
pub use links::LinkStore;
pub use refresh::RefreshStore;
pub use schema::anime::{AnimeListItem, anime_list_order};
pub use schema::auth_code::{AuthorizationRequest, Consent};
pub use schema::catalog_snapshot::{Head, RefreshState};
pub use schema::oauth_client::{Client, ClientDetails, ClientKind, is_client_id};
pub use schema::oauth_grant::Grant;
pub use schema::session::Session;
pub use schema::song::{SongListItem, song_list_order};
pub use schema::tracker_link::{Link, LinkReport};
pub use schema::user::Account;
pub use schema::user_story::Story;
pub use sessions::SessionStore;
pub use snapshot::SnapshotStore;
pub use stories::{Change, NewStory, StoryFilter, StoryPage, StoryStore};
pub use sync::{Due, Lease, StoryWrite, SyncStore, SyncedStory};
pub use throttle::{Limit, ThrottleStore};
pub use users::{NewAccount, NewLink, Unlink, UserChange, UserPage, UserStore, UsernamePattern};

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::Error;

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

fn read<T: DeserializeOwned>(item: Item) -> Result<T, Error> {
    serde_dynamo::from_item(item).map_err(Error::internal)
}

/// Fields as an item. Those that are null are left out: the key of an index cannot be null, and an
/// absent field reads as null again.
fn write<T: Serialize>(row: &T) -> Result<Item, Error> {
    let mut item: Item = serde_dynamo::to_item(row).map_err(Error::internal)?;
    item.retain(|_, value| !value.is_null());
    Ok(item)
}

/// The longest pause before an attempt that is another one: 25 ms, and twice as long each time. `None`
/// before the first.
fn pause_before(attempt: u32) -> Option<Duration> {
    let retry = attempt.checked_sub(1)?;
    Some(Duration::from_millis(25) * 2_u32.pow(retry))
}

/// The names of the tables: those of [`schema`] behind a prefix, which template.yaml sets to the
/// stack's name and a dash.
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
