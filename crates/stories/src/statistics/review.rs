//! The review of a year: the anime that a user completed in it for the first time (docs/api.md, "Years in review").

use std::cmp::Reverse;
use std::collections::BTreeSet;

use catalogue::index::AnimeIndex;
use shared::models::{AnimeId, PartialDate, UserScore, WatchStatus};

use super::count::{Statistics, Viewings};
use crate::lists::story_list::ListedStory;

/// The maximum number of anime in the list of a review.
const MAX_REVIEWED: usize = 36;

/// The maximum number of favorites in a review.
const MAX_FAVORITES: usize = 5;

/// A story with a date of completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinishedStory {
    /// The anime.
    pub anime_id: AnimeId,
    /// The date of first completion.
    pub finished_on: PartialDate,
    /// The user's score in tenths; 0 without a score.
    pub score_tenths: u16,
    /// The number of episodes in the first viewing.
    pub episodes: u32,
    /// True if the story is private.
    pub private: bool,
}

impl FinishedStory {
    /// Returns the parts of a story that a review needs; `None` if the story is in none of [`Statistics::months`].
    pub fn of(story: &ListedStory, index: &AnimeIndex) -> Option<Self> {
        let details = &story.state.details;
        let finished_on = details.finished_on?;
        let episodes_count = index.episodes_count(story.anime_id).unwrap_or_default();
        let episodes = Viewings::of(story, episodes_count).first_episodes();
        (story.state.status != WatchStatus::Planning).then(|| Self {
            anime_id: story.anime_id,
            finished_on,
            score_tenths: details.score.map_or(0, UserScore::tenths),
            episodes: u32::try_from(episodes).unwrap_or(u32::MAX),
            private: details.private,
        })
    }

    /// Returns the position in the year. An unknown day comes after the known days of its month, and an unknown month
    /// after the known months.
    fn place(&self) -> (u8, u8, AnimeId) {
        let day = self.finished_on;
        (
            day.month().unwrap_or(u8::MAX),
            day.day().unwrap_or(u8::MAX),
            self.anime_id,
        )
    }
}

/// The review of a year.
#[derive(Debug, Default)]
pub struct YearReview {
    /// The year.
    pub year: u16,
    /// The sums over the year's stories, each with its first viewing: in all, by genre and by month.
    pub statistics: Statistics,
    /// The story that was finished first. The month of its date is known. `None` if there are fewer than two such
    /// stories.
    pub first: Option<FinishedStory>,
    /// The story that was finished last, under the same conditions.
    pub last: Option<FinishedStory>,
    /// The stories with the highest scores, highest first.
    pub favorites: Vec<FinishedStory>,
    /// The stories in order of their dates, at most [`MAX_REVIEWED`].
    pub listed: Vec<FinishedStory>,
}

impl YearReview {
    /// Returns the review of a year. `finished` may have stories of other years.
    pub fn new(
        year: u16,
        finished: impl Iterator<Item = FinishedStory>,
        index: &AnimeIndex,
    ) -> Self {
        let mut stories: Vec<FinishedStory> = finished
            .filter(|story| story.finished_on.year() == year)
            .collect();
        stories.sort_unstable_by_key(FinishedStory::place);
        let mut statistics = Statistics::default();
        for story in &stories {
            let anime = index.watched_anime(story.anime_id);
            let score = UserScore::from_tenths(story.score_tenths);
            statistics.add_finished(story.finished_on, story.episodes, score, anime.as_ref());
        }
        let dated = |story: &&FinishedStory| story.finished_on.month().is_some();
        let ends = stories.iter().find(dated).zip(stories.iter().rfind(dated));
        let ends = ends.filter(|(first, last)| first != last);
        let scored = stories.iter().filter(|story| story.score_tenths > 0);
        let mut favorites: Vec<FinishedStory> = scored.copied().collect();
        favorites.sort_by_key(|story| Reverse(story.score_tenths));
        favorites.truncate(MAX_FAVORITES);
        Self {
            year,
            statistics,
            first: ends.map(|(first, _)| *first),
            last: ends.map(|(_, last)| *last),
            favorites,
            listed: stories.into_iter().take(MAX_REVIEWED).collect(),
        }
    }

