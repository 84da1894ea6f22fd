//! The table UserStory: watch histories, with one row for each user and anime. `crate::deletion` deletes the rows
//! of a deleted user.
//!
//! | attributes | written by |
//! |---|---|
//! | all of [`Story`] except `tracker_a`, `tracker_b` | `StoryStore::create`, `update`, `change_many`, `edit_many`, `SyncStore::write_stories` |
//! | `creation_order` | the same calls, when they create the story |
//! | `tracker_a`, `tracker_b` | `SyncStore::write_stories`, `store_sync_state` |
//! | `change_number`, `deleted_at`, `expires_at` of a tombstone | `StoryStore::delete`, `change_many`, `edit_many` |
//! | `deleted_by`, `deleted_row` of a tombstone | `StoryStore::edit_many`, for a deletion of selected stories |
//!
//! A deleted story leaves a tombstone, so that the change feed can report the deletion. A tombstone has only the key,
//! `change_number`, `deleted_at` and `expires_at`. If the story was one of several that were selected and deleted in
//! one step, the tombstone also keeps the identifier of the change and the row of the story, so that the deletion can
//! be undone. It has no `creation_order`, so it is not in the index ByCreation.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use dynamo::{Index, Item, Projection, Table, Type, number, text};
use serde::{Deserialize, Deserializer, Serialize};
use shared::models::{
    ANIME_ID_BITS, AnimeId, Origin, ReplacedValues, Revision, StoryId, StoryState, SyncState,
    TrackerName, UserId, UserStory, add_revision,
};

/// The attribute with everything that lists show, in few bytes ([`super::story_list::ListedStory`]).
pub(crate) const LISTED: &str = "listed";

/// The index with that attribute.
pub(crate) const LISTED_INDEX: &str = "Listed";

/// The table.
pub const TABLE: Table = Table {
    name: "UserStory",
    key: &["user_id", "anime_id"],
    indexes: &[
        Index {
            name: "ByCreation",
            key: &["user_id", "creation_order"],
            projection: Projection::All,
        },
        // The index has all rows, but only the attributes that lists show. `current_episode` and `watched_episodes` are
        // for the pass that raises the episodes of stories.
        Index {
            name: LISTED_INDEX,
            key: &["user_id", "anime_id"],
            projection: Projection::Include(&[
                LISTED,
                "change_number",
                "deleted_at",
                "tracker_a",
                "tracker_b",
                "watched_episodes",
                "current_episode",
            ]),
        },
    ],
    expires_at: Some("expires_at"),
    attributes: &[
        ("user_id", Type::N),
        ("anime_id", Type::N),
        ("status", Type::N),
        ("current_episode", Type::N),
        // Only if the progress is beyond `current_episode`, see StoryState::progress.
        ("watched_episodes", Type::N),
        ("current_episode_ticks", Type::N),
        ("score", Type::N),
        ("started_on", Type::S),
        ("finished_on", Type::S),
        ("repeats", Type::N),
        ("notes", Type::S),
        ("private", Type::Bool),
        // The latest changes, oldest first, see Revision.
        ("history", Type::L),
        ("has_later_ticks", Type::Bool),
        ("version", Type::N),
        ("changed_at", Type::N),
        // The position in the user's list, see Story::order_at.
        ("creation_order", Type::N),
        // See Story::change_number.
        ("change_number", Type::N),
        (LISTED, Type::B),
        // Only in tombstones.
        ("deleted_at", Type::N),
        ("expires_at", Type::N),
        // Only in tombstones of stories that were selected and deleted in one step, see tombstone_of_selection.
        ("deleted_by", Type::S),
        ("deleted_row", Type::M),
        // The sync states. Changes by users and applications do not write them.
        ("tracker_a", Type::L),
        ("tracker_b", Type::L),
    ],
};

