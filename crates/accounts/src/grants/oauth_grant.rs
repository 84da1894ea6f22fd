//! The table OAuthGrant. It has two kinds of rows: one for each OAuth client that acts or has acted for a user, and
//! one for each profile token, which a user makes on the profile page.
//!
//! `crate::deletion` deletes rows of both kinds, `GrantStore::delete_of_client` deletes the rows of a deleted client,
//! and `ProfileTokenStore::revoke` deletes the row of a token.
//!
//! | row | attributes | written by |
//! |---|---|---|
//! | of a client | `token_generation`, `connected_at`, `scopes` | `CodeStore::grant_consent` |
//! | of a client | `revoked_tokens` | `GrantStore::revoke` |
//! | of a client | `token_generation`; `revoked_tokens` is removed | `GrantStore::end_tokens` |
//! | of a client | `token_generation`; `connected_at`, `scopes` and `revoked_tokens` are removed | `UserStore::disconnect` |
//! | of a token | all of [`ProfileToken`] except `used_on` | `ProfileTokenStore::create` |
//! | of a token | `used_on` | `grant_store.rs`, with the check of each request with the token |
//!
//! [`shared::auth::GrantRow`] is the part of a row that decides if a token is valid. [`Grant`] and
//! [`ProfileToken`] are the rows that the profile page shows.
//!
//! The row of a disconnected client is kept, because its token generation must not start again at 0. Otherwise, a token
//! from before the disconnection would be accepted again.
//!
//! The row of a token has `token:` and a slot number in place of the client. A user has [`MAX_PROFILE_TOKENS`] slots,
//! so the number of tokens is limited without a counter. A new token overwrites one that has ended.

use std::collections::BTreeSet;

use dynamo::{Index, Item, Projection, Table, Type, number, text};
use serde::{Deserialize, Serialize};
use shared::auth::{ACCESS_TOKEN_S, Scope};
use shared::models::UserId;

/// The maximum number of profile tokens that a user has at the same time (docs/api.md, "Limits").
pub const MAX_PROFILE_TOKENS: u8 = 25;

/// The table.
pub const TABLE: Table = Table {
    name: "OAuthGrant",
    key: &["user_id", "client_id"],
    indexes: &[Index {
        name: "ByClient",
        key: &["client_id", "user_id"],
        projection: Projection::KeysOnly,
    }],
    expires_at: None,
    attributes: &[
        ("user_id", Type::N),
        // `token:` and the number of the slot in the row of a token.
        ("client_id", Type::S),
        // In the row of a client: a counter of the events that ended every token of the grant. In the row of a token:
        // the generation of the user's tokens to which the token belongs.
        ("token_generation", Type::N),
        // Only in rows of clients. In milliseconds since the Unix epoch. Absent while the client is disconnected.
        ("connected_at", Type::N),
        // Only in rows of clients. The names of the scopes that the client has been given since it was connected.
        // Absent while the client is disconnected. Also absent if it was connected before scopes existed: then it has
        // every right.
        ("scopes", Type::Ss),
        // Only in rows of clients. The identifiers of tokens of this generation that were revoked one by one.
        ("revoked_tokens", Type::Ss),
        // Only in rows of tokens, like the following attributes.
        ("token_id", Type::S),
        ("name", Type::S),
        // Absent if the token gives every right.
        ("scope", Type::S),
        // In milliseconds since the Unix epoch.
        ("created_at", Type::N),
        // In days since the Unix epoch. Absent before the first use.
        ("used_on", Type::N),
    ],
};

/// A client that is or was connected.
#[derive(Clone, Debug, Deserialize)]
pub struct Grant {
    /// The client.
    pub client_id: String,
    /// The time of the connection, in milliseconds since the Unix epoch; `None` once the client is disconnected.
    pub connected_at: Option<u64>,
    #[serde(default)]
    scopes: BTreeSet<String>,
}

impl Grant {
    /// Returns the widest scope that the client was given.
    pub fn scope(&self) -> Scope {
        if self.scopes.is_empty() || self.scopes.contains("write") {
            Scope::ReadWrite
        } else if self.scopes.contains("read") {
            Scope::Read
        } else {
            Scope::Playback
        }
    }
}

/// A token that a user has made on the profile page.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProfileToken {
    pub(crate) user_id: UserId,
    /// The slot, as the sort key of the table.
    pub(crate) client_id: String,
    /// The identifier of the token (`jti`).
    pub token_id: String,
    /// The generation of the user's tokens to which the token belongs.
    pub token_generation: u64,
    /// The name that the user has given it.
    pub name: String,
    /// The scope; `None` if the token gives every right.
    pub scope: Option<Scope>,
    /// The time of its creation, in milliseconds since the Unix epoch.
    pub created_at: u64,
    /// The day of its last use, in days since the Unix epoch; `None` before the first use.
    pub used_on: Option<u64>,
}

impl ProfileToken {
    /// Returns the time of expiry, in seconds since the Unix epoch.
    pub fn expires_at(&self) -> u64 {
        self.created_at / 1000 + ACCESS_TOKEN_S
    }
}

/// The prefix of the sort keys of tokens. No client's identifier begins with it, because such identifiers have no
/// colon.
pub(crate) const TOKEN_PREFIX: &str = "token:";

/// Returns the sort key of the token in a slot.
pub(crate) fn slot_id(slot: u8) -> String {
    format!("{TOKEN_PREFIX}{slot:02}")
}

pub(crate) fn key(user: UserId, client_id: &str) -> Item {
    Item::from([
        ("user_id".to_owned(), number(user.get())),
        ("client_id".to_owned(), text(client_id)),
    ])
}
