//! The part of the profile about the user's data: import, export, and the download of everything that is stored.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use maud::{Markup, html};
use pages::error::PageResult;
use pages::form_page::FormPage;
use pages::language::Localizer;
use pages::paths::{
    HISTORY, HISTORY_IMPORTS, HISTORY_PROPOSALS, HISTORY_WAITING, PROFILE_DOWNLOAD,
};
use pages::profile_part::{ProfilePart, section};
use stories::user_data;

use crate::state::AccountState;

/// `GET /profile/data`
pub(crate) fn page(page: &FormPage) -> Response {
    let l10n = &page.forms.l10n;
    let body = html! {
        (section(l10n, "history", "history-title", &history(l10n)))
        (section(l10n, "data", "profile-data", &everything(l10n)))
    };
    let title = l10n.text(ProfilePart::Data.message());
    let page = ProfilePart::Data.page(page, &title, &body);
    page.respond(StatusCode::OK)
}

/// `GET /profile/data/download`
pub(crate) async fn download(
    State(state): State<Arc<AccountState>>,
    headers: HeaderMap,
    page: FormPage,
) -> PageResult {
    let (store, catalogue) = (&state.user_data, &state.story_pages.catalogue);
    let (account, now) = (page.owner.account, state.accounts.clock.now_ms());
    let slot = state.file_slots.acquire(account.user.id).await;
    let file = user_data::build_response(store, catalogue, account, true, &headers, now, slot);
    Ok(Box::pin(file).await?)
}

fn history(l10n: &Localizer) -> Markup {
    html! {
        p { (l10n.text("profile-history")) }
        p { a.button href=(HISTORY) { (l10n.text("profile-history-link")) } }
        ul.links {
            li { a.row href=(HISTORY_IMPORTS) { (l10n.text("history-imports")) } }
            li { a.row href=(HISTORY_PROPOSALS) { (l10n.text("proposals-title")) } }
            li { a.row href=(HISTORY_WAITING) { (l10n.text("waiting-title")) } }
        }
    }
}

fn everything(l10n: &Localizer) -> Markup {
    html! {
        p { (l10n.text("profile-data-explanation")) }
        p { a.button.secondary href=(PROFILE_DOWNLOAD) { (l10n.text("profile-data-link")) } }
    }
}
