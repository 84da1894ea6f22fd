//! The current statistics of a user's stories (docs/api.md, "Statistics"), for the API and the pages. They are computed
//! from the list in memory ([`StoryStore::current_list`]), once for each change of the list or the catalogue.

use std::cmp::Reverse;
use std::sync::{Arc, Weak};

use accounts::users::Account;
use catalogue::SharedCatalogue;
use catalogue::index::{AnimeIndex, ListIndex};
use futures_util::try_join;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use shared::Error;
use shared::models::{Anime, AnimeId, ListVersion, UserId, UserScore};

use super::count::{CountedStory, Statistics};
use super::review::FinishedStory;
use crate::lists::story_list::StoryList;
use crate::lists::story_store::StoryStore;

/// The maximum number of stories whose statistics a process keeps. Each takes up to 40 bytes.
const MAX_STORIES: u64 = 200_000;

/// The estimated number of users. With 64 or more, `quick_cache` would divide the cache into shards, and no statistics
/// could weigh more than one of them.
const USERS: usize = 32;

/// The weight of the statistics of an empty list, in stories.
const USER_WEIGHT: u64 = 100;

/// The public part of a user's stories. It depends only on stories that are not private.
#[derive(Debug)]
pub struct PublicStories {
    /// The statistics.
    pub statistics: Statistics,
    /// The stories with each status, in the order of the statuses' integers. Each list is sorted by score,
    /// highest first, and then in the order of the catalogue. Stories whose anime is not in the index
    /// are left out.
    pub lists: [Vec<RatedStory>; 6],
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

impl From<&CountedStory> for RatedStory {
    fn from(story: &CountedStory) -> Self {
        Self {
            anime_id: story.anime_id,
            score_tenths: story.score.map_or(0, UserScore::tenths),
            progress: story.progress(),
        }
    }
}

fn compute_statistics<'s>(
    stories: impl Iterator<Item = &'s CountedStory>,
    index: &AnimeIndex,
) -> Statistics {
    let mut statistics = Statistics::default();
    for story in stories {
        statistics.add(story, index.watched_anime(story.anime_id).as_ref());
    }
    statistics
}

/// Returns the stories with a date of completion, latest first.
fn finished_stories(stories: &[CountedStory], index: &AnimeIndex) -> Vec<FinishedStory> {
    let finished = stories.iter();
    let finished = finished.filter_map(|story| FinishedStory::of(story, index));
    let mut finished: Vec<FinishedStory> = finished.collect();
    finished.sort_unstable_by_key(|story| Reverse((story.finished_on, story.anime_id)));
    finished
}

impl PublicStories {
    /// Returns the public part of these stories.
    fn new(stories: &[CountedStory], index: &AnimeIndex) -> Self {
        let public = || stories.iter().filter(|story| !story.private);
        let mut listed: Vec<(u64, &CountedStory)> = public()
            .filter_map(|story| Some((index.find(story.anime_id.get())?.list_key, story)))
            .collect();
        listed.sort_unstable_by_key(|(list_key, story)| (Reverse(story.score), *list_key));
        let mut lists = <[Vec<RatedStory>; 6]>::default();
        for (_, story) in listed {
            let status = usize::from(u8::from(story.status));
            lists[status].push(story.into());
        }
        Self {
            statistics: compute_statistics(public(), index),
            lists,
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
    fn new(list: &StoryList, index: &AnimeIndex, is_public: bool) -> Self {
        let stories: Vec<CountedStory> = list.stories().iter().map(Into::into).collect();
        let public = || Arc::new(PublicStories::new(&stories, index));
        Self {
            all: compute_statistics(stories.iter(), index),
            public: is_public.then(public),
            finished: finished_stories(&stories, index),
        }
    }
}

/// Statistics, and what they were computed from. A list that has changed since is another object, and so is an index.
#[derive(Clone, Debug)]
struct ComputedStatistics {
    list: Weak<StoryList>,
    index: Weak<AnimeIndex>,
    is_public: bool,
    stories: u64,
    statistics: Arc<CurrentStatistics>,
}

impl ComputedStatistics {
    fn is_of(&self, list: &Arc<StoryList>, index: &Arc<AnimeIndex>, is_public: bool) -> bool {
        self.is_public == is_public
            && self.list.ptr_eq(&Arc::downgrade(list))
            && self.index.ptr_eq(&Arc::downgrade(index))
    }
}

#[derive(Clone, Debug)]
struct Weight;

impl Weighter<UserId, ComputedStatistics> for Weight {
    fn weight(&self, _: &UserId, computed: &ComputedStatistics) -> u64 {
        USER_WEIGHT + computed.stories
    }
}

/// The owner of statistics, with the values of the owner's row that they depend on.
#[derive(Clone, Copy, Debug)]
pub struct StatisticsOwner<'a> {
    /// The user.
    pub id: UserId,
    /// The version of the user's list.
    pub list: &'a ListVersion,
    /// True if the user's profile is public.
    pub is_public: bool,
}

impl<'a> StatisticsOwner<'a> {
    /// Returns the owner of this account.
    #[must_use]
    pub fn of(account: &'a Account) -> Self {
        Self {
            id: account.user.id,
            list: &account.list,
            is_public: account.public_profile,
        }
    }
}

/// The statistics that a process keeps. A clone shares them.
#[derive(Clone, Debug)]
pub struct KeptStatistics(Arc<Cache<UserId, ComputedStatistics, Weight>>);

impl Default for KeptStatistics {
    fn default() -> Self {
        Self(Arc::new(Cache::with_weighter(USERS, MAX_STORIES, Weight)))
    }
}

/// Computes statistics.
#[derive(Clone, Debug)]
pub struct StatisticsReader {
    stories: StoryStore,
    catalogue: SharedCatalogue<Anime>,
    kept: KeptStatistics,
}

impl StatisticsReader {
    /// Creates a reader of the statistics of these stories, which are kept in `kept`. The first computation loads the
    /// index of the catalogue.
    #[must_use]
    pub fn new(
        stories: StoryStore,
        catalogue: SharedCatalogue<Anime>,
        kept: KeptStatistics,
    ) -> Self {
        Self {
            stories,
            catalogue,
            kept,
        }
    }

    /// Returns the statistics of a user's stories as they are at this version of the list, or a later one.
    pub async fn read(&self, owner: StatisticsOwner<'_>) -> Result<Arc<CurrentStatistics>, Error> {
        let list = self.stories.current_list(owner.id, owner.list);
        let (list, index) = try_join!(list, self.catalogue.index())?;
        let known = self.kept.0.get(&owner.id);
        if let Some(known) = known.filter(|known| known.is_of(&list, &index, owner.is_public)) {
            return Ok(known.statistics);
        }
        let statistics = CurrentStatistics::new(&list, &index, owner.is_public);
        let computed = ComputedStatistics {
            list: Arc::downgrade(&list),
            index: Arc::downgrade(&index),
            is_public: owner.is_public,
            stories: list.stories().len() as u64,
            statistics: Arc::new(statistics),
        };
        let statistics = Arc::clone(&computed.statistics);
        self.kept.0.insert(owner.id, computed);
        Ok(statistics)
    }
}
