//! The page with the imports of the last 7 days, which undoes them (docs/api.md, "Undo of an import").

use std::sync::Arc;

use accounts::SignedIn;
use axum::extract::State;
use axum::response::Response;
use list_files::{RecentImport, UndoReport};
use maud::html;
use shared::auth::Action;
use shared::grouped;

use crate::answer::with_forms;
use crate::error::PageError;
use crate::form::{PostForm, SignedInForm};
use crate::language::Localizer;
use crate::layout::{Page, notice};
use crate::paths::{HISTORY, HISTORY_IMPORTS, PROFILE};
use crate::sessions::Visitor;
use crate::state::SiteState;
use crate::text::day;

/// `GET /profile/history/imports`
pub(crate) async fn page(
    State(state): State<Arc<SiteState>>,
    visitor: Visitor,
) -> Result<Response, PageError> {
    let owner = state.sessions.require(&visitor, HISTORY_IMPORTS).await?;
    show(&state, &visitor, &owner, None).await
}

/// `POST /profile/history/imports`: undoes an import.
pub(crate) async fn undo(
    State(state): State<Arc<SiteState>>,
    own: SignedInForm,
) -> Result<Response, PageError> {
    let (id, now) = (own.owner.account.user.id, state.accounts.clock.now_ms());
    let access = own.owner.access(Action::WriteStory);
    let import = own.form.value("import_id");
    let report = list_files::undo(&state.stories, &state.waiting, &access, id, import, now).await?;
    show(&state, &own.visitor, &own.owner, Some(&report)).await
}

/// Renders the button that undoes an import.
pub(super) fn undo_form<'a>(csrf: &'a str, import_id: &'a str, button: &'a str) -> PostForm<'a> {
    PostForm {
        action: HISTORY_IMPORTS,
        csrf,
        hidden: Some(("import_id", import_id)),
        button,
        danger: true,
        ..PostForm::default()
    }
}

async fn show(
    state: &SiteState,
    visitor: &Visitor,
    owner: &SignedIn,
    undone: Option<&UndoReport>,
) -> Result<Response, PageError> {
    let (user, now) = (&owner.account.user, state.accounts.clock.now_ms());
    let imports = list_files::recent_imports(&state.stories, user.id, now).await?;
    let csrf = state.sessions.csrf(visitor);
    let body = html! {
        @if let Some(report) = undone { (notice(&sentences(report))) }
        p {
            "You can undo an import within 7 days. Entries that it added are deleted, and those that it changed get \
             their old values. Changes that you have made since stay."
        }
        @if imports.is_empty() { p { "You have not imported anything in the last 7 days." } }
        @for import in &imports {
            section aria-labelledby=(import.import_id) {
                h2 id=(import.import_id) { (heading(import)) }
                p { (counts(import)) }
                (undo_form(&csrf.token, &import.import_id, "Undo this import"))
            }
        }
        p { a.row href=(HISTORY) { "Back to import and export" } }
    };
    let l10n = Localizer::default();
    let page = Page {
        current_path: PROFILE,
        visitor: Some(&user.username),
        ..Page::new(&l10n, "Recent imports", body)
    };
    Ok(with_forms(page, csrf, None))
}

fn heading(import: &RecentImport) -> String {
    let seconds = u64::try_from(import.imported_at.unix_timestamp()).unwrap_or_default();
    let (hour, minute) = (import.imported_at.hour(), import.imported_at.minute());
    format!("Import of {}, {hour:02}:{minute:02} UTC", day(seconds))
}

fn counts(import: &RecentImport) -> String {
    let [added, changed] = [import.added, import.changed].map(entries);
    format!("It added {added} and changed {changed} that you still have.")
}

fn sentences(report: &UndoReport) -> String {
    let [restored, deleted, kept] = [report.restored, report.deleted, report.kept].map(entries);
    let undone = format!("The import has been undone: {restored} restored, {deleted} deleted.");
    if report.kept == 0 {
        undone
    } else {
        format!("{undone} You have changed {kept} since. These changes stay.")
    }
}

/// Returns a number of entries in words.
fn entries(count: usize) -> String {
    match count {
        1 => "1 entry".to_owned(),
        count => format!(
            "{} entries",
            grouped(u64::try_from(count).unwrap_or(u64::MAX))
        ),
    }
}
