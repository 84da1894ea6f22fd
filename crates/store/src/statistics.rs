//! The parts of stories that statistics count.

use shared::models::{AnimeId, PartialDate, UserScore, WatchStatus};

use crate::story_list::ListedStory;

/// The parts of a story that its user's statistics need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedStory {
    /// The anime.
    pub anime_id: AnimeId,
    /// The watch status.
    pub status: WatchStatus,
    /// The number of the current episode, as far as the catalogue counts episodes.
    pub current_episode: u32,
    /// The number of watched episodes, if the catalogue counts fewer.
    pub watched_episodes: Option<u32>,
    /// The user's score.
    pub score: Option<UserScore>,
    /// The date of first completion; the day, or the day and the month, may be unknown.
    pub finished_on: Option<PartialDate>,
    /// The number of times that the user has watched it again.
    pub repeats: u16,
    /// True if the story is private (docs/api.md, "Story details"). Public statistics leave it out.
    pub private: bool,
}

impl CountedStory {
    /// Returns the real progress ([`shared::models::StoryState::progress`]).
    #[must_use]
    pub fn progress(&self) -> u32 {
        self.watched_episodes.unwrap_or(self.current_episode)
    }
}

impl From<&ListedStory> for CountedStory {
    fn from(story: &ListedStory) -> Self {
        let details = &story.state.details;
        Self {
            anime_id: story.anime_id,
            status: story.state.status,
            current_episode: story.state.current_episode,
            watched_episodes: story.state.watched_episodes,
            score: details.score,
            finished_on: details.finished_on,
            repeats: details.repeats,
            private: details.private,
        }
    }
}
