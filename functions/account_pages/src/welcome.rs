//! The page after sign-up, on which the user picks the first anime.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use catalogue::index::AnimeFilter;
use catalogue::parse_documents;
use futures_util::try_join;
use maud::{Markup, html};
use page_parts::anime::StoriesByAnime;
use page_parts::story::{ENTRY, QUICK_FORM, ReturnPage, StoryKey, find_notice, quick_form};
use pages::anime_card::{AnimeRenderer, CardParts};
use pages::error::PageResult;
use pages::language::Localizer;
use pages::layout::{Page, PageKind};
use pages::paths::{ANIME, HISTORY, LIST_DELETE, PLAYERS, START, WELCOME};
use pages::profile_part::section;
use pages::seal::{class_of, seal};
use pages::sessions::Visitor;
use pages::tally::Tally;
use shared::input::{PageRequest, PageStart};
use shared::models::{Anime, AnimeId, TrackerName, WatchStatus};
use stories::lists::ListedStory;

use crate::profile::connect_address;
use crate::state::AccountState;

/// The maximum number of anime on the page.
const COVERS: usize = 18;

/// The number of anime that are read. Those that continue another anime are left out, because a user who has seen one
/// has usually seen both.
const READ: usize = 30;

/// The number of anime that a user should have seen, so that the suggestions fit.
const WANTED: u32 = 3;

/// The number of the latest entries among which those are counted that the user has seen.
const COUNTED: usize = 50;

/// The statuses that the page offers.
const STATUSES: [WatchStatus; 3] = [
    WatchStatus::Completed,
    WatchStatus::Current,
    WatchStatus::Planning,
];

/// `GET /welcome`
pub(crate) async fn page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    RawQuery(query): RawQuery,
) -> PageResult {
    let pages = &state.story_pages;
    let (catalogue, stories) = (&pages.catalogue, &pages.stories);
    let best = AnimeFilter {
        exclude_nsfw: true,
        ..AnimeFilter::default()
    };
    let first = PageRequest {
        per_page: READ,
        start: PageStart::First,
    };
    let best = catalogue.list(&best, first).await?.rows;
    let ids: Vec<AnimeId> = best.iter().filter_map(|row| AnimeId::new(row.id)).collect();
    let read = async |user| {
        let latest = stories.list_rows(user, None, None, COUNTED);
        let of_page = stories.find_many(user, &ids);
        try_join!(latest, of_page, catalogue.documents(&best))
    };
    let (owner, (latest, of_page, documents)) = state
        .sessions
        .require_user_and(&visitor, WELCOME, read)
        .await?;
    let of_page = of_page.into_iter();
    let of_page: StoriesByAnime = of_page
        .filter_map(|(anime, story)| Some((anime, (&story?).into())))
        .collect();
    let mut anime: Vec<Anime> = parse_documents(&documents)?;
    // In the API, `sequel` is the preceding anime.
    anime.retain(|anime| anime.sequel.is_none());
    anime.truncate(COVERS);
    let l10n = visitor.localizer(Some(&owner));
    let csrf = state.sessions.csrf(&visitor).token;
    let renderer = AnimeRenderer::new(pages.has_images, &l10n);
    let back = ReturnPage::Browse(WELCOME.to_owned());
    let (user, query) = (owner.account.user.id, query.unwrap_or_default());
    let notice = find_notice(pages, renderer, &csrf, user, &back, &query).await?;
    let trackers = TrackerName::ALL.into_iter();
    let view = WelcomeView {
        l10n: &l10n,
        renderer,
        name: owner.username(),
        trackers: trackers
            .filter(|name| state.linking.trackers.is_on(*name))
            .collect(),
        anime: &anime,
        seen: count_seen(&latest.rows, &of_page),
        stories: &of_page,
    };
    let title = l10n.text("welcome-title");
    let body = html! {
        (notice)
        (quick_form(&csrf, &back))
        (view.body(&title))
    };
    let page = Page {
        visitor: Some(owner.username()),
        kind: PageKind::wide(pages.has_images),
        ..Page::new(&l10n, &title, body)
    };
    Ok(page.respond(StatusCode::OK))
}

/// Returns the number of anime that the user has seen, at least in part. The index with the latest entries can lag
/// behind the entries of the page's anime.
fn count_seen(latest: &[ListedStory], of_page: &StoriesByAnime) -> u32 {
    let others = latest
        .iter()
        .filter(|story| !of_page.contains_key(&story.anime_id));
    let seen = of_page.values().chain(others);
    let seen = seen.filter(|story| story.state.status != WatchStatus::Planning);
    let seen: BTreeSet<AnimeId> = seen.map(|story| story.anime_id).collect();
    u32::try_from(seen.len()).unwrap_or(u32::MAX)
}

