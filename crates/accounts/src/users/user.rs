//! The table User: accounts.
//!
//! The row of a new user has `list_shard` and those attributes of [`Account`] that have a value. The other attributes
//! are added later, for stories, the synchronization, OAuth applications or deletion.
//! [`shared::auth::CallerRow`] is the part of a row that decides what a caller may do. The row of a deleted user
//! is a tombstone with only `id`, `deleted_at` and `deletion_shard`.
//!
//! | attributes | written by |
//! |---|---|
//! | `list_shard` and all of [`Account`] except `list` | `UserStore::create` |
//! | `gender`, `localization`, `public_profile`, `indexable_profile` | `UserStore::update_own`, `update_other` |
//! | `title_language`, `score_scale`, `favorites` | `UserStore::update_own` |
//! | `time_zone` | `UserStore::update_own`, `update_other`, `set_first_time_zone` |
//! | `email` | `UserStore::create`, `change_email` |
//! | `email_version` | `UserStore::change_email` |
//! | `password_hash`, `password_version` | `update_own`, `reset_password` |
//! | `token_generation`, `kept_token` | `update_own`, `reset_password`, `sign_out_everywhere`, `change_factors`, `replace_factors` |
//! | `email_verified` | `UserStore::create`, `verify_email`, `change_email` |
//! | `factors` | `UserStore::create`, `change_factors`, `record_factor_use`, `connect_identity`, `replace_factors`, `reset_password` |
//! | `role` | `UserStore::set_role` |
//! | `username_folded` | `UserStore::refold_names` |
//! | `has_tracker_a`, `tracker_a_account` (likewise b), `sync_shard` | `LinkStore::link`, `unlink`, `require_reconnect` |
//! | `avatar` | `LinkStore::link` |
//! | `picture` | `UserStore::set_picture`, `remove_picture`, `remove_picture_of` |
//! | `last_change_number`, `story_digest`, `digest_number`, `deletion_digest` | `UserStore::create`, `ListOwner::add_change` with every write of a story |
//! | `deletions_since` | `UserStore::create` |
//! | these five | also `UserStore::store_digests`, if they are missing or wrong |
//! | `recent_changes` | `ListOwner::add_change` |
//! | `sync_due_at` | `LinkStore::link`, `ListOwner::add_change`, `LeaseStore::take_lease`, `release_lease` |
//! | `sync_lease`, `sync_lease_until` | `LeaseStore::take_lease`, `release_lease` |
//! | `sync_runs` | `LeaseStore::release_lease`, `begin_run`, `count_run` |
//! | `client_count` | `ClientStore::create`, `replace_by_tombstone` |
//! | `calendar_feed` | `UserStore::set_calendar_feed` |
//! | `asked_at` | `UserStore::create`, `record_question`, `forget_questions` |
//! | `deleted_at`, `deletion_shard` | `DeletionStore::replace_by_tombstone` |
//!
//! `LinkStore::link` can also write what `update_own` writes.

use dynamo::{Index, Item, Projection, Table, Type, number};
use serde::{Deserialize, Serialize};
use shared::auth::{CallerRow, has_expired};
use shared::models::{
    AnimeId, DisplaySettings, Factors, LinkedAccounts, ListVersion, OwnUser, TimeZone, User,
    UserId, deserialize_known,
};

use crate::grants::oauth_grant::ProfileToken;

/// The attributes of a user as everyone sees it, except the keys of the index.
const LISTED: Projection = Projection::Include(&[
    "username",
    "role",
    "avatar",
    "gender",
    "has_tracker_a",
    "has_tracker_b",
]);

