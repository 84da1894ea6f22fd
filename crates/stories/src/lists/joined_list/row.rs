//! The stories of a list, joined with the index.

use std::hash::{DefaultHasher, Hash, Hasher};

use catalogue::index::AnimeRow;
use shared::models::{AnimeId, UserScore, WatchStatus};

use crate::lists::story_list::ListedStory;

/// A story of the list. The rows have the order of the stories.
#[derive(Clone, Copy, Debug)]
pub(super) struct JoinedRow {
    /// The number of the last change of the story.
    pub change_number: u64,
    /// A hash of all that suggestions depend on.
    pub taste: u64,
    /// The anime.
    pub anime: AnimeId,
    /// The place of the anime in the index; `None` if it is not there.
    pub anime_row: Option<AnimeRow>,
}

impl JoinedRow {
    pub fn new(story: &ListedStory, anime_row: Option<AnimeRow>) -> Self {
        Self {
            change_number: story.change_number,
            taste: taste_of(story),
            anime: story.anime_id,
            anime_row,
        }
    }
}

/// Returns a hash of all parts of a story that suggestions depend on. Most changes of progress do not change it.
fn taste_of(story: &ListedStory) -> u64 {
    let is_planned = story.state.status == WatchStatus::Planning;
    let is_finished = story.is_finished();
    let time = (is_planned || is_finished).then_some(story.changed_at);
    let score = story.state.details.score.map(UserScore::tenths);
    let mut hasher = DefaultHasher::new();
    (story.anime_id, is_planned, is_finished, time, score).hash(&mut hasher);
    hasher.finish()
}
