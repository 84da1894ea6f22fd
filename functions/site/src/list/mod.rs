//! The page `/list`: the entries of the signed-in user.

pub(crate) mod entries;
pub(crate) mod request;
pub(crate) mod selection;
mod selection_outcome;
mod selection_view;
mod view;

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::response::Response;
use futures_util::try_join;
use pages::error::PageError;
use pages::layout::{Page, PageKind};
use pages::paths::LIST;
use pages::response::respond_with_forms;
use pages::sessions::Visitor;

use self::entries::EntriesPage;
use self::request::ListRequest;
use self::selection_outcome::SelectionOutcome;
use self::view::ListView;
use crate::anime::card::AnimeRenderer;
use crate::calendar::weekday;
use crate::state::CatalogueState;
use crate::story::back::StoryFormOutcome;

/// `GET /list`
pub(crate) async fn page(
    State(state): State<Arc<CatalogueState>>,
    visitor: Visitor,
    RawQuery(query): RawQuery,
) -> Result<Response, PageError> {
    let query = query.unwrap_or_default();
    let request = ListRequest::read(&query);
    let Some(named_user) = state.sessions.named_user(&visitor).await? else {
        return Err(state.sessions.sign_in_first(LIST));
    };
    // The questions are read at the same time as the session, whose cookie names the user.
    let (owner, questions) = try_join!(
        state.sessions.find(&visitor),
        state.players.count_questions(named_user),
    )?;
    let owner = owner.filter(|owner| owner.account.user.id == named_user);
    let owner = owner.ok_or_else(|| state.sessions.sign_in_first(LIST))?;
    let list = state.stories.current_list(named_user, &owner.account.list);
    let (list, index) = try_join!(list, state.catalogue.index())?;
    let list = state.joined_lists.join(list, index);
    let l10n = visitor.localizer(Some(&owner));
    let done = StoryFormOutcome::read(&query);
    let noticed = done.map(|(_, anime)| anime);
    let today = weekday(owner.account.time_zone().date_of(state.clock.now_ms()));
    let entries =
        EntriesPage::find(&state.catalogue, &list, &request, noticed, today, &l10n).await?;
    let csrf = state.sessions.csrf(&visitor);
    let title = l10n.text("list-title");
    let view = ListView {
        l10n: &l10n,
        renderer: AnimeRenderer::new(state.has_images, &l10n),
        csrf: &csrf.token,
        request: &request,
        entries: &entries,
        questions,
        done: done.map(|(done, _)| done),
        selection: SelectionOutcome::read(&query),
    };
    let page = Page {
        current_path: LIST,
        visitor: Some(&owner.account.user.username),
        kind: PageKind::wide(state.has_images),
        ..Page::new(&l10n, &title, view.body())
    };
    Ok(respond_with_forms(page, csrf, None))
}
