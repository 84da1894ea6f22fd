//! The page for signing in.

use axum::http::StatusCode;
use axum::response::Response;
use maud::html;
use pages::form::{FormErrors, PostForm};
use pages::layout::{Control, Field, Page, PageKind, notice};
use pages::passkey::PasskeyButton;
use pages::paths::{FORGOT_PASSWORD, LIST, SIGN_IN, SIGN_IN_PASSKEY, SIGN_UP};
use pages::response::{respond_with_forms, respond_with_status};
use pages::return_path::{may_redirect_away, with_next};
use pages::sessions::Visitor;

use crate::passkeys::request_sign_in;
use crate::state::AccountState;
use crate::story::form::Draft;

/// The variable contents of the page: the form and what is above it.
#[derive(Default)]
pub(crate) struct SignInForm<'a> {
    /// The path that the visitor returns to.
    pub next: Option<&'a str>,
    /// The username or e-mail address that was typed.
    pub name: &'a str,
    /// The message of a confirmation.
    pub done: Option<&'a str>,
    /// The errors of the values that were sent.
    pub errors: Option<&'a FormErrors>,
    /// The values that were typed into the form of an entry.
    pub draft: Option<Draft<'a>>,
    /// The status of the page without errors.
    pub status: StatusCode,
}

/// Renders the page.
pub(crate) async fn show(
    state: &AccountState,
    visitor: &Visitor,
    form: &SignInForm<'_>,
) -> Response {
    let l10n = &visitor.localizer(None);
    let csrf = state.sessions.csrf(visitor);
    let request = request_sign_in(state, visitor, &csrf).await;
    let label = l10n.text("passkeys-sign-in");
    let next = form.next;
    let fields = [
        Field {
            name: "who",
            label: &l10n.text("sign-in-name"),
            control: Control::SignInName,
            value: form.name,
            hint: "",
        },
        Field {
            name: "password",
            label: &l10n.text("account-password"),
            control: Control::CurrentPassword,
            value: "",
            hint: "",
        },
    ];
    let draft = form.draft.iter().flatten().copied();
    let hidden = next.map(|next| ("next", next)).into_iter().chain(draft);
    let title = l10n.text("page-sign-in");
    let body = html! {
        @if let Some(done) = form.done { (notice(&l10n.text(done))) }
        @if form.draft.is_some() {
            @let kept = l10n.text("sign-in-draft");
            // The errors of the form take the focus, so the text must not be a notice, which would take it too.
            @if form.errors.is_some() { p { (kept) } } @else { (notice(&kept)) }
        }
        (PostForm {
            action: SIGN_IN,
            csrf: &csrf.token,
            hidden: hidden.collect(),
            fields: &fields,
            errors: form.errors,
            button: &title,
            passkey: request.as_ref().map(|request| PasskeyButton {
                action: SIGN_IN_PASSKEY,
                label: &label,
                request: Some(request),
                autofills: true,
                is_secondary: true,
            }),
            ..PostForm::new(l10n)
        })
        ul.links {
            @if l10n.has_sign_up() {
                li { a.row href=(with_next(SIGN_UP, next)) { (l10n.text("sign-in-sign-up")) } }
            }
            li { a.row href=(with_next(FORGOT_PASSWORD, next)) { (l10n.text("forgot-title")) } }
        }
    };
    let page = Page {
        current_path: SIGN_IN,
        kind: PageKind::of_form(may_redirect_away(next)),
        ..Page::new(l10n, &title, body)
    };
    match form.errors {
        Some(errors) => respond_with_forms(page, csrf, Some(errors)),
        None => respond_with_status(page, csrf, form.status),
    }
}

/// Returns the sign-in page for a visitor whose session has ended. It keeps what was typed into the form of an entry.
pub(crate) async fn ask_to_sign_in(
    state: &AccountState,
    visitor: &Visitor,
    draft: Draft<'_>,
) -> Response {
    let form = SignInForm {
        next: Some(LIST),
        draft: Some(draft),
        // The status tells programs that the entry is not saved.
        status: StatusCode::UNAUTHORIZED,
        ..SignInForm::default()
    };
    show(state, visitor, &form).await
}
