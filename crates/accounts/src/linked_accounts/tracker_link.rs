//! The table TrackerLink: the accounts at trackers that users have linked, one row for each. `LinkStore::unlink`
//! deletes a row, and `crate::deletion` deletes the rows of a deleted user.
//!
//! | attributes | written by |
//! |---|---|
//! | all of [`Link`] | `LinkStore::link` |
//! | `tokens` | `LinkStore::store_tokens` |
//! | `is_refused` | `LinkStore::require_reconnect` |
//! | `failures`, `not_before`, `report` | `LinkStore::store_report` |
//!
//! The tokens are not in the user's row, because every write of a story pays for the size of that row, and
//! tokens are long.

use std::fmt;

use dynamo::{Item, Table, Type, number, text};
use serde::{Deserialize, Serialize};
use shared::models::{TrackerName, UserId};

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
        ("tokens", Type::S),
        ("is_refused", Type::Bool),
        ("linked_at", Type::N),
        ("failures", Type::N),
        ("not_before", Type::N),
        ("report", Type::M),
    ],
};

/// An account at a tracker that a user has linked.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The user.
    pub user_id: UserId,
    /// The tracker.
    pub tracker: TrackerName,
    /// The identifier of this link, 16 hexadecimal digits. It changes when the user links an account again, even the
    /// same account.
    pub link_id: String,
    /// The account's identifier at the tracker.
    pub account: u64,
    /// The account's name at the tracker.
    pub name: String,
    /// The tokens, encrypted with [`shared::auth::Sealer`].
    pub tokens: String,
    /// True if the tracker refuses the tokens. The account counts as unlinked until the user links it again.
    #[serde(rename = "is_refused")]
    pub needs_reconnect: bool,
    /// The time of the linking, in milliseconds since the Unix epoch.
    pub linked_at: u64,
    /// The number of consecutive runs that failed for this account.
    #[serde(default)]
    pub failures: u32,
    /// The time before which the tracker is not called again, in milliseconds since the Unix epoch.
    #[serde(default)]
    pub not_before: u64,
    /// The report of the last run; `None` before the first one.
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

/// The report of a synchronization run about one linked account (docs/trackers.md, "Reports and metrics").
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkReport {
    /// The time of the run, in milliseconds since the Unix epoch.
    pub at: u64,
    /// The time of the last successful run, in milliseconds since the Unix epoch; 0 for never.
    pub succeeded_at: u64,
    /// The number of stories that were created or changed from the tracker's list.
    pub imported: u32,
    /// The number of entries that were sent to the tracker.
    pub exported: u32,
    /// The number of stories for which the story and the tracker's entry had both changed.
    pub conflicts: u32,
    /// The number of entries that are still to be sent to the tracker.
    pub left: u32,
    /// The number of entries that the tracker has refused for good in this run.
    pub refused: u32,
    /// The number of entries whose anime is not in the catalogue. They stay at the tracker and are imported
    /// once the anime is in the catalogue.
    pub unknown: u32,
    /// The identifiers at the tracker of the first unknown anime, at most 5.
    #[serde(default)]
    pub unknown_ids: Vec<u32>,
    /// The reason why the run stopped early at this tracker, as a text for the user; `None` if it did not stop early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

pub(crate) fn key(user: UserId, tracker: TrackerName) -> Item {
    Item::from([
        ("user_id".to_owned(), number(user.get())),
        ("tracker".to_owned(), text(tracker.key())),
    ])
}
