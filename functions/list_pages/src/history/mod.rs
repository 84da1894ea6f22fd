//! The page on which users import and export their watch histories (docs/api.md, "Import" and "Export").

pub(crate) mod imports;
pub(crate) mod proposals;
mod report;
pub(crate) mod waiting;

use std::sync::Arc;

use accounts::sessions::SignedInUser;
use axum::body::Bytes;
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
use pages::upload::{KEPT_FILE, Upload, UploadFields, pack_file};
use shared::auth::Action;
use shared::input::{Parameter, QueryString};
use shared::{Error, FieldErrors, Result};
use stories::list_files::{
    self, ExportRequest, ImportMode, ImportReport, ImportRequest, ReadOptions, ScoreScaleOption,
    read_file,
};

use self::imports::undo_link;
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
    let mut sent = SentValues {
        mode: fields.value("mode"),
        scale: fields.value("score_scale"),
        account: fields.value("account"),
        kept: None,
    };
    match imported {
        Ok(report) => {
            let kept = match fields.file("file") {
                Ok(file) if report.dry_run => {
                    let packed = tokio::task::spawn_blocking(move || pack_file(&file)).await;
                    packed.map_err(Error::internal)?
                }
                _ => None,
            };
            sent.kept = kept.as_deref();
            Ok(show_report(&page, &report, sent))
        }
        Err(error) => {
            let page = page.with_errors(error)?;
            let errors = page.forms.sent_errors();
            let is_usable = errors.is_none_or(|errors| errors.reason("file").is_none());
            sent.kept = Some(fields.value(KEPT_FILE)).filter(|kept| is_usable && !kept.is_empty());
            Ok(show(&page, sent, 0))
        }
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
    let (file, mode, options) = read_form(fields)?;
    let user = owner.account.user.id;
    let slot = Arc::new(state.file_slots.acquire(user).await);
    let file = read_file(file, options, &slot).await?;
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

/// Reads the form of an import.
///
/// # Errors
/// [`Error::Invalid`] with the errors of all fields.
fn read_form(fields: &UploadFields) -> Result<(Bytes, ImportMode, ReadOptions)> {
    let mut errors = FieldErrors::new();
    let mut add = |name, reason: &str| {
        errors.insert(name, reason.to_owned());
    };
    let file = fields.file("file").map_err(|reason| add("file", reason));
    let mode = ImportMode::from_name(fields.value("mode"));
    if mode.is_none() {
        add("mode", NOT_LISTED);
    }
    let score_scale = match fields.value("score_scale") {
        "" => None,
        scale => ScoreScaleOption::parse(scale).unwrap_or_else(|_| {
            add("score_scale", NOT_LISTED);
            None
        }),
    };
    let account = match fields.value("account").trim() {
        "" => None,
        account => {
            let account = account.parse().ok();
            if account.is_none() {
                add("account", "must be the number of an account");
            }
            account
        }
    };
    match (file, mode) {
        (Ok(file), Some(mode)) if errors.is_empty() => {
            let options = ReadOptions {
                score_scale,
                account,
            };
            Ok((file, mode, options))
        }
        _ => Err(Error::Invalid(errors)),
    }
}

/// The values of the form that were sent.
#[derive(Clone, Copy)]
struct SentValues<'v> {
    mode: &'v str,
    scale: &'v str,
    account: &'v str,
    /// The file of a preview, packed, so that the user need not choose it again.
    kept: Option<&'v str>,
}

impl Default for SentValues<'_> {
    fn default() -> Self {
        Self {
            mode: ImportMode::default().name(),
            scale: "",
            account: "",
            kept: None,
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
        (report::render_numbers(l10n, report))
        @if let Some(id) = report.import_id.as_deref().filter(|_| report.can_be_undone()) {
            section aria-labelledby="undo" {
                h2 #undo { (l10n.text("report-undo")) }
                p { (l10n.text("report-undo-explanation")) }
                p { (undo_link(l10n, id, "")) }
            }
        }
        @if report.dry_run {
            section aria-labelledby="import" {
                h2 #import { (l10n.text("history-import")) }
                p { (l10n.text(if sent.kept.is_some() { "report-kept" } else { "report-choose-again" })) }
                (import_form(&page.forms, sent))
            }
        }
        (report::render_lists(l10n, report))
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
    let file = Field::new(l10n, "file", Control::File, "history-file");
    let file = file.with_hint(l10n.text("history-file-hint"));
    let fields = [
        Field::new(l10n, "mode", modes, "history-mode").with_value(sent.mode),
        Field::new(l10n, "score_scale", scales, "history-scale")
            .with_hint(l10n.text("history-scale-hint"))
            .with_value(sent.scale),
        Field::new(l10n, "account", number, "history-account")
            .with_hint(l10n.text("history-account-hint"))
            .with_value(sent.account),
    ];
    let file = Some(file).filter(|_| sent.kept.is_none());
    let fields: Vec<Field<'_>> = file.into_iter().chain(fields).collect();
    html! {
        (PostForm {
            hidden: sent.kept.map(|kept| (KEPT_FILE, kept)).into_iter().collect(),
            fields: &fields,
            is_multipart: true,
            other_button: Some((&l10n.text("history-preview"), PREVIEW_BUTTON)),
            ..forms.post(HISTORY, "history-import")
        })
    }
}
