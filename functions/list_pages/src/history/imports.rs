//! The page with the imports of the last 7 days, on which the user can undo them (docs/api.md, "Undo of an import").

use std::sync::Arc;

use axum::extract::State;
use maud::html;
use pages::error::PageResult;
use pages::form::PostForm;
use pages::form_page::{FormPage, PageForms};
use pages::language::Localizer;
use pages::layout::notice;
use pages::paths::{HISTORY, HISTORY_IMPORTS, HISTORY_PROPOSALS};
use pages::profile_part::ProfilePart;
use shared::auth::Action;
use stories::list_files::{self, RecentImport, UndoReport};

use crate::state::ListState;

/// `GET /profile/history/imports`
pub(crate) async fn page(State(state): State<Arc<ListState>>, page: FormPage) -> PageResult {
    show(&state, &page, None).await
}

/// `POST /profile/history/imports`: undoes an import.
pub(crate) async fn undo(State(state): State<Arc<ListState>>, page: FormPage) -> PageResult {
    let (id, now) = (page.owner.account.user.id, state.clock.now_ms());
    let access = page.owner.access(Action::WriteStory);
    let import = page.forms.sent.value("import_id");
    let (stories, waiting, catalogue) = (&state.stories, &state.waiting, &state.catalogue);
    stories.remember_version(id, &page.owner.account.list);
    let _slot = state.file_slots.acquire(id).await;
    let report = list_files::undo(stories, waiting, catalogue, &access, id, import, now).await?;
    show(&state, &page, Some(&report)).await
}

/// Renders the button that undoes an import.
pub(super) fn undo_form<'a>(forms: &'a PageForms, import_id: &'a str) -> PostForm<'a> {
    PostForm {
        hidden: vec![("import_id", import_id)],
        danger: true,
        ..forms.post(HISTORY_IMPORTS, "imports-undo")
    }
}

async fn show(state: &ListState, page: &FormPage, undone: Option<&UndoReport>) -> PageResult {
    let (user, now) = (page.owner.account.user.id, state.clock.now_ms());
    let imports = list_files::recent_imports(&state.stories, &state.waiting, user, now).await?;
    let l10n = &page.forms.l10n;
    let title = l10n.text("imports-title");
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
                (undo_form(&page.forms, &import.import_id))
            }
        }
        p { a.row href=(HISTORY) { (l10n.text("history-back")) } }
    };
    Ok(page.respond(ProfilePart::Data.sub_page(page, &title, &body)))
}

/// Returns the heading of an import. It states the second, because there can be several imports in a minute.
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