/// The table.
pub const TABLE: Table = Table {
    name: "User",
    key: &["id"],
    indexes: &[
        Index {
            name: "ByUsername",
            key: &["list_shard", "username_folded"],
            projection: LISTED,
        },
        Index {
            name: "ByEmail",
            key: &["email"],
            projection: LISTED,
        },
        Index {
            name: "SyncDue",
            key: &["sync_shard", "sync_due_at"],
            projection: Projection::KeysOnly,
        },
        Index {
            name: "ByDeletion",
            key: &["deletion_shard", "deleted_at"],
            projection: Projection::KeysOnly,
        },
    ],
    expires_at: None,
    attributes: &[
        ("id", Type::N),
        ("list_shard", Type::N),
        ("username", Type::S),
        ("username_folded", Type::S),
        ("email", Type::S),
        ("email_verified", Type::Bool),
        ("email_version", Type::N),
        ("role", Type::N),
        ("avatar", Type::S),
        // The digest of the picture in the table Unique.
        ("picture", Type::S),
        ("gender", Type::N),
        ("localization", Type::S),
        ("time_zone", Type::S),
        ("public_profile", Type::Bool),
        ("indexable_profile", Type::Bool),
        ("title_language", Type::S),
        ("score_scale", Type::S),
        ("favorites", Type::L),
        ("password_hash", Type::S),
        ("password_version", Type::N),
        // A map: see shared::models::Factors.
        ("factors", Type::M),
        ("token_generation", Type::N),
        ("kept_token", Type::S),
        ("created_at", Type::N),
        ("has_tracker_a", Type::Bool),
        ("has_tracker_b", Type::Bool),
        ("tracker_a_account", Type::N),
        ("tracker_b_account", Type::N),
        ("sync_shard", Type::N),
        ("sync_due_at", Type::N),
        ("sync_lease", Type::S),
        ("sync_lease_until", Type::N),
        ("sync_runs", Type::N),
        ("client_count", Type::N),
        ("calendar_feed", Type::S),
        ("asked_at", Type::N),
        // The change number of the last change of the user's stories.
        ("last_change_number", Type::N),
        // The list of stories after the change `digest_number`, see stories::lists::story_list::digest.
        ("story_digest", Type::N),
        ("digest_number", Type::N),
        // The deletions above the change `deletions_since`.
        ("deletion_digest", Type::N),
        ("deletions_since", Type::N),
        // See shared::models::ListVersion.
        ("recent_changes", Type::B),
        ("deletion_shard", Type::N),
        ("deleted_at", Type::N),
    ],
};

/// The one partition key of the index ByUsername. It allows 1,000 registrations per second
/// (docs/data-model.md, "Hot partitions").
pub(crate) const LIST_SHARD: u64 = 0;

/// The one partition key of the index SyncDue. Only users with a usable linked account have it, so the index is sparse.
pub const SYNC_SHARD: u64 = 0;

/// The one partition key of the index ByDeletion, in this table and in the table OAuthClient. Only tombstones
/// have it, so the indexes are sparse.
pub(crate) const DELETION_SHARD: u64 = 0;

/// The maximum number of favorites of a user.
pub const MAX_FAVORITES: usize = 10;

