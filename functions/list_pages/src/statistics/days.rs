//! The heat map of the days on which a user has finished anime.

use std::collections::BTreeMap;
use std::fmt::Write;

use maud::{Markup, html};
use pages::language::Localizer;
use shared::models::{Language, Weekday};
use stories::statistics::FinishedStory;
use time::{Date, Duration, Month};

use super::chart::section;

/// The number of days before today.
const DAYS: i64 = 364;

/// The distance of two days in the drawing, the side of a day, and the space for the names at the left and above.
const STEP: i64 = 18;
const SIDE: i64 = 15;
const LEFT: i64 = 30;
const TOP: i64 = 18;

/// The number of levels of color. The last one stands for this number of anime, and for more.
const LEVELS: usize = 4;

/// Renders the anime that were finished on each of the last 365 days. Dates without a day are left out. Renders nothing
/// if no anime was finished in this time. The days of single episodes are in the histories of the stories, which the
/// list in memory does not have.
pub(super) fn render(l10n: &Localizer, finished: &[FinishedStory], today: Date) -> Markup {
    let first = today.saturating_sub(Duration::days(DAYS));
    let mut days: BTreeMap<Date, u32> = BTreeMap::new();
    for day in finished.iter().filter_map(day_of) {
        if (first..=today).contains(&day) {
            *days.entry(day).or_default() += 1;
        }
    }
    // The earliest of the busiest days.
    let Some((busiest, most)) = days.iter().rev().max_by_key(|(_, count)| **count) else {
        return Markup::default();
    };
    let all: u32 = days.values().sum();
    let note = l10n.format(
        "statistics-days-note",
        [
            ("anime", all.into()),
            ("most", (*most).into()),
            ("day", l10n.date(*busiest).into()),
        ],
    );
    let monday = first.saturating_sub(Duration::days(from_monday(first)));
    let column = |day: Date| (day - monday).whole_days() / 7;
    let place = |day: Date| (LEFT + column(day) * STEP, TOP + from_monday(day) * STEP);
    let mut levels = <[String; LEVELS + 1]>::default();
    for number in 0..=DAYS {
        let day = first.saturating_add(Duration::days(number));
        let count = days.get(&day).map_or(0, |count| *count as usize);
        let (x, y) = place(day);
        // Writing to a String cannot fail.
        let _ = write!(levels[count.min(LEVELS)], "M{x} {y}h{SIDE}v{SIDE}h-{SIDE}z");
    }
    let months = (0..=DAYS).filter_map(|number| {
        let day = first.saturating_add(Duration::days(number));
        (day.day() == 1).then(|| (place(day).0, short_month(l10n, day.month())))
    });
    let names = [
        (0, Weekday::Monday),
        (2, Weekday::Wednesday),
        (4, Weekday::Friday),
        (6, Weekday::Sunday),
    ];
    let letters = match l10n.language() {
        Language::Japanese => 1,
        _ => 3,
    };
    let width = LEFT + (column(today) + 1) * STEP;
    let content = html! {
        div.scrolls tabindex="0" role="group" aria-labelledby="days" {
            svg.chart.heat viewBox={ "0 0 " (width) " " (TOP + 7 * STEP) } role="img" aria-label=(note) {
                @for (x, month) in months { text.s x=(x) y="11" { (month) } }
                @for (row, day) in names {
                    text.s x="0" y=(TOP + row * STEP + 12) {
                        (l10n.weekday(day).chars().take(letters).collect::<String>())
                    }
                }
                @for (level, path) in levels.iter().enumerate() {
                    @if !path.is_empty() { path class={ "q" (level) } d=(path) {} }
                }
            }
        }
    };
    section("days", &l10n.text("statistics-days"), &note, &content)
}

/// Returns the day on which a story was finished, if it is known.
fn day_of(story: &FinishedStory) -> Option<Date> {
    let date = story.finished_on;
    let month = Month::try_from(date.month()?).ok()?;
    Date::from_calendar_date(date.year().into(), month, date.day()?).ok()
}

/// Returns the number of days since Monday.
fn from_monday(day: Date) -> i64 {
    day.weekday().number_days_from_monday().into()
}

/// Returns the short name of a month.
fn short_month(l10n: &Localizer, month: Month) -> String {
    let number = u64::from(u8::from(month));
    l10n.format("statistics-short-month", [("month", number.into())])
}
