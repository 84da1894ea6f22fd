//! The table OAuthGrant: the OAuth clients that act for a user. Written by `grants.rs`; `codes.rs` connects
//! a client, `deletion.rs` deletes rows.
//!
//! [`shared::auth::GrantRow`] is the part of a row that decides about a token, [`Grant`] the part that the
//! profile page shows. The row of a disconnected client stays, because its generation must not start again
//! at 0: a token issued before the disconnection would then be accepted again.

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
        // Absent while the client is disconnected. Milliseconds since the Unix epoch.
        ("connected_at", Type::N),
        // Counts what ended every token of the grant.
        ("token_generation", Type::N),
        // Tokens of this generation that were revoked.
        ("revoked_tokens", Type::Ss),
    ],
};

/// A connected client.
#[derive(Clone, Debug, Deserialize)]
pub struct Grant {
    /// The client.
    pub client_id: String,
    /// Milliseconds since the Unix epoch.
    pub connected_at: u64,
}

/// Returns the key of a row.
pub(crate) fn key(user: UserId, client_id: &str) -> Item {
    Item::from([
        ("user_id".to_owned(), number(user.get())),
        ("client_id".to_owned(), text(client_id)),
    ])
}
