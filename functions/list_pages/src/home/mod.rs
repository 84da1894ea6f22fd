//! The page `/`. For a signed-in user it is the home page: entries in progress, what airs, suggestions, and the season.

mod parts;
mod start;
mod suggestion;
mod view;

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::response::Response;
use catalogue::index::{IndexedRow, ListIndex};
use futures_util::try_join;
use maud::Markup;
use page_parts::StoryPagesState;
use page_parts::story::StoryFormOutcome;
use pages::anime_card::AnimeRenderer;
use pages::layout::{Page, PageKind};
use pages::paths::START;
use pages::season::season_at;
use pages::sessions::Visitor;
use shared::Result;
use shared::models::StoryState;
use stories::lists::is_in_progress;
use stories::suggestions::find_suggestions;

use self::start::{find_row, season_filter};
use self::suggestion::ShownSuggestion;
use self::view::HomeView;
use crate::calendar::find_airing;
use crate::state::ListState;
use crate::story::changed::{ChangedEntry, read_counts};

/// The maximum number of entries to continue. The heading links to all of them.
const MAX_CONTINUED: usize = 12;

/// The maximum number of suggestions.
const SHOWN_SUGGESTIONS: usize = 10;

/// `GET /`: the home page of a signed-in user, or the start page. The start page is also shown, with a notice, if
/// something that the home page needs cannot be read.
pub(crate) async fn page(
    State(state): State<Arc<StoryPagesState>>,
    State(lists): State<Arc<ListState>>,
    visitor: Visitor,
    RawQuery(query): RawQuery,
) -> Response {
    let query = query.unwrap_or_default();
    let home = Box::pin(home_page(&state, &lists, &visitor, &query)).await;
    match home {
        Ok(Some(home)) => home,
        Ok(None) => start::page(&state, &lists, &visitor, false).await,
        Err(error) => {
            tracing::warn!(%error, "the start page is shown in place of the home page");
            start::page(&state, &lists, &visitor, true).await
        }
    }
}

/// Returns the page of the signed-in user, or `None` for a visitor who is not signed in. Reads the session and the
/// anime of the season in one round. The list is in memory, and most users have no questions. The other anime depend on
/// the stories, so their documents need a second round of reads, and those of suggestions a third, unless the process
/// has read them before.
///
/// # Errors
/// Something cannot be read.
async fn home_page(
    state: &StoryPagesState,
    lists: &ListState,
    visitor: &Visitor,
    query: &str,
) -> Result<Option<Response>> {
    if state.sessions.named_user(visitor).await?.is_none() {
        return Ok(None);
    }
    let now_ms = state.clock.now_ms();
    let (season, year) = season_at(now_ms / 1000);
    let of_season = find_row(state, &season_filter(season, year)).await;
    let (owner, of_season) = try_join!(
        state.sessions.find(visitor),
        state.catalogue.resources(&of_season.rows),
    )?;
    let Some(owner) = owner else {
        return Ok(None);
    };
    let account = &owner.account;
    let user = account.user.id;
    let (list, questions, index) = try_join!(
        state.stories.current_list(user, &account.list),
        lists.players.count_questions(user, account.asked_at),
        state.catalogue.index(),
    )?;
    let list = state.stories.join(list, index);
    let (in_progress, continued) = list.in_progress(MAX_CONTINUED);
    let done = StoryFormOutcome::read(query);
    let noticed = done.map(|(_, anime)| anime.get());
    let shown = continued.iter().map(|entry| entry.anime);
    let noticed = noticed.and_then(|anime| list.index().find(anime));
    let rows: Vec<IndexedRow> = shown.chain(noticed).collect();
    let today = owner.account.time_zone().date_of(now_ms);
    let (anime, airing, suggestions) = try_join!(
        state.catalogue.resources(&rows),
        find_airing(&state.catalogue, &list, false, today),
        find_suggestions(&state.catalogue, &list, SHOWN_SUGGESTIONS),
    )?;
    let suggestions = suggestions.iter();
    let suggestions =
        suggestions.map(|suggestion| ShownSuggestion::of(&state.catalogue, suggestion));
    let suggestions: Vec<ShownSuggestion> = suggestions.collect::<Result<_, _>>()?;
    let l10n = visitor.localizer(Some(&owner));
    let csrf = state.sessions.csrf(visitor);
    let view = HomeView {
        renderer: AnimeRenderer::new(state.has_images, &l10n),
        csrf: &csrf.token,
        list: &list,
        anime: &anime,
        continued: &continued,
        in_progress,
        airing: &airing,
        today,
        suggestions: &suggestions,
        questions,
        season: (season, year),
        of_season: &of_season,
        done,
    };
    let title = l10n.text("home-title");
    let page = Page {
        current_path: START,
        visitor: Some(owner.username()),
        kind: PageKind::wide(state.has_images),
        ..Page::new(&l10n, &title, view.body())
    };
    Ok(Some(page.respond(StatusCode::OK)))
}

/// Renders what the change of an entry has changed on the page, for the script. Returns `None` if the number of entries
/// to continue is invalid.
pub(crate) fn render_part(changed: &ChangedEntry<'_>) -> Option<Markup> {
    let [mut in_progress] = read_counts(changed.counts)?;
    let anime = changed.anime.as_ref();
    let is_continued = |state: &StoryState| {
        anime.is_some_and(|anime| is_in_progress(state, anime.episodes_count, anime.status))
    };
    let was_continued = changed.before.as_ref().is_some_and(is_continued);
    let story = changed.story.as_ref();
    let is_continued = story.is_some_and(|story| is_continued(&story.state));
    if was_continued && !is_continued {
        in_progress = in_progress.saturating_sub(1);
    } else if is_continued && !was_continued {
        in_progress += 1;
    }
    Some(view::part(changed, is_continued, in_progress))
}
