//! The table Throttle: counters of attempts, and the networks that an account was used from (docs/data-model.md,
//! "Throttle"). Written by `crates/store/src/throttle.rs`; `deletion.rs` deletes the rows of a deleted user.

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
        // In counters: the attempts since the counter began. ThrottleStore::count_attempt increases or restarts it, and
        // uncount_attempt lowers it.
        ("attempts", Type::N),
        // In rows of known networks: the digests of the networks. Written by ThrottleStore::add_known_network.
        ("things", Type::Ss),
        // Written by count_attempt and add_known_network.
        ("expires_at", Type::N),
    ],
};

/// Returns the key of a row.
pub(crate) fn key(key: &str) -> Item {
    Item::from([("key".to_owned(), text(key))])
}

/// Returns the part that stands for a user in the keys of counters and of known networks.
#[must_use]
pub fn user_part(user: UserId) -> String {
    format!("user#{}", user.get())
}

/// Returns the key of a counter of failed sign-ins to an account. An account has two such counters: one for the
/// networks from which the account was used before, and one for all other networks. `account` is the result of
/// [`user_part`], or `name#` and the digest of a name that no account has.
#[must_use]
pub fn sign_in_failures_key(account: &str, is_known_network: bool) -> String {
    let networks = if is_known_network { "known" } else { "others" };
    format!("sign_in#{account}#{networks}")
}

/// Returns the key of the row with the networks from which a user's account was used.
#[must_use]
pub fn known_networks_key(user: UserId) -> String {
    format!("known#{}", user_part(user))
}

/// Returns the key of the counter of attempts at an action from a network. `network` is the digest of the
/// network.
#[must_use]
pub fn network_counter_key(action: &str, network: &str) -> String {
    format!("{action}#address#{network}")
}

/// Returns the keys of the rows that belong to a user: both counters of failed sign-ins, then the known networks.
/// Counters of mails are not among them, because their keys have the digest of an e-mail address.
#[must_use]
pub fn keys_of_user(user: UserId) -> [String; 3] {
    let owner = user_part(user);
    [
        sign_in_failures_key(&owner, true),
        sign_in_failures_key(&owner, false),
        known_networks_key(user),
    ]
}
