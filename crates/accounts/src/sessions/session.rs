//! The table Session: sessions of the web pages, one for each browser that is signed in. `SessionStore::create` writes
//! all attributes but `proved_at`, which `record_proof` writes. `prolong` writes `used_at` and `expires_at`, and
//! `delete` and `end_of_user` delete the row.

use dynamo::{Index, Projection, Table, Type};
use serde::{Deserialize, Serialize};
use shared::models::UserId;

use crate::users::user::Account;

/// The table.
pub const TABLE: Table = Table {
    name: "Session",
    key: &["id_hash"],
    // ByUser is read for the list of sessions, and for the file with everything about a user.
    indexes: &[
        Index {
            name: "ByUser",
            key: &["user_id", "begun_at"],
            projection: Projection::All,
        },
        // This index is read when the identity provider ends a session. Only sessions that began there have the key.
        Index {
            name: "ByProviderSession",
            key: &["provider_session"],
            projection: Projection::KeysOnly,
        },
    ],
    expires_at: Some("expires_at"),
    attributes: &[
        ("id_hash", Type::S),
        ("user_id", Type::N),
        ("generation", Type::N),
        ("begun_at", Type::N),
        ("expires_at", Type::N),
        ("used_at", Type::N),
        ("proved_at", Type::N),
        ("browser", Type::S),
        ("network", Type::S),
        ("provider_session", Type::S),
        ("id_token", Type::S),
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
    /// The time of the last use, in seconds since the Unix epoch, up to 1 hour too early. 0 in old rows.
    #[serde(default)]
    pub used_at: u64,
    /// The time at which the user has last proved to be the owner of the account, in seconds since the Unix epoch.
    /// `None` if that was at the sign-in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proved_at: Option<u64>,
    /// The name of the browser and of its operating system.
    #[serde(default)]
    pub browser: String,
    /// The network of the sign-in ([`shared::auth::CallerAddress::network`]).
    #[serde(default)]
    pub network: String,
    /// A digest of the issuer and of the identifier of the session at the identity provider in which this session
    /// began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_session: Option<String>,
    /// The ID token of that session, if users who sign out of this service are led to the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id_token: Option<String>,
}

impl Session {
    /// Returns true if the session has not ended. `now` is in seconds since the Unix epoch.
    pub fn is_live(&self, account: &Account, now: u64) -> bool {
        let is_kept = account.kept_token.as_ref() == Some(&self.id_hash);
        self.expires_at > now && (self.generation == account.token_generation || is_kept)
    }
}
