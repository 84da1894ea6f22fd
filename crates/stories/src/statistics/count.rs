//! Statistics of a user's stories (docs/api.md, "Statistics").

use std::collections::BTreeMap;

use catalogue::index::WatchedAnime;
use shared::models::{AnimeFormat, PartialDate, UserScore, WatchStatus};

use crate::lists::story_list::ListedStory;

/// The sums over a group of stories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of stories.
    pub stories: u32,
    /// The number of watched episodes.
    pub episodes: u64,
    /// The time watched, in minutes.
    pub minutes: u64,
    /// The number of stories with a score.
    scored: u32,
    /// The sum of the scores, in tenths.
    score_tenths: u64,
}

impl Tally {
    fn add(&mut self, episodes: u64, minutes_each: u32, score: Option<UserScore>) {
        self.stories += 1;
        self.episodes = self.episodes.saturating_add(episodes);
        let minutes = episodes.saturating_mul(minutes_each.into());
        self.minutes = self.minutes.saturating_add(minutes);
        if let Some(score) = score {
            self.scored += 1;
            self.score_tenths += u64::from(score.tenths());
        }
    }

    /// Returns the time watched in hours, rounded to one decimal.
    pub fn hours(&self) -> f64 {
        let tenths = self.minutes.saturating_add(3) / 6;
        f64::from(u32::try_from(tenths).unwrap_or(u32::MAX)) / 10.0
    }

    /// Returns the mean of the scores, rounded to two decimals; `None` without a score.
    pub fn mean_score(&self) -> Option<f64> {
        let count = u64::from(self.scored);
        let hundredths = (self.score_tenths * 20 + count).checked_div(count * 2)?;
        Some(f64::from(u32::try_from(hundredths).unwrap_or(u32::MAX)) / 100.0)
    }
}

/// The statistics of a user's stories. Stories with the status PLANNING count only in `statuses`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The number of stories with each status, in the order of the statuses' integers.
    pub statuses: [u32; 6],
    /// All stories.
    pub watched: Tally,
    /// The number of stories in each range of scores: up to 10, above 10 up to 20, and so on up to 100.
    pub scores: [u32; 10],
    /// The stories by genre. A story counts in each genre of its anime.
    pub genres: BTreeMap<String, Tally>,
    /// The stories by format.
    pub formats: BTreeMap<AnimeFormat, Tally>,
    /// The stories by year of release.
    pub years: BTreeMap<u16, Tally>,
    /// The stories by the month in which the anime was first completed, or by the year if the month is unknown.
    /// Only the first viewing counts, because the dates of later viewings are not known.
    pub months: BTreeMap<PartialDate, Tally>,
}

impl Statistics {
    /// Adds a story. `anime` is `None` if the anime is not in the index.
    pub fn add(&mut self, story: &ListedStory, anime: Option<&WatchedAnime<'_>>) {
        let (status, details) = (story.state.status, &story.state.details);
        if let Some(count) = self.statuses.get_mut(usize::from(u8::from(status))) {
            *count += 1;
        }
        if status == WatchStatus::Planning {
            return;
        }
        let viewings = Viewings::of(story, anime.map_or(0, |anime| anime.episodes_count));
        let minutes = anime.map_or(0, |anime| anime.minutes);
        let add = |tally: &mut Tally| tally.add(viewings.all_episodes(), minutes, details.score);
        add(&mut self.watched);
        if let Some(score) = details.score {
            let step = usize::from(score.tenths().saturating_sub(1) / 100);
            if let Some(count) = self.scores.get_mut(step) {
                *count += 1;
            }
        }
        if let Some(anime) = anime {
            self.add_genres(anime, add);
            add(self.formats.entry(anime.format).or_default());
            if let Some(year) = anime.year {
                add(self.years.entry(year).or_default());
            }
        }
        if let Some(day) = details.finished_on {
            let tally = self.months.entry(month_of(day)).or_default();
            tally.add(viewings.first_episodes(), minutes, details.score);
        }
    }

    /// Adds the first viewing of a story with a date of completion to the sums over all stories, by genre and by month.
    pub(crate) fn add_finished(
        &mut self,
        finished_on: PartialDate,
        episodes: u32,
        score: Option<UserScore>,
        anime: Option<&WatchedAnime<'_>>,
    ) {
        let minutes = anime.map_or(0, |anime| anime.minutes);
        let add = |tally: &mut Tally| tally.add(episodes.into(), minutes, score);
        add(&mut self.watched);
        if let Some(anime) = anime {
            self.add_genres(anime, add);
        }
        add(self.months.entry(month_of(finished_on)).or_default());
    }

