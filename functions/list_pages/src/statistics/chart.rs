//! Charts. A chart is a table whose numbers are also drawn as SVG. The SVG has no style of its own.

use maud::{Markup, html};
use pages::language::Localizer;

/// The width of a column chart, the height of its columns, and the space above and below them, in its own units.
const WIDTH: u32 = 620;
const HEIGHT: u32 = 170;
const ABOVE: u32 = 25;
const BELOW: u32 = 25;

/// The smallest width of a step of a column chart that has room for a number.
const NUMBER_WIDTH: u32 = 26;

/// A chart.
pub(super) struct Chart<'a> {
    /// The identifier of its section.
    pub id: &'a str,
    /// The identifier of the message with its heading.
    pub heading: &'a str,
    /// A note beside the heading; empty if there is none.
    pub note: String,
    /// The identifiers of the messages with the headings of the table's columns: first the column of the labels,
    /// then the columns of the numbers.
    pub columns: &'a [&'a str],
    /// The rows.
    pub rows: Vec<ChartRow>,
}

/// A row of a chart.
#[derive(Default)]
pub(super) struct ChartRow {
    /// The label.
    pub label: String,
    /// The number that is drawn.
    pub value: u32,
    /// A number to compare with, which is drawn as an outline beside the column.
    pub other: Option<u32>,
    /// The cells of the table besides the label.
    pub cells: Vec<String>,
    /// The place on the scale of a column chart, such as the year. A row without a place is only in the table.
    pub place: Option<u32>,
    /// The text below the column; empty if it has none.
    pub tick: String,
}

impl Chart<'_> {
    /// Renders a table with a bar in each row, for categories.
    pub(super) fn bars(&self, l10n: &Localizer) -> Markup {
        let highest = highest(&self.rows);
        let bar = |row: &ChartRow| {
            html! {
                td {
                    svg viewBox={ "0 0 " (highest) " 6" } preserveAspectRatio="none" aria-hidden="true" {
                        path d={ "M0 0h" (row.value) "v6H0z" } {}
                    }
                }
            }
        };
        self.section(l10n, &self.table(l10n, &html! { td {} }, bar))
    }

    /// Renders a chart for the steps of a scale, such as years: a column for each row at its place, and the table
    /// below. The rows must be in the order of their places. The scale goes from the first place to the last, and a
    /// step without a row stays empty.
    pub(super) fn columns(&self, l10n: &Localizer) -> Markup {
        let content = html! {
            (self.column_drawing(l10n))
            details {
                summary { (l10n.text("statistics-numbers")) }
                (self.table(l10n, &Markup::default(), |_| Markup::default()))
            }
        };
        self.section(l10n, &content)
    }

    fn column_drawing(&self, l10n: &Localizer) -> Markup {
        let placed = self.rows.iter().filter_map(|row| Some((row, row.place?)));
        let columns: Vec<(&ChartRow, u32)> = placed.collect();
        let (Some((_, start)), Some((_, end))) = (columns.first(), columns.last()) else {
            return Markup::default();
        };
        let highest = highest(columns.iter().map(|(row, _)| *row));
        // Even with fewer than 10 steps, no column is wider than a tenth of the chart.
        let steps = (end.saturating_sub(*start) + 1).max(10);
        let step = WIDTH / steps.min(WIDTH);
        let has_others = columns.iter().any(|(row, _)| row.other.is_some());
        let width = (step * if has_others { 45 } else { 80 } / 100).max(1);
        let base = ABOVE + HEIGHT;
        let height_of = |value: u32| u64::from(value) * u64::from(HEIGHT) / highest;
        let top_of = |value: u32| u64::from(base) - height_of(value);
        html! {
            div.scrolls tabindex="0" role="group" aria-labelledby=(self.id) {
                svg.chart aria-hidden="true" viewBox={ "0 0 " (WIDTH) " " (base + BELOW) } {
                    @for (row, place) in &columns {
                        @let x = place.saturating_sub(*start) * step;
                        rect x=(x) y=(top_of(row.value)) width=(width) height=(height_of(row.value))
                            class=[has_others.then_some("mine")] {}
                        @if let Some(other) = row.other {
                            rect.all x=(x + width + 2) y=(top_of(other)) width=(width * 2 / 3)
                                height=(height_of(other)) {}
                        }
                        @if row.value > 0 && step >= NUMBER_WIDTH {
                            text.v x=(x + width / 2) y=(top_of(row.value) - 7) { (l10n.number(row.value)) }
                        }
                        @if !row.tick.is_empty() {
                            text x=(x + width / 2) y=(base + 18) { (row.tick) }
                        }
                    }
                    path.base d={ "M0 " (base) ".5H" (WIDTH) } {}
                }
            }
        }
    }

    /// Renders the section, or nothing without rows.
    fn section(&self, l10n: &Localizer, content: &Markup) -> Markup {
        html! {
            @if !self.rows.is_empty() {
                (section(self.id, &l10n.text(self.heading), &self.note, content))
            }
        }
    }

    /// Renders the table. `corner` and `bar` are the head and the cells of the column of the bars.
    fn table(
        &self,
        l10n: &Localizer,
        corner: &Markup,
        bar: impl Fn(&ChartRow) -> Markup,
    ) -> Markup {
        let mut columns = self.columns.iter();
        let label = columns.next();
        html! {
            div.scrolls tabindex="0" role="group" aria-labelledby=(self.id) {
                table.bars {
                    thead {
                        tr {
                            @if let Some(label) = label { th scope="col" { (l10n.text(label)) } }
                            (corner)
                            @for column in columns { th.r scope="col" { (l10n.text(column)) } }
                        }
                    }
                    tbody {
                        @for row in &self.rows {
                            tr {
                                th scope="row" { (row.label) }
                                (bar(row))
                                @for cell in &row.cells { td.r.num { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Renders a section with a heading and a note beside it.
pub(super) fn section(id: &str, heading: &str, note: &str, content: &Markup) -> Markup {
    html! {
        section.sec aria-labelledby=(id) {
            div.head {
                h2 id=(id) { (heading) }
                @if !note.is_empty() { span.soft.small { (note) } }
            }
            (content)
        }
    }
}

/// Returns the highest value, at least 1.
fn highest<'r>(rows: impl IntoIterator<Item = &'r ChartRow>) -> u64 {
    let values = rows
        .into_iter()
        .map(|row| row.value.max(row.other.unwrap_or_default()));
    values.max().map_or(1, |highest| u64::from(highest.max(1)))
}
