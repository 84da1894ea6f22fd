//! The page on which users import and export their watch histories (docs/api.md, "Import" and "Export").

use std::sync::Arc;

use accounts::SignedIn;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use list_files::{ExportRequest, ImportReport, ImportRequest, read_list};
use maud::{Markup, html};
use shared::Error;
use shared::auth::Action;
use shared::input::Params;
use shared::models::ImportMode;

use super::imports::undo_form;
use super::report;
use crate::answer::with_forms;
use crate::error::PageError;
use crate::form::{FormErrors, PostForm};
use crate::language::Localizer;
use crate::layout::{Control, Field, Page, notice};
use crate::paths::{HISTORY, HISTORY_EXPORT, HISTORY_IMPORTS, HISTORY_WAITING, PROFILE};
use crate::sessions::Visitor;
use crate::state::SiteState;
use crate::upload::Upload;

/// The treatment of stories that exist already: form value and label.
const MODES: [(&str, &str); 3] = [
    (
        "merge",
        "Merge: your progress never gets smaller, and empty fields are filled in from the file",
    ),
    ("keep", "Keep: they stay as they are"),
    (
        "replace",
        "Replace: they become as in the file, even if you are further here",
    ),
];

/// The exports: parameter, label and description.
const FORMATS: [(&str, &str, &str); 3] = [
    (
        "mal_xml",
        "MyAnimeList XML",
        "For MyAnimeList and all services that import its lists. Private entries and anime that MyAnimeList does not \
         have are left out.",
    ),
    ("csv", "CSV", "For spreadsheets."),
    (
        "json",
        "JSON",
        "Has everything: for a backup, or for another Kiroku server.",
    ),
];

/// The name of the button that previews an import.
const PREVIEW: &str = "dry_run";

/// `GET /profile/history`
pub(crate) async fn page(
    State(state): State<Arc<SiteState>>,
    visitor: Visitor,
) -> Result<Response, PageError> {
    let owner = state.sessions.require(&visitor, HISTORY).await?;
    let mode = ImportMode::default().name();
    Ok(show(&state, &visitor, &owner, mode, None))
}

/// `POST /profile/history`: imports a list file, or previews the import.
pub(crate) async fn import(
    State(state): State<Arc<SiteState>>,
    upload: Upload,
) -> Result<Response, PageError> {
    let Upload { visitor, owner, .. } = &upload;
    match import_file(&state, &upload).await {
        Ok(report) => Ok(show_report(&state, visitor, owner, &report)),
        Err(error) => {
            let faults = FormErrors::of(error)?;
            let mode = upload.value("mode");
            Ok(show(&state, visitor, owner, mode, Some(&faults)))
        }
    }
}

