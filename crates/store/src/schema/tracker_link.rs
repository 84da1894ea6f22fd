//! The table TrackerLink: the accounts at trackers that users have linked, one row for each. Written by
//! `links.rs`; `users.rs` puts and deletes rows in the same transaction as the user's row, `deletion.rs`
//! deletes them.
//!
//! The tokens are not in the User row because every write of a story reads that row, and tokens are long.

use std::fmt;

use serde::{Deserialize, Serialize};
use shared::models::{TrackerName, UserId};

use super::table::{Table, Type};
use crate::item::{Item, number, text};

/// The table.
pub const TABLE: Table = Table {
    name: "TrackerLink",
    key: &["user_id", "tracker"],
    indexes: &[],
    expires_at: None,
    attributes: &[
        ("user_id", Type::N),
        ("tracker", Type::S),
        ("link_id", Type::S),
        ("account", Type::N),
        ("name", Type::S),
        // Also written by LinkStore::keep_tokens.
        ("tokens", Type::S),
        // Also written by LinkStore::refuse.
        ("is_refused", Type::Bool),
        ("linked_at", Type::N),
        // These three are also written by LinkStore::keep_report.
        ("failures", Type::N),
        ("not_before", Type::N),
        ("report", Type::M),
    ],
};

/// An account at a tracker that a user has linked.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Who has linked it.
    pub user_id: UserId,
    /// Where.
    pub tracker: TrackerName,
    /// Which linking this is: another one when the user links anew, the same account or another.
    pub link_id: String,
    /// The account's identifier at the tracker.
    pub account: u64,
    /// The account's name at the tracker.
    pub name: String,
    /// The tokens, sealed.
    pub tokens: String,
    /// Whether the tracker refuses the tokens: only the user can help, by linking anew.
    pub is_refused: bool,
    /// Milliseconds since the Unix epoch.
    pub linked_at: u64,
    /// How often in a row it could not be synchronised.
    #[serde(default)]
    pub failures: u32,
    /// Before that the tracker is not asked again, in milliseconds since the Unix epoch.
    #[serde(default)]
    pub not_before: u64,
    /// What the last run did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<LinkReport>,
}

/// Keeps tokens and name out of every log.
impl fmt::Debug for Link {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "Link({} of {})",
            self.tracker,
            self.user_id.get()
        )
    }
}

/// What a run did at a tracker for a user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkReport {
    /// When, in milliseconds since the Unix epoch.
    pub at: u64,
    /// When a run last came to its end there, in milliseconds since the Unix epoch; 0 for never.
    pub succeeded_at: u64,
    /// Stories that were made or changed by what the tracker has.
    pub imported: u32,
    /// Entries that the tracker was told.
    pub exported: u32,
    /// Stories that had changed on both sides.
    pub conflicts: u32,
    /// Entries that the tracker was still to be told when the run's time was over.
    pub left: u32,
    /// Entries that the tracker refuses for good.
    pub refused: u32,
    /// Entries whose anime are not in the catalogue. They stay at the tracker, and come when the anime do.
    pub unknown: u32,
    /// The tracker's identifiers of the first of them.
    #[serde(default)]
    pub unknown_ids: Vec<u32>,
    /// Why it went no further, for people; none where it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// The key of a row.
pub(crate) fn key(user: UserId, tracker: TrackerName) -> Item {
    Item::from([
        ("user_id".to_owned(), number(user.get())),
        ("tracker".to_owned(), text(tracker.key())),
    ])
}