/// The attributes that no change by a user or an application writes: the key, the attributes of tombstones, and the
/// attributes that only the creation or `sync_store.rs` writes. Every other attribute is in [`Story`], or is
/// [`LISTED`].
const NOT_CHANGEABLE: [&str; 9] = [
    "user_id",
    "anime_id",
    "creation_order",
    "deleted_at",
    "expires_at",
    "deleted_by",
    "deleted_row",
    "tracker_a",
    "tracker_b",
];

/// The attributes that a user's list does not need. They are not read, because a history is often larger than the rest
/// of the story.
const NOT_LISTED: [&str; 6] = [
    LISTED,
    "history",
    "has_later_ticks",
    "expires_at",
    "deleted_by",
    "deleted_row",
];

fn attributes_without(left_out: &[&str]) -> Vec<&'static str> {
    let names = TABLE.attributes.iter().map(|(name, _)| *name);
    names.filter(|name| !left_out.contains(name)).collect()
}

/// Returns the attributes that a user's change of a story can write or remove.
pub(crate) fn changeable_attributes() -> Vec<&'static str> {
    attributes_without(&NOT_CHANGEABLE)
}

/// Returns the attributes that a user's list needs.
pub(crate) fn listed_attributes() -> Vec<&'static str> {
    attributes_without(&NOT_LISTED)
}

/// A stored story: the watch history of a user for one anime.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Story {
    /// The owner.
    pub user_id: UserId,
    /// The anime.
    pub anime_id: AnimeId,
    /// Everything that the user can change.
    #[serde(flatten)]
    pub state: StoryState,
    /// The latest changes, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Revision>,
    /// True if the watching time has changed after the last change of the episode. The history does not record
    /// changes of the watching time, so the undo of an import needs this flag.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_later_ticks: bool,
    /// Counts the changes, by users, applications and trackers. Rows of earlier versions of the service read as 0.
    #[serde(default)]
    pub version: u64,
    /// The number of the last change. Each change of a user's stories has a higher number than the user's changes
    /// before it ([`change_number_at`]). Rows of earlier versions of the service read as 0.
    #[serde(default)]
    pub change_number: u64,
    /// The time of the last change, in milliseconds since the Unix epoch. For a change from a tracker or a list file,
    /// it can be the time that the tracker or the file states.
    #[serde(default)]
    pub changed_at: u64,
    /// The sync state for tracker A (docs/trackers.md, "What a story remembers").
    #[serde(
        default,
        deserialize_with = "read_sync_state",
        skip_serializing_if = "Option::is_none"
    )]
    pub tracker_a: Option<SyncState>,
    /// The sync state for tracker B.
    #[serde(
        default,
        deserialize_with = "read_sync_state",
        skip_serializing_if = "Option::is_none"
    )]
    pub tracker_b: Option<SyncState>,
    /// The position in the user's list, see [`Story::order_at`].
    #[serde(skip)]
    pub creation_order: u128,
}

/// Reads a sync state. Returns `None` for numbers that this version of the service does not understand. The next run
/// then determines the sync state again.
pub(crate) fn read_sync_state<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<SyncState>, D::Error> {
    let numbers: Option<Vec<u64>> = Option::deserialize(deserializer)?;
    Ok(numbers.and_then(|numbers| SyncState::try_from(numbers).ok()))
}

impl Story {
    /// Returns the new story that `by` creates with this state at `now` (milliseconds since the Unix epoch).
    pub fn new(id: StoryId, state: StoryState, by: Origin, now: u64) -> Self {
        let created = Revision {
            at: now / 1000,
            by,
            before: ReplacedValues::default(),
        };
        Self {
            user_id: id.user(),
            anime_id: id.anime(),
            state,
            history: vec![created],
            has_later_ticks: false,
            version: 1,
            change_number: 0,
            changed_at: now,
            tracker_a: None,
            tracker_b: None,
            creation_order: Self::order_at(now, id.anime()),
        }
    }

