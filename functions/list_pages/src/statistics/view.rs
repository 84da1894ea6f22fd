//! Statistics as charts.

use std::cmp::Reverse;

use maud::{Markup, html};
use pages::language::Localizer;
use pages::seal::{class_of, sealed};
use shared::models::{PartialDate, WatchStatus, WireEnum};
use stories::statistics::{Statistics, Tally};

use super::chart::{Chart, ChartRow};
use super::comparison::Comparison;

/// The maximum number of genres in the chart.
const MAX_GENRES: usize = 20;

/// The maximum number of years on the scale of the chart.
const MAX_YEARS: u32 = 40;

/// The maximum number of months on the scale of the chart.
const MAX_MONTHS: u32 = 36;

/// The number of years that have room for their names below the columns. Of more years, only those that are divisible
/// by [`TICK_YEARS`] are named.
const MAX_TICKS: u16 = 14;

/// See [`MAX_TICKS`].
const TICK_YEARS: u16 = 5;

/// The identifiers of the messages with the headings of the number columns: stories, episodes, hours and the mean
/// score.
const TALLY_COLUMNS: [&str; 4] = [
    "statistics-anime",
    "anime-episodes",
    "statistics-hours",
    "statistics-mean-score",
];

/// The charts that only the owner's page shows.
pub(super) struct OwnCharts<'a> {
    /// The days of the last year.
    pub days: Markup,
    /// The average scores of the same anime.
    pub comparison: &'a Comparison,
    /// The anime about which the user and the catalogue disagree.
    pub disagreements: Markup,
}

/// Renders the charts of a public profile, except the sums and the scores.
pub(crate) fn render_charts(l10n: &Localizer, statistics: &Statistics) -> Markup {
    html! {
        (statuses(l10n, statistics))
        div.two {
            (genres(l10n, statistics, &Comparison::default()))
            div { (formats(l10n, statistics)) (years(l10n, statistics)) (months(l10n, statistics)) }
        }
    }
}

/// Renders the scores of a public profile.
pub(crate) fn render_scores(l10n: &Localizer, statistics: &Statistics) -> Markup {
    scores(l10n, statistics, &Comparison::default())
}

/// Renders all charts.
pub(super) fn render_all(l10n: &Localizer, statistics: &Statistics, own: &OwnCharts<'_>) -> Markup {
    if statistics.statuses.iter().all(|count| *count == 0) {
        return html! { p { (l10n.text("statistics-empty")) } };
    }
    html! {
        (totals(l10n, &statistics.watched))
        (statuses(l10n, statistics))
        (own.days)
        div.two {
            (scores(l10n, statistics, own.comparison))
            @if own.disagreements.0.is_empty() { (formats(l10n, statistics)) } @else { (own.disagreements) }
        }
        div.two {
            (genres(l10n, statistics, own.comparison))
            div {
                @if !own.disagreements.0.is_empty() { (formats(l10n, statistics)) }
                (years(l10n, statistics))
                (months(l10n, statistics))
            }
        }
    }
}

/// Renders the sums over all stories.
pub(crate) fn totals(l10n: &Localizer, watched: &Tally) -> Markup {
    let [anime, episodes, hours, score] = tally_cells(l10n, watched);
    let all = [
        ("statistics-days-watched", l10n.number(days_of(watched))),
        ("statistics-anime", anime),
        ("anime-episodes", episodes),
        ("statistics-hours", hours),
        ("statistics-mean-score", score),
    ];
    html! {
        dl.sums.head {
            @for (label, number) in all { div { dt { (l10n.text(label)) } dd { (number) } } }
        }
    }
}

/// Returns the time watched in days, rounded to one decimal.
pub(crate) fn days_of(watched: &Tally) -> f64 {
    let tenths = watched.minutes.saturating_add(72) / 144;
    f64::from(u32::try_from(tenths).unwrap_or(u32::MAX)) / 10.0
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
        ..ChartRow::default()
    }
}

/// Renders the statuses as a strip, and their numbers.
fn statuses(l10n: &Localizer, statistics: &Statistics) -> Markup {
    let statuses = WatchStatus::ALL.iter().map(|(status, _)| *status);
    let counts: Vec<(WatchStatus, u32)> = statuses
        .zip(statistics.statuses)
        .filter(|(_, count)| *count > 0)
        .collect();
    let all: u64 = counts.iter().map(|(_, count)| u64::from(*count)).sum();
    let mut end = 0_u64;
    let parts: Vec<(WatchStatus, u64, u32)> = counts
        .iter()
        .map(|(status, count)| {
            let begin = end;
            end += u64::from(*count);
            (*status, begin, *count)
        })
        .collect();
    html! {
        section.sec0 aria-labelledby="statuses" {
            h2.unseen #statuses { (l10n.text("statistics-by-status")) }
            svg.strip viewBox={ "0 0 " (all) " 4" } preserveAspectRatio="none" aria-hidden="true" {
                @for (status, begin, count) in parts {
                    rect.(class_of(status)) x=(begin) width=(count) height="4" {}
                }
            }
            ul.key {
                @for (status, count) in counts {
                    li { (sealed(l10n, status)) " " span.num { (l10n.number(count)) } }
                }
            }
        }
    }
}

