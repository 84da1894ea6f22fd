//! The rule by which an anime follows another (docs/trackers.md, "Derived sequels and prequels").

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap, HashSet};

use shared::models::{AnimeFormat, AnimeId, Season};

use super::installment::Installment;

/// The maximum number of years between two seasons whose titles have successive numbers. After more years, the later
/// one is usually a new version.
const MAX_YEARS: u16 = 8;

/// The maximum number of years between two seasons that only the season map connects.
const MAX_YEARS_BY_MAP: u16 = 2;

/// The maximum difference between the durations of the episodes of two such seasons, in minutes. A side story usually
/// has shorter episodes.
const MAX_MINUTES_BY_MAP: u32 = 3;

/// The parts of an anime that the rule compares.
#[derive(Clone, Debug)]
pub(super) struct ComparedAnime {
    pub format: AnimeFormat,
    pub year: Option<u16>,
    pub season: Season,
    /// The duration of an episode; 0 if it is unknown.
    pub minutes: u32,
    /// The names of the studios, folded.
    pub studios: BTreeSet<String>,
    pub titles: Vec<Installment>,
}

/// The kinds of works. A work of another kind is seldom the next part of a story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnimeKind {
    Series,
    Movie,
    Special,
    Ova,
}

/// An anime and its successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Succession {
    pub first: AnimeId,
    pub next: AnimeId,
}

/// The strength of the reason for a succession, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SuccessionReason {
    TitlesAndMap,
    Titles,
    Map,
}

impl ComparedAnime {
    fn kind(&self) -> Option<AnimeKind> {
        match self.format {
            AnimeFormat::Tv | AnimeFormat::TvShort | AnimeFormat::Ona => Some(AnimeKind::Series),
            AnimeFormat::Movie => Some(AnimeKind::Movie),
            AnimeFormat::Special => Some(AnimeKind::Special),
            AnimeFormat::Ova => Some(AnimeKind::Ova),
            AnimeFormat::Music => None,
        }
    }

    fn quarter(&self) -> Option<u16> {
        (self.season != Season::Unknown).then(|| u8::from(self.season).into())
    }

    /// Compares the times of release; `None` if one of them is unknown. Without a season, anime of one year count as
    /// released at the same time.
    fn compare_time(&self, other: &Self) -> Option<Ordering> {
        let by_year = self.year?.cmp(&other.year?);
        let by_quarter = self.quarter().zip(other.quarter());
        Some(by_year.then(by_quarter.map_or(Ordering::Equal, |(one, other)| one.cmp(&other))))
    }

    /// Returns the reason for which `next` follows this anime.
    fn reason(&self, next: &Self, is_next_in_map: bool) -> Option<SuccessionReason> {
        let kind = self.kind().filter(|kind| next.kind() == Some(*kind))?;
        let order = self.compare_time(next);
        let years = self.year.zip(next.year);
        let years = years.map(|(first, next)| next.saturating_sub(first));
        let is_earlier = order.is_none_or(Ordering::is_lt);
        let has_titles = self.titles.iter().any(|first| {
            let mut titles = next.titles.iter();
            titles.any(|next| first.is_followed_by(next))
        });
        if has_titles && years.is_none_or(|years| years <= MAX_YEARS) {
            match kind {
                _ if is_next_in_map && is_earlier => return Some(SuccessionReason::TitlesAndMap),
                // Several movies of a series can be released in one season.
                AnimeKind::Movie if order != Some(Ordering::Greater) => {
                    return Some(SuccessionReason::Titles);
                }
                AnimeKind::Series | AnimeKind::Special if is_earlier => {
                    return Some(SuccessionReason::Titles);
                }
                _ => {}
            }
        }
        let is_like = kind == AnimeKind::Series
            && order == Some(Ordering::Less)
            && years.is_some_and(|years| years <= MAX_YEARS_BY_MAP)
            && self.minutes.abs_diff(next.minutes) <= MAX_MINUTES_BY_MAP
            && !self.studios.is_disjoint(&next.studios);
        (is_next_in_map && is_like).then_some(SuccessionReason::Map)
    }

