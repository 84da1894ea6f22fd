//! The current statistics of a user's stories (docs/api.md, "Statistics"), for the API and the pages.

use std::cmp::Reverse;

use catalogue::SharedCatalogue;
use catalogue::index::{AnimeIndex, ListIndex};
use futures_util::try_join;
use serde::{Deserialize, Serialize};
use shared::Error;
use shared::clock::Clock;
use shared::models::{Anime, AnimeId, PartialDate, UserId, UserScore, WatchStatus};
use store::{Account, CountedStory, SETTLED_MS, StatisticsStore, StoredStatistics, is_settled};

use crate::rules::review::{FinishedStory, YearReview};
use crate::rules::statistics::Statistics;

/// If a user has at most this many stories, a read computes the statistics again after every change. Computing them
/// for this many stories reads 100 to 300 KB, if the notes are short. This takes 25 to 75 read units.
const MAX_SMALL: u64 = 1000;

/// If a user has more stories, the statistics are not computed again for this time, in milliseconds: 1 hour.
const MIN_INTERVAL_MS: u64 = 60 * 60 * 1000;

/// The version of the layout of [`StoredContents`]. Every change of the serialized types must increase it.
const FORMAT: u32 = 3;

/// The maximum number of stories in all lists of a public profile together. They take at most 300 KB. An item of
/// `DynamoDB` has at most 400 KB.
const MAX_PUBLIC: usize = 30_000;

/// The maximum number of stories with a date of completion that are stored, the latest ones. With the lists of a public
/// profile, they fit into an item.
const MAX_FINISHED: usize = 8000;

/// The value that is encoded in [`StoredStatistics::contents`].
#[derive(Serialize, Deserialize)]
struct StoredContents {
    format: u32,
    all: Statistics,
    /// The public part; `None` if the profile was not public when the statistics were computed.
    public: Option<PublicStories>,
    /// The stories with a date of completion, latest first, at most [`MAX_FINISHED`].
    finished: Vec<FinishedStory>,
}

/// The public part of a user's stories. It depends only on stories that are not private.
#[derive(Debug, Serialize, Deserialize)]
pub struct PublicStories {
    /// The time of the first of the computations in a row that had this result, in milliseconds since the Unix
    /// epoch.
    pub unchanged_since: u64,
    /// The statistics.
    pub statistics: Statistics,
    /// The stories with each status, in the order of the statuses' integers. Each list is sorted by score,
    /// highest first, and then in the order of the catalogue. Stories whose anime is not in the index
    /// are left out.
    pub lists: [Vec<RatedStory>; 6],
}

/// A story in the list of a public profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// Returns the stories with a date of completion, latest first, at most [`MAX_FINISHED`].
fn finished_stories(stories: &[CountedStory], index: &AnimeIndex) -> Vec<FinishedStory> {
    let finished = stories.iter();
    let finished = finished.filter_map(|story| FinishedStory::of(story, index));
    let mut finished: Vec<FinishedStory> = finished.collect();
    finished.sort_unstable_by_key(|story| Reverse((story.finished_on, story.anime_id)));
    finished.truncate(MAX_FINISHED);
    finished
}

impl PublicStories {
    /// Returns the public part of these stories. If it equals `before`, it keeps `unchanged_since` of `before`.
    fn new(stories: &[CountedStory], index: &AnimeIndex, before: Option<&Self>, now: u64) -> Self {
        let public = || stories.iter().filter(|story| !story.private);
        let mut listed: Vec<(u64, &CountedStory)> = public()
            .filter_map(|story| Some((index.find(story.anime_id.get())?.list_key, story)))
            .collect();
        listed.sort_unstable_by_key(|(list_key, story)| (Reverse(story.score), *list_key));
        let mut lists = <[Vec<RatedStory>; 6]>::default();
        for (_, story) in listed.into_iter().take(MAX_PUBLIC) {
            let status = usize::from(u8::from(story.status));
            lists[status].push(story.into());
        }
        let statistics = compute_statistics(public(), index);
        let is_same = |before: &&Self| before.statistics == statistics && before.lists == lists;
        Self {
            unchanged_since: before
                .filter(is_same)
                .map_or(now, |before| before.unchanged_since),
            statistics,
            lists,
        }
    }
}

impl StoredContents {
    /// Reads the contents. Returns `None` if they have another layout or are damaged.
    fn read(bytes: &[u8]) -> Option<Self> {
        let contents: Self = catalogue::decode(bytes)?;
        (contents.format == FORMAT).then_some(contents)
    }
}

/// The state of stored statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Freshness {
    /// They include all changes.
    Latest,
    /// They may lack changes, but are not computed again yet, because there are many stories and the last
    /// computation is recent.
    Recent,
    /// They may lack changes, and must be computed again.
    Outdated,
}

