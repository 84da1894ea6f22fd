//! The page with the entries of imports that wait for their anime (docs/api.md, "Entries whose anime is missing").

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use maud::{Markup, html};
use pages::error::PageResult;
use pages::form_page::FormPage;
use pages::language::Localizer;
use pages::layout::page_links;
use pages::paths::{ANIME, HISTORY, HISTORY_WAITING, HISTORY_WAITING_FILE};
use pages::profile_part::ProfilePart;
use pages::seal::sealed;
use pages::sessions::Visitor;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use stories::list_files::{self, ListEntry};

use super::proposals_notice;
use crate::state::ListState;

/// The number of entries on a page.
const PER_PAGE: usize = 50;

/// `GET /profile/history/waiting`
pub(crate) async fn page(
    State(state): State<Arc<ListState>>,
    visitor: Visitor,
    uri: Uri,
) -> PageResult {
    let read = |user| state.waiting.find(user);
    let (owner, stored) = state
        .sessions
        .require_user_and(&visitor, HISTORY, read)
        .await?;
    let entries = list_files::waiting_entries(stored.as_ref(), state.clock.now_ms())?;
    let proposals = list_files::count_proposals(stored.as_ref(), state.clock.now_ms())?;
    let page = FormPage::new(&state.sessions, visitor, owner, uri);
    let l10n = &page.forms.l10n;
    let pages = entries.len().div_ceil(PER_PAGE).max(1);
    let number = page.forms.params().token("page");
    let number = number.and_then(|number| number.parse().ok());
    let number = number.unwrap_or(1).clamp(1, pages);
    let shown = entries.iter().skip((number - 1) * PER_PAGE).take(PER_PAGE);
    let title = l10n.text("waiting-title");
    let body = html! {
        p { (l10n.format("waiting-count", [("count", entries.len().into())])) }
        @if !entries.is_empty() {
            p { (l10n.text("waiting-hint")) }
            div.scrolls {
                table aria-label=(title) {
                    thead {
                        tr {
                            th scope="col" { (l10n.text("report-title")) }
                            th scope="col" { (l10n.text("report-status")) }
                            th.r scope="col" { (l10n.text("report-progress")) }
                            th scope="col" { (l10n.text("waiting-elsewhere")) }
                        }
                    }
                    tbody { @for entry in shown { (row(l10n, entry)) } }
                }
            }
            (page_links(l10n, number, pages, |number| format!("{HISTORY_WAITING}?page={number}")))
        }
        (proposals_notice(l10n, proposals))
        // The file also has the proposals.
        @if !entries.is_empty() || proposals > 0 {
            p { a.button.secondary href=(HISTORY_WAITING_FILE) { (l10n.text("waiting-file")) } }
        }
        p { a.row href=(HISTORY) { (l10n.text("history-back")) } }
    };
    Ok(page.respond(ProfilePart::Data.sub_page(&page, &title, &body)))
}

/// `GET /profile/history/waiting/file`: the same file as `GET /v1/user_story/import/waiting`.
pub(crate) async fn file(
    State(state): State<Arc<ListState>>,
    headers: HeaderMap,
    page: FormPage,
) -> PageResult {
    let (account, now) = (page.owner.account, state.clock.now_ms());
    Ok(list_files::export_waiting(&state.waiting, account, &headers, now).await?)
}

/// Renders an entry: its title with a link to the search for it, its status and progress, and its identifiers.
fn row(l10n: &Localizer, entry: &ListEntry) -> Markup {
    let trackers = [
        ("AniList", "https://anilist.co/anime/", entry.trackers.a),
        (
            "MyAnimeList",
            "https://myanimelist.net/anime/",
            entry.trackers.b,
        ),
    ];
    let trackers = trackers
        .into_iter()
        .filter_map(|(name, base, id)| Some((name, base, id?)));
    let search = |title: &str| {
        let title = utf8_percent_encode(title, NON_ALPHANUMERIC);
        format!("{ANIME}?search={title}")
    };
    let episode = entry.current_episode.unwrap_or_default();
    html! {
        tr {
            td {
                @match &entry.title {
                    Some(title) => a href=(search(title)) {
                        span.unseen { (l10n.text("waiting-search")) ": " }
                        span dir="auto" { (title) }
                    },
                    None => (l10n.text("waiting-untitled")),
                }
            }
            td { (sealed(l10n, entry.status)) }
            td.r { (l10n.number(episode)) }
            td {
                @for (name, base, id) in trackers {
                    a href={ (base) (id) } rel="noopener noreferrer" { (name) " " (id) } " "
                }
            }
        }
    }
}
