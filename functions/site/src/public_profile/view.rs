//! The content of a public profile.

use std::cmp::Reverse;

use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use shared::models::{Anime, Statistics, Tally};
use store::StoryFacts;

use super::List;
use crate::anime::card::Shelf;
use crate::language::Localizer;
use crate::paths::ANIME;

/// The maximum number of genres that are shown.
const MAX_GENRES: usize = 8;

/// An anime of the list, and the user's story.
pub(super) struct Entry<'a> {
    pub anime: &'a Anime,
    pub story: StoryFacts,
}

/// Everything that the page shows.
pub(super) struct View<'a> {
    pub shelf: Shelf<'a>,
    /// The name of the user.
    pub name: &'a str,
    pub statistics: &'a Statistics,
    pub list: &'a List,
    pub entries: Vec<Entry<'a>>,
}

impl View<'_> {
    fn l10n(&self) -> &Localizer {
        self.shelf.l10n
    }

    pub(super) fn body(&self) -> Markup {
        let l10n = self.l10n();
        html! {
            h1 { (self.name) }
            (self.numbers())
            section aria-labelledby="list" {
                h2 id="list" { (l10n.text("public-list")) }
                (self.statuses())
                @if self.entries.is_empty() {
                    p { (l10n.text("public-empty")) }
                } @else {
                    ul.cards {
                        @for entry in &self.entries {
                            (self.shelf.card(entry.anime, self.note(entry).as_deref()))
                        }
                    }
                }
                (self.pages())
            }
        }
    }

    /// Renders the statistics.
    fn numbers(&self) -> Markup {
        let l10n = self.l10n();
        let watched = &self.statistics.watched;
        let mut genres: Vec<(&String, &Tally)> = self.statistics.genres.iter().collect();
        genres.sort_by_key(|(_, tally)| Reverse(tally.stories));
        genres.truncate(MAX_GENRES);
        let rows = [
            ("public-anime", Some(l10n.number(watched.stories))),
            (
                "public-episodes",
                Some(l10n.number(to_float(watched.episodes))),
            ),
            ("public-hours", Some(l10n.number(watched.hours()))),
            (
                "public-score",
                watched.mean_score().map(|score| l10n.number(score)),
            ),
        ];
        html! {
            section aria-labelledby="statistics" {
                h2 id="statistics" { (l10n.text("public-statistics")) }
                dl.figures {
                    @for (label, value) in rows {
                        @if let Some(value) = value {
                            div { dt { (l10n.text(label)) } dd { (value) } }
                        }
                    }
                }
                @if !genres.is_empty() {
                    h3 { (l10n.text("public-genres")) }
                    ul.chips {
                        @for (name, tally) in genres {
                            @let query = utf8_percent_encode(name, NON_ALPHANUMERIC);
                            li {
                                a href={ (ANIME) "?genres=" (query) } {
                                    (l10n.genre(name)) " " (l10n.number(tally.stories))
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Renders the links to the statuses that have stories.
    fn statuses(&self) -> Markup {
        let l10n = self.l10n();
        let list = self.list;
        html! {
            nav.tabs aria-label=(l10n.text("public-list")) {
                ul {
                    @for (status, count) in list.counts {
                        @if count > 0 {
                            @let current = (status == list.status).then_some("page");
                            li {
                                a href=(List::path(self.name, status, 1)) aria-current=[current] {
                                    (l10n.watch_status(status)) " "
                                    span { (l10n.number(u32::try_from(count).unwrap_or(u32::MAX))) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Returns the text on a cover: the user's score, or the progress.
    fn note(&self, entry: &Entry<'_>) -> Option<String> {
        let watched = &entry.story.watched;
        if let Some(score) = watched.score {
            let score = f64::from(score.tenths()) / 10.0;
            return Some(
                self.l10n()
                    .format("public-rated", [("score", score.into())]),
            );
        }
        let episode = watched.current_episode;
        (episode > 0).then(|| {
            let episode = ("episode", u64::from(episode).into());
            self.l10n().format("public-episode", [episode])
        })
    }

    fn pages(&self) -> Markup {
        let l10n = self.l10n();
        let List {
            status,
            page,
            pages,
            ..
        } = *self.list;
        let link = |page: usize, label: &str, rel: &str| {
            let path = List::path(self.name, status, page);
            html! { a.button.secondary href=(path) rel=(rel) { (l10n.text(label)) } }
        };
        html! {
            @if pages > 1 {
                nav.pages aria-label=(l10n.text("browse-pages")) {
                    @if page > 1 { (link(page - 1, "browse-previous", "prev")) }
                    span { (l10n.format("browse-page", [("page", page.into()), ("last", pages.into())])) }
                    @if page < pages { (link(page + 1, "browse-next", "next")) }
                }
            }
        }
    }
}

/// Renders the elements for `head`. Search engines must not list the page.
pub(super) fn metadata() -> Markup {
    html! { meta name="robots" content="noindex"; }
}

/// Returns a number as a floating-point number, which is exact up to 2^32.
fn to_float(number: u64) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}
