//! The page after sign-up, which leads to a first entry. It disappears once there is an entry.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use catalogue::index::AnimeFilter;
use catalogue::parse_documents;
use futures_util::try_join;
use maud::{Markup, html};
use pages::anime_card::{AnimeRenderer, CardParts};
use pages::error::PageResult;
use pages::icon::Icon;
use pages::language::Localizer;
use pages::layout::{Page, PageKind};
use pages::paths::{ANIME, HISTORY, PLAYERS, START, WELCOME};
use pages::response::see_other;
use pages::sessions::Visitor;
use shared::input::{PageRequest, PageStart};
use shared::models::{Anime, TrackerName};

use crate::profile::connect_address;
use crate::state::AccountState;

/// The number of well-known anime on the page.
const COVERS: usize = 12;

/// `GET /welcome`
pub(crate) async fn page(State(state): State<Arc<AccountState>>, visitor: Visitor) -> PageResult {
    let pages = &state.story_pages;
    let (catalogue, stories) = (&pages.catalogue, &pages.stories);
    let best = AnimeFilter {
        exclude_nsfw: true,
        ..AnimeFilter::default()
    };
    let first = PageRequest {
        per_page: COVERS,
        start: PageStart::First,
    };
    let best = catalogue.list(&best, first).await?.rows;
    let read = async |user| {
        let entry = stories.list_rows(user, None, None, 1);
        try_join!(entry, catalogue.documents(&best))
    };
    let (owner, (entries, documents)) = state
        .sessions
        .require_user_and(&visitor, WELCOME, read)
        .await?;
    if !entries.rows.is_empty() {
        return see_other(&state.sessions, START);
    }
    let l10n = visitor.localizer(Some(&owner));
    let trackers = TrackerName::ALL.into_iter();
    let view = WelcomeView {
        l10n: &l10n,
        renderer: AnimeRenderer::new(pages.has_images, &l10n),
        trackers: trackers
            .filter(|name| state.linking.trackers.is_on(*name))
            .collect(),
        anime: &parse_documents(&documents)?,
    };
    let title = l10n.format("welcome-title", [("name", owner.username().into())]);
    let page = Page {
        visitor: Some(owner.username()),
        kind: PageKind::wide(pages.has_images),
        ..Page::new(&l10n, &title, view.body(&title))
    };
    Ok(page.respond(StatusCode::OK))
}

/// The data of the page.
struct WelcomeView<'a> {
    l10n: &'a Localizer,
    renderer: AnimeRenderer<'a>,
    /// The trackers that are enabled on this server.
    trackers: Vec<TrackerName>,
    /// Well-known anime.
    anime: &'a [Anime],
}

impl WelcomeView<'_> {
    fn body(&self, title: &str) -> Markup {
        let l10n = self.l10n;
        html! {
            h1 { (title) }
            p.lead { (l10n.text("welcome-lead")) }
            section aria-labelledby="bring" {
                h2 #bring { (l10n.text("welcome-bring")) }
                (self.bring())
            }
            section aria-labelledby="find" {
                h2 #find { (l10n.text("welcome-find")) }
                (self.find())
            }
            section aria-labelledby="play" {
                h2 #play { (l10n.text("welcome-play")) }
                p { (l10n.text("welcome-play-explanation")) }
                p { a.button.secondary href=(PLAYERS) { (l10n.text("profile-players-link")) } }
            }
            p { a.button.secondary href=(START) { (l10n.text("welcome-skip")) } }
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
                a.button href=(HISTORY) { (l10n.text("welcome-file")) }
                @for tracker in &self.trackers {
                    a.button.secondary href=(connect_address(*tracker)) {
                        (l10n.format("tracker-connect", [("tracker", tracker.title().into())]))
                    }
                }
            }
        }
    }

    fn find(&self) -> Markup {
        let l10n = self.l10n;
        html! {
            p { (l10n.text("welcome-find-explanation")) }
            form.search role="search" aria-labelledby="find" action=(ANIME) {
                input type="search" name="search" aria-label=(l10n.text("page-search"))
                    placeholder=(l10n.text("browse-placeholder")) maxlength="500" required;
                button type="submit" { (Icon::Search) span { (l10n.text("page-search-button")) } }
            }
            @if !self.anime.is_empty() {
                ul.shelf.one-row { @for anime in self.anime { (self.renderer.card(anime, CardParts::default())) } }
            }
        }
    }
}