    fn add_genres(&mut self, anime: &WatchedAnime<'_>, add: impl Fn(&mut Tally)) {
        for genre in &anime.genres {
            match self.genres.get_mut(*genre) {
                Some(tally) => add(tally),
                None => add(self.genres.entry((*genre).to_owned()).or_default()),
            }
        }
    }
}

/// Returns the month of a date, or the year if the month is unknown.
fn month_of(day: PartialDate) -> PartialDate {
    PartialDate::new(day.year(), day.month(), None).unwrap_or(day)
}

/// A user's viewings of an anime: the first one and the rewatches.
pub(crate) struct Viewings {
    /// The number of complete viewings.
    complete: u64,
    /// The number of episodes in each complete viewing.
    episodes: u64,
    /// The number of episodes watched so far in a viewing that is not complete.
    in_progress: u64,
}

impl Viewings {
    /// Returns the viewings of an anime with this number of episodes. If the story is at a later episode, or the
    /// number is unknown (0), the progress is used as the number of episodes.
    pub(crate) fn of(story: &ListedStory, episodes_count: u32) -> Self {
        let repeats = u64::from(story.state.details.repeats);
        let current = u64::from(story.state.progress());
        // If a story has repeats, any status but COMPLETED belongs to a further rewatch, which may be paused or
        // dropped. Every rewatch begins after a complete viewing.
        let complete = match story.state.status {
            WatchStatus::Completed | WatchStatus::Repeating => repeats + 1,
            _ if repeats > 0 => repeats + 1,
            _ => 0,
        };
        let is_over = story.state.status == WatchStatus::Completed;
        Self {
            complete,
            episodes: current.max(episodes_count.into()),
            in_progress: if is_over { 0 } else { current },
        }
    }

    /// Returns the number of episodes in all viewings.
    fn all_episodes(&self) -> u64 {
        self.complete * self.episodes + self.in_progress
    }

