//! The form that changes or deletes the selected entries of the list in one step, and its undo.

use std::collections::HashSet;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use catalogue::index::ListIndex;
use catalogue::parse_documents;
use page_parts::story::{BACK, CONFIRMED, ENTRY, ReturnPage, StoryKey, read_score, read_status};
use pages::error::PageResult;
use pages::form_page::FormPage;
use pages::language::Localizer;
use pages::layout::Page;
use pages::paths::LIST;
use pages::response::see_notice;
use shared::auth::Action;
use shared::input::Form;
use shared::models::{Anime, AnimeId};
use shared::{Error, Missing, Result};
use stories::lists::{
    MAX_SELECTED, SelectionChange, SelectionValues, change_selection, undo_selection,
};

use super::selection_outcome::{
    DELETE, PRIVATE, PUBLIC, SELECTION_ID, SelectionDone, SelectionOutcome, is_selection_id,
};
use super::selection_view::{SelectionPage, UnchangedEntry};
use crate::state::ListState;

/// The selected entries, and the page to return to.
struct SelectedEntries {
    keys: Vec<(AnimeId, String)>,
    back: ReturnPage,
}

impl SelectedEntries {
    /// Reads a form.
    ///
    /// # Errors
    /// The identifier of the message about the error.
    fn read(form: &Form) -> Result<Self, &'static str> {
        let sent: Vec<&str> = form.values(ENTRY).collect();
        if sent.is_empty() {
            return Err("selection-none");
        }
        if sent.len() > MAX_SELECTED {
            return Err("selection-too-many");
        }
        let mut seen = HashSet::new();
        let mut keys = Vec::with_capacity(sent.len());
        for text in sent {
            let key = StoryKey::read(text).ok_or("selection-invalid")?;
            if seen.insert(key.anime) {
                keys.push((key.anime, key.tag.unwrap_or_default()));
            }
        }
        let back = ReturnPage::read(form.value(BACK));
        Ok(Self { keys, back })
    }
}

/// Reads the change that a form asks for: the button "delete", or the values to change.
///
/// # Errors
/// The sentence about the error, in the user's language.
fn read_change(form: &Form, l10n: &Localizer) -> Result<SelectionChange, String> {
    if form.has(DELETE) {
        return Ok(SelectionChange::Delete);
    }
    let invalid = || l10n.text("selection-invalid");
    let status = match form.value("status") {
        "" => None,
        text => Some(read_status(text).ok_or_else(invalid)?),
    };
    let score = match form.value("score").trim() {
        "" => None,
        text => Some(read_score(text, None, l10n).map_err(|reason| {
            let (label, reason) = (l10n.text("story-score"), l10n.translate(reason));
            l10n.format(
                "error-parameter",
                [("name", label.into()), ("reason", reason.into())],
            )
        })?),
    };
    let private = match form.value("private") {
        "" => None,
        PRIVATE => Some(true),
        PUBLIC => Some(false),
        _ => return Err(invalid()),
    };
    let values = SelectionValues {
        status,
        score,
        private,
    };
    if values == SelectionValues::default() {
        return Err(l10n.text("selection-no-change"));
    }
    Ok(SelectionChange::Save(values))
}

