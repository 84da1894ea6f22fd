//! The table Unique: marker rows for the usernames, e-mail addresses and accounts at identity providers that are taken,
//! the counter of user identifiers, and the pictures of users.
//!
//! | row | written by |
//! |---|---|
//! | `username#NAME`, `email#ADDRESS` | `UserStore::create`; for names also `UserStore::refold_names`, for addresses `change_email` |
//! | `identity#DIGEST` | `UserStore::create`, `change_factors`, `connect_identity`, `replace_factors`, `reset_password` |
//! | `counter#user` | `UserStore::create` |
//! | `picture#ID` | `UserStore::set_picture`, `remove_picture`, `remove_picture_of` |
//!
//! `DeletionStore::replace_by_tombstone` deletes the markers and the picture of a deleted user.

use dynamo::{Item, Table, Type, text};
use shared::digest;
use shared::models::{Identity, UserId};

/// The table.
pub const TABLE: Table = Table {
    name: "Unique",
    key: &["value"],
    indexes: &[],
    expires_at: None,
    attributes: &[
        // `username#NAME`, `email#ADDRESS`, `identity#DIGEST`, `counter#user` or `picture#ID`.
        ("value", Type::S),
        // The user that has the username, the e-mail address, the account at the identity provider or the picture.
        ("user_id", Type::N),
        // In `counter#user` only: the last identifier that was assigned.
        ("last_id", Type::N),
        // In `picture#ID` only: the file and its media type.
        ("picture", Type::B),
        ("media_type", Type::S),
    ],
};

/// The value of the row with the counter of user identifiers.
pub(crate) const USER_COUNTER: &str = "counter#user";

/// The beginning of the values of usernames' marker rows.
pub const USERNAME_PREFIX: &str = "username#";

/// The beginning of the values of e-mail addresses' marker rows.
pub const EMAIL_PREFIX: &str = "email#";

/// Returns the value of the marker row for a username, folded with [`shared::models::fold_username`].
pub(crate) fn of_username(username_folded: &str) -> String {
    format!("{USERNAME_PREFIX}{username_folded}")
}

pub(crate) fn of_email(email: &str) -> String {
    format!("{EMAIL_PREFIX}{email}")
}

/// The beginning of the values of marker rows for accounts at identity providers.
pub const IDENTITY_PREFIX: &str = "identity#";

/// Returns the value of the marker row for an account at an identity provider. Issuers and subjects can be long, so it
/// has their digest. A line break, which no issuer contains, separates them.
pub fn of_identity(identity: &Identity) -> String {
    let Identity {
        issuer, subject, ..
    } = identity;
    format!(
        "{IDENTITY_PREFIX}{}",
        digest(&format!("{issuer}\n{subject}"))
    )
}

/// The beginning of the values of rows with pictures. The identifier of the user follows.
pub const PICTURE_PREFIX: &str = "picture#";

/// Returns the value of the row with the picture of a user.
pub(crate) fn of_picture(id: UserId) -> String {
    format!("{PICTURE_PREFIX}{}", id.get())
}

pub(crate) fn key(value: &str) -> Item {
    Item::from([("value".to_owned(), text(value))])
}
