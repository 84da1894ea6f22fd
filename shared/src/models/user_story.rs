//! The resource UserStory, and its row.

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::{ANIME_ID_BITS, AnimeId, StoryId, UserId, WatchStatus};
use crate::sync::Known;
use crate::trackers::TrackerName;

/// What a user has watched of an anime (contract, "UserStory").
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct UserStory {
    /// Unique identifier: `user_id` times 2^25, and `anime_id`.
    pub id: StoryId,
    /// Whose story it is.
    pub user_id: UserId,
    /// The anime.
    pub anime_id: AnimeId,
    /// How far the user is with it.
    pub status: WatchStatus,
    /// Number of the episode that the user is at.
    #[schema(example = 3)]
    pub current_episode: u32,
    /// Watching time of that episode, in milliseconds.
    #[schema(example = 754_000)]
    pub current_episode_ticks: u64,
}

/// The row of the table UserStory.
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

/// The accounts at trackers that a user has linked and that can be used, as the user's row has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkedAccounts {
    /// At tracker A.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tracker_a_account: Option<u64>,
    /// At tracker B.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tracker_b_account: Option<u64>,
}

impl LinkedAccounts {
    /// Each of them.
    pub fn each(self) -> impl Iterator<Item = (TrackerName, u64)> {
        let both = [
            (TrackerName::A, self.tracker_a_account),
            (TrackerName::B, self.tracker_b_account),
        ];
        both.into_iter()
            .filter_map(|(tracker, account)| Some((tracker, account?)))
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
