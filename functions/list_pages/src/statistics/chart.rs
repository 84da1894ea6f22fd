//! Charts. A chart is a table whose numbers are also drawn as SVG. The SVG has no style of its own.

use maud::{Markup, html};
use pages::language::Localizer;

/// The width and the height of a column chart, in its own units.
const COLUMN_CHART_SIZE: (u32, u32) = (400, 120);

/// A chart.
pub(super) struct Chart<'a> {
    /// The identifier of its section.
    pub id: &'a str,
    /// The identifier of the message with its heading.
    pub heading: &'a str,
    /// The identifiers of the messages with the headings of the table's columns: first the column of the labels,
    /// then the columns of the numbers.
    pub columns: &'a [&'a str],
    /// The rows.
    pub rows: Vec<ChartRow>,
}

/// A row of a chart.
pub(super) struct ChartRow {
    /// The label.
    pub label: String,
    /// The number that is drawn.
    pub value: u32,
    /// The cells of the table besides the label.
    pub cells: Vec<String>,
    /// The place on the scale of a column chart, such as the year. A row without a place is only in the table.
    pub place: Option<u32>,
}

impl Chart<'_> {
    /// Renders a table with a bar in each row, for categories.
    pub(super) fn bars(&self, l10n: &Localizer) -> Markup {
        let highest = highest(&self.rows);
        let bar = |row: &ChartRow| {
            let width = format!("{}%", u64::from(row.value) * 100 / highest);
            html! {
                svg.bar aria-hidden="true" { rect width=(width) height="100%" rx="3" {} }
            }
        };
        self.section(l10n, &self.table(l10n, bar))
    }

    /// Renders a chart for the steps of a scale, such as years: a column for each row at its place, and the table
    /// below. The rows must be in the order of their places. The scale goes from the first place to the last, and a
    /// step without a row stays empty.
    pub(super) fn columns(&self, l10n: &Localizer) -> Markup {
        let content = html! {
            (self.column_drawing())
            details {
                summary { (l10n.text("statistics-numbers")) }
                (self.table(l10n, |_| Markup::default()))
            }
        };
        self.section(l10n, &content)
    }

    fn column_drawing(&self) -> Markup {
        let (width, height) = COLUMN_CHART_SIZE;
        let placed = self.rows.iter().filter_map(|row| Some((row, row.place?)));
        let columns: Vec<(&ChartRow, u32)> = placed.collect();
        let (Some((first, start)), Some((last, end))) = (columns.first(), columns.last()) else {
            return Markup::default();
        };
        let highest = highest(columns.iter().map(|(row, _)| *row));
        // Even with fewer than 10 steps, no column is wider than a tenth of the chart.
        let steps = (end.saturating_sub(*start) + 1).max(10);
        let step = width / steps.min(width);
        html! {
            svg.columns-chart aria-hidden="true" viewBox={ "0 0 " (width) " " (height) }
                preserveAspectRatio="none" {
                @for (row, place) in &columns {
                    @let column_height = u64::from(row.value) * u64::from(height) / highest;
                    rect x=(place.saturating_sub(*start) * step) y=(u64::from(height) - column_height)
                        width=((step * 4 / 5).max(1)) height=(column_height) {}
                }
            }
            p.axis aria-hidden="true" {
                span { (first.label) }
                @if columns.len() > 1 { span { (last.label) } }
            }
        }
    }

    /// Renders the section, or nothing without rows.
    fn section(&self, l10n: &Localizer, content: &Markup) -> Markup {
        html! {
            @if !self.rows.is_empty() {
                section aria-labelledby=(self.id) {
                    h2 id=(self.id) { (l10n.text(self.heading)) }
                    (content)
                }
            }
        }
    }

    fn table(&self, l10n: &Localizer, bar: impl Fn(&ChartRow) -> Markup) -> Markup {
        html! {
            div.scroll tabindex="0" role="group" aria-labelledby=(self.id) {
                table {
                    thead {
                        tr { @for column in self.columns { th scope="col" { (l10n.text(column)) } } }
                    }
                    tbody {
                        @for row in &self.rows {
                            tr {
                                th scope="row" { (row.label) (bar(row)) }
                                @for cell in &row.cells { td { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the highest value, at least 1.
fn highest<'r>(rows: impl IntoIterator<Item = &'r ChartRow>) -> u64 {
    let values = rows.into_iter().map(|row| u64::from(row.value));
    values.max().unwrap_or_default().max(1)
}
