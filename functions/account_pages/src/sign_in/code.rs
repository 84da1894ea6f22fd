//! The step of a sign-in in which a user with a second factor types a code.

use accounts::sign_in::{CeremonyContext, CeremonyKind, PendingSignIn};
use axum::response::Response;
use maud::html;
use page_parts::door::door;
use page_parts::story::read_draft;
use pages::error::PageResult;
use pages::form::PostForm;
use pages::form_page::FormPage;
use pages::layout::{Control, Field, Page, PageKind};
use pages::paths::{SIGN_IN, SIGN_IN_CODE};
use pages::return_path::{may_redirect_away, with_next};
use shared::Result;

use crate::state::AccountState;

/// Asks for the code. The encrypted state of the sign-in is in the form, so that the password is not asked for again.
/// The state expires after 10 minutes, and only this browser can use it.
pub(super) async fn ask(
    state: &AccountState,
    asked: &FormPage<()>,
    pending: &PendingSignIn,
) -> PageResult {
    let browser = asked.browser_id();
    let sealed = state.ceremonies.begin(context(&browser), pending).await?;
    Ok(page(asked, &sealed))
}

/// Returns the sign-in whose encrypted state is in the form; `None` if it has ended or belongs to another browser.
pub(super) async fn read_pending(
    state: &AccountState,
    page: &FormPage<()>,
) -> Result<Option<PendingSignIn>> {
    let browser = page.browser_id();
    // The state is not used up: every use of it needs another code, and counts as an attempt.
    let sealed = page.forms.sent.value("state");
    state.ceremonies.read(context(&browser), sealed).await
}

fn context(browser: &str) -> CeremonyContext<'_> {
    CeremonyContext {
        kind: CeremonyKind::SignInWithCode,
        browser,
        user: None,
    }
}

/// Renders the page. It keeps the return path and the draft of an entry in the form that was sent.
pub(super) fn page(page: &FormPage<()>, sealed: &str) -> Response {
    let (l10n, form) = (&page.forms.l10n, &page.forms.sent);
    let next = page.forms.next();
    let next = next.as_deref();
    let hidden = [("state", sealed)].into_iter();
    let hidden = hidden.chain(next.map(|next| ("next", next)));
    let code = Field::new(l10n, "code", Control::OneTimeCode, "code-label")
        .with_hint(l10n.text("code-hint"));
    let body = html! {
        (PostForm {
            hidden: hidden.chain(read_draft(form).into_iter().flatten()).collect(),
            fields: &[code],
            ..page.forms.post(SIGN_IN_CODE, "page-sign-in")
        })
        p.hint { (l10n.text("code-lost")) }
        p { a.row href=(with_next(SIGN_IN, next)) { (l10n.text("code-other")) } }
    };
    let title = l10n.text("code-title");
    page.respond(Page {
        current_path: SIGN_IN,
        kind: PageKind::of_form(may_redirect_away(next)),
        ..page.page(&title, door(l10n, &body))
    })
}
