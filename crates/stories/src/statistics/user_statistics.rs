//! The table `UserStatistics`: statistics of users' stories, which earlier versions of the service have computed and
//! stored. This version computes them from the list in memory. `crate::deletion` deletes the row of a deleted
//! user.

use dynamo::{Table, Type};

/// The table.
pub const TABLE: Table = Table {
    name: "UserStatistics",
    key: &["user_id"],
    indexes: &[],
    expires_at: None,
    attributes: &[
        ("user_id", Type::N),
        ("computed_at", Type::N),
        ("change_number", Type::N),
        ("catalogue_version", Type::N),
        ("story_count", Type::N),
        ("contents", Type::B),
    ],
};
