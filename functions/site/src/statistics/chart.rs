//! Charts: a table whose numbers are also drawn, as SVG without any style of its own.

use maud::{Markup, html};

use crate::language::Localizer;

/// The width and the height of a column chart, in its own units.
const SIZE: (u32, u32) = (400, 120);

/// A chart.
pub(super) struct Chart<'a> {
    /// The identifier of its section.
    pub id: &'a str,
    /// The message with its heading.
    pub heading: &'a str,
    /// The messages with the headings of the table's columns: that of the labels, and those of the numbers, of which
    /// the first one is drawn.
    pub columns: &'a [&'a str],
    /// The rows.
    pub rows: Vec<Row>,
}

/// A row of a chart.
pub(super) struct Row {
    /// The label.
    pub label: String,
    /// The number that is drawn.
    pub value: u32,
    /// The cells of the table besides the label.
    pub cells: Vec<String>,
}

impl Chart<'_> {
    /// Renders a bar in each row of the table: for categories.
    pub(super) fn bars(&self, l10n: &Localizer) -> Markup {
        let highest = self.highest();
        let bar = |row: &Row| {
            let width = format!("{}%", u64::from(row.value) * 100 / highest);
            html! {
                svg.bar aria-hidden="true" { rect width=(width) height="100%" rx="3" {} }
            }
        };
        self.section(l10n, &self.table(l10n, bar))
    }

    /// Renders a column for each row, and the table below: for the steps of a scale, such as years.
    pub(super) fn columns(&self, l10n: &Localizer) -> Markup {
        let (width, height) = SIZE;
        let highest = self.highest();
        // Few columns are not wider than a tenth of the chart.
        let count = u32::try_from(self.rows.len().max(10)).unwrap_or(u32::MAX);
        let step = width / count.min(width);
        let content = html! {
            svg.columns-chart aria-hidden="true" viewBox={ "0 0 " (width) " " (height) }
                preserveAspectRatio="none" {
                @for (row, position) in self.rows.iter().zip(0..) {
                    @let tall = u64::from(row.value) * u64::from(height) / highest;
                    rect x=(position * step) y=(u64::from(height) - tall) width=((step * 4 / 5).max(1)) height=(tall) {}
                }
            }
            p.axis aria-hidden="true" {
                @if let Some(first) = self.rows.first() { span { (first.label) } }
                @if let Some(last) = self.rows.last().filter(|_| self.rows.len() > 1) { span { (last.label) } }
            }
            details {
                summary { (l10n.text("statistics-numbers")) }
                (self.table(l10n, |_| Markup::default()))
            }
        };
        self.section(l10n, &content)
    }

    /// Returns the highest value, at least 1.
    fn highest(&self) -> u64 {
        let values = self.rows.iter().map(|row| u64::from(row.value));
        values.max().unwrap_or_default().max(1)
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

    fn table(&self, l10n: &Localizer, drawn: impl Fn(&Row) -> Markup) -> Markup {
        html! {
            div.scroll tabindex="0" role="group" aria-labelledby=(self.id) {
                table {
                    thead {
                        tr { @for column in self.columns { th scope="col" { (l10n.text(column)) } } }
                    }
                    tbody {
                        @for row in &self.rows {
                            tr {
                                th scope="row" { (row.label) (drawn(row)) }
                                @for cell in &row.cells { td { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
