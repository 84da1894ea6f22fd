//! The table OAuthClient: registered applications. Written by `clients.rs`. The row of a deleted client is a
//! tombstone with `client_id`, `deleted_at` and `deletion_shard` alone, until its grants are deleted.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use serde::{Deserialize, Serialize};
use shared::digest;
use shared::models::{RedirectUri, UserId};

use super::table::{Index, Projection, Table, Type};
use super::user::DELETION_SHARD;
use crate::item::{Item, number, text};

/// The table.
pub const TABLE: Table = Table {
    name: "OAuthClient",
    key: &["client_id"],
    indexes: &[
        Index {
            name: "ByOwner",
            key: &["user_id", "created_at"],
            projection: Projection::All,
        },
        Index {
            name: "ByDeletion",
            key: &["deletion_shard", "deleted_at"],
            projection: Projection::KeysOnly,
        },
    ],
    expires_at: None,
    attributes: &[
        ("client_id", Type::S),
        ("user_id", Type::N),
        ("created_at", Type::N),
        // These three are also written by ClientStore::update.
        ("name", Type::S),
        ("redirect_uris", Type::L),
        ("implicit", Type::Bool),
        ("kind", Type::S),
        // Also written by ClientStore::set_secret.
        ("secret_hash", Type::S),
        // Written by ClientStore::bury and DeletionStore::clear.
        ("deletion_shard", Type::N),
        ("deleted_at", Type::N),
    ],
};

/// The longest identifier that is looked up, in characters. Ours have 20.
const MAX_CLIENT_ID: usize = 64;

/// Returns true if a text from a caller can be the identifier of a client: 1 to 64 ASCII letters and
/// digits. DynamoDB refuses a key that is empty or longer than 2,048 bytes.
#[must_use]
pub fn is_client_id(text: &str) -> bool {
    (1..=MAX_CLIENT_ID).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// Whether a client can keep a secret (RFC 6749, section 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClientKind {
    /// It can, on a server.
    Confidential,
    /// It runs where its users can look into it: it has none, and PKCE is required.
    Public,
}

/// A registered application.
#[derive(Clone, Serialize, Deserialize)]
pub struct Client {
    /// Its identifier.
    pub client_id: String,
    /// Whose it is.
    pub user_id: UserId,
    /// Milliseconds since the Unix epoch.
    pub created_at: u64,
    /// What users are told it is called.
    pub name: String,
    /// Whether it can keep a secret.
    pub kind: ClientKind,
    /// Where answers may go to.
    pub redirect_uris: Vec<RedirectUri>,
    /// Whether it may ask for a token in place of a code.
    pub implicit: bool,
    /// SHA-256 of the secret of a confidential one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_hash: Option<String>,
}

/// Keeps the hash out of every log.
impl std::fmt::Debug for Client {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Client({})", self.client_id)
    }
}

impl Client {
    /// Whether an address is one that it registered.
    #[must_use]
    pub fn registered(&self, redirect_uri: &str) -> bool {
        self.redirect_uris.iter().any(|uri| uri.is(redirect_uri))
    }

    /// Whether this is its secret; of a public one, whether there is none. Takes the same time for
    /// every wrong one.
    #[must_use]
    pub fn authenticates(&self, secret: Option<&str>) -> bool {
        match (self.kind, &self.secret_hash, secret) {
            (ClientKind::Public, _, secret) => secret.is_none(),
            (ClientKind::Confidential, Some(kept), Some(secret)) => {
                verify_slices_are_equal(kept.as_bytes(), digest(secret).as_bytes()).is_ok()
            }
            (ClientKind::Confidential, ..) => false,
        }
    }
}

/// What its owner decides about a client, and may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientDetails {
    /// What users are told it is called.
    pub name: String,
    /// Where answers may go to.
    pub redirect_uris: Vec<RedirectUri>,
    /// Whether it may ask for a token in place of a code.
    pub implicit: bool,
}

/// What is left of a client that is being deleted. It is in no list of its owner's.
pub(crate) fn tombstone(client_id: &str, now: u64) -> Item {
    let mut row = key(client_id);
    row.insert("deleted_at".to_owned(), number(now));
    row.insert("deletion_shard".to_owned(), number(DELETION_SHARD));
    row
}

/// The key of a row.
pub(crate) fn key(client_id: &str) -> Item {
    Item::from([("client_id".to_owned(), text(client_id))])
}
