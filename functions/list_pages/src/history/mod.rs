//! The page on which users import and export their watch histories (docs/api.md, "Import" and "Export").

pub(crate) mod imports;
pub(crate) mod proposals;
mod report;
pub(crate) mod waiting;

use std::sync::Arc;

use accounts::sessions::SignedInUser;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use maud::{Markup, html};
use pages::error::PageResult;
use pages::form::{NOT_LISTED, PostForm, translate_choices};
use pages::form_page::{FormPage, PageForms};
use pages::language::Localizer;
use pages::layout::{Control, Field, notice};
use pages::paths::{HISTORY, HISTORY_EXPORT, HISTORY_IMPORTS, HISTORY_PROPOSALS, HISTORY_WAITING};
use pages::profile_part::ProfilePart;
use pages::sessions::Visitor;
use pages::upload::{Upload, UploadFields};
use shared::auth::Action;
use shared::input::{Parameter, QueryString};
use shared::{Error, Result};
use stories::list_files::{
    self, ExportRequest, ImportMode, ImportReport, ImportRequest, ReadOptions, ScoreScaleOption,
    read_file,
};

use self::imports::undo_form;
use crate::state::ListState;

/// The ways to import an entry whose story already exists: form value and message.
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
    State(state): State<Arc<ListState>>,
    visitor: Visitor,
    uri: Uri,
) -> PageResult {
    let read = |user| state.waiting.find(user);
    let (owner, row) = state
        .sessions
        .require_user_and(&visitor, HISTORY, read)
        .await?;
    let proposals = list_files::count_proposals(row.as_ref(), state.clock.now_ms())?;
    let page = FormPage::new(&state.sessions, visitor, owner, uri);
    Ok(show(&page, SentValues::default(), proposals))
}

/// `POST /profile/history`: imports a list file, or previews the import.
pub(crate) async fn import(State(state): State<Arc<ListState>>, upload: Upload) -> PageResult {
    let Upload { page, fields } = upload;
    let imported = import_file(&state, &page.owner, &fields).await;
    let sent = SentValues {
        mode: fields.value("mode"),
        scale: fields.value("score_scale"),
        account: fields.value("account"),
    };
    match imported {
        Ok(report) => Ok(show_report(&page, &report, sent)),
        Err(error) => Ok(show(&page.with_errors(error)?, sent, 0)),
    }
}

/// `GET /profile/history/export`: the same file as `GET /v1/user_story/export`.
pub(crate) async fn export(
    State(state): State<Arc<ListState>>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
    page: FormPage,
) -> PageResult {
    let account = page.owner.account;
    let request = ExportRequest::parse(query.as_deref())?;
    let (stories, catalogue, now) = (&state.stories, &state.catalogue, state.clock.now_ms());
    let slot = state.file_slots.acquire(account.user.id).await;
    let file = list_files::export(stories, catalogue, account, request, &headers, now, slot);
    Ok(file.await?)
}

async fn import_file(
    state: &ListState,
    owner: &SignedInUser,
    fields: &UploadFields,
) -> Result<ImportReport> {
    let mode = ImportMode::from_name(fields.value("mode"));
    let unlisted = |name| Error::invalid(name, NOT_LISTED);
    let mode = mode.ok_or_else(|| unlisted("mode"))?;
    let score_scale = match fields.value("score_scale") {
        "" => None,
        scale => ScoreScaleOption::parse(scale).map_err(|_| unlisted("score_scale"))?,
    };
    let account = match fields.value("account").trim() {
        "" => None,
        account => {
            let account = account.parse().ok();
            let unknown = || Error::invalid("account", "must be the number of an account");
            Some(account.ok_or_else(unknown)?)
        }
    };
    let user = owner.account.user.id;
    let slot = Arc::new(state.file_slots.acquire(user).await);
    let options = ReadOptions {
        score_scale,
        account,
    };
    let file = read_file(fields.file("file")?, options, &slot).await?;
    let id = (!fields.has(PREVIEW_BUTTON)).then(|| state.random.short_id());
    let access = owner.access(Action::WriteStory);
    let request = ImportRequest {
        access: Some(&access),
        owner: user,
        mode,
        id: id.as_deref(),
        now: state.clock.now_ms(),
    };
    let stories = &state.stories;
    stories.remember_version(user, &owner.account.list);
    list_files::import(
        stories,
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

/// Returns the page with the form. `proposals` is the number of entries that wait for the user's answer.
fn show(page: &FormPage, sent: SentValues<'_>, proposals: usize) -> Response {
    let l10n = &page.forms.l10n;
    let body = html! {
        (proposals_notice(l10n, proposals))
        section aria-labelledby="import" {
            h2 #import { (l10n.text("history-import")) }
            p { (l10n.text("history-import-explanation")) }
            (import_form(&page.forms, sent))
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
    page.respond(ProfilePart::Data.sub_page(page, &title, &body))
}

fn show_report(page: &FormPage, report: &ImportReport, sent: SentValues<'_>) -> Response {
    let l10n = &page.forms.l10n;
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
        (report::render_report(l10n, report))
        @if let Some(id) = report.import_id.as_deref().filter(|_| report.can_be_undone()) {
            section aria-labelledby="undo" {
                h2 #undo { (l10n.text("report-undo")) }
                p { (l10n.text("report-undo-explanation")) }
                (undo_form(&page.forms, id))
            }
        }
        @if report.dry_run {
            section aria-labelledby="import" {
                h2 #import { (l10n.text("history-import")) }
                p { (l10n.text("report-choose-again")) }
                (import_form(&page.forms, sent))
            }
        }
        p { a.row href=(HISTORY) { (l10n.text("history-back")) } }
    };
    let title = l10n.text(title);
    page.respond(ProfilePart::Data.sub_page(page, &title, &body))
}

/// Renders that entries wait for the user's answer, with a link to them.
pub(super) fn proposals_notice(l10n: &Localizer, count: usize) -> Markup {
    html! {
        @if count > 0 {
            p.lead {
                a href=(HISTORY_PROPOSALS) { (l10n.format("proposals-waiting", [("count", count.into())])) }
            }
        }
    }
}

fn import_form(forms: &PageForms, sent: SentValues<'_>) -> Markup {
    let l10n = &forms.l10n;
    let modes = Control::Radio(translate_choices(l10n, MODES));
    let scales = Control::Select(translate_choices(l10n, SCALES));
    let number = Control::OptionalLine("numeric");
    let fields = [
        Field::new(l10n, "file", Control::File, "history-file")
            .with_hint(l10n.text("history-file-hint")),
        Field::new(l10n, "mode", modes, "history-mode").with_value(sent.mode),
        Field::new(l10n, "score_scale", scales, "history-scale")
            .with_hint(l10n.text("history-scale-hint"))
            .with_value(sent.scale),
        Field::new(l10n, "account", number, "history-account")
            .with_hint(l10n.text("history-account-hint"))
            .with_value(sent.account),
    ];
    html! {
        (PostForm {
            fields: &fields,
            other_button: Some((&l10n.text("history-preview"), PREVIEW_BUTTON)),
            ..forms.post(HISTORY, "history-import")
        })
    }
}
