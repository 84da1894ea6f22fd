//! The table Unique: marker rows for the usernames and e-mail addresses that are taken, and the counter of
//! user identifiers.
//!
//! | row | written by |
//! |---|---|
//! | `username#NAME`, `email#ADDRESS` | `UserStore::create`; for names also `UserStore::refold_names` |
//! | `counter#user` | `UserStore::create` |
//!
//! `DeletionStore::replace_by_tombstone` deletes the markers of a deleted user.

use super::table::{Table, Type};
use crate::item::{Item, text};

/// The table.
pub const TABLE: Table = Table {
    name: "Unique",
    key: &["value"],
    indexes: &[],
    expires_at: None,
    attributes: &[
        // `username#NAME`, `email#ADDRESS` or `counter#user`.
        ("value", Type::S),
        // The user that has the username or e-mail address.
        ("user_id", Type::N),
        // In `counter#user` only: the last identifier that was assigned.
        ("last_id", Type::N),
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

/// Returns the value of the marker row for an e-mail address.
pub(crate) fn of_email(email: &str) -> String {
    format!("{EMAIL_PREFIX}{email}")
}

/// Returns the key of a row.
pub(crate) fn key(value: &str) -> Item {
    Item::from([("value".to_owned(), text(value))])
}