    /// Returns the next version of the story, which `by` has changed to `state` at `now` (milliseconds since the Unix
    /// epoch). The history gets a new revision if anything but the watching time differs.
    #[must_use]
    pub fn changed(mut self, state: StoryState, by: Origin, now: u64) -> Self {
        let before = ReplacedValues::between(&self.state, &state);
        if before.current_episode.is_some() {
            self.has_later_ticks = false;
        } else if self.state.current_episode_ticks != state.current_episode_ticks {
            self.has_later_ticks = true;
        }
        if before != ReplacedValues::default() {
            let at = now / 1000;
            add_revision(&mut self.history, Revision { at, by, before });
        }
        Self {
            version: self.version + 1,
            changed_at: now,
            state,
            ..self
        }
    }

    /// Returns the position that a story created at `created_at` (milliseconds since the Unix epoch) has in the user's
    /// list. Positions are ordered by time, then by anime, and no two stories of a user have the same position.
    pub fn order_at(created_at: u64, anime: AnimeId) -> u128 {
        (u128::from(created_at) << ANIME_ID_BITS) | u128::from(anime.get())
    }

    /// Returns the identifier.
    pub fn id(&self) -> StoryId {
        StoryId::of(self.user_id, self.anime_id)
    }

    /// Returns the time of the creation, in milliseconds since the Unix epoch: the inverse of [`Story::order_at`].
    pub fn created_at(&self) -> u64 {
        u64::try_from(self.creation_order >> ANIME_ID_BITS).unwrap_or(u64::MAX)
    }

    /// Returns the time of the last change, in milliseconds since the Unix epoch. Rows of earlier versions of the
    /// service do not have this time, and then the time of the creation is returned.
    pub fn last_changed_at(&self) -> u64 {
        match self.changed_at {
            0 => self.created_at(),
            changed_at => changed_at,
        }
    }

    /// Returns the sync state for a tracker.
    pub fn sync_state(&self, tracker: TrackerName) -> Option<SyncState> {
        match tracker {
            TrackerName::A => self.tracker_a,
            TrackerName::B => self.tracker_b,
        }
    }
}

impl From<Story> for UserStory {
    fn from(story: Story) -> Self {
        Self::from(&story)
    }
}

impl From<&Story> for UserStory {
    fn from(story: &Story) -> Self {
        Self::new(story.id(), &story.state)
    }
}

/// The time for which a tombstone is kept, in milliseconds: 90 days for the change feed, and one more day for
/// differences between the clocks of servers.
const TOMBSTONE_MS: u64 = 91 * 24 * 60 * 60 * 1000;

/// Returns the lowest change number for a change at `now` (milliseconds since the Unix epoch): the time in
/// microseconds. A change gets a higher number if an earlier change of the user has this number or a higher one.
pub(crate) const fn change_number_at(now: u64) -> u64 {
    now * 1000
}

/// Returns the number of change numbers in a period: one for each microsecond.
pub(crate) fn change_numbers_within(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or_default()
}

/// Returns the tombstone of a story that is deleted at `now`, in milliseconds since the Unix epoch.
pub(crate) fn tombstone(id: StoryId, change_number: u64, now: u64) -> Item {
    let mut row = key(id);
    row.insert("change_number".to_owned(), number(change_number));
    row.insert("deleted_at".to_owned(), number(now));
    let expires_at = (now + TOMBSTONE_MS) / 1000;
    row.insert("expires_at".to_owned(), number(expires_at));
    row
}

/// Returns a tombstone that also keeps the row of the deleted story, so that the deletion can be undone. `selection_id`
/// is the identifier of the change that has deleted the selected stories.
pub(crate) fn tombstone_of_selection(
    mut tombstone: Item,
    selection_id: &str,
    mut deleted_row: Item,
) -> Item {
    deleted_row.remove(LISTED);
    tombstone.insert("deleted_by".to_owned(), text(selection_id));
    tombstone.insert("deleted_row".to_owned(), AttributeValue::M(deleted_row));
    tombstone
}

/// Returns the row of the deleted story that a tombstone keeps. `None` if it keeps none.
pub(crate) fn take_deleted_row(tombstone: &mut Item) -> Option<Item> {
    match tombstone.remove("deleted_row")? {
        AttributeValue::M(row) => Some(row),
        _ => None,
    }
}

