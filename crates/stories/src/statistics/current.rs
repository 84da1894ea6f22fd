//! The statistics of a list of stories, and its public part (docs/api.md, "Statistics").

use std::cmp::Reverse;
use std::sync::{Arc, Weak};

use catalogue::index::{AnimeIndex, ListIndex};
use shared::models::{AnimeId, UserScore, WatchStatus};

use super::count::Statistics;
use super::review::FinishedStory;
use crate::lists::story_list::{ListedStory, StoryList};

/// The maximum number of stories in [`PublicStories::recent`].
const MAX_RECENT: usize = 6;

/// The public part of a user's stories. It depends only on stories that are not private.
#[derive(Debug)]
pub struct PublicStories {
    /// The statistics.
    pub statistics: Statistics,
    /// The stories with each status, in the order of the statuses' integers. Each list is sorted by score, highest
    /// first, and then in the order of the catalogue. Stories whose anime is not in the index are left out.
    pub lists: [Vec<RatedStory>; 6],
    /// The stories that were changed last, latest first, at most 6. Stories whose anime is not in the index are left
    /// out.
    pub recent: Vec<RecentStory>,
}

/// The latest state of a story that was changed lately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecentStory {
    /// The anime, the score and the progress.
    pub story: RatedStory,
    /// The status.
    pub status: WatchStatus,
    /// The time of the change, in milliseconds since the Unix epoch.
    pub changed_at: u64,
}

impl From<&ListedStory> for RecentStory {
    fn from(story: &ListedStory) -> Self {
        Self {
            story: story.into(),
            status: story.state.status,
            changed_at: story.changed_at,
        }
    }
}

/// A story in the list of a public profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RatedStory {
    /// The anime.
    pub anime_id: AnimeId,
    /// The user's score in tenths; 0 without a score.
    pub score_tenths: u16,
    /// The progress, which can be beyond the catalogue's number of episodes.
    pub progress: u32,
}

impl From<&ListedStory> for RatedStory {
    fn from(story: &ListedStory) -> Self {
        Self {
            anime_id: story.anime_id,
            score_tenths: story.state.details.score.map_or(0, UserScore::tenths),
            progress: story.state.progress(),
        }
    }
}

fn compute_statistics<'s>(
    stories: impl Iterator<Item = &'s ListedStory>,
    index: &AnimeIndex,
) -> Statistics {
    let mut statistics = Statistics::default();
    for story in stories {
        statistics.add(story, index.watched_anime(story.anime_id).as_ref());
    }
    statistics
}

/// Returns the stories with a date of completion, latest first.
fn finished_stories(stories: &[ListedStory], index: &AnimeIndex) -> Vec<FinishedStory> {
    let finished = stories.iter();
    let finished = finished.filter_map(|story| FinishedStory::of(story, index));
    let mut finished: Vec<FinishedStory> = finished.collect();
    finished.sort_unstable_by_key(|story| Reverse((story.finished_on, story.anime_id)));
    finished
}

impl PublicStories {
    /// Returns the public part of these stories.
    fn new(stories: &[ListedStory], index: &AnimeIndex) -> Self {
        let is_public = |story: &&ListedStory| !story.state.details.private;
        let public = || stories.iter().filter(is_public);
        let mut listed: Vec<(u64, &ListedStory)> = public()
            .filter_map(|story| Some((index.find(story.anime_id.get())?.list_key, story)))
            .collect();
        let order = |story: &ListedStory| Reverse(story.state.details.score);
        listed.sort_unstable_by_key(|(list_key, story)| (order(story), *list_key));
        let mut lists = <[Vec<RatedStory>; 6]>::default();
        for (_, story) in &listed {
            let status = usize::from(u8::from(story.state.status));
            lists[status].push((*story).into());
        }
        listed.sort_unstable_by_key(|(list_key, story)| (Reverse(story.changed_at), *list_key));
        let recent = listed.iter().take(MAX_RECENT);
        Self {
            statistics: compute_statistics(public(), index),
            lists,
            recent: recent.map(|(_, story)| RecentStory::from(*story)).collect(),
        }
    }
}

/// The statistics of a user.
#[derive(Debug)]
pub struct CurrentStatistics {
    /// The statistics of all stories.
    pub all: Statistics,
    /// The public part; `None` unless the profile is public.
    pub public: Option<Arc<PublicStories>>,
    /// The stories with a date of completion, latest first, also private ones.
    pub finished: Vec<FinishedStory>,
}

impl CurrentStatistics {
    pub(super) fn new(list: &StoryList, index: &AnimeIndex, is_public: bool) -> Self {
        let stories = list.stories();
        let public = || Arc::new(PublicStories::new(stories, index));
        Self {
            all: compute_statistics(stories.iter(), index),
            public: is_public.then(public),
            finished: finished_stories(stories, index),
        }
    }
}

/// Statistics, and what they were computed from. A list or an index that has changed is another object.
#[derive(Debug)]
pub(super) struct ComputedStatistics {
    pub(super) list: Weak<StoryList>,
    pub(super) index: Weak<AnimeIndex>,
    pub(super) is_public: bool,
    pub(super) statistics: Arc<CurrentStatistics>,
}

impl ComputedStatistics {
    pub(super) fn is_of(
        &self,
        list: &Arc<StoryList>,
        index: &Arc<AnimeIndex>,
        is_public: bool,
    ) -> bool {
        self.is_public == is_public
            && self.list.ptr_eq(&Arc::downgrade(list))
            && self.index.ptr_eq(&Arc::downgrade(index))
    }
}
