//! The page on which users import and export their watch histories (docs/api.md, "Import" and "Export").

use std::sync::Arc;

use accounts::SignedInUser;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use maud::{Markup, html};
use pages::error::PageError;
use pages::form::{FormErrors, PostForm, borrow_choices, translate_choices};
use pages::language::Localizer;
use pages::layout::{Control, Field, notice};
use pages::paths::{HISTORY, HISTORY_EXPORT, HISTORY_IMPORTS, HISTORY_PROPOSALS, HISTORY_WAITING};
use pages::response::respond_with_forms;
use pages::sessions::Visitor;
use pages::upload::Upload;
use shared::Error;
use shared::auth::Action;
use shared::input::{Parameter, QueryString};
use stories::ImportMode;
use stories::list_files::{
    self, ExportRequest, ImportReport, ImportRequest, ReadOptions, ScoreScaleOption, read_file,
};

use super::imports::undo_form;
use super::part::Part;
use super::report;
use crate::state::HistoryState;

/// The ways to import an entry whose story exists already: form value and message.
const MODES: [(&str, &str); 3] = [
    ("merge", "history-mode-merge"),
    ("keep", "history-mode-keep"),
    ("replace", "history-mode-replace"),
];

/// The scales of scores that the user can state: form value and message. Without one, the file decides.
const SCALES: [(&str, &str); 5] = [
    ("", "history-scale-file"),
    ("3", "history-scale-3"),
    ("5", "history-scale-5"),
    ("10", "history-scale-10"),
    ("100", "history-scale-100"),
];

/// The formats of exports: value of the parameter `format`, and the messages with label and description.
const FORMATS: [(&str, &str, &str); 3] = [
    ("mal_xml", "history-format-xml", "history-format-xml-hint"),
    ("csv", "history-format-csv", "history-format-csv-hint"),
    ("json", "history-format-json", "history-format-json-hint"),
];

/// The name of the button that previews an import.
const PREVIEW_BUTTON: &str = "dry_run";

/// `GET /profile/history`
pub(crate) async fn page(
    State(state): State<Arc<HistoryState>>,
    visitor: Visitor,
) -> Result<Response, PageError> {
    let read = |user| state.waiting.find(user);
    let (owner, row) = state
        .sessions
        .require_user_and(&visitor, HISTORY, read)
        .await?;
    let page = HistoryPage {
        sent: SentValues::default(),
        errors: None,
        proposals: list_files::count_proposals(row.as_ref(), state.clock.now_ms())?,
    };
    Ok(show(&state, &visitor, &owner, &page))
}

/// `POST /profile/history`: imports a list file, or previews the import.
pub(crate) async fn import(
    State(state): State<Arc<HistoryState>>,
    upload: Upload,
) -> Result<Response, PageError> {
    let Upload { visitor, owner, .. } = &upload;
    let sent = SentValues {
        mode: upload.value("mode"),
        scale: upload.value("score_scale"),
        account: upload.value("account"),
    };
    match import_file(&state, &upload).await {
        Ok(report) => Ok(show_report(&state, visitor, owner, &report, sent)),
        Err(error) => {
            let errors = FormErrors::of(error)?;
            let page = HistoryPage {
                sent,
                errors: Some(&errors),
                proposals: 0,
            };
            Ok(show(&state, visitor, owner, &page))
        }
    }
}

/// `GET /profile/history/export`: the same file as `GET /v1/user_story/export`.
pub(crate) async fn export(
    State(state): State<Arc<HistoryState>>,
    visitor: Visitor,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, PageError> {
    let owner = state.sessions.require_user(&visitor, HISTORY).await?;
    let request = ExportRequest::parse(query.as_deref())?;
    let (stories, catalogue, now) = (&state.stories, &state.catalogue, state.clock.now_ms());
    let file = list_files::export(stories, catalogue, owner.account, request, &headers, now);
    Ok(file.await?)
}

async fn import_file(state: &HistoryState, upload: &Upload) -> Result<ImportReport, Error> {
    let mode = ImportMode::from_name(upload.value("mode"));
    let unlisted = |name| Error::invalid(name, "must be one of the listed options");
    let mode = mode.ok_or_else(|| unlisted("mode"))?;
    let score_scale = match upload.value("score_scale") {
        "" => None,
        scale => ScoreScaleOption::parse(scale).map_err(|_| unlisted("score_scale"))?,
    };
    let account = match upload.value("account").trim() {
        "" => None,
        account => {
            let account = account.parse().ok();
            let unknown = || Error::invalid("account", "must be the number of an account");
            Some(account.ok_or_else(unknown)?)
        }
    };
    let owner = upload.owner.account.user.id;
    let slot = Arc::new(state.import_slots.acquire(owner).await);
    let options = ReadOptions {
        score_scale,
        account,
    };
    let file = read_file(upload.file("file")?, options, &slot).await?;
    let id = (!upload.has(PREVIEW_BUTTON)).then(|| state.random.short_id());
    let access = upload.owner.access(Action::WriteStory);
    let request = ImportRequest {
        access: Some(&access),
        owner,
        mode,
        id: id.as_deref(),
        now: state.clock.now_ms(),
    };
    list_files::import(
        &state.stories,
        &state.waiting,
        &state.players,
        &state.catalogue,
        file,
        request,
    )
    .await
}

/// The values of the form that were sent.
#[derive(Clone, Copy)]
struct SentValues<'v> {
    mode: &'v str,
    scale: &'v str,
    account: &'v str,
}

