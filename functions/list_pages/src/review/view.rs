//! The content of the review of a year.

use accounts::sessions::SignedInUser;
use accounts::users::Account;
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, Render, html};
use pages::anime_card::{AnimeRenderer, CardParts};
use pages::icon::Icon;
use pages::language::Localizer;
use pages::layout::{Page, PageKind};
use pages::open_graph::OpenGraph;
use pages::paths::{LIST, PROFILE_PRIVACY, STATISTICS};
use shared::models::{Anime, AnimeId, UserScore};
use stories::statistics::{FinishedStory, Statistics, YearReview};

use super::years::{own_path, public_path, years};
use crate::public_profile::deny_robots;
use crate::public_profile::view::robots;
use crate::statistics::view::{genres, months, totals};

/// The people that a review is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Audience {
    /// The user whose year it is. The review includes private stories.
    Owner,
    /// Everyone.
    Everyone,
}

/// Everything that the page shows.
pub(super) struct ReviewView<'a> {
    pub renderer: AnimeRenderer<'a>,
    pub review: &'a YearReview,
    /// The anime that the review names.
    pub anime: &'a [Anime],
    /// The statistics of all years, for the links to other years.
    pub statistics: &'a Statistics,
    /// The account of the user.
    pub owner: &'a Account,
    pub audience: Audience,
}

