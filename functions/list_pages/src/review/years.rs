//! The addresses of the reviews of years, and links to them.

use std::collections::BTreeSet;

use maud::{Markup, html};
use pages::language::Localizer;
use pages::paths::STATISTICS_YEAR;
use stories::statistics::Statistics;

/// The maximum number of years that other pages link to.
const MAX_YEARS: usize = 30;

/// Returns the path of the user's own review of a year.
pub(crate) fn own_path(year: u16) -> String {
    STATISTICS_YEAR.replace("{year}", &year.to_string())
}

/// Returns the path of the public review of a year.
pub(crate) fn public_path(name: &str, year: u16) -> String {
    format!("/user/{name}/{year}")
}

/// Returns the years that have a finished story.
pub(crate) fn years(statistics: &Statistics) -> BTreeSet<u16> {
    statistics.months.keys().map(|month| month.year()).collect()
}

/// Renders links to the reviews of the latest years.
pub(crate) fn links_to_years(
    l10n: &Localizer,
    statistics: &Statistics,
    path: impl Fn(u16) -> String,
) -> Markup {
    let years = years(statistics);
    html! {
        @if !years.is_empty() {
            section.sec aria-labelledby="reviews" {
                div.head { h2 #reviews { (l10n.text("review-years")) } }
                ul.chips { @for year in years.iter().rev().take(MAX_YEARS) { li { a href=(path(*year)) { (year) } } } }
            }
        }
    }
}