/// Returns true if the row is the tombstone of a deleted story.
pub(crate) fn is_tombstone(row: &Item) -> bool {
    row.contains_key("deleted_at")
}

/// Returns the key of a row.
pub(crate) fn key(id: StoryId) -> Item {
    Item::from([
        ("user_id".to_owned(), number(id.user().get())),
        ("anime_id".to_owned(), number(id.anime().get())),
    ])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use aws_sdk_dynamodb::types::AttributeValue;
    use dynamo::{number, read, text, write};
    use shared::models::{Details, Notes, Origin, PartialDate, StoryId, UserScore, WatchStatus};

    use super::{
        LISTED, NOT_CHANGEABLE, NOT_LISTED, Story, StoryState, TABLE, changeable_attributes,
        listed_attributes,
    };

    fn state() -> StoryState {
        StoryState {
            status: WatchStatus::Paused,
            current_episode: 3,
            watched_episodes: Some(5),
            current_episode_ticks: 7,
            details: Details {
                score: UserScore::from_tenths(875),
                started_on: PartialDate::parse("2016-08").ok(),
                finished_on: PartialDate::parse("2017").ok(),
                repeats: 2,
                notes: Notes::new("a comet").unwrap(),
                private: true,
            },
        }
    }

    fn story(state: StoryState) -> Story {
        let id = StoryId::new(33_554_434).unwrap();
        Story {
            creation_order: 0,
            ..Story::new(id, state, Origin::Owner, 1_700_000_000_000)
        }
    }

    #[test]
    fn values_are_attributes_of_the_row() {
        let story = story(state());
        let row = write(&story).unwrap();
        let expected = [
            ("status", number(4)),
            ("current_episode", number(3)),
            ("watched_episodes", number(5)),
            ("current_episode_ticks", number(7)),
            ("score", AttributeValue::N("87.5".to_owned())),
            ("started_on", text("2016-08")),
            ("finished_on", text("2017")),
            ("repeats", number(2)),
            ("notes", text("a comet")),
            ("private", AttributeValue::Bool(true)),
        ];
        for (name, value) in expected {
            assert_eq!(row.get(name), Some(&value), "{name}");
        }
        assert_eq!(read::<Story>(row).unwrap(), story);
    }

    #[test]
    fn row_without_optional_attributes_is_read() {
        let story = story(StoryState {
            watched_episodes: None,
            details: Details::default(),
            ..state()
        });
        let mut row = write(&story).unwrap();
        for name in [
            "watched_episodes",
            "score",
            "started_on",
            "repeats",
            "notes",
            "private",
        ] {
            assert!(!row.contains_key(name), "{name}");
        }
        // Because of the flattened field, serde also parses attributes that belong to no field.
        row.insert("of_a_later_version".to_owned(), number(u64::MAX));
        assert_eq!(read::<Story>(row).unwrap(), story);
    }

    #[test]
    fn lists_of_attributes_name_those_of_the_table() {
        let all: BTreeSet<&str> = TABLE.attributes.iter().map(|(name, _)| *name).collect();
        let changeable: BTreeSet<&str> = changeable_attributes().into_iter().collect();
        let listed: BTreeSet<&str> = listed_attributes().into_iter().collect();
        assert_eq!(all.len() - changeable.len(), NOT_CHANGEABLE.len());
        assert_eq!(all.len() - listed.len(), NOT_LISTED.len());
        let full = Story {
            has_later_ticks: true,
            version: 1,
            change_number: 1,
            ..story(state())
        };
        let row = write(&full).unwrap();
        let mut names: BTreeSet<&str> = row.keys().map(String::as_str).collect();
        // `story_store.rs` adds it to the row.
        names.insert(LISTED);
        assert!(names.is_subset(&all), "{names:?}");
        let unwritten: Vec<_> = changeable.difference(&names).collect();
        assert_eq!(unwritten, Vec::<&&str>::new(), "no change writes these");
    }
}
