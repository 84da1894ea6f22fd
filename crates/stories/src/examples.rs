//! Stories for unit tests.

use shared::models::{AnimeId, Details, Origin, StoryId, StoryState, UserId, WatchStatus};

use crate::lists::user_story::Story;

/// Returns a state without details and watching time.
pub(crate) fn state(status: WatchStatus, current_episode: u32) -> StoryState {
    StoryState {
        status,
        current_episode,
        watched_episodes: None,
        current_episode_ticks: 0,
        details: Details::default(),
    }
}

pub(crate) fn user() -> UserId {
    UserId::new(1).unwrap()
}

pub(crate) fn anime(id: u64) -> AnimeId {
    AnimeId::new(id).unwrap()
}

/// Returns the story of [`user`] about this anime, which was created at `now`, in milliseconds since the Unix epoch.
pub(crate) fn story(anime_id: u64, state: StoryState, now: u64) -> Story {
    let id = StoryId::of(user(), anime(anime_id));
    Story::new(id, state, Origin::Owner, now)
}