/// Renders the number of anime in each range of the user's scores, beside the number of those whose average score is in
/// that range.
fn scores(l10n: &Localizer, statistics: &Statistics, comparison: &Comparison) -> Markup {
    let ranges = l10n.display().scores.ranges();
    // A range of a scale covers one or several of the ranges that are counted.
    let size = 10 / ranges.len();
    let counts = statistics.scores.chunks(size);
    let has_averages = !comparison.is_empty();
    let averages = comparison.averages.chunks(size);
    let label = |(first, last): (f64, f64)| {
        let (from, to) = (l10n.number(first), l10n.number(last));
        if from == to {
            to
        } else {
            format!("{from}–{to}")
        }
    };
    let rows = ranges.into_iter().zip(counts.zip(averages));
    let rows = (1..).zip(rows).map(|(place, (range, (own, averages)))| {
        let (own, average): (u32, u32) = (own.iter().sum(), averages.iter().sum());
        let mut cells = vec![l10n.number(own)];
        cells.extend(has_averages.then(|| l10n.number(average)));
        ChartRow {
            label: label(range),
            value: own,
            other: has_averages.then_some(average),
            cells,
            place: Some(place),
            tick: label(range),
        }
    });
    let columns = ["story-score", "statistics-anime", "statistics-average"];
    let chart = Chart {
        id: "scores",
        heading: "statistics-by-score",
        note: if has_averages {
            l10n.text("statistics-scores-note")
        } else {
            String::new()
        },
        columns: &columns[..2 + usize::from(has_averages)],
        rows: if statistics.watched.mean_score().is_some() {
            rows.collect()
        } else {
            Vec::new()
        },
    };
    chart.columns(l10n)
}

/// Renders the genres with the most stories. If the user's scores are compared with average scores, a column has the
/// mean of these.
pub(crate) fn genres(l10n: &Localizer, statistics: &Statistics, comparison: &Comparison) -> Markup {
    let mut genres: Vec<_> = statistics.genres.iter().collect();
    genres.sort_by_key(|(_, tally)| Reverse(tally.stories));
    let genres = genres.into_iter().take(MAX_GENRES);
    let has_averages = !comparison.is_empty();
    let average = |genre: &str| {
        let mean = comparison.mean_of(genre);
        mean.map_or_else(|| "–".to_owned(), |mean| l10n.mean_score(mean))
    };
    let rows = genres.map(|(genre, tally)| {
        let mut row = tally_row(l10n, l10n.genre(genre), tally);
        row.cells.extend(has_averages.then(|| average(genre)));
        row
    });
    let mut columns = [&["list-genre"][..], &TALLY_COLUMNS].concat();
    columns.extend(has_averages.then_some("statistics-average"));
    let chart = Chart {
        id: "genres",
        heading: "statistics-by-genre",
        note: String::new(),
        columns: &columns,
        rows: rows.collect(),
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
        note: String::new(),
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
    let shown = || {
        statistics
            .years
            .iter()
            .filter(move |(year, _)| is_shown(**year))
    };
    let first = shown().next().map(|(year, _)| *year);
    let span = last
        .unwrap_or_default()
        .saturating_sub(first.unwrap_or_default());
    let every = if span < MAX_TICKS { 1 } else { TICK_YEARS };
    let tick = |year: u16| {
        if year.is_multiple_of(every) {
            year.to_string()
        } else {
            String::new()
        }
    };
    let chart = Chart {
        id: "years",
        heading: "statistics-by-year",
        note: String::new(),
        columns: &[&["browse-year"][..], &TALLY_COLUMNS].concat(),
        rows: shown()
            .map(|(year, tally)| ChartRow {
                place: Some((*year).into()),
                tick: tick(*year),
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
    // The year stands below its first month with a story.
    let mut last_year = None;
    let mut tick = |date: PartialDate| {
        let is_first =
            date.month().is_some() && last_year.replace(date.year()) != Some(date.year());
        if is_first {
            date.year().to_string()
        } else {
            String::new()
        }
    };
    let chart = Chart {
        id: "months",
        heading: "statistics-by-month",
        note: String::new(),
        columns: &[&["statistics-month"][..], &TALLY_COLUMNS].concat(),
        rows: months
            .map(|(date, tally)| ChartRow {
                place: month_number(*date),
                tick: tick(*date),
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