impl Default for SentValues<'_> {
    fn default() -> Self {
        Self {
            mode: ImportMode::default().name(),
            scale: "",
            account: "",
        }
    }
}

/// The differences between the pages with the form.
struct HistoryPage<'p> {
    sent: SentValues<'p>,
    errors: Option<&'p FormErrors>,
    /// The number of entries that wait for the user's answer.
    proposals: usize,
}

fn show(
    state: &HistoryState,
    visitor: &Visitor,
    owner: &SignedInUser,
    page: &HistoryPage<'_>,
) -> Response {
    let errors = page.errors;
    let l10n = &visitor.localizer(Some(owner));
    let csrf = state.sessions.csrf(visitor);
    let body = html! {
        (proposals_notice(l10n, page.proposals))
        section aria-labelledby="import" {
            h2 #import { (l10n.text("history-import")) }
            p { (l10n.text("history-import-explanation")) }
            (import_form(l10n, &csrf.token, page.sent, errors))
            p.hint { (l10n.text("history-preview-hint")) }
            p { a.row href=(HISTORY_IMPORTS) { (l10n.text("history-imports")) } }
            p { a.row href=(HISTORY_PROPOSALS) { (l10n.text("proposals-title")) } }
            p { a.row href=(HISTORY_WAITING) { (l10n.text("waiting-title")) } }
        }
        section aria-labelledby="export" {
            h2 #export { (l10n.text("history-export")) }
            p { (l10n.text("history-export-explanation")) }
            ul.plain {
                @for (format, label, description) in FORMATS {
                    li {
                        a.row href={ (HISTORY_EXPORT) "?format=" (format) } { (l10n.text(label)) }
                        p.hint { (l10n.text(description)) }
                    }
                }
            }
        }
    };
    let title = l10n.text("history-title");
    let page = Part::Data.sub_page(l10n, &title, owner, &body);
    respond_with_forms(page, csrf, errors)
}

fn show_report(
    state: &HistoryState,
    visitor: &Visitor,
    owner: &SignedInUser,
    report: &ImportReport,
    sent: SentValues<'_>,
) -> Response {
    let l10n = &visitor.localizer(Some(owner));
    let csrf = state.sessions.csrf(visitor);
    let counts = report.counts;
    let has_changed = counts.added + counts.changed > 0;
    let (title, done) = if report.dry_run {
        ("report-preview", "report-preview-done")
    } else if has_changed {
        ("report-import", "report-import-done")
    } else if counts.proposals > 0 || report.can_be_undone() {
        ("report-import", "report-import-waits")
    } else {
        ("report-import", "report-import-nothing")
    };
    let body = html! {
        (notice(&l10n.text(done)))
        @if !report.dry_run { (proposals_notice(l10n, counts.proposals)) }
        (report::body(l10n, report))
        @if let Some(id) = report.import_id.as_deref().filter(|_| report.can_be_undone()) {
            section aria-labelledby="undo" {
                h2 #undo { (l10n.text("report-undo")) }
                p { (l10n.text("report-undo-explanation")) }
                (undo_form(l10n, &csrf.token, id, &l10n.text("imports-undo")))
            }
        }
        @if report.dry_run {
            section aria-labelledby="import" {
                h2 #import { (l10n.text("history-import")) }
                p { (l10n.text("report-choose-again")) }
                (import_form(l10n, &csrf.token, sent, None))
            }
        }
        p { a.row href=(HISTORY) { (l10n.text("history-back")) } }
    };
    let title = l10n.text(title);
    let page = Part::Data.sub_page(l10n, &title, owner, &body);
    respond_with_forms(page, csrf, None)
}

/// Renders that entries wait for the user's answer, with a link to them.
fn proposals_notice(l10n: &Localizer, count: usize) -> Markup {
    html! {
        @if count > 0 {
            p.lead {
                a href=(HISTORY_PROPOSALS) { (l10n.format("proposals-waiting", [("count", count.into())])) }
            }
        }
    }
}

fn import_form(
    l10n: &Localizer,
    csrf: &str,
    sent: SentValues<'_>,
    errors: Option<&FormErrors>,
) -> Markup {
    let modes = translate_choices(l10n, MODES);
    let scales = translate_choices(l10n, SCALES);
    let fields = [
        Field {
            name: "file",
            label: &l10n.text("history-file"),
            control: Control::File,
            value: "",
            hint: &l10n.text("history-file-hint"),
        },
        Field {
            name: "mode",
            label: &l10n.text("history-mode"),
            control: Control::Radio(&borrow_choices(&modes)),
            value: sent.mode,
            hint: "",
        },
        Field {
            name: "score_scale",
            label: &l10n.text("history-scale"),
            control: Control::Select(&borrow_choices(&scales)),
            value: sent.scale,
            hint: &l10n.text("history-scale-hint"),
        },
        Field {
            name: "account",
            label: &l10n.text("history-account"),
            control: Control::OptionalLine("numeric"),
            value: sent.account,
            hint: &l10n.text("history-account-hint"),
        },
    ];
    html! {
        (PostForm {
            action: HISTORY,
            csrf,
            fields: &fields,
            errors,
            button: &l10n.text("history-import"),
            other_button: Some((&l10n.text("history-preview"), PREVIEW_BUTTON)),
            ..PostForm::new(l10n)
        })
    }
}