/// `POST /list/selection`: changes the selected entries, or asks for confirmation and then deletes them.
pub(crate) async fn change(State(state): State<Arc<ListState>>, page: FormPage) -> PageResult {
    let l10n = &page.forms.l10n;
    let read = SelectedEntries::read(&page.forms.sent).map_err(|id| {
        let count = MAX_SELECTED.into();
        l10n.format(id, [("count", count)])
    });
    let read = read.and_then(|selection| Ok((selection, read_change(&page.forms.sent, l10n)?)));
    let (selection, change) = match read {
        Ok(read) => read,
        Err(sentence) => {
            let back = ReturnPage::read(page.forms.sent.value(BACK));
            return Ok(respond(&page, &back, &SelectionPage::Invalid(&sentence)));
        }
    };
    let SelectedEntries { keys, back } = &selection;
    let is_deletion = change == SelectionChange::Delete;
    if is_deletion && !page.forms.sent.has(CONFIRMED) {
        let ids: Vec<AnimeId> = keys.iter().map(|(anime, _)| *anime).collect();
        let anime = find_anime(&state, &ids).await?;
        let user = &page.owner.account.user;
        let question = SelectionPage::AskToDelete {
            keys,
            anime: &anime,
            is_linked: user.has_tracker_a == Some(true) || user.has_tracker_b == Some(true),
        };
        return Ok(respond(&page, back, &question));
    }
    let access = page.owner.access(Action::WriteStory);
    let (id, now) = (state.random.short_id(), state.clock.now_ms());
    let (stories, catalogue) = (&state.stories, &state.catalogue);
    let account = &page.owner.account;
    stories.remember_version(account.user.id, &account.list);
    let results = change_selection(stories, catalogue, &access, keys, change, &id, now).await?;
    let mut skipped = Vec::new();
    let mut count = 0;
    for ((anime, _), result) in keys.iter().zip(results) {
        let reason = match result {
            Ok(is_changed) => {
                count += usize::from(is_changed);
                continue;
            }
            Err(Error::Changed) => "selection-changed-meanwhile",
            Err(Error::NotFound(Missing::Anime)) => "selection-not-in-catalogue",
            Err(Error::NotFound(_)) => "selection-not-on-list",
            Err(error) => return Err(error.into()),
        };
        skipped.push(UnchangedEntry {
            anime: *anime,
            reason,
        });
    }
    let done = if is_deletion {
        SelectionDone::Deleted
    } else {
        SelectionDone::Changed
    };
    let outcome = SelectionOutcome::new(done, count, &id);
    finish(&state, &page, back, &outcome, &id, &skipped).await
}

/// `POST /list/selection/undo`: undoes a change of selected stories.
pub(crate) async fn undo(State(state): State<Arc<ListState>>, page: FormPage) -> PageResult {
    let l10n = &page.forms.l10n;
    let back = ReturnPage::read(page.forms.sent.value(BACK));
    let selection_id = page.forms.sent.value(SELECTION_ID);
    if !is_selection_id(selection_id) {
        let sentence = l10n.text("selection-invalid");
        return Ok(respond(&page, &back, &SelectionPage::Invalid(&sentence)));
    }
    let access = page.owner.access(Action::WriteStory);
    let (stories, catalogue, now) = (&state.stories, &state.catalogue, state.clock.now_ms());
    let account = &page.owner.account;
    stories.remember_version(account.user.id, &account.list);
    let undone = undo_selection(stories, catalogue, &access, selection_id, now).await?;
    let kept = undone.kept.iter().map(|anime| UnchangedEntry {
        anime: *anime,
        reason: "selection-changed-since",
    });
    let skipped: Vec<UnchangedEntry> = kept.collect();
    let outcome = SelectionOutcome::new(SelectionDone::Undone, undone.restored, selection_id);
    finish(&state, &page, &back, &outcome, selection_id, &skipped).await
}

/// Redirects back to the list. If entries were skipped, shows them first, because the next page of the list may not
/// have them.
async fn finish(
    state: &ListState,
    page: &FormPage,
    back: &ReturnPage,
    outcome: &SelectionOutcome,
    selection_id: &str,
    skipped: &[UnchangedEntry],
) -> PageResult {
    if skipped.is_empty() {
        return see_notice(&state.sessions, &outcome.address(back, selection_id));
    }
    let ids: Vec<AnimeId> = skipped.iter().map(|skipped| skipped.anime).collect();
    let anime = find_anime(state, &ids).await?;
    let content = SelectionPage::Skipped {
        outcome,
        skipped,
        anime: &anime,
    };
    Ok(respond(page, back, &content))
}

/// Returns the anime with these identifiers that the catalogue has.
async fn find_anime(state: &ListState, ids: &[AnimeId]) -> Result<Vec<Anime>> {
    let index = state.catalogue.index().await?;
    let rows: Vec<_> = ids.iter().filter_map(|id| index.find(id.get())).collect();
    parse_documents(&state.catalogue.documents(&rows).await?)
}

fn respond(page: &FormPage, back: &ReturnPage, content: &SelectionPage<'_>) -> Response {
    let forms = &page.forms;
    let title = forms.l10n.text(content.title());
    let body = content.body(&forms.l10n, &forms.csrf, back);
    let shown = Page {
        current_path: LIST,
        ..page.page(&title, body)
    };
    let status = match content {
        SelectionPage::Invalid(_) => StatusCode::BAD_REQUEST,
        SelectionPage::AskToDelete { .. } => StatusCode::OK,
        SelectionPage::Skipped { .. } => StatusCode::CONFLICT,
    };
    page.respond_with_status(shown, status)
}