    /// Returns the number of episodes in the first viewing.
    pub(crate) fn first_episodes(&self) -> u64 {
        if self.complete > 0 {
            self.episodes
        } else {
            self.in_progress
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use catalogue::index::WatchedAnime;
    use shared::models::WatchStatus::{
        self, Completed, Current, Dropped, Paused, Planning, Repeating,
    };
    use shared::models::{AnimeFormat, PartialDate, UserScore, WireEnum};
    use shared::random::Random;

    use super::{Statistics, Tally};
    use crate::examples;
    use crate::lists::story_list::ListedStory;

    fn story(status: WatchStatus, current_episode: u32, repeats: u16) -> ListedStory {
        let mut state = examples::state(status, current_episode);
        state.details.repeats = repeats;
        ListedStory::from(&examples::story(1, state, 0))
    }

    fn anime(episodes_count: u32) -> WatchedAnime<'static> {
        WatchedAnime {
            format: AnimeFormat::Tv,
            year: Some(1998),
            genres: vec!["Drama"],
            episodes_count,
            minutes: 24,
        }
    }

    fn of(stories: &[(ListedStory, Option<WatchedAnime<'_>>)]) -> Statistics {
        let mut statistics = Statistics::default();
        for (story, anime) in stories {
            statistics.add(story, anime.as_ref());
        }
        statistics
    }

    /// The table in docs/api.md, "Statistics".
    #[test]
    fn repeats_count_as_watched_again() {
        for (status, current, repeats, expected) in [
            (Planning, 5, 3, 0),
            (Current, 5, 0, 5),
            (Paused, 5, 0, 5),
            (Dropped, 5, 0, 5),
            (Completed, 12, 0, 12),
            // An update can set COMPLETED without the last episode.
            (Completed, 1, 0, 12),
            (Completed, 12, 2, 36),
            (Repeating, 5, 0, 17),
            (Repeating, 5, 2, 41),
            (Paused, 5, 2, 41),
            // An entry of a tracker that counts more episodes.
            (Completed, 13, 1, 26),
        ] {
            let story = story(status, current, repeats);
            let watched = of(&[(story.clone(), Some(anime(12)))]).watched;
            assert_eq!(watched.episodes, expected, "{story:?}");
            assert_eq!(watched.minutes, expected * 24, "{story:?}");
        }
        let gone = of(&[(story(Completed, 12, 1), None)]);
        assert_eq!((gone.watched.episodes, gone.watched.minutes), (24, 0));
        assert!(gone.genres.is_empty() && gone.formats.is_empty() && gone.years.is_empty());
    }

    #[test]
    fn scores_are_in_steps_of_ten() {
        let with = |tenths| {
            let mut story = story(Current, 1, 0);
            story.state.details.score = UserScore::from_tenths(tenths);
            story
        };
        let all: Vec<_> = (1..=1000).map(|tenths| (with(tenths), None)).collect();
        let all = of(&all);
        assert_eq!(all.scores, [100; 10]);
        assert_eq!(all.watched.mean_score(), Some(50.05));
        let two = of(&[(with(100), None), (with(101), None)]);
        assert_eq!(two.scores[..2], [1, 1]);
        assert_eq!(two.watched.mean_score(), Some(10.05));
        assert_eq!(Tally::default().mean_score(), None);
    }

    #[test]
    fn hours_have_one_decimal() {
        let hours = |minutes| {
            let tally = Tally {
                minutes,
                ..Tally::default()
            };
            tally.hours()
        };
        for (minutes, expected) in [(0, 0.0), (2, 0.0), (3, 0.1), (60, 1.0), (89, 1.5)] {
            assert!((hours(minutes) - expected).abs() < 1e-9, "{minutes}");
        }
    }

    #[test]
    fn too_large_numbers_do_not_panic() {
        let huge = WatchedAnime {
            episodes_count: u32::MAX,
            minutes: u32::MAX,
            ..anime(1)
        };
        let endless = vec![(story(Completed, 0, 9999), Some(huge)); 3];
        assert_eq!(of(&endless).watched.minutes, u64::MAX);
    }

    const GENRES: [&str; 4] = ["Action", "Drama", "Sports", "日常"];

    type WatchedStory = (ListedStory, Option<WatchedAnime<'static>>);

    fn pick<T: Copy>(random: &Random, all: &[T]) -> T {
        let number = random.below(all.len() as u64);
        all[usize::try_from(number).unwrap()]
    }

    fn any_story(random: &Random) -> WatchedStory {
        let below = |number: u64| random.below(number);
        let small = |number: u64| u16::try_from(below(number)).unwrap();
        let dates = [
            None,
            Some("2016"),
            Some("2016-08"),
            Some("2016-08-26"),
            Some("2017-01-01"),
        ];
        let status = pick(random, WatchStatus::ALL).0;
        let mut story = story(status, small(14).into(), small(3));
        story.state.details.score = UserScore::from_tenths(small(1400));
        let day = pick(random, &dates).map(|day| PartialDate::parse(day).unwrap());
        story.state.details.finished_on = day;
        let anime = WatchedAnime {
            format: pick(random, AnimeFormat::ALL).0,
            year: pick(random, &[None, Some(1998), Some(2016)]),
            genres: GENRES.into_iter().filter(|_| below(2) == 0).collect(),
            episodes_count: small(14).into(),
            minutes: small(30).into(),
        };
        (story, (below(5) > 0).then_some(anime))
    }

    /// Returns the sums over the stories for which `is_in` is true: stories, episodes, minutes, mean score.
    fn naive(
        stories: &[WatchedStory],
        only_first: bool,
        is_in: impl Fn(&WatchedStory) -> bool,
    ) -> (usize, u64, u64, Option<f64>) {
        let group = stories
            .iter()
            .filter(|watched| watched.0.state.status != Planning);
        let group: Vec<&WatchedStory> = group.filter(|watched| is_in(watched)).collect();
        let episodes = |(story, anime): &WatchedStory| {
            let (state, repeats) = (&story.state, u32::from(story.state.details.repeats));
            let current = state.current_episode;
            let whole = anime
                .as_ref()
                .map_or(0, |anime| anime.episodes_count)
                .max(current);
            let number = match (state.status, repeats, only_first) {
                (Completed | Repeating, _, true) | (_, 1.., true) => whole,
                (Completed, ..) => whole * (repeats + 1),
                (Repeating, ..) | (_, 1.., _) => whole * (repeats + 1) + current,
                _ => current,
            };
            u64::from(number)
        };
        let minutes = |watched: &WatchedStory| {
            let each = watched.1.as_ref().map_or(0, |anime| anime.minutes);
            episodes(watched) * u64::from(each)
        };
        let scores = group
            .iter()
            .filter_map(|watched| watched.0.state.details.score);
        let scores: Vec<f64> = scores.map(f64::from).collect();
        let mean = scores.iter().sum::<f64>() / f64::from(u32::try_from(scores.len()).unwrap());
        (
            group.len(),
            group.iter().map(|watched| episodes(watched)).sum(),
            group.iter().map(|watched| minutes(watched)).sum(),
            (!scores.is_empty()).then_some(mean),
        )
    }

    fn assert_same(tally: &Tally, expected: (usize, u64, u64, Option<f64>), what: &str) {
        let (stories, episodes, minutes, mean) = expected;
        assert_eq!(tally.stories as usize, stories, "{what}");
        assert_eq!(
            (tally.episodes, tally.minutes),
            (episodes, minutes),
            "{what}"
        );
        assert_eq!(tally.mean_score().is_some(), mean.is_some(), "{what}");
        let difference = tally.mean_score().unwrap_or(0.0) - mean.unwrap_or(0.0);
        assert!(difference.abs() <= 0.005 + 1e-9, "{what}: {difference}");
    }

    #[test]
    fn sums_equal_those_of_a_naive_computation() {
        let random = Random::seeded(7);
        for round in 0..200 {
            let stories: Vec<WatchedStory> = (0..round).map(|_| any_story(&random)).collect();
            let found = of(&stories);
            assert_same(&found.watched, naive(&stories, false, |_| true), "all");
            for (number, (status, _)) in WatchStatus::ALL.iter().enumerate() {
                let count = stories
                    .iter()
                    .filter(|(story, _)| story.state.status == *status);
                assert_eq!(found.statuses[number] as usize, count.count());
            }
            for (step, count) in found.scores.iter().enumerate() {
                let from = f64::from(u32::try_from(step).unwrap()) * 10.0;
                let is_in = |(story, _): &WatchedStory| {
                    let score = story.state.details.score.map_or(0.0, f64::from);
                    score > from && score <= from + 10.0
                };
                assert_eq!(*count as usize, naive(&stories, false, is_in).0, "{step}");
            }
            let has = |genre: &str| {
                let genre = genre.to_owned();
                move |(_, anime): &WatchedStory| {
                    let genres = anime.iter().flat_map(|anime| &anime.genres);
                    genres.copied().any(|one| one == genre)
                }
            };
            let used = |genre: &&str| naive(&stories, false, has(genre)).0 > 0;
            let expected: BTreeSet<&str> = GENRES.into_iter().filter(used).collect();
            assert_eq!(
                found.genres.keys().collect::<Vec<_>>(),
                expected.iter().collect::<Vec<_>>()
            );
            for (genre, tally) in &found.genres {
                assert_same(tally, naive(&stories, false, has(genre)), genre);
            }
            for (format, _) in AnimeFormat::ALL {
                let is_in =
                    |(_, anime): &WatchedStory| anime.as_ref().map(|it| it.format) == Some(*format);
                let tally = found.formats.get(format).copied().unwrap_or_default();
                assert_same(&tally, naive(&stories, false, is_in), "format");
            }
            assert!(found.years.keys().all(|year| [1998, 2016].contains(year)));
            for year in [1998, 2016] {
                let is_in =
                    |(_, anime): &WatchedStory| anime.as_ref().and_then(|it| it.year) == Some(year);
                let tally = found.years.get(&year).copied().unwrap_or_default();
                assert_same(&tally, naive(&stories, false, is_in), "year");
            }
            let months = ["2016", "2016-08", "2017-01"];
            assert!(
                found
                    .months
                    .keys()
                    .all(|month| months.contains(&month.to_string().as_str()))
            );
            for month in months {
                let is_in = |(story, _): &WatchedStory| {
                    let day = story.state.details.finished_on;
                    let day = day.map(|day| day.to_string());
                    day.is_some_and(|day| day.chars().take(7).eq(month.chars()))
                };
                let tally = found.months.get(&PartialDate::parse(month).unwrap());
                let tally = tally.copied().unwrap_or_default();
                assert_same(&tally, naive(&stories, true, is_in), month);
            }
        }
    }
}
