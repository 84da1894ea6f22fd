//! Statistics as charts.

use std::cmp::Reverse;

use maud::{Markup, html};
use shared::models::{Statistics, Tally, WatchStatus, WireEnum};

use super::chart::{Chart, Row};
use crate::language::Localizer;

/// The maximum numbers of genres, years and months in the charts.
const GENRES: usize = 20;
const YEARS: usize = 40;
const MONTHS: usize = 36;

/// The columns of the tables: the labels, stories, episodes, hours and the mean score.
const SUMS: [&str; 4] = [
    "statistics-anime",
    "statistics-episodes",
    "statistics-hours",
    "statistics-mean-score",
];

/// Renders all charts.
pub(crate) fn body(l10n: &Localizer, statistics: &Statistics) -> Markup {
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

fn totals(l10n: &Localizer, watched: &Tally) -> Markup {
    let [anime, episodes, hours, score] = cells(l10n, watched);
    let all = [
        ("statistics-anime", anime),
        ("statistics-episodes", episodes),
        ("statistics-hours", hours),
        ("statistics-mean-score", score),
    ];
    html! {
        dl.totals {
            @for (label, number) in all { div { dt { (l10n.text(label)) } dd { (number) } } }
        }
    }
}

/// Returns the sums of a group in the order of [`SUMS`].
fn cells(l10n: &Localizer, tally: &Tally) -> [String; 4] {
    let episodes = u32::try_from(tally.episodes).unwrap_or(u32::MAX);
    [
        l10n.number(tally.stories),
        l10n.number(episodes),
        l10n.number(tally.hours()),
        tally
            .mean_score()
            .map_or_else(|| "–".to_owned(), |score| l10n.number(score)),
    ]
}

fn row(l10n: &Localizer, label: String, tally: &Tally) -> Row {
    Row {
        label,
        value: tally.stories,
        cells: cells(l10n, tally).into(),
    }
}

/// Returns a row with one number.
fn counted(l10n: &Localizer, label: String, value: u32) -> Row {
    Row {
        label,
        value,
        cells: vec![l10n.number(value)],
    }
}

fn statuses(l10n: &Localizer, statistics: &Statistics) -> Markup {
    let statuses = WatchStatus::ALL.iter().zip(statistics.statuses);
    let rows =
        statuses.map(|((status, _), count)| counted(l10n, l10n.watch_status(*status), count));
    let chart = Chart {
        id: "statuses",
        heading: "statistics-by-status",
        columns: &["statistics-status", "statistics-anime"],
        rows: rows.collect(),
    };
    chart.bars(l10n)
}

fn scores(l10n: &Localizer, statistics: &Statistics) -> Markup {
    let steps = (1_u32..).zip(statistics.scores);
    let label = |step: u32| format!("{}–{}", (step - 1) * 10 + u32::from(step > 1), step * 10);
    let rows = steps.map(|(step, count)| counted(l10n, label(step), count));
    let chart = Chart {
        id: "scores",
        heading: "statistics-by-score",
        columns: &["statistics-score", "statistics-anime"],
        rows: if statistics.watched.mean_score().is_some() {
            rows.collect()
        } else {
            Vec::new()
        },
    };
    chart.columns(l10n)
}

fn genres(l10n: &Localizer, statistics: &Statistics) -> Markup {
    let mut genres: Vec<_> = statistics.genres.iter().collect();
    genres.sort_by_key(|(_, tally)| Reverse(tally.stories));
    let genres = genres.into_iter().take(GENRES);
    let chart = Chart {
        id: "genres",
        heading: "statistics-by-genre",
        columns: &[&["statistics-genre"][..], &SUMS].concat(),
        rows: genres
            .map(|(genre, tally)| row(l10n, l10n.genre(genre), tally))
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
        columns: &[&["browse-format"][..], &SUMS].concat(),
        rows: rows
            .map(|(format, tally)| row(l10n, l10n.anime_format(*format), tally))
            .collect(),
    };
    chart.bars(l10n)
}

fn years(l10n: &Localizer, statistics: &Statistics) -> Markup {
    let skipped = statistics.years.len().saturating_sub(YEARS);
    let years = statistics.years.iter().skip(skipped);
    let chart = Chart {
        id: "years",
        heading: "statistics-by-year",
        columns: &[&["browse-year"][..], &SUMS].concat(),
        rows: years
            .map(|(year, tally)| row(l10n, year.to_string(), tally))
            .collect(),
    };
    chart.columns(l10n)
}

fn months(l10n: &Localizer, statistics: &Statistics) -> Markup {
    let skipped = statistics.months.len().saturating_sub(MONTHS);
    let months = statistics.months.iter().skip(skipped);
    let label = |year: u16, month: Option<u8>| l10n.partial_date(year.into(), month, None);
    let chart = Chart {
        id: "months",
        heading: "statistics-by-month",
        columns: &[&["statistics-month"][..], &SUMS].concat(),
        rows: months
            .map(|(month, tally)| row(l10n, label(month.year(), month.month()), tally))
            .collect(),
    };
    chart.columns(l10n)
}
