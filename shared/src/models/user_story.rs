//! The resource UserStory, and its row.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ANIME_ID_BITS, AnimeId, StoryId, UserId, WatchStatus};

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
    /// Whether every tracker that the user links knows this state.
    pub synced: bool,
    /// Its place in the user's list, see [`Story::order_at`].
    #[serde(skip)]
    pub creation_order: u128,
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
