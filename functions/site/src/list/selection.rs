//! The form that changes or deletes the selected entries of the list in one step, and its undo.

use std::collections::HashSet;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use catalogue::index::ListIndex;
use catalogue::parse_documents;
use pages::error::PageError;
use pages::form::SignedInForm;
use pages::language::Localizer;
use pages::layout::Page;
use pages::paths::LIST;
use pages::response::{respond_with_status, see_other};
use shared::Error;
use shared::auth::Action;
use shared::input::{Form, Params};
use shared::models::{Anime, AnimeId, WatchStatus, WireEnum};
use stories::{MAX_SELECTED, SelectionChange, SelectionValues, change_selection, undo_selection};

use super::selection_view::{SelectionPage, Skipped};
use crate::state::CatalogueState;
use crate::story::action::StoryKey;
use crate::story::back::{BACK, ReturnPage};
use crate::story::form::{ENTRY, parse_score};
use crate::story::routes::CONFIRMED;

/// The name of the button that deletes the selected entries.
pub(super) const DELETE: &str = "delete";

/// The name of the hidden field with the identifier of the step that an undo is about.
pub(super) const STEP: &str = "step";

/// The values of the field `private`.
pub(super) const PRIVATE: &str = "yes";
pub(super) const PUBLIC: &str = "no";

/// Everything that a form about selected entries has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SelectionDone {
    /// The entries were changed.
    Changed,
    /// The entries were deleted.
    Deleted,
    /// The step was undone.
    Undone,
}

/// The outcome of a form about selected entries, for the notice of the list that follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SelectionOutcome {
    /// The kind of the step.
    pub done: SelectionDone,
    /// The number of entries.
    pub count: usize,
    /// The identifier of the step, if it can be undone.
    pub step: Option<String>,
}

impl SelectionOutcome {
    const ALL: [(SelectionDone, &str); 3] = [
        (SelectionDone::Changed, "changed"),
        (SelectionDone::Deleted, "deleted"),
        (SelectionDone::Undone, "undone"),
    ];

    /// Returns the outcome of a step. A step that has changed nothing cannot be undone.
    fn new(done: SelectionDone, count: usize, step: &str) -> Self {
        let can_be_undone = count > 0 && done != SelectionDone::Undone;
        let step = can_be_undone.then(|| step.to_owned());
        Self { done, count, step }
    }

    /// Reads the query of the list.
    pub(crate) fn read(query: &str) -> Option<Self> {
        let mut params = Params::parse(query);
        let name = params.token("selected")?;
        let (done, _) = Self::ALL.iter().find(|(_, known)| *known == name)?;
        let count = params.setting("count", 0..=MAX_SELECTED as u64)?;
        let step = params.token(STEP).filter(|step| is_step(step));
        Some(Self::new(
            *done,
            usize::try_from(count).unwrap_or_default(),
            step.as_deref()?,
        ))
    }

    /// Returns the address of a page with the notice.
    fn address(&self, back: &ReturnPage, step: &str) -> String {
        let address = back.address();
        let separator = if address.contains('?') { '&' } else { '?' };
        let found = Self::ALL.iter().find(|(done, _)| *done == self.done);
        let name = found.map_or("", |(_, name)| name);
        let count = self.count;
        format!("{address}{separator}selected={name}&count={count}&{STEP}={step}")
    }
}

