//! The table Session: browsers that are signed in on the web pages. Written by `sessions.rs`.

use serde::{Deserialize, Serialize};
use shared::models::UserId;

use super::table::{Table, Type};

/// The table.
pub const TABLE: Table = Table {
    name: "Session",
    key: &["id_hash"],
    indexes: &[],
    expires_at: Some("expires_at"),
    attributes: &[
        ("id_hash", Type::S),
        ("user_id", Type::N),
        ("generation", Type::N),
        ("begun_at", Type::N),
        // Also written by SessionStore::prolong.
        ("expires_at", Type::N),
    ],
};

/// A browser session.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Session {
    /// SHA-256 of the cookie's value, in Base64.
    pub id_hash: String,
    /// The user who signed in.
    pub user_id: UserId,
    /// The generation of the user's tokens at that time. The session ends with that generation.
    pub generation: u64,
    /// The time of the sign-in, in seconds since the Unix epoch.
    pub begun_at: u64,
    /// The time at which it ends unless it is used before, in seconds since the Unix epoch.
    pub expires_at: u64,
}