/// Returns the state of stored statistics. `change_number` is the user's present change number, and `version` the
/// present version of the catalogue.
fn freshness(
    stored: &StoredStatistics,
    change_number: u64,
    version: Option<u64>,
    now: u64,
) -> Freshness {
    let age = now.saturating_sub(stored.computed_at);
    // A computation just after a change may have missed it, so its result is used only for a short time.
    let is_settled = is_settled(change_number, stored.computed_at);
    let has_same = stored.change_number == change_number && stored.catalogue_version == version;
    if has_same && (is_settled || age < SETTLED_MS) {
        Freshness::Latest
    } else if stored.story_count > MAX_SMALL && age < MIN_INTERVAL_MS {
        Freshness::Recent
    } else {
        Freshness::Outdated
    }
}

/// Reads stored statistics, and computes them again if they are out of date.
#[derive(Clone, Debug)]
pub struct StatisticsReader {
    store: StatisticsStore,
    catalogue: SharedCatalogue<Anime>,
    clock: Clock,
}

/// A user's stored statistics, and the present version of the catalogue.
#[derive(Debug)]
pub struct KnownStatistics {
    stored: Option<StoredStatistics>,
    version: Option<u64>,
}

/// The owner of statistics, with the values of the owner's row that they depend on.
#[derive(Clone, Copy, Debug)]
pub struct StatisticsOwner {
    /// The user.
    pub id: UserId,
    /// The number of the last change of the user's stories.
    pub change_number: u64,
    /// True if the user's profile is public.
    pub is_public: bool,
}

impl StatisticsOwner {
    /// Returns the owner of this account.
    #[must_use]
    pub fn of(account: &Account) -> Self {
        Self {
            id: account.user.id,
            change_number: account.list.last_change_number,
            is_public: account.public_profile,
        }
    }
}

/// The statistics of a user, with the time of their computation.
#[derive(Debug)]
pub struct CurrentStatistics {
    /// The time of the computation, in milliseconds since the Unix epoch.
    pub computed_at: u64,
    /// True if no change is missing.
    pub is_latest: bool,
    /// The statistics of all stories.
    pub all: Statistics,
    /// The public part; `None` if the profile is not public.
    pub public: Option<PublicStories>,
    /// The latest stories with a date of completion, also private ones.
    pub finished: Vec<FinishedStory>,
}

impl StatisticsReader {
    /// Creates a reader of the statistics in this store. The first computation loads the index of the catalogue.
    #[must_use]
    pub fn new(store: StatisticsStore, catalogue: SharedCatalogue<Anime>, clock: Clock) -> Self {
        Self {
            store,
            catalogue,
            clock,
        }
    }

    /// Reads the stored statistics of a user, which may be out of date. This needs only the user's identifier, so a
    /// caller can read the user's row at the same time.
    pub async fn read_stored(&self, owner: UserId) -> Result<KnownStatistics, Error> {
        let (stored, version) = try_join!(self.store.find(owner), self.catalogue.version())?;
        Ok(KnownStatistics { stored, version })
    }

    /// Returns the stored statistics, or computes and stores new statistics if they are out of date.
    pub async fn read_current(
        &self,
        owner: StatisticsOwner,
        known: KnownStatistics,
    ) -> Result<CurrentStatistics, Error> {
        let now = self.clock.now_ms();
        let KnownStatistics { stored, version } = known;
        let mut before = None;
        if let Some(stored) = stored
            && let Some(contents) = StoredContents::read(&stored.contents)
        {
            let freshness = self.freshness(&stored, owner, version, now).await?;
            let has_all = contents.public.is_some() || !owner.is_public;
            if freshness != Freshness::Outdated && has_all {
                return Ok(CurrentStatistics {
                    computed_at: stored.computed_at,
                    is_latest: freshness == Freshness::Latest,
                    all: contents.all,
                    public: contents.public.filter(|_| owner.is_public),
                    finished: contents.finished,
                });
            }
            before = contents.public;
        }
        let index = self.catalogue.index_and_version();
        let ((index, version), stories) = try_join!(index, self.store.stories(owner.id))?;
        let public = || PublicStories::new(&stories, &index, before.as_ref(), now);
        let contents = StoredContents {
            format: FORMAT,
            all: compute_statistics(stories.iter(), &index),
            public: owner.is_public.then(public),
            finished: finished_stories(&stories, &index),
        };
        let stored = StoredStatistics {
            user_id: owner.id,
            computed_at: now,
            change_number: owner.change_number,
            catalogue_version: version,
            story_count: stories.len() as u64,
            contents: catalogue::encode(&contents)?,
        };
        self.store.put(&stored).await?;
        Ok(CurrentStatistics {
            computed_at: now,
            is_latest: true,
            all: contents.all,
            public: contents.public,
            finished: contents.finished,
        })
    }