/// Returns true for a text that can be the identifier of a step, so that no other text gets into a page or a row.
fn is_step(text: &str) -> bool {
    text.len() <= 32 && !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// The selected entries, and the page to return to.
struct Selection {
    keys: Vec<(AnimeId, String)>,
    back: ReturnPage,
}

impl Selection {
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

/// Reads the change that a form asks for: the button "delete", or the values that are not left as they are.
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
        text => {
            let mut all = WatchStatus::ALL.iter().map(|(status, _)| *status);
            let found = all.find(|status| u8::from(*status).to_string() == text);
            Some(found.ok_or_else(invalid)?)
        }
    };
    let score = match form.value("score").trim() {
        "" => None,
        text => Some(parse_score(text).map_err(|reason| {
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

/// `POST /list/selection`: changes the selected entries, or asks whether they are to be deleted and then deletes them.
pub(crate) async fn change(
    State(state): State<Arc<CatalogueState>>,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let l10n = posted.visitor.localizer(Some(&posted.owner));
    let read = Selection::read(&posted.form).map_err(|id| {
        let count = MAX_SELECTED.into();
        l10n.format(id, [("count", count)])
    });
    let read = read.and_then(|selection| Ok((selection, read_change(&posted.form, &l10n)?)));
    let (selection, change) = match read {
        Ok(read) => read,
        Err(sentence) => {
            let back = ReturnPage::read(posted.form.value(BACK));
            let page = SelectionPage::Invalid(&sentence);
            return Ok(respond(&state, &posted, &l10n, &back, &page));
        }
    };
    let Selection { keys, back } = &selection;
    let is_deletion = change == SelectionChange::Delete;
    if is_deletion && !posted.form.has(CONFIRMED) {
        let ids: Vec<AnimeId> = keys.iter().map(|(anime, _)| *anime).collect();
        let anime = find_anime(&state, &ids).await?;
        let user = &posted.owner.account.user;
        let page = SelectionPage::AskToDelete {
            keys,
            anime: &anime,
            is_linked: user.has_tracker_a == Some(true) || user.has_tracker_b == Some(true),
        };
        return Ok(respond(&state, &posted, &l10n, back, &page));
    }
    let access = posted.owner.access(Action::WriteStory);
    let (step, now) = (state.random.short_id(), state.clock.now_ms());
    let (stories, catalogue) = (&state.stories, &state.catalogue);
    let made = change_selection(stories, catalogue, &access, keys, change, &step, now).await?;
    let mut skipped = Vec::new();
    let mut count = 0;
    for ((anime, _), made) in keys.iter().zip(made) {
        let reason = match made {
            Ok(is_changed) => {
                count += usize::from(is_changed);
                continue;
            }
            Err(Error::Changed) => "selection-changed-meanwhile",
            Err(Error::NotFound("Anime not found")) => "selection-not-in-catalogue",
            Err(Error::NotFound(_)) => "selection-not-on-list",
            Err(error) => return Err(error.into()),
        };
        skipped.push(Skipped {
            anime: *anime,
            reason,
        });
    }
    let done = if is_deletion {
        SelectionDone::Deleted
    } else {
        SelectionDone::Changed
    };
    let outcome = SelectionOutcome::new(done, count, &step);
    finish(&state, &posted, &l10n, back, &outcome, &step, &skipped).await
}

/// `POST /list/selection/undo`: undoes a step.
pub(crate) async fn undo(
    State(state): State<Arc<CatalogueState>>,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let l10n = posted.visitor.localizer(Some(&posted.owner));
    let back = ReturnPage::read(posted.form.value(BACK));
    let step = posted.form.value(STEP);
    if !is_step(step) {
        let sentence = l10n.text("selection-invalid");
        let page = SelectionPage::Invalid(&sentence);
        return Ok(respond(&state, &posted, &l10n, &back, &page));
    }
    let access = posted.owner.access(Action::WriteStory);
    let (stories, catalogue, now) = (&state.stories, &state.catalogue, state.clock.now_ms());
    let undone = undo_selection(stories, catalogue, &access, step, now).await?;
    let kept = undone.kept.iter().map(|anime| Skipped {
        anime: *anime,
        reason: "selection-changed-since",
    });
    let skipped: Vec<Skipped> = kept.collect();
    let outcome = SelectionOutcome::new(SelectionDone::Undone, undone.restored, step);
    finish(&state, &posted, &l10n, &back, &outcome, step, &skipped).await
}

/// Leads back to the list. If entries were skipped, shows them first, because a new page of the list may not have them.
async fn finish(
    state: &CatalogueState,
    posted: &SignedInForm,
    l10n: &Localizer,
    back: &ReturnPage,
    outcome: &SelectionOutcome,
    step: &str,
    skipped: &[Skipped],
) -> Result<Response, PageError> {
    if skipped.is_empty() {
        return see_other(&state.sessions, &outcome.address(back, step));
    }
    let ids: Vec<AnimeId> = skipped.iter().map(|skipped| skipped.anime).collect();
    let anime = find_anime(state, &ids).await?;
    let page = SelectionPage::Skipped {
        outcome,
        skipped,
        anime: &anime,
    };
    Ok(respond(state, posted, l10n, back, &page))
}

/// Returns the anime with these identifiers, as far as the catalogue has them.
async fn find_anime(state: &CatalogueState, ids: &[AnimeId]) -> Result<Vec<Anime>, Error> {
    let index = state.catalogue.index().await?;
    let rows: Vec<_> = ids.iter().filter_map(|id| index.find(id.get())).collect();
    parse_documents(&state.catalogue.documents(&rows).await?)
}

fn respond(
    state: &CatalogueState,
    posted: &SignedInForm,
    l10n: &Localizer,
    back: &ReturnPage,
    content: &SelectionPage<'_>,
) -> Response {
    let csrf = state.sessions.csrf(&posted.visitor);
    let title = l10n.text(content.title());
    let page = Page {
        current_path: LIST,
        visitor: Some(posted.owner.username()),
        ..Page::new(l10n, &title, content.body(l10n, &csrf.token, back))
    };
    let status = match content {
        SelectionPage::Invalid(_) => StatusCode::BAD_REQUEST,
        SelectionPage::AskToDelete { .. } => StatusCode::OK,
        SelectionPage::Skipped { .. } => StatusCode::CONFLICT,
    };
    respond_with_status(page, csrf, status)
}

#[cfg(test)]
mod tests {
    use super::{SelectionDone, SelectionOutcome};

    #[test]
    fn outcome_is_read_from_the_query() {
        let read = SelectionOutcome::read;
        let changed = read("status=0&selected=changed&count=3&step=0a1b").unwrap();
        assert_eq!((changed.done, changed.count), (SelectionDone::Changed, 3));
        assert_eq!(changed.step.as_deref(), Some("0a1b"));
        let undone = read("selected=undone&count=3&step=0a1b").unwrap();
        assert_eq!(undone.step, None, "an undo cannot be undone");
        let nothing = read("selected=changed&count=0&step=0a1b").unwrap();
        assert_eq!(nothing.step, None);
        for query in [
            "",
            "selected=changed",
            "selected=x&count=1&step=0a1b",
            "selected=changed&count=51&step=0a1b",
            "selected=changed&count=1&step=%3Cb%3E",
            "selected=changed&count=1&step=",
        ] {
            assert_eq!(read(query), None, "{query}");
        }
    }
}
