//! The table Session: sessions of the web pages, one for each browser that is signed in. `SessionStore::create` writes
//! all attributes, `SessionStore::prolong` writes `expires_at`, and `SessionStore::delete` deletes the row.

use serde::{Deserialize, Serialize};
use shared::models::UserId;

use super::table::{Index, Projection, Table, Type};

/// The table.
pub const TABLE: Table = Table {
    name: "Session",
    key: &["id_hash"],
    // Read only for the file with everything about a user, which the user can download.
    indexes: &[Index {
        name: "ByUser",
        key: &["user_id", "begun_at"],
        projection: Projection::All,
    }],
    expires_at: Some("expires_at"),
    attributes: &[
        ("id_hash", Type::S),
        ("user_id", Type::N),
        ("generation", Type::N),
        ("begun_at", Type::N),
        ("expires_at", Type::N),
    ],
};

/// A session of the web pages.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Session {
    /// The SHA-256 of the cookie's value, in Base64url.
    pub id_hash: String,
    /// The user who signed in.
    pub user_id: UserId,
    /// The generation of the user's tokens at the sign-in. The session ends when the user's row gets a higher
    /// generation, unless a change of the password in this very session is the reason.
    pub generation: u64,
    /// The time of the sign-in, in seconds since the Unix epoch.
    pub begun_at: u64,
    /// The time at which the session expires unless it is extended, in seconds since the Unix epoch.
    pub expires_at: u64,
}
