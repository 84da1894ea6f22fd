//! The step of a sign-in in which a user with a second factor types a code.

use accounts::{CeremonyContext, CeremonyKind, PendingSignIn};
use axum::response::Response;
use maud::html;
use pages::error::PageError;
use pages::form::{FormErrors, PostForm};
use pages::layout::{Control, Field, Page, PageKind};
use pages::paths::{SIGN_IN, SIGN_IN_CODE};
use pages::response::respond_with_forms;
use pages::return_path::{may_redirect_away, return_path, with_next};
use pages::sessions::Visitor;
use shared::Error;
use shared::input::Form;

use crate::state::AccountState;
use crate::story::form::read_draft;

/// Asks for the code. The encrypted state of the sign-in is in the form, so that the password is not asked for again.
/// It ends after 10 minutes, and only this browser can use it.
pub(super) async fn ask(
    state: &AccountState,
    visitor: &Visitor,
    pending: &PendingSignIn,
    form: &Form,
) -> Result<Response, PageError> {
    let browser = state.sessions.browser_id(visitor).unwrap_or_default();
    let sealed = state.ceremonies.begin(context(&browser), pending).await?;
    Ok(page(state, visitor, form, &sealed, None))
}

/// Returns the sign-in whose encrypted state is in the form; `None` if it has ended or belongs to another browser.
pub(super) async fn read_pending(
    state: &AccountState,
    visitor: &Visitor,
    form: &Form,
) -> Result<Option<PendingSignIn>, Error> {
    let browser = state.sessions.browser_id(visitor).unwrap_or_default();
    // The state is not used up: every use of it needs another code, and counts as an attempt.
    let sealed = form.value("state");
    state.ceremonies.read(context(&browser), sealed).await
}

fn context(browser: &str) -> CeremonyContext<'_> {
    CeremonyContext {
        kind: CeremonyKind::SignInWithCode,
        browser,
        user: None,
    }
}

/// Renders the page. It keeps the return path and the draft of an entry in `form`.
pub(super) fn page(
    state: &AccountState,
    visitor: &Visitor,
    form: &Form,
    sealed: &str,
    errors: Option<&FormErrors>,
) -> Response {
    let l10n = &visitor.localizer(None);
    let csrf = state.sessions.csrf(visitor);
    let next = return_path(form.value("next"));
    let next = next.as_deref();
    let hidden = [("state", sealed)].into_iter();
    let hidden = hidden.chain(next.map(|next| ("next", next)));
    let code = Field {
        name: "code",
        label: &l10n.text("code-label"),
        control: Control::OneTimeCode,
        value: "",
        hint: &l10n.text("code-hint"),
    };
    let body = html! {
        (PostForm {
            action: SIGN_IN_CODE,
            csrf: &csrf.token,
            hidden: hidden.chain(read_draft(form).into_iter().flatten()).collect(),
            fields: &[code],
            errors,
            button: &l10n.text("page-sign-in"),
            ..PostForm::new(l10n)
        })
        p.hint { (l10n.text("code-lost")) }
        p { a.row href=(with_next(SIGN_IN, next)) { (l10n.text("code-other")) } }
    };
    let title = l10n.text("code-title");
    let page = Page {
        current_path: SIGN_IN,
        kind: PageKind::of_form(may_redirect_away(next)),
        ..Page::new(l10n, &title, body)
    };
    respond_with_forms(page, csrf, errors)
}
