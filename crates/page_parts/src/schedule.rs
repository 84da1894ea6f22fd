//! The days on which an anime airs, as far as the catalogue knows them: days in UTC without a time. Today is the day in
//! the time zone of the user.

use maud::{Markup, html};
use pages::language::Localizer;
use shared::models::{Anime, AnimeStatus, Weekday, WireEnum};
use time::{Date, Duration, OffsetDateTime};

/// A weekly schedule begins at most this long before today: 4 weeks.
const MAX_PAST: Duration = Duration::days(28);

/// An anime that has not begun is shown only if it begins within this time: 4 weeks.
pub const SOON: Duration = Duration::days(28);

/// The days on which an anime airs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// The anime airs every week from the first day on, until the last day if it is known.
    Weekly {
        /// The first day.
        first: Date,
        /// The last day, if it is known.
        last: Option<Date>,
    },
    /// The anime begins on this day, and its weekly airing day is unknown.
    Once(Date),
    /// The anime airs, but the catalogue does not know on which day.
    Unknown,
}

impl Schedule {
    /// Returns the days of an anime from 4 weeks ago on; `None` if it neither airs nor begins within 4 weeks,
    /// or if its last day is before the first of these days.
    pub fn of(anime: &Anime, today: Date) -> Option<Self> {
        let start = anime.start_date.map(OffsetDateTime::date);
        let from = match anime.status {
            AnimeStatus::Releasing => {
                let earliest = today.saturating_sub(MAX_PAST);
                start.map_or(earliest, |start| start.max(earliest))
            }
            AnimeStatus::NotYetReleased => {
                let soon = today..=today.saturating_add(SOON);
                start.filter(|start| soon.contains(start))?
            }
            AnimeStatus::Finished | AnimeStatus::Cancelled => return None,
        };
        let Some(weekday) = anime.weekly_airing_day else {
            return Some(match anime.status {
                AnimeStatus::NotYetReleased => Self::Once(from),
                _ => Self::Unknown,
            });
        };
        let first = first_on(weekday, from);
        let last = anime.end_date.map(OffsetDateTime::date);
        let has_days = last.is_none_or(|last| first <= last);
        has_days.then_some(Self::Weekly { first, last })
    }

    /// Returns true if the anime airs on this day.
    pub fn includes(self, day: Date) -> bool {
        match self {
            Self::Weekly { first, last } => {
                let is_within = day >= first && last.is_none_or(|last| day <= last);
                is_within && (day - first).whole_days() % 7 == 0
            }
            Self::Once(only) => day == only,
            Self::Unknown => false,
        }
    }

    /// Returns the first scheduled day, from `day` on; `None` if there is none, or if the days are not known.
    pub fn next_from(self, day: Date) -> Option<Date> {
        let found = match self {
            Self::Weekly { first, .. } if first >= day => first,
            Self::Weekly { first, .. } => {
                let ahead = (first - day).whole_days().rem_euclid(7);
                day.saturating_add(Duration::days(ahead))
            }
            Self::Once(only) => only,
            Self::Unknown => return None,
        };
        self.includes(found).then_some(found)
    }
}

/// Returns the day of the week.
pub fn weekday(day: Date) -> Weekday {
    let number = day.weekday().number_days_from_sunday();
    Weekday::from_wire(number.into()).unwrap_or(Weekday::Sunday)
}

/// Renders when an anime airs next, such as "Airs tomorrow", with the class `due` if it is today. Returns `None` if the
/// catalogue does not know the day. It knows no time of day.
pub fn airs(l10n: &Localizer, anime: &Anime, today: Date) -> Option<Markup> {
    let day = Schedule::of(anime, today)?.next_from(today)?;
    let text = match (day - today).whole_days() {
        0 => l10n.text("calendar-airs-today"),
        1 => l10n.text("calendar-airs-tomorrow"),
        2..7 => {
            let day = l10n.weekday(weekday(day));
            l10n.format("calendar-airs-on", [("day", day.into())])
        }
        _ => l10n.format("calendar-airs-date", [("date", l10n.date(day).into())]),
    };
    Some(html! { span class=[(day == today).then_some("due")] { (text) } })
}

/// Returns the first day with this weekday from `day` on.
fn first_on(weekday: Weekday, day: Date) -> Date {
    let wanted = i64::from(u8::from(weekday));
    let present = i64::from(day.weekday().number_days_from_sunday());
    day.saturating_add(Duration::days((wanted - present).rem_euclid(7)))
}

#[cfg(test)]
mod tests {
    use pages::language::Localizer;
    use shared::models::{Anime, AnimeFormat, AnimeId, AnimeStatus, Weekday};
    use time::{Date, Month, Time};

    use super::{Schedule, airs};

