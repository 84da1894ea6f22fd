//! The content of a public profile.

use accounts::users::Account;
use maud::{Markup, html};
use pages::anime_card::{AnimeRenderer, CardParts, path_of};
use pages::language::Localizer;
use pages::layout::page_links;
use pages::open_graph::OpenGraph;
use pages::paths::{PROFILE, picture_path, user_path};
use pages::seal::seal;
use shared::models::{Anime, UserScore, WatchStatus};
use stories::statistics::{RecentStory, Statistics};
use time::OffsetDateTime;

use super::list::{Overview, PublicEntry, PublicList};
use crate::review::years::{links_to_years, public_path};
use crate::statistics;

/// The seconds of a day.
const DAY_S: u64 = 24 * 60 * 60;

/// Everything that the page shows.
pub(super) struct PublicProfileView<'a> {
    pub renderer: AnimeRenderer<'a>,
    /// The user.
    pub owner: &'a Account,
    /// True if the visitor is the user.
    pub is_own: bool,
    pub statistics: &'a Statistics,
    pub list: &'a PublicList,
    /// The anime of the page, in any order.
    pub anime: &'a [Anime],
    /// The present time, in seconds since the Unix epoch.
    pub now_s: u64,
}

impl PublicProfileView<'_> {
    fn l10n(&self) -> &Localizer {
        self.renderer.l10n
    }

    /// Returns the name of the user.
    fn name(&self) -> &str {
        self.owner.user.username.as_str()
    }

    pub(super) fn body(&self) -> Markup {
        let l10n = self.l10n();
        html! {
            @if let Some(anime) = self.presentable().find(|anime| anime.banner_image.is_some()) {
                (self.renderer.banner(anime))
            }
            (self.person())
            (self.sums())
            @if let Some(overview) = &self.list.overview {
                (self.favorites(overview))
                div.two {
                    (self.lately(overview))
                    (statistics::view::render_scores(l10n, self.statistics))
                }
            }
            section.sec aria-labelledby="list" {
                div.head { h2 id="list" { (l10n.text("public-list")) } }
                (self.list())
            }
            @if self.has_charts() {
                div #statistics { (statistics::view::render_charts(l10n, self.statistics)) }
                (links_to_years(l10n, self.statistics, |year| public_path(self.name(), year)))
            }
        }
    }

    /// Returns true if the page has the statistics.
    fn has_charts(&self) -> bool {
        self.list.overview.is_some() && self.statistics.statuses.iter().any(|count| *count > 0)
    }

    /// Returns the best rated anime that represent the user, on the banner and in previews on other sites.
    fn presentable(&self) -> impl Iterator<Item = &Anime> {
        let overview = self.list.overview.iter();
        let favorites = overview.flat_map(|overview| &overview.favorites);
        let anime =
            favorites.filter_map(move |story| Some(PublicEntry::of(story, self.anime)?.anime));
        anime.filter(|anime| !anime.nsfw)
    }

    /// Renders the image, the name, and the month of the registration.
    fn person(&self) -> Markup {
        let l10n = self.l10n();
        let seconds = i64::try_from(self.owner.created_at / 1000).unwrap_or_default();
        let created = OffsetDateTime::from_unix_timestamp(seconds).ok();
        let since =
            created.map(|time| l10n.partial_date(time.year(), Some(time.month().into()), None));
        html! {
            div.person {
                (self.avatar())
                div {
                    h1 { (self.name()) }
                    @if let Some(since) = since {
                        p.soft { (l10n.format("public-since", [("month", since.into())])) }
                    }
                }
                p.acts {
                    a href="#list" { (l10n.text("public-list")) }
                    @if self.has_charts() { a href="#statistics" { (l10n.text("public-statistics")) } }
                    @if self.is_own { a href=(PROFILE) { (l10n.text("settings-heading")) } }
                }
            }
        }
    }

    /// Renders the picture that the user has uploaded, or the image of the user's account at a tracker, or else the
    /// first letter of the name.
    fn avatar(&self) -> Markup {
        let address = self.owner.user.avatar.as_str();
        html! {
            @if let Some(picture) = &self.owner.picture {
                img.av src=(picture_path(self.name(), picture)) alt="" width="104" height="104" decoding="async";
            } @else if self.renderer.has_images && address.starts_with("https://") {
                img.av src=(address) alt="" width="104" height="104" decoding="async" referrerpolicy="no-referrer";
            } @else {
                span.av aria-hidden="true" { @if let Some(letter) = self.name().chars().next() { (letter) } }
            }
        }
    }

    fn sums(&self) -> Markup {
        let l10n = self.l10n();
        let watched = &self.statistics.watched;
        let episodes = u32::try_from(watched.episodes).unwrap_or(u32::MAX);
        let mean = watched.mean_score();
        let sums = [
            (
                l10n.text("statistics-days-watched"),
                l10n.number(statistics::view::days_of(watched)),
            ),
            (
                l10n.watch_status(WatchStatus::Completed),
                l10n.number(self.completed()),
            ),
            (l10n.text("anime-episodes"), l10n.number(episodes)),
            (
                l10n.text("statistics-mean-score"),
                mean.map_or_else(|| "–".to_owned(), |mean| l10n.mean_score(mean)),
            ),
        ];
        html! {
            dl.sums.head.sec { @for (label, sum) in sums { div { dt { (label) } dd { (sum) } } } }
        }
    }

    /// Returns the number of completed anime.
    fn completed(&self) -> u32 {
        self.statistics.statuses[usize::from(u8::from(WatchStatus::Completed))]
    }

    fn favorites(&self, overview: &Overview) -> Markup {
        let l10n = self.l10n();
        let favorites = overview.favorites.iter();
        let favorites: Vec<PublicEntry<'_>> = favorites
            .filter_map(|story| PublicEntry::of(story, self.anime))
            .collect();
        let heading = if overview.are_chosen {
            "public-chosen"
        } else {
            "public-favorites"
        };
        html! {
            @if !favorites.is_empty() {
                section.sec aria-labelledby="favorites" {
                    div.head { h2 id="favorites" { (l10n.text(heading)) } }
                    ul.shelf.one-row {
                        @for entry in &favorites { (self.renderer.card(entry.anime, self.parts(entry))) }
                    }
                }
            }
        }
    }

    /// Renders the stories that were changed last.
    fn lately(&self, overview: &Overview) -> Markup {
        let l10n = self.l10n();
        let recent = overview.recent.iter();
        let recent: Vec<(&RecentStory, PublicEntry<'_>)> = recent
            .filter_map(|recent| Some((recent, PublicEntry::of(&recent.story, self.anime)?)))
            .collect();
        html! {
            @if !recent.is_empty() {
                section.sec aria-labelledby="lately" {
                    div.head { h2 id="lately" { (l10n.text("public-lately")) } }
                    ul.log {
                        @for (recent, entry) in &recent {
                            li {
                                (self.renderer.linked_cover(entry.anime))
                                div {
                                    a href=(path_of(entry.anime)) { (self.renderer.title_markup(entry.anime)) }
                                    p { (self.change(recent)) }
                                }
                                (seal(Some(recent.status)))
                            }
                        }
                    }
                }
            }
        }
    }

    /// Returns what was changed last in a story, and when.
    fn change(&self, recent: &RecentStory) -> String {
        let l10n = self.l10n();
        let story = recent.story;
        let progress = [("episode", u64::from(story.progress).into())];
        let score = UserScore::from_tenths(story.score_tenths);
        let with_progress = match recent.status {
            WatchStatus::Current => Some("public-episode"),
            WatchStatus::Paused => Some("public-paused"),
            WatchStatus::Dropped => Some("public-dropped"),
            WatchStatus::Repeating => Some("public-repeating"),
            WatchStatus::Completed | WatchStatus::Planning => None,
        };
        let what = match (with_progress, score) {
            (Some(message), _) if story.progress > 0 => l10n.format(message, progress),
            (None, Some(score)) if recent.status == WatchStatus::Completed => {
                l10n.format("public-completed", [("score", l10n.score(score).into())])
            }
            _ => l10n.watch_status(recent.status),
        };
        let changed_s = recent.changed_at / 1000;
        // The days are those of the visitor's time zone.
        let day = l10n.unix_date(changed_s);
        let when = if day == l10n.unix_date(self.now_s) {
            l10n.text("public-today")
        } else if day == l10n.unix_date(self.now_s.saturating_sub(DAY_S)) {
            l10n.text("public-yesterday")
        } else {
            day
        };
        l10n.format(
            "public-change",
            [("what", what.into()), ("when", when.into())],
        )
    }

    fn list(&self) -> Markup {
        let list = self.list;
        let shown = list.shown.iter();
        let entries: Vec<PublicEntry<'_>> = shown
            .filter_map(|story| PublicEntry::of(story, self.anime))
            .collect();
        let path = |page| PublicList::path(self.name(), list.status, page);
        html! {
            div.desk {
                (self.statuses())
                div {
                    @if entries.is_empty() {
                        p { (self.l10n().text("public-empty")) }
                    } @else {
                        ul.shelf {
                            @for entry in &entries { (self.renderer.card(entry.anime, self.parts(entry))) }
                        }
                    }
                    (page_links(self.l10n(), list.page, list.pages, path))
                }
            }
        }
    }

    /// Renders the links to the statuses that have stories.
    fn statuses(&self) -> Markup {
        let l10n = self.l10n();
        let list = self.list;
        html! {
            nav.index aria-label=(l10n.text("public-list")) {
                ul {
                    @for (status, count) in list.counts {
                        @if count > 0 {
                            @let current = (status == list.status).then_some("page");
                            li {
                                a href=(PublicList::path(self.name(), status, 1)) aria-current=[current] {
                                    (seal(Some(status)))
                                    (l10n.watch_status(status)) " "
                                    span.num { (l10n.number(u32::try_from(count).unwrap_or(u32::MAX))) }
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
            line: self.line(entry),
            ..CardParts::default()
        }
    }

    /// Renders the text below a title: the user's score, or the progress.
    fn line(&self, entry: &PublicEntry<'_>) -> Option<Markup> {
        let (l10n, story) = (self.l10n(), entry.story);
        if let Some(score) = UserScore::from_tenths(story.score_tenths) {
            return Some(html! {
                span.unseen { (l10n.text("story-score")) " " }
                span.num { (l10n.score(score)) }
            });
        }
        let episode = [("episode", u64::from(story.progress).into())];
        (story.progress > 0).then(|| html! { (l10n.format("public-episode", episode)) })
    }

    /// Renders the elements for `head`: what other sites show with a link to the profile, and whether search engines
    /// may list it.
    pub(super) fn head(&self, public_url: &str) -> Markup {
        let watched = &self.statistics.watched;
        let description = [
            ("anime", self.completed().into()),
            ("episodes", watched.episodes.into()),
        ];
        let description = self.l10n().format("public-description", description);
        let picture = self.owner.picture.as_deref();
        let picture =
            picture.map(|picture| format!("{public_url}{}", picture_path(self.name(), picture)));
        let avatar = picture.as_deref().unwrap_or(&self.owner.user.avatar);
        let avatar = Some(avatar).filter(|address| address.starts_with("https://"));
        let mut covers = self.presentable().map(|anime| anime.cover_image.as_str());
        html! {
            (robots(self.owner.indexable_profile))
            (OpenGraph {
                kind: "profile",
                title: self.name(),
                address: &format!("{public_url}{}", user_path(self.name())),
                description: Some(&description),
                image: avatar.or_else(|| covers.next()),
            })
        }
    }
}

/// Renders the element for `head` that forbids search engines to list the page, unless the user permits it.
pub(crate) fn robots(is_indexable: bool) -> Markup {
    html! {
        @if !is_indexable { meta name="robots" content="noindex"; }
    }
}
