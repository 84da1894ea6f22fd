//! The table OAuthGrant: the OAuth clients that act for a user. Written by `grants.rs`, whose actions
//! `codes.rs` and `users.rs` use in transactions; `deletion.rs` deletes rows.
//!
//! [`shared::auth::GrantRow`] is the part of a row that decides if a token is valid, [`Grant`] the part that
//! the profile page shows. The row of a disconnected client stays, because its token generation must not
//! start again at 0: a token from before the disconnection would then be accepted again.

use serde::Deserialize;
use shared::models::UserId;

use super::table::{Index, Projection, Table, Type};
use crate::item::{Item, number, text};

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
        ("client_id", Type::S),
        // In milliseconds since the Unix epoch. Absent while the client is disconnected.
        ("connected_at", Type::N),
        // Counts the events that ended every token of the grant.
        ("token_generation", Type::N),
        // The identifiers of tokens of this generation that were revoked one by one.
        ("revoked_tokens", Type::Ss),
    ],
};

/// A connected client.
#[derive(Clone, Debug, Deserialize)]
pub struct Grant {
    /// The client.
    pub client_id: String,
    /// The time of the connection, in milliseconds since the Unix epoch.
    pub connected_at: u64,
}

/// Returns the key of a row.
pub(crate) fn key(user: UserId, client_id: &str) -> Item {
    Item::from([
        ("user_id".to_owned(), number(user.get())),
        ("client_id".to_owned(), text(client_id)),
    ])
}