    /// Returns true if the title says that `next` is the final season of the same series.
    fn has_final(&self, next: &Self) -> bool {
        let finals = || next.titles.iter().filter(|title| title.is_final);
        let mut titles = self.titles.iter();
        titles.any(|first| finals().any(|next| first.has_base_of(next)))
    }

    /// Returns the time between two releases in quarters of a year.
    fn distance(&self, next: &Self) -> Option<u32> {
        let quarters = |work: &Self| {
            let quarter = work.quarter().unwrap_or_default();
            Some(u32::from(work.year?) * 4 + u32::from(quarter))
        };
        Some(quarters(next)?.saturating_sub(quarters(self)?))
    }
}

/// Returns the anime that follow another, in order. Each anime follows at most one other, and is followed by at most
/// one. `related` are pairs of anime that a source relates without a type, in either direction. `in_map` are the
/// successive seasons of the season map.
pub(super) fn find_successions(
    works: &HashMap<AnimeId, ComparedAnime>,
    related: &[(AnimeId, AnimeId)],
    in_map: &HashSet<Succession>,
) -> BTreeSet<Succession> {
    let both_ways = related.iter().flat_map(|(one, other)| {
        let (one, other) = (*one, *other);
        let pairs = [(one, other), (other, one)];
        pairs.map(|(first, next)| Succession { first, next })
    });
    let pairs: HashSet<Succession> = both_ways.filter(|pair| pair.first != pair.next).collect();
    let mut found = Vec::new();
    for pair in pairs {
        let (Some(first), Some(next)) = (works.get(&pair.first), works.get(&pair.next)) else {
            continue;
        };
        if let Some(reason) = first.reason(next, in_map.contains(&pair)) {
            let distance = first.distance(next).unwrap_or(u32::MAX);
            found.push((reason, first.has_final(next), distance, pair));
        }
    }
    // The strongest reasons come first, and then the nearest seasons.
    found.sort_unstable();
    let (mut firsts, mut nexts) = (HashSet::new(), HashSet::new());
    let mut chosen = BTreeSet::new();
    for (.., pair) in found {
        if !firsts.contains(&pair.first) && !nexts.contains(&pair.next) {
            firsts.insert(pair.first);
            nexts.insert(pair.next);
            chosen.insert(pair);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use shared::models::{AnimeFormat, AnimeId, Season};

    use super::{ComparedAnime, Succession, find_successions};
    use crate::story_lines::installment::Installment;

    fn work(format: AnimeFormat, year: u16, title: &str) -> ComparedAnime {
        ComparedAnime {
            format,
            year: Some(year),
            season: Season::Fall,
            minutes: 24,
            studios: ["harbor".to_owned()].into(),
            titles: Installment::parse(title).into_iter().collect(),
        }
    }

    fn tv(year: u16, title: &str) -> ComparedAnime {
        work(AnimeFormat::Tv, year, title)
    }

    fn id(number: usize) -> AnimeId {
        AnimeId::new(number as u64 + 1).unwrap()
    }

    fn succession(first: usize, next: usize) -> Succession {
        Succession {
            first: id(first),
            next: id(next),
        }
    }

    /// Returns the successions of works that are all related to each other, by their positions.
    fn find(works: &[ComparedAnime], in_map: &[(usize, usize)]) -> Vec<(usize, usize)> {
        let numbers = 0..works.len();
        let related: Vec<_> = numbers
            .clone()
            .flat_map(|one| (0..one).map(move |other| (id(one), id(other))))
            .collect();
        let works: HashMap<_, _> = numbers.map(id).zip(works.iter().cloned()).collect();
        let in_map: HashSet<_> = in_map
            .iter()
            .map(|(first, next)| succession(*first, *next))
            .collect();
        let place = |id: AnimeId| usize::try_from(id.get() - 1).unwrap();
        let found = find_successions(&works, &related, &in_map).into_iter();
        let found = found.map(|pair| (place(pair.first), place(pair.next)));
        found.collect()
    }

    #[test]
    fn seasons_of_a_series_follow_each_other() {
        let works = [
            tv(2020, "Harbor Lights"),
            tv(2021, "Harbor Lights 2nd Season"),
            work(AnimeFormat::Ona, 2023, "Harbor Lights Season 3"),
            tv(2024, "Harbor Lights: The Final Season"),
        ];
        assert_eq!(find(&works, &[]), [(0, 1), (1, 2), (2, 3)]);
    }

    #[test]
    fn any_year_of_a_file_is_compared() {
        let works = [
            tv(u16::MAX - 1, "Harbor Lights"),
            tv(u16::MAX, "Harbor Lights 2nd Season"),
        ];
        assert_eq!(find(&works, &[]), [(0, 1)]);
    }

    #[test]
    fn another_kind_an_earlier_or_a_much_later_release_does_not_follow() {
        let first = tv(2020, "Harbor Lights");
        for next in [
            work(AnimeFormat::Movie, 2021, "Harbor Lights 2"),
            work(AnimeFormat::Ova, 2021, "Harbor Lights 2"),
            work(AnimeFormat::Music, 2021, "Harbor Lights 2"),
            tv(2019, "Harbor Lights 2"),
            tv(2020, "Harbor Lights 2"),
            tv(2029, "Harbor Lights 2"),
        ] {
            assert_eq!(find(&[first.clone(), next.clone()], &[]), [], "{next:?}");
        }
        let movies = ["Harbor Lights", "Harbor Lights 2"];
        let movies = movies.map(|title| work(AnimeFormat::Movie, 2020, title));
        assert_eq!(find(&movies, &[]), [(0, 1)], "movies of one season");
    }

    #[test]
    fn anime_that_are_not_related_do_not_follow() {
        let works = [tv(2020, "Harbor Lights"), tv(2021, "Harbor Lights 2")];
        let works = [id(0), id(1)].into_iter().zip(works).collect();
        let found = find_successions(&works, &[], &[succession(0, 1)].into());
        assert!(found.is_empty());
    }

    #[test]
    fn season_map_connects_other_titles_of_the_same_studio() {
        let works = [tv(2020, "Harbor Lights"), tv(2021, "Harbor Winter")];
        assert_eq!(find(&works, &[]), []);
        assert_eq!(find(&works, &[(0, 1)]), [(0, 1)]);
        let changes: [fn(&mut ComparedAnime); 5] = [
            |next| next.studios = ["other".to_owned()].into(),
            |next| next.minutes = 12,
            |next| next.year = Some(2023),
            |next| next.year = None,
            |next| next.format = AnimeFormat::Ova,
        ];
        for change in changes {
            let mut works = works.clone();
            change(&mut works[1]);
            assert_eq!(find(&works, &[(0, 1)]), [], "{works:?}");
        }
    }

    #[test]
    fn stronger_reasons_come_first_and_each_anime_has_one_neighbor() {
        let works = [
            tv(2020, "Harbor Lights"),
            work(AnimeFormat::Ona, 2021, "Harbor Lights 2"),
            tv(2022, "Harbor Lights 2"),
        ];
        // The successor is the nearest anime, or the one that the season map states.
        assert_eq!(find(&works, &[]), [(0, 1)]);
        assert_eq!(find(&works, &[(0, 2)]), [(0, 2)]);
    }

    #[test]
    fn titles_of_unknown_years_follow() {
        let mut works = [tv(2020, "Harbor Lights"), tv(2021, "Harbor Lights 2")];
        works[1].year = None;
        assert_eq!(find(&works, &[]), [(0, 1)]);
    }
}
