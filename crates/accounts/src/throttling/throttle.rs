//! The table Throttle: counters of attempts, the networks and browsers that an account was used from, and invitations
//! to register (docs/data-model.md, "Throttle"). `AttemptStore` and `InvitationStore` write the table.
//! `crate::deletion` deletes the rows of a deleted user, and `UserStore::create` deletes the invitation of a new user.

use dynamo::{Item, Table, Type, text};
use shared::models::UserId;

/// The table.
pub const TABLE: Table = Table {
    name: "Throttle",
    key: &["key"],
    indexes: &[],
    expires_at: Some("expires_at"),
    attributes: &[
        ("key", Type::S),
        // In counters: the attempts since the counter began. AttemptStore::count_attempt increases or restarts it, and
        // uncount_attempt lowers it.
        ("attempts", Type::N),
        // In rows of known networks and browsers: their digests. Written by AttemptStore::add_known.
        ("things", Type::Ss),
        // In invitations. Written by InvitationStore::invite and make_setup.
        ("digest", Type::S),
        ("made_at", Type::N),
        // Written by count_attempt, add_known, invite and make_setup.
        ("expires_at", Type::N),
    ],
};

pub(crate) fn key(key: &str) -> Item {
    Item::from([("key".to_owned(), text(key))])
}

/// Returns the part that stands for a user in the keys of counters and of known networks.
pub fn user_part(user: UserId) -> String {
    format!("user#{}", user.get())
}

/// Returns the key of a counter of failed sign-ins to an account. An account has two such counters: one for the
/// networks from which the account has been used, and one for all other networks. `account` is the result of
/// [`user_part`], or `name#` and the digest of a name that no account has.
pub fn sign_in_failures_key(account: &str, is_known_network: bool) -> String {
    let networks = if is_known_network { "known" } else { "others" };
    format!("sign_in#{account}#{networks}")
}

/// Returns the key of a counter of wrong passwords that a signed-in user has typed.
pub fn proof_failures_key(user: UserId) -> String {
    format!("proof#{}", user_part(user))
}

/// Returns the key of the row with the networks from which a user's account was used.
pub fn known_networks_key(user: UserId) -> String {
    format!("known#{}", user_part(user))
}

/// Returns the key of the row with the browsers in which a user has signed in.
pub fn known_browsers_key(user: UserId) -> String {
    format!("browsers#{}", user_part(user))
}

/// Returns the key of the counter of attempts at an action from a network. `network` is the digest of the network.
pub fn network_counter_key(action: &str, network: &str) -> String {
    format!("{action}#address#{network}")
}

/// Returns the key of the row that says that a text is used up, such as the state of a sign-in. `digest` is its digest.
pub fn used_key(digest: &str) -> String {
    format!("used#{digest}")
}

/// Returns the keys of the rows that belong to a user: the two counters of failed sign-ins, the counter of failed
/// proofs, the known networks and the known browsers. Counters of mails are not among them, because their keys have the
/// digest of an e-mail address.
pub fn keys_of_user(user: UserId) -> [String; 5] {
    let owner = user_part(user);
    [
        sign_in_failures_key(&owner, true),
        sign_in_failures_key(&owner, false),
        proof_failures_key(user),
        known_networks_key(user),
        known_browsers_key(user),
    ]
}
