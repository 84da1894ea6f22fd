//! The resource `UserStory` (docs/api.md, "UserStory").

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AnimeId, StoryId, StoryState, TrackerName, UserId, WatchStatus};

/// The watch history of a user for one anime.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct UserStory {
    /// Unique identifier: `user_id` times 2^25, plus `anime_id`.
    pub id: StoryId,
    /// Identifier of the user.
    pub user_id: UserId,
    /// Identifier of the anime.
    pub anime_id: AnimeId,
    /// Watch status.
    pub status: WatchStatus,
    /// Number of the current episode.
    #[schema(value_type = u64, maximum = 4_294_967_295_u64, example = 3)]
    pub current_episode: u32,
    /// Watching time of the current episode, in milliseconds.
    #[schema(maximum = 9_007_199_254_740_991_u64, example = 754_000)]
    pub current_episode_ticks: u64,
}

impl UserStory {
    /// Returns the story with this identifier and state.
    pub fn new(id: StoryId, state: &StoryState) -> Self {
        Self {
            id,
            user_id: id.user(),
            anime_id: id.anime(),
            status: state.status,
            current_episode: state.current_episode,
            current_episode_ticks: state.current_episode_ticks,
        }
    }
}

/// The identifiers of the usable tracker accounts that a user has linked, as attributes of the user's row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkedAccounts {
    /// Account at tracker A.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tracker_a_account: Option<u64>,
    /// Account at tracker B.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tracker_b_account: Option<u64>,
}

impl LinkedAccounts {
    /// Returns each linked tracker with its account.
    pub fn each(self) -> impl Iterator<Item = (TrackerName, u64)> {
        let both = [
            (TrackerName::A, self.tracker_a_account),
            (TrackerName::B, self.tracker_b_account),
        ];
        both.into_iter()
            .filter_map(|(tracker, account)| Some((tracker, account?)))
    }
}
