//! The content of a public profile.

use maud::{Markup, html};
use pages::anime_card::{AnimeRenderer, CardParts};
use pages::language::Localizer;
use pages::layout::page_links;
use shared::models::UserScore;
use stories::statistics::Statistics;

use super::list::{PublicEntry, PublicList};
use crate::review::years::{links_to_years, public_path};
use crate::statistics;

/// Everything that the page shows.
pub(super) struct PublicProfileView<'a> {
    pub renderer: AnimeRenderer<'a>,
    /// The name of the user.
    pub name: &'a str,
    pub statistics: &'a Statistics,
    pub list: &'a PublicList,
    pub entries: Vec<PublicEntry<'a>>,
}

impl PublicProfileView<'_> {
    fn l10n(&self) -> &Localizer {
        self.renderer.l10n
    }

    pub(super) fn body(&self) -> Markup {
        let l10n = self.l10n();
        html! {
            h1 { (self.name) }
            section aria-labelledby="list" {
                h2 id="list" { (l10n.text("public-list")) }
                (self.statuses())
                @if self.entries.is_empty() {
                    p { (l10n.text("public-empty")) }
                } @else {
                    ul.shelf {
                        @for entry in &self.entries {
                            (self.renderer.card(entry.anime, self.parts(entry)))
                        }
                    }
                }
                (self.pages())
            }
            h2 { (l10n.text("public-statistics")) }
            (statistics::view::render_charts(l10n, self.statistics))
            (links_to_years(l10n, self.statistics, |year| public_path(self.name, year)))
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
                                a href=(PublicList::path(self.name, status, 1)) aria-current=[current] {
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

    fn parts(&self, entry: &PublicEntry<'_>) -> CardParts {
        CardParts {
            line: self.caption(entry).map(|caption| html! { (caption) }),
            ..CardParts::default()
        }
    }

    /// Returns the text below a title: the user's score, or the progress.
    fn caption(&self, entry: &PublicEntry<'_>) -> Option<String> {
        let story = entry.story;
        if let Some(score) = UserScore::from_tenths(story.score_tenths) {
            let score = ("score", self.l10n().score(score).into());
            return Some(self.l10n().format("public-rated", [score]));
        }
        let episode = story.progress;
        (episode > 0).then(|| {
            let episode = ("episode", u64::from(episode).into());
            self.l10n().format("public-episode", [episode])
        })
    }

    fn pages(&self) -> Markup {
        let list = self.list;
        let path = |page| PublicList::path(self.name, list.status, page);
        page_links(self.l10n(), list.page, list.pages, path)
    }
}

/// Renders the element for `head` that forbids search engines to list the page, unless the user permits it.
pub(crate) fn robots(is_indexable: bool) -> Markup {
    html! {
        @if !is_indexable { meta name="robots" content="noindex"; }
    }
}