    /// Returns the number of finished anime that are not in the list.
    pub fn left_out(&self) -> u32 {
        let all = self.statistics.watched.stories;
        all.saturating_sub(u32::try_from(self.listed.len()).unwrap_or(u32::MAX))
    }

    /// Returns the anime that the review names, each once, at most 43.
    pub fn named(&self) -> BTreeSet<AnimeId> {
        let named = self.listed.iter().chain(&self.favorites);
        let named = named.chain(&self.first).chain(&self.last);
        named.map(|story| story.anime_id).collect()
    }

    /// Names only these anime.
    pub fn keep(&mut self, anime: &BTreeSet<AnimeId>) {
        let is_kept = |story: &FinishedStory| anime.contains(&story.anime_id);
        self.listed.retain(is_kept);
        self.favorites.retain(is_kept);
        self.first = self.first.filter(is_kept);
        self.last = self.last.filter(is_kept);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use catalogue::index::AnimeIndex;
    use shared::models::{AnimeId, PartialDate};

    use super::{FinishedStory, MAX_FAVORITES, MAX_REVIEWED, YearReview};

    fn finished(id: u64, date: &str, score_tenths: u16) -> FinishedStory {
        FinishedStory {
            anime_id: AnimeId::new(id).unwrap(),
            finished_on: PartialDate::parse(date).unwrap(),
            score_tenths,
            episodes: 12,
            private: false,
        }
    }

    fn review(stories: &[FinishedStory]) -> YearReview {
        YearReview::new(2016, stories.iter().copied(), &AnimeIndex::default())
    }

    fn ids<'s>(stories: impl IntoIterator<Item = &'s FinishedStory>) -> Vec<u64> {
        let stories = stories.into_iter();
        stories.map(|story| story.anime_id.get()).collect()
    }

    #[test]
    fn stories_are_in_the_order_of_their_dates() {
        let review = review(&[
            finished(1, "2016", 900),
            finished(2, "2016-12", 0),
            finished(3, "2016-12-31", 700),
            finished(4, "2016-01-01", 800),
            finished(5, "2015-12-31", 1000),
            finished(6, "2017", 1000),
        ]);
        assert_eq!(ids(&review.listed), [4, 3, 2, 1]);
        assert_eq!(ids(&review.favorites), [1, 4, 3]);
        assert_eq!(ids(review.first.iter().chain(&review.last)), [4, 2]);
        let watched = review.statistics.watched;
        assert_eq!((watched.stories, watched.episodes), (4, 48));
        assert_eq!(watched.mean_score(), Some(80.0));
        assert_eq!(review.statistics.months.len(), 3);
    }

    #[test]
    fn one_story_is_neither_first_nor_last() {
        let one = review(&[finished(1, "2016-05", 0), finished(2, "2016", 0)]);
        assert_eq!((one.first, one.last), (None, None));
        let none = review(&[finished(1, "2015", 0)]);
        assert!(none.named().is_empty() && none.statistics.watched.stories == 0);
    }

    #[test]
    fn long_lists_end_and_count_the_rest() {
        let stories: Vec<_> = (1..=50).map(|id| finished(id, "2016-03-04", 500)).collect();
        let mut review = review(&stories);
        assert_eq!((review.listed.len(), review.left_out()), (MAX_REVIEWED, 14));
        assert_eq!(review.favorites.len(), MAX_FAVORITES);
        let last = AnimeId::new(50).unwrap();
        assert!(review.named().contains(&last));
        review.keep(&BTreeSet::from([last]));
        assert_eq!(review.named(), BTreeSet::from([last]));
    }
}
