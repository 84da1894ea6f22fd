//! The resource UserStory.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AnimeId, StoryId, TrackerName, UserId, WatchStatus};

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
