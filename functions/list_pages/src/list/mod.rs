//! The page `/list`: the entries of the signed-in user.

pub(crate) mod entries;
mod filters;
mod row;
pub(crate) mod selection;
mod selection_outcome;
mod selection_view;
mod view;

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use futures_util::try_join;
use maud::Markup;
use page_parts::story::{ListRequest, ListView, StoryFormOutcome};
use pages::anime_card::AnimeRenderer;
use pages::error::PageResult;
use pages::form_page::FormPage;
use pages::layout::{Page, PageKind};
use pages::paths::LIST;
use pages::response::with_cookie;
use shared::models::WatchStatus;

use self::entries::{EntriesPage, StoryEntry};
use self::selection_outcome::SelectionOutcome;
use self::view::ListPage;
use crate::calendar::weekday;
use crate::state::ListState;
use crate::story::changed::{ChangedEntry, read_counts};

/// `GET /list`
pub(crate) async fn page(
    State(state): State<Arc<ListState>>,
    RawQuery(query): RawQuery,
    page: FormPage,
) -> PageResult {
    let query = query.unwrap_or_default();
    let mut request = ListRequest::read(&query);
    let account = &page.owner.account;
    let user = account.user.id;
    let (list, questions, index) = try_join!(
        state.stories.current_list(user, &account.list),
        state.players.count_questions(user, account.asked_at),
        state.catalogue.index(),
    )?;
    let list = state.stories.join(list, index);
    if request.is_open() && list.has_status(WatchStatus::Current) {
        request.status = Some(WatchStatus::Current);
    }
    let chosen = request.view;
    let remembered = state.sessions.list_view(&page.visitor);
    request.view = chosen.or_else(|| ListView::from_name(remembered?));
    let l10n = &page.forms.l10n;
    let done = StoryFormOutcome::read(&query);
    let noticed = done.map(|(_, anime)| anime);
    let today = weekday(account.time_zone().date_of(state.clock.now_ms()));
    let entries =
        EntriesPage::find(&state.catalogue, &list, &request, noticed, today, l10n).await?;
    let view = ListPage {
        l10n,
        renderer: AnimeRenderer::new(state.has_images, l10n),
        csrf: &page.forms.csrf,
        request: &request,
        entries: &entries,
        questions,
        done: done.map(|(done, _)| done),
        selection: SelectionOutcome::read(&query),
        today,
    };
    let response = page.respond(Page {
        current_path: LIST,
        kind: PageKind::wide(state.has_images),
        ..page.page(&view.title(), view.body())
    });
    Ok(match chosen {
        Some(view) => with_cookie(response, &state.sessions.list_view_cookie(view.name())),
        None => response,
    })
}

/// Renders what the change of an entry has changed on this page of the list, for the script. Returns `None` if the
/// numbers of entries with each status are invalid.
pub(crate) fn render_part(request: &ListRequest, changed: ChangedEntry<'_>) -> Option<Markup> {
    let mut counts = read_counts::<6>(changed.counts)?;
    let before = changed.before.map(|state| state.status);
    let after = changed.story.as_ref().map(|story| story.state.status);
    let position = |status: WatchStatus| usize::from(u8::from(status));
    if let Some(status) = before {
        let count = &mut counts[position(status)];
        *count = count.saturating_sub(1);
    }
    if let Some(status) = after {
        counts[position(status)] += 1;
    }
    let anime = changed.anime.map(Arc::new);
    let entries = EntriesPage {
        counts,
        noticed: changed.story.map(|story| StoryEntry { story, anime }),
        ..EntriesPage::default()
    };
    let view = ListPage {
        l10n: changed.renderer.l10n,
        renderer: changed.renderer,
        csrf: changed.csrf,
        request,
        entries: &entries,
        questions: 0,
        done: Some(changed.outcome),
        selection: None,
        today: weekday(changed.today),
    };
    Some(view.part(before != after))
}