    /// Returns the state of stored statistics. [`Freshness::Recent`] becomes [`Freshness::Outdated`] if the user
    /// has at most [`MAX_SMALL`] stories by now.
    async fn freshness(
        &self,
        stored: &StoredStatistics,
        owner: StatisticsOwner,
        version: Option<u64>,
        now: u64,
    ) -> Result<Freshness, Error> {
        let freshness = freshness(stored, owner.change_number, version, now);
        let is_small = freshness == Freshness::Recent
            && stored.change_number != owner.change_number
            && !self.store.has_more_stories(owner.id, MAX_SMALL).await?;
        Ok(if is_small {
            Freshness::Outdated
        } else {
            freshness
        })
    }

    /// Reads the stories of a list in a public profile with a strongly consistent read. Returns those that still
    /// have this status and are not private. `list` has at most 100 stories.
    pub async fn verify_list(
        &self,
        owner: UserId,
        status: WatchStatus,
        list: &[RatedStory],
    ) -> Result<Vec<RatedStory>, Error> {
        let ids: Vec<AnimeId> = list.iter().map(|story| story.anime_id).collect();
        let mut present = self.store.some_stories(owner, &ids).await?;
        present.retain(|story| !story.private && story.status == status);
        let find = |id: AnimeId| present.iter().find(|story| story.anime_id == id);
        Ok(ids.into_iter().filter_map(find).map(Into::into).collect())
    }

    /// Names in a review of a public profile only the anime whose stories still have a date in the year and are not
    /// private, by a strongly consistent read.
    pub async fn verify_review(&self, owner: UserId, review: &mut YearReview) -> Result<(), Error> {
        let named: Vec<AnimeId> = review.named().into_iter().collect();
        let mut present = self.store.some_stories(owner, &named).await?;
        present.retain(|story| {
            let year = story.finished_on.map(PartialDate::year);
            !story.private && year == Some(review.year)
        });
        review.keep(&present.iter().map(|story| story.anime_id).collect());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use shared::models::{AnimeId, PartialDate, UserId};
    use shared::random::Random;
    use store::StoredStatistics;

    use super::{
        FORMAT, FinishedStory, Freshness, MAX_FINISHED, MAX_SMALL, MIN_INTERVAL_MS, PublicStories,
        RatedStory, SETTLED_MS, Statistics, StoredContents, freshness,
    };

    const CHANGED_AT: u64 = 1_700_000_000_000;

    fn stored(story_count: u64, after: u64) -> StoredStatistics {
        StoredStatistics {
            user_id: UserId::LAST,
            computed_at: CHANGED_AT + after,
            change_number: CHANGED_AT * 1000,
            catalogue_version: Some(7),
            story_count,
            contents: Vec::new(),
        }
    }

    /// An item of `DynamoDB` has at most 400 KB.
    #[test]
    fn largest_contents_fit_into_an_item() {
        let random = Random::seeded(3);
        let number = |count: u64| u16::try_from(random.below(count)).unwrap();
        let id = || AnimeId::new(random.below(1 << 20) + 1).unwrap();
        let finished = |_| FinishedStory {
            anime_id: id(),
            finished_on: PartialDate::of_ms(random.below(CHANGED_AT)),
            score_tenths: number(1001),
            episodes: number(200).into(),
            private: number(2) == 1,
        };
        let rated = |_| RatedStory {
            anime_id: id(),
            score_tenths: number(1001),
            progress: number(200).into(),
        };
        let contents = StoredContents {
            format: FORMAT,
            all: Statistics::default(),
            public: Some(PublicStories {
                unchanged_since: CHANGED_AT,
                statistics: Statistics::default(),
                lists: [5000; 6].map(|count| (0..count).map(rated).collect()),
            }),
            finished: (0..MAX_FINISHED).map(finished).collect(),
        };
        let size = catalogue::encode(&contents).unwrap().len();
        assert!(size < 380_000, "{size}");
    }

    #[test]
    fn small_lists_are_always_current() {
        let (number, version) = (CHANGED_AT * 1000, Some(7));
        let later = CHANGED_AT + 10 * MIN_INTERVAL_MS;
        let settled = stored(MAX_SMALL, SETTLED_MS);
        let of = |number, version| freshness(&settled, number, version, later);
        assert_eq!(of(number, version), Freshness::Latest);
        assert_eq!(of(number + 1, version), Freshness::Outdated);
        assert_eq!(of(number, Some(8)), Freshness::Outdated);
        assert_eq!(of(number, None), Freshness::Outdated);
        // A computation just after a change may have missed it, and is repeated once.
        let early = stored(MAX_SMALL, SETTLED_MS - 1);
        let after = |time| freshness(&early, number, version, early.computed_at + time);
        assert_eq!(after(SETTLED_MS - 1), Freshness::Latest);
        assert_eq!(after(SETTLED_MS), Freshness::Outdated);
    }

    #[test]
    fn large_lists_are_computed_once_an_hour() {
        let large = stored(MAX_SMALL + 1, 0);
        let at = |age| freshness(&large, CHANGED_AT * 1000 + 1, None, CHANGED_AT + age);
        assert_eq!(at(MIN_INTERVAL_MS - 1), Freshness::Recent);
        assert_eq!(at(MIN_INTERVAL_MS), Freshness::Outdated);
    }
}