/// An account: the user, and the attributes for signing in.
#[derive(Clone, Serialize, Deserialize)]
pub struct Account {
    /// The user, as everyone sees it.
    #[serde(flatten)]
    pub user: User,
    /// The e-mail address.
    pub email: String,
    /// True if the e-mail address is verified.
    pub email_verified: bool,
    /// The preferred locale code.
    pub localization: String,
    /// The time zone of the user's days; `None` until one is known.
    #[serde(
        default,
        deserialize_with = "deserialize_known",
        skip_serializing_if = "Option::is_none"
    )]
    pub time_zone: Option<TimeZone>,
    /// The username in lower case, for comparison and order.
    pub username_folded: String,
    /// The hash of the password: Argon2id, as a PHC string. `None` if the user has no password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password_hash: Option<String>,
    /// Counts the changes of the password, so that a reset link works once.
    pub password_version: u64,
    /// Counts the changes of the e-mail address, so that a link works only while the account has the address to which
    /// it was mailed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub email_version: u64,
    /// The passkeys, the account at an identity provider and the second factor.
    #[serde(default, skip_serializing_if = "Factors::is_unset")]
    pub factors: Factors,
    /// The generation of the user's tokens. It counts the events that end every earlier token of the user. A token is
    /// valid only if it names this generation or is the kept token.
    pub token_generation: u64,
    /// The identifier of the one token of an earlier generation that is still valid: the token with which the
    /// password was changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_token: Option<String>,
    /// The time of the registration, in milliseconds since the Unix epoch.
    pub created_at: u64,
    /// The usable linked accounts at trackers.
    #[serde(flatten)]
    pub linked: LinkedAccounts,
    /// True if everyone can read the user's list and statistics. Absent from rows whose user has never changed it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub public_profile: bool,
    /// True if search engines may list the public profile. Absent from rows whose user has never changed it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub indexable_profile: bool,
    /// The titles and the scale of scores that pages show to the user.
    #[serde(flatten)]
    pub display: DisplaySettings,
    /// The anime that the user has chosen for the public profile, in the order of the choice, at most
    /// [`MAX_FAVORITES`]. Absent from rows whose user has chosen none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub favorites: Vec<AnimeId>,
    /// The version of the user's list. Every write of a story changes it.
    #[serde(flatten, skip_serializing)]
    pub list: ListVersion,
    /// The encrypted secret in the address of the user's calendar feed; `None` if there is no such address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calendar_feed: Option<String>,
    /// The time at which a question about a series of a player was asked last, in seconds since the Unix epoch; 0 if
    /// there is no question. `None` if an earlier version of the service has created the row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_at: Option<u64>,
    /// The digest of the picture that the user has uploaded; `None` without a picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
}

impl Account {
    /// Returns the time zone of the user's days.
    pub fn time_zone(&self) -> TimeZone {
        self.time_zone.unwrap_or_default()
    }

    /// Returns the favorites after an anime was added to them or removed. Returns `None` if that changes nothing, or if
    /// there are [`MAX_FAVORITES`] already.
    pub fn changed_favorites(&self, anime: AnimeId, is_favorite: bool) -> Option<Vec<AnimeId>> {
        if self.favorites.contains(&anime) == is_favorite {
            return None;
        }
        let mut favorites = self.favorites.clone();
        if is_favorite {
            favorites.push(anime);
        } else {
            favorites.retain(|favorite| *favorite != anime);
        }
        (favorites.len() <= MAX_FAVORITES).then_some(favorites)
    }

    /// Returns true if this profile token of the user is valid at `now` (seconds since the Unix epoch): it has not
    /// expired, and it belongs to the current generation of the user's tokens or is the kept token.
    pub fn has_live_token(&self, token: &ProfileToken, now: u64) -> bool {
        let is_kept = self.kept_token.as_ref() == Some(&token.token_id);
        let has_ended = token.token_generation != self.token_generation && !is_kept;
        !has_ended && !has_expired(&token.token_id, now)
    }

    /// Returns the user, as the user sees it.
    pub fn own_user(&self) -> OwnUser {
        OwnUser {
            user: self.user.clone(),
            email: self.email.clone(),
            email_verified: self.email_verified,
            localization: self.localization.clone(),
            time_zone: self.time_zone,
        }
    }
}

/// Keeps the password hash, the e-mail address and the encrypted secret out of every log.
impl std::fmt::Debug for Account {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Account({})", self.user.id.get())
    }
}

impl From<&Account> for CallerRow {
    fn from(account: &Account) -> Self {
        Self {
            deleted_at: None,
            token_generation: account.token_generation,
            kept_token: account.kept_token.clone(),
            role: Some(account.user.role),
            linked: account.linked,
            public_profile: account.public_profile,
            list: account.list.clone(),
            grant: None,
        }
    }
}

pub fn key(id: UserId) -> Item {
    Item::from([("id".to_owned(), number(id.get()))])
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference to the field"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
