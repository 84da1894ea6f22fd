//! The table OAuthClient: registered applications. The row of a deleted client is a tombstone with only `client_id`,
//! `deleted_at` and `deletion_shard`, until its grants are deleted. Then `crate::deletion` deletes the
//! tombstone.
//!
//! | attributes | written by |
//! |---|---|
//! | all of [`OAuthClient`] | `ClientStore::create` |
//! | `name`, `redirect_uris`, `implicit` | `ClientStore::update` |
//! | `secret_hash` | `ClientStore::set_secret` |
//! | `deleted_at`, `deletion_shard` | `ClientStore::replace_by_tombstone`, `DeletionStore::delete_data_of_user` |

use aws_lc_rs::constant_time::verify_slices_are_equal;
use dynamo::{Index, Item, Projection, Table, Type, number, text};
use serde::{Deserialize, Serialize};
use shared::digest;
use shared::models::{RedirectUri, UserId};

use crate::users::user::DELETION_SHARD;

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
        ("name", Type::S),
        ("redirect_uris", Type::L),
        ("implicit", Type::Bool),
        ("kind", Type::S),
        // Absent for a public client.
        ("secret_hash", Type::S),
        // Only in tombstones.
        ("deletion_shard", Type::N),
        ("deleted_at", Type::N),
    ],
};

/// The maximum length of a client's identifier in a request, in characters. Assigned identifiers have 20.
const MAX_CLIENT_ID_LENGTH: usize = 64;

/// Returns true if a text from a caller can be the identifier of a client: 1 to 64 ASCII letters and
/// digits. DynamoDB refuses a key that is empty or longer than 2,048 bytes.
pub fn is_client_id(text: &str) -> bool {
    (1..=MAX_CLIENT_ID_LENGTH).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// The ability of a client to keep a secret (RFC 6749, section 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClientKind {
    /// The client runs on a server and can keep a secret.
    Confidential,
    /// The client runs on its users' devices and cannot keep a secret. Such a client has no secret, and must use PKCE
    /// with the code flow.
    Public,
}

/// A registered application.
#[derive(Clone, Serialize, Deserialize)]
pub struct OAuthClient {
    /// The identifier.
    pub client_id: String,
    /// The owner.
    pub user_id: UserId,
    /// The time of the registration, in milliseconds since the Unix epoch.
    pub created_at: u64,
    /// The name that users see.
    pub name: String,
    /// The kind.
    pub kind: ClientKind,
    /// The registered redirect URIs.
    pub redirect_uris: Vec<RedirectUri>,
    /// True if the client can use the implicit grant.
    pub implicit: bool,
    /// The SHA-256 of the secret, in Base64url; `None` for a public client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_hash: Option<String>,
}

/// Keeps the hash out of every log.
impl std::fmt::Debug for OAuthClient {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "OAuthClient({})", self.client_id)
    }
}

impl OAuthClient {
    /// Returns true if a redirect URI in a request matches a registered one ([`RedirectUri::matches`]).
    pub fn has_redirect_uri(&self, redirect_uri: &str) -> bool {
        self.redirect_uris
            .iter()
            .any(|uri| uri.matches(redirect_uri))
    }

    /// Returns true if the client is authenticated by `secret`, the secret in its request. A confidential client must
    /// send its secret, and a public client must send none. The digests of secrets are compared in constant time.
    pub fn authenticates(&self, secret: Option<&str>) -> bool {
        match (self.kind, &self.secret_hash, secret) {
            (ClientKind::Public, _, secret) => secret.is_none(),
            (ClientKind::Confidential, Some(stored), Some(secret)) => {
                verify_slices_are_equal(stored.as_bytes(), digest(secret).as_bytes()).is_ok()
            }
            (ClientKind::Confidential, ..) => false,
        }
    }
}

/// The attributes of a client that its owner can change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientDetails {
    /// The name that users see.
    pub name: String,
    /// The registered redirect URIs.
    pub redirect_uris: Vec<RedirectUri>,
    /// True if the client can use the implicit grant.
    pub implicit: bool,
}

/// Returns the tombstone of a client. It has no owner, so it is not in the index ByOwner. `now` is in
/// milliseconds since the Unix epoch.
pub(crate) fn tombstone(client_id: &str, now: u64) -> Item {
    let mut row = key(client_id);
    row.insert("deleted_at".to_owned(), number(now));
    row.insert("deletion_shard".to_owned(), number(DELETION_SHARD));
    row
}

pub(crate) fn key(client_id: &str) -> Item {
    Item::from([("client_id".to_owned(), text(client_id))])
}
