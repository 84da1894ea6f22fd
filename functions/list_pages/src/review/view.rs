//! The content of the review of a year.

use accounts::sessions::SignedInUser;
use accounts::users::Account;
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use pages::anime_card::{AnimeRenderer, CardParts, path_of};
use pages::language::Localizer;
use pages::layout::{Page, PageKind, copyable_text};
use pages::open_graph::OpenGraph;
use pages::paths::{LIST, PROFILE_PRIVACY, STATISTICS};
use shared::Result;
use shared::models::{Anime, AnimeId, UserScore};
use stories::statistics::{FinishedStory, Statistics, YearReview};

use super::picture::{Picture, PictureForm, SIZE};
use super::years::{own_path, public_path, years};
use crate::public_profile::deny_robots;
use crate::public_profile::view::robots;
use crate::statistics::comparison::Comparison;
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
    /// The public URL of the service, without a trailing slash.
    pub public_url: &'a str,
}

impl ReviewView<'_> {
    fn l10n(&self) -> &Localizer {
        self.renderer.l10n
    }

    /// Returns the page, or a picture.
    pub(super) fn respond(
        &self,
        visitor: Option<&SignedInUser>,
        picture: Option<PictureForm>,
    ) -> Result<Response> {
        let title = self.title();
        let is_public = self.audience == Audience::Everyone;
        // A page without entries is useless to search engines.
        let is_indexable = self.owner.indexable_profile && !self.is_empty();
        if let Some(form) = picture {
            let picture = Picture {
                renderer: self.renderer,
                review: self.review,
                anime: self.anime,
                title: &title,
                summary: &self.summary(),
                is_public,
            };
            return picture.respond(form, is_public && is_indexable);
        }
        let head = html! {
            @if is_public {
                (robots(is_indexable))
                (self.metadata(&title))
            }
        };
        let page = Page {
            visitor: visitor.map(SignedInUser::username),
            kind: PageKind::wide(self.renderer.has_images),
            head,
            ..Page::new(self.l10n(), &title, self.body(&title))
        };
        let response = page.respond(StatusCode::OK);
        Ok(if is_public && !is_indexable {
            deny_robots(response)
        } else {
            response
        })
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

    fn metadata(&self, title: &str) -> Markup {
        let path = public_path(&self.owner.user.username, self.review.year);
        let address = format!("{}{path}", self.public_url);
        let metadata = OpenGraph {
            kind: "article",
            title,
            address: &address,
            description: Some(&self.summary()),
            image: Some(&format!("{address}.png")),
        };
        let (width, height) = SIZE;
        html! {
            (metadata)
            meta property="og:image:type" content="image/png";
            meta property="og:image:width" content=(width);
            meta property="og:image:height" content=(height);
            meta name="twitter:card" content="summary_large_image";
        }
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
            div.year {
                h1 {
                    span aria-hidden="true" { (self.review.year) }
                    span.unseen { (title) }
                }
                p { (self.summary()) (self.highest()) }
            }
            (self.actions())
            @if !self.is_empty() {
                (self.finished())
                (totals(l10n, &statistics.watched))
                div.two {
                    (self.favorites())
                    (self.ends())
                }
                div.two {
                    (months(l10n, statistics))
                    (genres(l10n, statistics, &Comparison::default()))
                }
            }
            p.hint { (l10n.text("review-hint")) }
        }
    }

    /// Renders the sentence about the highest score, if there is one.
    fn highest(&self) -> Markup {
        let highest = self.review.favorites.first();
        let anime = highest.and_then(|story| self.find(story.anime_id));
        html! {
            @if let Some(anime) = anime {
                " " (self.l10n().markup("review-highest", [("title", self.renderer.title_markup(anime))]))
            }
        }
    }

    /// Renders the picture, the links to the years before and after, and the link to the page above this one. For the
    /// owner, it also has the address of the page that can be shared.
    fn actions(&self) -> Markup {
        let l10n = self.l10n();
        let name = self.owner.user.username.as_str();
        let year = self.review.year;
        let public = public_path(name, year);
        let picture = match self.audience {
            Audience::Owner => own_path(year),
            Audience::Everyone => public.clone(),
        };
        html! {
            div.acts.sec0 {
                @if !self.is_empty() {
                    a.button href={ (picture) ".svg" } download={ "kiroku-" (year) ".svg" } {
                        (l10n.text("review-picture"))
                    }
                }
                (self.other_years())
                @match self.audience {
                    Audience::Everyone => a href={ "/user/" (name) } { (name) },
                    Audience::Owner => {
                        a href=(STATISTICS) { (l10n.text("statistics-title")) }
                        @if self.owner.public_profile {
                            a href=(public) { (l10n.text("review-share")) }
                        } @else {
                            a href=(PROFILE_PRIVACY) { (l10n.text("review-make-public")) }
                        }
                    },
                }
            }
            @if self.audience == Audience::Owner && self.owner.public_profile && !self.is_empty() {
                @let address = format!("{}{public}", self.public_url);
                (copyable_text(l10n, "address", &l10n.text("review-address"), &address))
            }
        }
    }

    fn favorites(&self) -> Markup {
        self.section("favorites", "review-favorites", &self.review.favorites)
    }

    /// Renders the wall: the anime by the month in which they were finished, and below it those of an unknown month.
    fn finished(&self) -> Markup {
        let l10n = self.l10n();
        let list = match self.audience {
            Audience::Owner => format!("{LIST}?status=2"),
            Audience::Everyone => format!("/user/{}?status=2", self.owner.user.username),
        };
        let left_out = self.review.left_out();
        let listed = |month: Option<u8>| {
            let listed = self.review.listed.iter();
            listed.filter(move |story| story.finished_on.month() == month)
        };
        let has_unknown = listed(None).next().is_some();
        html! {
            section aria-labelledby="finished" {
                h2.unseen #finished { (l10n.text("review-finished")) }
                ol.wall {
                    @for month in 1..=12_u8 {
                        li {
                            h3 { (self.month_name(month)) }
                            ul { @for story in listed(Some(month)) { (self.cover(story)) } }
                        }
                    }
                }
                @if has_unknown {
                    h3.sub { (l10n.text("review-month-unknown")) }
                    ul.wall-rest { @for story in listed(None) { (self.cover(story)) } }
                }
            }
            @if left_out > 0 {
                p.sec0 { a href=(list) { (l10n.format("review-more", [("count", left_out.into())])) } }
            }
        }
    }

    fn month_name(&self, month: u8) -> String {
        let month = ("month", u64::from(month).into());
        self.l10n().format("statistics-short-month", [month])
    }

    /// Renders the cover of a story's anime, if the catalogue still has it.
    fn cover(&self, story: &FinishedStory) -> Markup {
        html! {
            @if let Some(anime) = self.find(story.anime_id) {
                li {
                    a href=(path_of(anime)) {
                        (self.renderer.cover(anime))
                        span.unseen { (self.renderer.title_markup(anime)) }
                    }
                }
            }
        }
    }

    fn section(&self, id: &str, heading: &str, stories: &[FinishedStory]) -> Markup {
        html! {
            @if !stories.is_empty() {
                section.sec aria-labelledby=(id) {
                    div.head { h2 id=(id) { (self.l10n().text(heading)) } }
                    ul.shelf.panel { @for story in stories { (self.card(story)) } }
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
            // Exact days of completion are shown only to the user.
            l10n.partial_date(date.year().into(), date.month(), None)
        };
        html! {
            @if ends.peek().is_some() {
                section.sec aria-labelledby="ends" {
                    div.head { h2 #ends { (l10n.text("review-ends")) } }
                    ul.log {
                        @for (label, story) in ends {
                            @if let Some(anime) = self.find(story.anime_id) {
                                li {
                                    (self.renderer.linked_cover(anime))
                                    div {
                                        a href=(path_of(anime)) { (self.renderer.title_markup(anime)) }
                                        p { (l10n.text(label)) " · " (month(&story)) }
                                    }
                                }
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
            html! { a href=(path) rel=(rel) { (year) } }
        };
        let before = years.range(..year).next_back();
        let after = years.range(year.saturating_add(1)..).next();
        html! {
            @if before.is_some() || after.is_some() {
                nav.acts aria-label=(l10n.text("review-years")) {
                    @if let Some(year) = before { (link(*year, "prev")) }
                    @if let Some(year) = after { (link(*year, "next")) }
                }
            }
        }
    }
}