impl ReviewView<'_> {
    fn l10n(&self) -> &Localizer {
        self.renderer.l10n
    }

    /// Returns the page.
    pub(super) fn respond(&self, visitor: Option<&SignedInUser>, public_url: &str) -> Response {
        let title = self.title();
        let is_public = self.audience == Audience::Everyone;
        // A page without entries is useless to search engines.
        let is_indexable = self.owner.indexable_profile && !self.is_empty();
        let head = html! {
            @if is_public {
                (robots(is_indexable))
                (self.metadata(&title, public_url))
            }
        };
        let page = Page {
            visitor: visitor.map(SignedInUser::username),
            kind: PageKind::wide(self.renderer.has_images),
            head,
            ..Page::new(self.l10n(), &title, self.body(&title))
        };
        let response = page.respond(StatusCode::OK);
        if is_public && !is_indexable {
            deny_robots(response)
        } else {
            response
        }
    }

    fn is_empty(&self) -> bool {
        self.review.statistics.watched.stories == 0
    }

    fn title(&self) -> String {
        // The year is passed as a text, because its digits must not be grouped.
        let year = ("year", self.review.year.to_string().into());
        let name = self.owner.user.username.as_str();
        match self.audience {
            Audience::Owner => self.l10n().format("review-title-own", [year]),
            Audience::Everyone => {
                let variables = [year, ("name", name.into())];
                self.l10n().format("review-title", variables)
            }
        }
    }

    fn metadata(&self, title: &str, public_url: &str) -> Markup {
        let path = public_path(&self.owner.user.username, self.review.year);
        // Everyone may see the cover, which is that of a favorite, or else of the last anime.
        let covers = self.review.favorites.iter().chain(&self.review.last);
        let covers = covers.filter_map(|story| self.find(story.anime_id));
        let mut covers = covers.filter(|anime| !anime.nsfw);
        let cover = covers.find(|anime| anime.cover_image.starts_with("https://"));
        let metadata = OpenGraph {
            kind: "article",
            title,
            address: &format!("{public_url}{path}"),
            description: Some(&self.summary()),
            image: cover.map(|anime| anime.cover_image.as_str()),
        };
        metadata.render()
    }

    /// Returns the year in one sentence.
    fn summary(&self) -> String {
        if self.is_empty() {
            return self.nothing();
        }
        let watched = &self.review.statistics.watched;
        let variables = [
            ("anime", u64::from(watched.stories).into()),
            ("episodes", watched.episodes.into()),
            ("hours", watched.hours().into()),
        ];
        self.l10n().format("review-summary", variables)
    }

    fn nothing(&self) -> String {
        let year = self.review.year.to_string();
        self.l10n()
            .format("review-nothing", [("year", year.into())])
    }

    fn body(&self, title: &str) -> Markup {
        let (l10n, statistics) = (self.l10n(), &self.review.statistics);
        html! {
            h1 { (title) }
            @if self.is_empty() {
                p.lead { (self.nothing()) }
            } @else {
                p.lead { (self.summary()) }
            }
            (self.actions())
            @if !self.is_empty() {
                (totals(l10n, &statistics.watched))
                (self.favorites())
                (self.ends())
                div.charts {
                    (months(l10n, statistics))
                    (genres(l10n, statistics))
                }
                (self.finished())
            }
            p.hint { (l10n.text("review-hint")) }
            (self.other_years())
        }
    }

    /// Renders the link to the page above this one and, for the owner, the link to the page that can be shared.
    fn actions(&self) -> Markup {
        let l10n = self.l10n();
        let name = self.owner.user.username.as_str();
        html! {
            ul.links.across {
                @match self.audience {
                    Audience::Everyone => {
                        li { a.row href={ "/user/" (name) } { (Icon::Person) (name) } }
                    }
                    Audience::Owner => {
                        li { a.row href=(STATISTICS) { (Icon::Chart) (l10n.text("statistics-title")) } }
                        @if self.owner.public_profile {
                            li {
                                a.row href=(public_path(name, self.review.year)) {
                                    (Icon::External) (l10n.text("review-share"))
                                }
                            }
                        } @else {
                            li { a.row href=(PROFILE_PRIVACY) { (Icon::Lock) (l10n.text("review-make-public")) } }
                        }
                    }
                }
            }
        }
    }

    fn favorites(&self) -> Markup {
        self.section("favorites", "review-favorites", &self.review.favorites)
    }

    fn finished(&self) -> Markup {
        let l10n = self.l10n();
        let list = match self.audience {
            Audience::Owner => format!("{LIST}?status=2"),
            Audience::Everyone => format!("/user/{}?status=2", self.owner.user.username),
        };
        let left_out = self.review.left_out();
        html! {
            (self.section("finished", "review-finished", &self.review.listed))
            @if left_out > 0 {
                p {
                    a.row href=(list) { (l10n.format("review-more", [("count", left_out.into())])) }
                }
            }
        }
    }

    fn section(&self, id: &str, heading: &str, stories: &[FinishedStory]) -> Markup {
        html! {
            @if !stories.is_empty() {
                section.plain-section aria-labelledby=(id) {
                    h2 id=(id) { (self.l10n().text(heading)) }
                    ul.shelf { @for story in stories { (self.card(story)) } }
                }
            }
        }
    }

    /// Renders the first and the last anime of the year.
    fn ends(&self) -> Markup {
        let l10n = self.l10n();
        let ends = [
            ("review-first", self.review.first),
            ("review-last", self.review.last),
        ];
        let mut ends = ends
            .into_iter()
            .filter_map(|(label, story)| Some((label, story?)))
            .peekable();
        let month = |story: &FinishedStory| {
            let date = story.finished_on;
            // Exact days are shown only to the user, as on the rest of the public profile.
            l10n.partial_date(date.year().into(), date.month(), None)
        };
        html! {
            @if ends.peek().is_some() {
                section.plain-section aria-labelledby="ends" {
                    h2 #ends { (l10n.text("review-ends")) }
                    div.relations {
                        @for (label, story) in ends {
                            div.relation {
                                h3 { (l10n.text(label)) }
                                p.hint { (month(&story)) }
                                ul.shelf { (self.card(&story)) }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Renders the card of a story's anime, if the catalogue still has it.
    fn card(&self, story: &FinishedStory) -> Markup {
        let rated = |score| {
            let score = self.l10n().score(score);
            self.l10n()
                .format("public-rated", [("score", score.into())])
        };
        let parts = CardParts {
            line: UserScore::from_tenths(story.score_tenths).map(|score| html! { (rated(score)) }),
            ..CardParts::default()
        };
        html! {
            @if let Some(anime) = self.find(story.anime_id) {
                (self.renderer.card(anime, parts))
            }
        }
    }

    fn find(&self, id: AnimeId) -> Option<&Anime> {
        self.anime.iter().find(|anime| anime.id == id)
    }

    /// Renders the links to the nearest years with a story before and after this year.
    fn other_years(&self) -> Markup {
        let l10n = self.l10n();
        let years = years(self.statistics);
        let year = self.review.year;
        let link = |year: u16, rel: &str| {
            let path = match self.audience {
                Audience::Owner => own_path(year),
                Audience::Everyone => public_path(&self.owner.user.username, year),
            };
            html! { a.button.secondary href=(path) rel=(rel) { (year) } }
        };
        let before = years.range(..year).next_back();
        let after = years.range(year.saturating_add(1)..).next();
        html! {
            @if before.is_some() || after.is_some() {
                nav.pages aria-label=(l10n.text("review-years")) {
                    @if let Some(year) = before { (link(*year, "prev")) }
                    span { (year) }
                    @if let Some(year) = after { (link(*year, "next")) }
                }
            }
        }
    }
}
