//! Statistics as charts.

use std::cmp::Reverse;

use maud::{Markup, html};
use pages::language::Localizer;
use shared::models::{PartialDate, WatchStatus, WireEnum};
use stories::statistics::{Statistics, Tally};

use super::chart::{Chart, ChartRow};

/// The maximum number of genres in the chart.
const MAX_GENRES: usize = 20;

/// The maximum number of years on the scale of the chart.
const MAX_YEARS: u32 = 40;

/// The maximum number of months on the scale of the chart.
const MAX_MONTHS: u32 = 36;

/// The identifiers of the messages with the headings of the number columns: stories, episodes, hours and the mean
/// score.
const TALLY_COLUMNS: [&str; 4] = [
    "statistics-anime",
    "anime-episodes",
    "statistics-hours",
    "statistics-mean-score",
];

/// Renders all charts.
pub(crate) fn render_charts(l10n: &Localizer, statistics: &Statistics) -> Markup {
    if statistics.statuses.iter().all(|count| *count == 0) {
        return html! { p { (l10n.text("statistics-empty")) } };
    }
    html! {
        (totals(l10n, &statistics.watched))
        div.charts {
            (statuses(l10n, statistics))
            (scores(l10n, statistics))
            (genres(l10n, statistics))
            (formats(l10n, statistics))
            (years(l10n, statistics))
            (months(l10n, statistics))
        }
    }
}

/// Renders the sums over all stories.
pub(crate) fn totals(l10n: &Localizer, watched: &Tally) -> Markup {
    let [anime, episodes, hours, score] = tally_cells(l10n, watched);
    let all = [
        ("statistics-anime", anime),
        ("anime-episodes", episodes),
        ("statistics-hours", hours),
        ("statistics-mean-score", score),
    ];
    html! {
        dl.totals {
            @for (label, number) in all { div { dt { (l10n.text(label)) } dd { (number) } } }
        }
    }
}

/// Returns the numbers of a group of stories, in the order of [`TALLY_COLUMNS`].
fn tally_cells(l10n: &Localizer, tally: &Tally) -> [String; 4] {
    let episodes = u32::try_from(tally.episodes).unwrap_or(u32::MAX);
    [
        l10n.number(tally.stories),
        l10n.number(episodes),
        l10n.number(tally.hours()),
        tally
            .mean_score()
            .map_or_else(|| "–".to_owned(), |mean| l10n.mean_score(mean)),
    ]
}

fn tally_row(l10n: &Localizer, label: String, tally: &Tally) -> ChartRow {
    ChartRow {
        label,
        value: tally.stories,
        cells: tally_cells(l10n, tally).into(),
        place: None,
    }
}

/// Returns a row with one number.
fn count_row(l10n: &Localizer, label: String, value: u32) -> ChartRow {
    ChartRow {
        label,
        value,
        cells: vec![l10n.number(value)],
        place: None,
    }
}

fn statuses(l10n: &Localizer, statistics: &Statistics) -> Markup {
    let statuses = WatchStatus::ALL.iter().zip(statistics.statuses);
    let rows =
        statuses.map(|((status, _), count)| count_row(l10n, l10n.watch_status(*status), count));
    let chart = Chart {
        id: "statuses",
        heading: "statistics-by-status",
        columns: &["story-status", "statistics-anime"],
        rows: rows.collect(),
    };
    chart.bars(l10n)
}

fn scores(l10n: &Localizer, statistics: &Statistics) -> Markup {
    let ranges = l10n.display().scores.ranges();
    // A range of a scale covers one or several of the ranges that are counted.
    let counts = statistics.scores.chunks(10 / ranges.len());
    let label = |(first, last): (f64, f64)| {
        let (from, to) = (l10n.number(first), l10n.number(last));
        if from == to {
            to
        } else {
            format!("{from}–{to}")
        }
    };
    let rows = (1..).zip(ranges.into_iter().zip(counts));
    let rows = rows.map(|(place, (range, counts))| ChartRow {
        place: Some(place),
        ..count_row(l10n, label(range), counts.iter().sum())
    });
    let chart = Chart {
        id: "scores",
        heading: "statistics-by-score",
        columns: &["story-score", "statistics-anime"],
        rows: if statistics.watched.mean_score().is_some() {
            rows.collect()
        } else {
            Vec::new()
        },
    };
    chart.columns(l10n)
}