    /// Returns a day of 2023.
    fn day(month: u8, day: u8) -> Date {
        let month = Month::try_from(month).unwrap();
        Date::from_calendar_date(2023, month, day).unwrap()
    }

    /// Returns a Tuesday.
    fn today() -> Date {
        day(11, 14)
    }

    fn anime(status: AnimeStatus, weekday: Option<Weekday>, start: Option<Date>) -> Anime {
        let id = AnimeId::new(1).unwrap();
        Anime {
            status,
            weekly_airing_day: weekday,
            start_date: start.map(|start| start.with_time(Time::MIDNIGHT).assume_utc()),
            ..Anime::new(id, AnimeFormat::Tv)
        }
    }

    fn weekly(first: Date, last: Option<Date>) -> Schedule {
        Schedule::Weekly { first, last }
    }

    #[test]
    fn airing_anime_repeat_from_their_start_or_four_weeks_ago() {
        let airing = |start| anime(AnimeStatus::Releasing, Some(Weekday::Saturday), start);
        let long_ago = airing(Some(day(1, 1)));
        let found = Schedule::of(&long_ago, today());
        assert_eq!(found, Some(weekly(day(10, 21), None)));
        assert_eq!(Schedule::of(&airing(None), today()), found);
        let recent = airing(Some(day(11, 11)));
        assert_eq!(
            Schedule::of(&recent, today()),
            Some(weekly(day(11, 11), None))
        );
        // The first episode was shown earlier, at an event.
        let friday = airing(Some(day(11, 10)));
        assert_eq!(
            Schedule::of(&friday, today()),
            Some(weekly(day(11, 11), None))
        );
    }

    #[test]
    fn repetitions_end_on_the_last_day() {
        let mut ending = anime(AnimeStatus::Releasing, Some(Weekday::Tuesday), None);
        ending.end_date = Some(day(11, 21).with_time(Time::MIDNIGHT).assume_utc());
        let schedule = Schedule::of(&ending, today()).unwrap();
        for (date, airs) in [
            (day(10, 10), false),
            (day(10, 17), true),
            (day(11, 14), true),
            (day(11, 15), false),
            (day(11, 21), true),
            (day(11, 28), false),
        ] {
            assert_eq!(schedule.includes(date), airs, "{date}");
        }
        assert_eq!(schedule.next_from(day(11, 15)), Some(day(11, 21)));
        assert_eq!(schedule.next_from(day(11, 22)), None);
        ending.end_date = Some(day(10, 1).with_time(Time::MIDNIGHT).assume_utc());
        assert_eq!(Schedule::of(&ending, today()), None);
    }

    #[test]
    fn anime_that_begin_soon_are_included() {
        let begins = |start, weekday| {
            Schedule::of(&anime(AnimeStatus::NotYetReleased, weekday, start), today())
        };
        let known = begins(Some(day(12, 12)), Some(Weekday::Tuesday));
        assert_eq!(known, Some(weekly(day(12, 12), None)));
        let only_start = begins(Some(today()), None);
        assert_eq!(only_start, Some(Schedule::Once(today())));
        assert_eq!(only_start.unwrap().next_from(today()), Some(today()));
        for start in [None, Some(day(12, 13)), Some(day(11, 13))] {
            assert_eq!(begins(start, Some(Weekday::Tuesday)), None, "{start:?}");
        }
    }

    #[test]
    fn next_day_is_in_words() {
        let l10n = Localizer::default();
        let text = |anime: &Anime| airs(&l10n, anime, today()).map(maud::Markup::into_string);
        for (weekday, expected) in [
            (Weekday::Tuesday, "<span class=\"due\">Airs today</span>"),
            (Weekday::Wednesday, "<span>Airs tomorrow</span>"),
            (Weekday::Monday, "<span>Airs on Monday</span>"),
        ] {
            let airing = anime(AnimeStatus::Releasing, Some(weekday), None);
            assert_eq!(text(&airing).as_deref(), Some(expected));
        }
        let begins = anime(AnimeStatus::NotYetReleased, None, Some(day(11, 21)));
        let expected = "<span>Airs on 21 November 2023</span>";
        assert_eq!(text(&begins).as_deref(), Some(expected));
        let unknown = anime(AnimeStatus::Releasing, None, None);
        assert_eq!(text(&unknown), None);
    }

    #[test]
    fn other_anime_are_left_out_and_unknown_days_are_not_guessed() {
        for status in [AnimeStatus::Finished, AnimeStatus::Cancelled] {
            let over = anime(status, Some(Weekday::Monday), Some(today()));
            assert_eq!(Schedule::of(&over, today()), None);
        }
        let airing = anime(AnimeStatus::Releasing, None, Some(today()));
        let schedule = Schedule::of(&airing, today()).unwrap();
        assert_eq!(schedule, Schedule::Unknown);
        assert_eq!(schedule.next_from(today()), None);
    }
}