/// `GET /profile/history/export`: the same file as `GET /v1/user_story/export`.
pub(crate) async fn export(
    State(state): State<Arc<SiteState>>,
    visitor: Visitor,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, PageError> {
    let owner = state.sessions.require(&visitor, HISTORY).await?;
    let mut params = Params::parse(query.as_deref().unwrap_or_default());
    let request = ExportRequest::read(&mut params);
    params.finish()?;
    let (stories, anime, now) = (&state.stories, &state.anime, state.accounts.clock.now_ms());
    let file = list_files::export(stories, anime, owner.account.user, request, &headers, now);
    Ok(file.await?)
}

/// `GET /profile/history/waiting`: the same file as `GET /v1/user_story/import/waiting`.
pub(crate) async fn export_waiting(
    State(state): State<Arc<SiteState>>,
    visitor: Visitor,
    headers: HeaderMap,
) -> Result<Response, PageError> {
    let owner = state.sessions.require(&visitor, HISTORY).await?;
    let (user, now) = (owner.account.user, state.accounts.clock.now_ms());
    Ok(list_files::export_waiting(&state.waiting, user, &headers, now).await?)
}

async fn import_file(state: &SiteState, upload: &Upload) -> Result<ImportReport, Error> {
    let mode = ImportMode::from_name(upload.value("mode"));
    let mode = mode.ok_or_else(|| Error::invalid("mode", "must be one of the listed options"))?;
    let file = read_list(upload.file("file")?).await?;
    let index = state.catalogue.index().await?;
    let id = (!upload.has(PREVIEW)).then(|| state.random.short_id());
    let access = upload.owner.access(Action::WriteStory);
    let request = ImportRequest {
        access: Some(&access),
        owner: upload.owner.account.user.id,
        mode,
        id: id.as_deref(),
        now: state.accounts.clock.now_ms(),
    };
    list_files::import(&state.stories, &state.waiting, &index, file, request).await
}

fn show(
    state: &SiteState,
    visitor: &Visitor,
    owner: &SignedIn,
    mode: &str,
    faults: Option<&FormErrors>,
) -> Response {
    let csrf = state.sessions.csrf(visitor);
    let body = html! {
        section aria-labelledby="import" {
            h2 #import { "Import" }
            p {
                "Choose a list that you have exported from MyAnimeList, AniList, Kitsu, Anime-Planet, Shikimori, Taiga, \
                 Simkl or Kiroku, or a CSV file."
            }
            (import_form(&csrf.token, mode, faults))
            p.hint { "A preview shows what the import would do. It changes nothing." }
            p { a.row href=(HISTORY_IMPORTS) { "Recent imports, and undo" } }
            p { a.row href=(HISTORY_WAITING) { "Download the entries that wait for their anime" } }
        }
        section aria-labelledby="export" {
            h2 #export { "Export" }
            p { "Download your watch history as a file:" }
            ul.plain {
                @for (format, label, description) in FORMATS {
                    li {
                        a.row href={ (HISTORY_EXPORT) "?format=" (format) } { (label) }
                        p.hint { (description) }
                    }
                }
            }
        }
        p { a.row href=(PROFILE) { "Back to your profile" } }
    };
    let l10n = Localizer::default();
    let page = Page {
        current_path: PROFILE,
        visitor: Some(&owner.account.user.username),
        ..Page::new(&l10n, "Import and export", body)
    };
    with_forms(page, csrf, faults)
}

fn show_report(
    state: &SiteState,
    visitor: &Visitor,
    owner: &SignedIn,
    report: &ImportReport,
) -> Response {
    let csrf = state.sessions.csrf(visitor);
    let counts = report.counts;
    let has_changed = counts.added + counts.changed > 0;
    let (title, done) = if report.dry_run {
        (
            "Preview of the import",
            "Nothing has been changed yet. This is what the import would do.",
        )
    } else if has_changed {
        ("Import finished", "Your watch history has been imported.")
    } else {
        (
            "Import finished",
            "The file has nothing that changes your watch history.",
        )
    };
    let body = html! {
        (notice(done))
        (report::body(report))
        @if let Some(id) = report.import_id.as_deref().filter(|_| has_changed) {
            section aria-labelledby="undo" {
                h2 #undo { "Undo" }
                p { "You can undo this import within 7 days. Changes that you make until then stay." }
                (undo_form(&csrf.token, id, "Undo this import"))
            }
        }
        @if report.dry_run {
            section aria-labelledby="import" {
                h2 #import { "Import" }
                p { "Kiroku does not keep the file of a preview. To import it, choose it again." }
                (import_form(&csrf.token, report.mode.name(), None))
            }
        }
        p { a.row href=(HISTORY) { "Back to import and export" } }
    };
    let l10n = Localizer::default();
    let page = Page {
        current_path: PROFILE,
        visitor: Some(&owner.account.user.username),
        ..Page::new(&l10n, title, body)
    };
    with_forms(page, csrf, None)
}

fn import_form(csrf: &str, mode: &str, faults: Option<&FormErrors>) -> Markup {
    let fields = [
        Field {
            name: "file",
            label: "List file",
            control: Control::File,
            value: "",
            hint: "At most 4 MB and 20,000 entries. A file that is compressed with gzip (.gz) is fine.",
        },
        Field {
            name: "mode",
            label: "Entries that you have here already",
            control: Control::Radio(&MODES),
            value: mode,
            hint: "",
        },
    ];
    html! {
        (PostForm {
            action: HISTORY,
            csrf,
            fields: &fields,
            faults,
            button: "Import",
            other_button: Some(("Preview", PREVIEW)),
            ..PostForm::default()
        })
    }
}
