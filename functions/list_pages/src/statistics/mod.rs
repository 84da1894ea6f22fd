//! The page `/statistics`: the statistics of the signed-in user (docs/api.md, "Statistics").

mod chart;
pub(crate) mod comparison;
mod days;
pub(crate) mod view;

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use futures_util::try_join;
use maud::html;
use pages::anime_card::AnimeRenderer;
use pages::error::PageResult;
use pages::layout::{Page, PageKind};
use pages::paths::STATISTICS;
use pages::sessions::Visitor;

use self::comparison::Comparison;
use self::view::OwnCharts;
use crate::review::years::{links_to_years, own_path, years};
use crate::state::ListState;

/// `GET /statistics`
pub(crate) async fn page(State(state): State<Arc<ListState>>, visitor: Visitor) -> PageResult {
    let owner = state.sessions.require_user(&visitor, STATISTICS).await?;
    let account = &owner.account;
    let current = state.statistics.read_account(account).await?;
    // The process has both in memory now.
    let list = state.stories.current_list(account.user.id, &account.list);
    let (list, index) = try_join!(list, state.catalogue.index())?;
    let comparison = Comparison::of(list.stories(), &index);
    let anime = state.catalogue.resources(&comparison.rows(&index)).await?;
    let l10n = visitor.localizer(Some(&owner));
    let renderer = AnimeRenderer::new(state.has_images, &l10n);
    let today = account.time_zone().date_of(state.clock.now_ms());
    let own = OwnCharts {
        days: days::render(&l10n, &current.finished, today),
        disagreements: comparison.render(renderer, &anime),
        comparison: &comparison,
    };
    let as_of = l10n.unix_date_time(state.clock.now_s());
    let title = l10n.text("statistics-title");
    let latest = years(&current.all).last().copied();
    let body = html! {
        div.bar {
            h1 { (title) }
            @if let Some(year) = latest {
                div.tools {
                    a href=(own_path(year)) {
                        (l10n.format("statistics-review", [("year", year.to_string().into())]))
                    }
                }
            }
        }
        (view::render_all(&l10n, &current.all, &own))
        (links_to_years(&l10n, &current.all, own_path))
        p.hint { (l10n.format("statistics-as-of", [("time", as_of.into())])) }
    };
    let page = Page {
        current_path: STATISTICS,
        visitor: Some(&owner.account.user.username),
        kind: PageKind::wide(state.has_images),
        ..Page::new(&l10n, &title, body)
    };
    Ok(page.respond(StatusCode::OK))
}
