//! The table UserStory: watch histories, one row for each user and anime. Written by `stories.rs`, and by
//! `sync.rs` on behalf of the trackers; `deletion.rs` deletes the rows of a deleted user.

use serde::{Deserialize, Deserializer, Serialize};
use shared::models::{
    ANIME_ID_BITS, AnimeId, Known, LinkedAccounts, StoryId, TrackerName, UserId, UserStory,
    WatchStatus,
};

use super::table::{Index, Projection, Table, Type};
use crate::item::{Item, number};

/// The table.
pub const TABLE: Table = Table {
    name: "UserStory",
    key: &["user_id", "anime_id"],
    indexes: &[Index {
        name: "ByCreation",
        key: &["user_id", "creation_order"],
        projection: Projection::All,
    }],
    expires_at: None,
    attributes: &[
        ("user_id", Type::N),
        ("anime_id", Type::N),
        ("status", Type::N),
        ("current_episode", Type::N),
        ("current_episode_ticks", Type::N),
        ("version", Type::N),
        ("changed_at", Type::N),
        // The order of the list, see Story::order_at.
        ("creation_order", Type::N),
        // These three are written by sync.rs only.
        ("private", Type::Bool),
        ("tracker_a", Type::L),
        ("tracker_b", Type::L),
    ],
};

/// A story.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Story {
    /// Whose story it is.
    pub user_id: UserId,
    /// The anime.
    pub anime_id: AnimeId,
    /// How far the user is with it.
    pub status: WatchStatus,
    /// Number of the episode that the user is at.
    pub current_episode: u32,
    /// Watching time of that episode, in milliseconds.
    pub current_episode_ticks: u64,
    /// Counts its changes, whoever made them.
    #[serde(default)]
    pub version: u64,
    /// When it changed last, in milliseconds since the Unix epoch. What came from a tracker, when the
    /// tracker says that it changed there.
    #[serde(default)]
    pub changed_at: u64,
    /// Whether it is hidden from others at tracker A, and so is not told to tracker B.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// What it remembers of tracker A.
    #[serde(
        default,
        deserialize_with = "known",
        skip_serializing_if = "Option::is_none"
    )]
    pub tracker_a: Option<Known>,
    /// What it remembers of tracker B.
    #[serde(
        default,
        deserialize_with = "known",
        skip_serializing_if = "Option::is_none"
    )]
    pub tracker_b: Option<Known>,
    /// Its place in the user's list, see [`Story::order_at`].
    #[serde(skip)]
    pub creation_order: u128,
}

/// What is remembered in a way that this version does not know is as good as nothing: it is found out anew.
fn known<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Known>, D::Error> {
    let numbers: Option<Vec<u64>> = Option::deserialize(deserializer)?;
    Ok(numbers.and_then(|numbers| Known::try_from(numbers).ok()))
}

impl Story {
    /// The place in a user's list of a story created at `created_at` (milliseconds since the Unix
    /// epoch): by the time, and by the anime where two were created at the same. No user has two
    /// stories at one place.
    #[must_use]
    pub fn order_at(created_at: u64, anime: AnimeId) -> u128 {
        (u128::from(created_at) << ANIME_ID_BITS) | u128::from(anime.get())
    }

    /// Its identifier.
    #[must_use]
    pub fn id(&self) -> StoryId {
        StoryId::of(self.user_id, self.anime_id)
    }

    /// When it was created, in milliseconds since the Unix epoch: the inverse of [`Story::order_at`].
    #[must_use]
    pub fn created_at(&self) -> u64 {
        u64::try_from(self.creation_order >> ANIME_ID_BITS).unwrap_or(u64::MAX)
    }

    /// What it remembers of a tracker.
    #[must_use]
    pub fn known(&self, tracker: TrackerName) -> Option<Known> {
        match tracker {
            TrackerName::A => self.tracker_a,
            TrackerName::B => self.tracker_b,
        }
    }

    /// Whether every tracker that is linked knows it as it is; false where none is.
    #[must_use]
    pub fn is_synced(&self, linked: LinkedAccounts) -> bool {
        let knows = |(tracker, account)| {
            let known = self.known(tracker).filter(|known| known.account == account);
            known.is_some_and(|known| known.is_synced(self.version))
        };
        linked.each().next().is_some() && linked.each().all(knows)
    }
}

impl From<Story> for UserStory {
    fn from(story: Story) -> Self {
        Self {
            id: story.id(),
            user_id: story.user_id,
            anime_id: story.anime_id,
            status: story.status,
            current_episode: story.current_episode,
            current_episode_ticks: story.current_episode_ticks,
        }
    }
}

/// The key of a row.
pub(crate) fn key(id: StoryId) -> Item {
    Item::from([
        ("user_id".to_owned(), number(id.user().get())),
        ("anime_id".to_owned(), number(id.anime().get())),
    ])
}
