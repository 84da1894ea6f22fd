//! The page `/statistics`: the statistics of the signed-in user (docs/api.md, "Statistics").

mod chart;
pub(crate) mod view;

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use maud::html;
use pages::error::PageResult;
use pages::layout::{Page, PageKind};
use pages::paths::STATISTICS;
use pages::sessions::Visitor;

use crate::review::years::{links_to_years, own_path};
use crate::state::ListState;

/// `GET /statistics`
pub(crate) async fn page(State(state): State<Arc<ListState>>, visitor: Visitor) -> PageResult {
    let owner = state.sessions.require_user(&visitor, STATISTICS).await?;
    let current = state.statistics.read_account(&owner.account).await?;
    let l10n = visitor.localizer(Some(&owner));
    let as_of = l10n.unix_date_time(state.clock.now_s());
    let title = l10n.text("statistics-title");
    let body = html! {
        h1 { (title) }
        p.hint { (l10n.format("statistics-as-of", [("time", as_of.into())])) }
        (view::render_charts(&l10n, &current.all))
        (links_to_years(&l10n, &current.all, own_path))
    };
    let page = Page {
        current_path: STATISTICS,
        visitor: Some(&owner.account.user.username),
        kind: PageKind::wide(false),
        ..Page::new(&l10n, &title, body)
    };
    Ok(page.respond(StatusCode::OK))
}
