//! The page with the imports of the last 7 days, on which the user can undo them (docs/api.md, "Undo of an
//! import").

use std::sync::Arc;

use accounts::SignedInUser;
use axum::extract::State;
use axum::response::Response;
use maud::html;
use pages::error::PageError;
use pages::form::{PostForm, SignedInForm};
use pages::language::Localizer;
use pages::layout::notice;
use pages::paths::{HISTORY, HISTORY_IMPORTS, HISTORY_PROPOSALS};
use pages::response::respond_with_forms;
use pages::sessions::Visitor;
use shared::auth::Action;
use stories::list_files::{self, RecentImport, UndoReport};

use super::part::Part;
use crate::state::HistoryState;

/// `GET /profile/history/imports`
pub(crate) async fn page(
    State(state): State<Arc<HistoryState>>,
    visitor: Visitor,
) -> Result<Response, PageError> {
    let owner = state
        .sessions
        .require_user(&visitor, HISTORY_IMPORTS)
        .await?;
    show(&state, &visitor, &owner, None).await
}

/// `POST /profile/history/imports`: undoes an import.
pub(crate) async fn undo(
    State(state): State<Arc<HistoryState>>,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let (id, now) = (posted.owner.account.user.id, state.clock.now_ms());
    let access = posted.owner.access(Action::WriteStory);
    let import = posted.form.value("import_id");
    let (stories, waiting, catalogue) = (&state.stories, &state.waiting, &state.catalogue);
    stories.remember_version(id, &posted.owner.account.list);
    let _slot = state.file_slots.acquire(id).await;
    let report = list_files::undo(stories, waiting, catalogue, &access, id, import, now).await?;
    show(&state, &posted.visitor, &posted.owner, Some(&report)).await
}

/// Renders the button that undoes an import.
pub(super) fn undo_form<'a>(
    l10n: &'a Localizer,
    csrf: &'a str,
    import_id: &'a str,
    button: &'a str,
) -> PostForm<'a> {
    PostForm {
        action: HISTORY_IMPORTS,
        csrf,
        hidden: vec![("import_id", import_id)],
        button,
        danger: true,
        ..PostForm::new(l10n)
    }
}

async fn show(
    state: &HistoryState,
    visitor: &Visitor,
    owner: &SignedInUser,
    undone: Option<&UndoReport>,
) -> Result<Response, PageError> {
    let (user, now) = (owner.account.user.id, state.clock.now_ms());
    let imports = list_files::recent_imports(&state.stories, &state.waiting, user, now).await?;
    let l10n = &visitor.localizer(Some(owner));
    let csrf = state.sessions.csrf(visitor);
    let (title, undo) = (l10n.text("imports-title"), l10n.text("imports-undo"));
    let body = html! {
        @if let Some(report) = undone { (notice(&undo_sentences(l10n, report))) }
        p { (l10n.text("imports-explanation")) }
        @if imports.is_empty() { p { (l10n.text("imports-none")) } }
        @for import in &imports {
            section aria-labelledby=(import.import_id) {
                h2 id=(import.import_id) { (heading(l10n, import)) }
                p { (counts(l10n, import)) }
                @if import.waiting > 0 {
                    p { (l10n.format("imports-waiting", [("count", import.waiting.into())])) }
                }
                @if import.proposals > 0 {
                    p {
                        a href=(HISTORY_PROPOSALS) {
                            (l10n.format("proposals-waiting", [("count", import.proposals.into())]))
                        }
                    }
                }
                (undo_form(l10n, &csrf.token, &import.import_id, &undo))
            }
        }
        p { a.row href=(HISTORY) { (l10n.text("history-back")) } }
    };
    let page = Part::Data.sub_page(l10n, &title, owner, &body);
    Ok(respond_with_forms(page, csrf, None))
}

/// Several imports in a minute differ by the second.
fn heading(l10n: &Localizer, import: &RecentImport) -> String {
    let seconds = u64::try_from(import.imported_at.unix_timestamp()).unwrap_or_default();
    l10n.format(
        "imports-heading",
        [("time", l10n.unix_date_second(seconds).into())],
    )
}

fn counts(l10n: &Localizer, import: &RecentImport) -> String {
    let counts = [
        ("added", import.added.into()),
        ("changed", import.changed.into()),
    ];
    l10n.format("imports-counts", counts)
}

fn undo_sentences(l10n: &Localizer, report: &UndoReport) -> String {
    let undone = [
        ("restored", report.restored.into()),
        ("deleted", report.deleted.into()),
    ];
    let mut sentences = vec![l10n.format("imports-undone", undone)];
    let counted = [
        ("imports-forgotten", report.forgotten),
        ("imports-kept", report.kept),
    ];
    for (message, count) in counted {
        if count > 0 {
            sentences.push(l10n.format(message, [("count", count.into())]));
        }
    }
    sentences.join(" ")
}