/// The data of the page.
struct WelcomeView<'a> {
    l10n: &'a Localizer,
    renderer: AnimeRenderer<'a>,
    /// The name of the user.
    name: &'a str,
    /// The trackers that are enabled on this server.
    trackers: Vec<TrackerName>,
    /// Well-known anime.
    anime: &'a [Anime],
    /// The number of anime that the user has seen.
    seen: u32,
    /// The user's stories about these anime.
    stories: &'a StoriesByAnime,
}

impl WelcomeView<'_> {
    fn body(&self, title: &str) -> Markup {
        let l10n = self.l10n;
        html! {
            ol.steps {
                li { (l10n.text("welcome-step-account")) }
                li aria-current="step" { (l10n.text("welcome-step-seen")) }
                li { (l10n.text("welcome-step-suggestions")) }
            }
            div.bar {
                h1 { (title) }
                form role="search" action=(ANIME) {
                    label.line {
                        (l10n.text("welcome-find"))
                        input type="search" name="search" placeholder=(l10n.text("welcome-find-hint")) maxlength="500"
                            required;
                    }
                }
            }
            p {
                (l10n.format("welcome-lead", [("name", self.name.into())])) " "
                a href="#bring" { (l10n.text("welcome-bring")) }
            }
            @if !self.anime.is_empty() {
                ul.shelf.picker.sec0 {
                    @for anime in self.anime {
                        (self.renderer.card(anime, CardParts {
                            actions: Some(self.choices(anime)),
                            ..CardParts::default()
                        }))
                    }
                }
            }
            div.two {
                (section(l10n, "bring", "welcome-bring", &self.bring()))
                (section(l10n, "play", "welcome-play", &self.play()))
            }
            (self.progress())
        }
    }

    /// Renders the buttons that put an anime on the list. The button of the present status leads to the deletion of the
    /// entry.
    fn choices(&self, anime: &Anime) -> Markup {
        let l10n = self.l10n;
        let story = self.stories.get(&anime.id).map(|story| &story.state);
        let key = StoryKey::of(anime.id, story).text();
        let label = |status| match status {
            WatchStatus::Completed => l10n.text("welcome-seen"),
            status => l10n.watch_status(status),
        };
        html! {
            // The group has the title, so that it need not stand in each of its buttons.
            div.act role="group" aria-label=(self.renderer.title(anime)) {
                @for status in STATUSES {
                    @if story.is_some_and(|story| story.status == status) {
                        button.(class_of(status)) form=(QUICK_FORM) formaction=(LIST_DELETE) name=(ENTRY) value=(key)
                            aria-pressed="true" { (seal(Some(status))) span { (label(status)) } }
                    } @else {
                        button.(class_of(status)) form=(QUICK_FORM) name="status"
                            value={ (u8::from(status)) "." (key) } aria-pressed="false" {
                            (seal(Some(status))) span { (label(status)) }
                        }
                    }
                }
            }
        }
    }

    fn bring(&self) -> Markup {
        let l10n = self.l10n;
        html! {
            p {
                (l10n.text("welcome-bring-file"))
                @if !self.trackers.is_empty() { " " (l10n.text("welcome-bring-trackers")) }
            }
            div.actions {
                a.button.secondary href=(HISTORY) { (l10n.text("welcome-file")) }
                @for tracker in &self.trackers {
                    a.button.secondary href=(connect_address(*tracker)) {
                        (l10n.format("tracker-connect", [("tracker", tracker.title().into())]))
                    }
                }
            }
        }
    }

    fn play(&self) -> Markup {
        let l10n = self.l10n;
        html! {
            p { (l10n.text("welcome-play-explanation")) }
            div.actions { a.button.secondary href=(PLAYERS) { (l10n.text("profile-players-link")) } }
        }
    }

    /// Renders the bar at the foot of the window: the number of anime that were seen, and the way on.
    fn progress(&self) -> Markup {
        let l10n = self.l10n;
        let is_enough = self.seen >= WANTED;
        let number = html! { span.num.big2 { (l10n.number(self.seen)) } };
        html! {
            div.sticky #picked {
                @if is_enough {
                    p { (l10n.markup("welcome-enough", [("seen", number)])) }
                } @else {
                    @let wanted = html! { (WANTED) };
                    @let missing = WANTED.saturating_sub(self.seen);
                    p {
                        span { (l10n.markup("welcome-progress", [("seen", number), ("wanted", wanted)])) }
                        span { " " (l10n.format("welcome-missing", [("count", missing.into())])) }
                    }
                }
                (Tally { watched: self.seen.min(WANTED), aired: None, episodes: WANTED })
                a.button.secondary[!is_enough] href=(START) {
                    (l10n.text(if is_enough { "welcome-continue" } else { "welcome-skip" }))
                }
            }
        }
    }
}