/// Renders the genres with the most stories.
pub(crate) fn genres(l10n: &Localizer, statistics: &Statistics) -> Markup {
    let mut genres: Vec<_> = statistics.genres.iter().collect();
    genres.sort_by_key(|(_, tally)| Reverse(tally.stories));
    let genres = genres.into_iter().take(MAX_GENRES);
    let chart = Chart {
        id: "genres",
        heading: "statistics-by-genre",
        columns: &[&["list-genre"][..], &TALLY_COLUMNS].concat(),
        rows: genres
            .map(|(genre, tally)| tally_row(l10n, l10n.genre(genre), tally))
            .collect(),
    };
    chart.bars(l10n)
}

fn formats(l10n: &Localizer, statistics: &Statistics) -> Markup {
    let mut formats: Vec<_> = statistics.formats.iter().collect();
    formats.sort_by_key(|(_, tally)| Reverse(tally.stories));
    let rows = formats.into_iter();
    let chart = Chart {
        id: "formats",
        heading: "statistics-by-format",
        columns: &[&["browse-format"][..], &TALLY_COLUMNS].concat(),
        rows: rows
            .map(|(format, tally)| tally_row(l10n, l10n.anime_format(*format), tally))
            .collect(),
    };
    chart.bars(l10n)
}

/// Renders the last [`MAX_YEARS`] years up to the latest one with a story.
fn years(l10n: &Localizer, statistics: &Statistics) -> Markup {
    let last = statistics.years.keys().last().copied();
    let is_shown = |year: u16| u32::from(year) + MAX_YEARS > last.unwrap_or_default().into();
    let years = statistics.years.iter().filter(|(year, _)| is_shown(**year));
    let chart = Chart {
        id: "years",
        heading: "statistics-by-year",
        columns: &[&["browse-year"][..], &TALLY_COLUMNS].concat(),
        rows: years
            .map(|(year, tally)| ChartRow {
                place: Some((*year).into()),
                ..tally_row(l10n, year.to_string(), tally)
            })
            .collect(),
    };
    chart.columns(l10n)
}

/// Renders the last [`MAX_MONTHS`] months up to the latest one with a story. Stories with only a year have no place on
/// the scale, so they are only in the table.
pub(crate) fn months(l10n: &Localizer, statistics: &Statistics) -> Markup {
    let dates = statistics.months.keys().copied();
    let last = dates.clone().filter_map(month_number).max();
    let last = last.or_else(|| dates.map(latest_month).max());
    let is_shown = |date: PartialDate| latest_month(date) + MAX_MONTHS > last.unwrap_or_default();
    let months = statistics
        .months
        .iter()
        .filter(|(date, _)| is_shown(**date));
    let label = |date: PartialDate| l10n.partial_date(date.year().into(), date.month(), None);
    let chart = Chart {
        id: "months",
        heading: "statistics-by-month",
        columns: &[&["statistics-month"][..], &TALLY_COLUMNS].concat(),
        rows: months
            .map(|(date, tally)| ChartRow {
                place: month_number(*date),
                ..tally_row(l10n, label(*date), tally)
            })
            .collect(),
    };
    chart.columns(l10n)
}

/// Returns the number of a month, counted from the year 0; `None` if only the year is known.
fn month_number(date: PartialDate) -> Option<u32> {
    Some(u32::from(date.year()) * 12 + u32::from(date.month()?))
}

/// Returns the number of the month, or of December if only the year is known.
fn latest_month(date: PartialDate) -> u32 {
    u32::from(date.year()) * 12 + u32::from(date.month().unwrap_or(12))
}
