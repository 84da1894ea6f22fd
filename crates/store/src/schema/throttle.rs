//! The table Throttle: counters of attempts, and the networks from which an account was used. Written by
//! `throttle.rs`.

use shared::models::UserId;

use super::table::{Table, Type};
use crate::item::{Item, text};

/// The table.
pub const TABLE: Table = Table {
    name: "Throttle",
    key: &["key"],
    indexes: &[],
    expires_at: Some("expires_at"),
    attributes: &[
        ("key", Type::S),
        // The attempts since the first one.
        ("attempts", Type::N),
        // In rows of networks only: digests of the networks.
        ("things", Type::Ss),
        ("expires_at", Type::N),
    ],
};

/// Returns the key of a row.
pub(crate) fn key(key: &str) -> Item {
    Item::from([("key".to_owned(), text(key))])
}

/// Returns the part of keys that names a user.
#[must_use]
pub fn owner(user: UserId) -> String {
    format!("user#{}", user.get())
}

/// Returns the key that counts failed sign-ins to an account, from networks that its owner has used before,
/// or from all other networks.
#[must_use]
pub fn sign_in_failures(owner: &str, is_known_network: bool) -> String {
    let networks = if is_known_network { "known" } else { "others" };
    format!("sign_in#{owner}#{networks}")
}

/// Returns the key of the networks from which a user has signed in.
#[must_use]
pub fn known_networks(user: UserId) -> String {
    format!("known#{}", owner(user))
}

/// Returns the key that counts the attempts at an action from a network.
#[must_use]
pub fn of_address(action: &str, network: &str) -> String {
    format!("{action}#address#{network}")
}

/// Returns the keys of all rows about a user.
#[must_use]
pub fn of_user(user: UserId) -> [String; 3] {
    let owner = owner(user);
    [
        sign_in_failures(&owner, true),
        sign_in_failures(&owner, false),
        known_networks(user),
    ]
}
