//! The page with the imports of the last 7 days, on which the user can undo them (docs/api.md, "Undo of an import").

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use pages::error::PageResult;
use pages::form::PostForm;
use pages::form_page::FormPage;
use pages::language::Localizer;
use pages::layout::notice;
use pages::paths::{HISTORY, HISTORY_IMPORTS, HISTORY_PROPOSALS};
use pages::profile_part::ProfilePart;
use shared::auth::Action;
use stories::list_files::{self, RecentImport, UndoReport};

use crate::state::ListState;

/// The parameter that names the import to undo, after a confirmation.
const UNDO: &str = "undo";

/// `GET /profile/history/imports`: the imports, or the question whether to undo the one that the parameter `undo`
/// names.
pub(crate) async fn page(State(state): State<Arc<ListState>>, page: FormPage) -> PageResult {
    let (user, now) = (page.owner.account.user.id, state.clock.now_ms());
    let imports = list_files::recent_imports(&state.stories, &state.waiting, user, now).await?;
    let wanted = page.forms.params().token(UNDO);
    let wanted = wanted.and_then(|id| imports.iter().find(|import| import.import_id == id));
    Ok(match wanted {
        Some(import) => show_question(&page, import),
        None => show(&page, &imports, None),
    })
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
    let imports = list_files::recent_imports(stories, waiting, id, now).await?;
    Ok(show(&page, &imports, Some(&report)))
}

/// Renders the link to the question whether to undo an import. `name` completes its accessible name; empty if the page
/// has only one such link.
pub(super) fn undo_link(l10n: &Localizer, import_id: &str, name: &str) -> Markup {
    html! {
        a.button.secondary href={ (HISTORY_IMPORTS) "?" (UNDO) "=" (import_id) } {
            (l10n.text("imports-undo"))
            @if !name.is_empty() { span.unseen { ": " (name) } }
        }
    }
}

/// Asks whether to undo an import, with the number of entries that are deleted.
fn show_question(page: &FormPage, import: &RecentImport) -> Response {
    let l10n = &page.forms.l10n;
    let effects = [
        ("imports-undo-deletes", import.added),
        ("imports-undo-restores", import.changed),
        ("imports-undo-forgets", import.waiting + import.proposals),
    ];
    let effects = effects.iter().filter(|(_, count)| *count > 0);
    let form = PostForm {
        hidden: vec![("import_id", import.import_id.as_str())],
        danger: true,
        ..page.forms.post(HISTORY_IMPORTS, "imports-undo")
    };
    let body = html! {
        p.lead { (heading(l10n, import)) }
        ul {
            @for (message, count) in effects { li { (l10n.format(message, [("count", (*count).into())])) } }
        }
        p { (l10n.text("imports-undo-stays")) }
        (form)
        p { a.row href=(HISTORY_IMPORTS) { (l10n.text("imports-keep")) } }
    };
    let title = l10n.text("imports-undo-question");
    page.respond(ProfilePart::Data.sub_page(page, &title, &body))
}

fn show(page: &FormPage, imports: &[RecentImport], undone: Option<&UndoReport>) -> Response {
    let l10n = &page.forms.l10n;
    let title = l10n.text("imports-title");
    let body = html! {
        @if let Some(report) = undone { (notice(&undo_sentences(l10n, report))) }
        p { (l10n.text("imports-explanation")) }
        @if imports.is_empty() { p { (l10n.text("imports-none")) } }
        @for import in imports {
            @let heading = heading(l10n, import);
            section aria-labelledby=(import.import_id) {
                h2 id=(import.import_id) { (heading) }
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
                p { (undo_link(l10n, &import.import_id, &heading)) }
            }
        }
        p { a.row href=(HISTORY) { (l10n.text("history-back")) } }
    };
    page.respond(ProfilePart::Data.sub_page(page, &title, &body))
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
