//! Signing in and out.

mod code;
pub(crate) mod provider;

use std::sync::Arc;

use accounts::sign_in::{PendingSignIn, SignIn, SignInName};
use accounts::users::Account;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use maud::html;
use page_parts::StoryPagesState;
use page_parts::sign_in::{SignInForm, local_page, show};
use page_parts::story::{self, read_draft};
use pages::error::PageResult;
use pages::form::{PostForm, read_required};
use pages::form_page::FormPage;
use pages::paths::{SIGN_IN, SIGN_IN_PROVIDER, SIGN_OUT, START};
use pages::response::{begin_session, redirect_after_sign_in, see_other, with_cookie};
use pages::return_path::{return_path, with_next};
use pages::sessions::{Visitor, is_from_this_site};
use shared::auth::CallerAddress;
use shared::input::Form;
use shared::{Error, Result};

use crate::passkeys::finish_use;
use crate::state::AccountState;

/// The messages of confirmations, by the value of the parameter `done`.
const DONE: [(&str, &str); 1] = [("everywhere", "account-signed-out-everywhere")];

/// The reason for refusing the code of a sign-in that has ended.
const ENDED: &str = "Too much time has passed. Sign in again.";

/// `GET /sign-in`
pub(crate) async fn page(State(state): State<Arc<AccountState>>, page: FormPage<()>) -> PageResult {
    let page = page.with_confirmation(&DONE);
    let next = page.forms.next();
    if state.sessions.find(&page.visitor).await?.is_some() {
        return redirect_after_sign_in(&state.sessions, next.as_deref());
    }
    // With the parameter `local`, the page does not lead to the provider. Otherwise, a visitor who has signed out would
    // be signed in again at once.
    let is_local = page.forms.params().token("local").is_some();
    if state.leads_to_provider() && !is_local && page.forms.confirmation.is_none() {
        let start = with_next(SIGN_IN_PROVIDER, next.as_deref());
        return see_other(&state.sessions, &start);
    }
    let shown = SignInForm {
        next: next.as_deref(),
        ..SignInForm::default()
    };
    Ok(show(&state.ways, &page, &shown).await)
}

/// `POST /sign-in`
pub(crate) async fn sign_in(
    State(state): State<Arc<AccountState>>,
    address: CallerAddress,
    page: FormPage<()>,
) -> PageResult {
    match check_credentials(&state, &page.forms.sent, address).await {
        Ok(SignIn::Complete(account)) => begin(&state, page, &account).await,
        Ok(SignIn::NeedsCode(pending)) => code::ask(&state, &page, &pending).await,
        Err(error) => show_refused(&state, page, error).await,
    }
}

/// `POST /sign-in/passkey`. No second factor is asked for, because the authenticator has verified the user.
pub(crate) async fn sign_in_with_passkey(
    State(state): State<Arc<AccountState>>,
    address: CallerAddress,
    page: FormPage<()>,
) -> PageResult {
    match finish_use(&state, &page, address).await {
        Ok(account) => begin(&state, page, &account).await,
        Err(error) => show_refused(&state, page, error).await,
    }
}

/// `POST /sign-in/code`
pub(crate) async fn send_code(
    State(state): State<Arc<AccountState>>,
    address: CallerAddress,
    page: FormPage<()>,
) -> PageResult {
    let finished = match code::read_pending(&state, &page).await? {
        Some(pending) => check_code(&state, &pending, &page.forms.sent, address).await,
        None => Ok(None),
    };
    match finished {
        Ok(Some(account)) => begin(&state, page, &account).await,
        Ok(None) => show_refused(&state, page, Error::invalid("code", ENDED)).await,
        Err(error) => {
            let page = page.with_errors(error)?;
            Ok(code::page(&page, page.forms.sent.value("state")))
        }
    }
}

/// Starts a session, and leads the user to the entry that was typed before signing in, or to the page that the form
/// names.
async fn begin(state: &AccountState, page: FormPage<()>, account: &Account) -> PageResult {
    let next = page.forms.next();
    if read_draft(&page.forms.sent).is_some() {
        show_draft(&state.story_pages, page, account, next.as_deref()).await
    } else {
        begin_session(&state.sessions, &page.visitor, account, next.as_deref()).await
    }
}

/// Returns the sign-in page with the reason for refusing the sent values.
async fn show_refused(state: &AccountState, page: FormPage<()>, error: Error) -> PageResult {
    let page = page.with_errors(error)?;
    let (form, next) = (&page.forms.sent, page.forms.next());
    let shown = SignInForm {
        next: next.as_deref(),
        name: form.value("who"),
        draft: read_draft(form),
        ..SignInForm::default()
    };
    Ok(show(&state.ways, &page, &shown).await)
}

/// Starts a session, and shows the form of an entry with the values that were typed before signing in. The entry is
/// not saved until the user sends this form.
async fn show_draft(
    state: &StoryPagesState,
    page: FormPage<()>,
    account: &Account,
    next: Option<&str>,
) -> PageResult {
    let (mut visitor, form) = (page.visitor, page.forms.sent);
    let cookies = state.sessions.begin(&visitor, account).await?;
    // The CSRF token of the form must belong to the new session.
    for cookie in cookies.clone() {
        visitor.store_cookie(cookie);
    }
    let response = match state.sessions.find(&visitor).await? {
        Some(owner) => {
            let page = FormPage::new(&state.sessions, visitor, owner, Uri::default());
            story::show_draft(state, &page.with_sent(form)).await?
        }
        None => redirect_after_sign_in(&state.sessions, next)?,
    };
    Ok(cookies.iter().fold(response, with_cookie))
}

/// `POST /sign-out`. The form in the header of pages has no CSRF token, so the browser must say that a page of this
/// site has sent the form. A browser that does not say this gets a form with a token. Browsers do not send the cookie
/// of the session with the form of another site, so a form without a session and without a token changes nothing: the
/// response would remove the cookie.
pub(crate) async fn sign_out(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    headers: HeaderMap,
    uri: Uri,
    form: Form,
) -> PageResult {
    // The session may have ended in the meantime.
    let csrf = form.value("csrf");
    if !is_from_this_site(&headers) {
        match state.sessions.check_csrf_of_user(&visitor, csrf).await {
            Err(Error::Forbidden(_)) => return ask_to_sign_out(&state, visitor, uri, &form).await,
            checked => checked?,
        }
    }
    let began_there = provider::sign_out::find_session(&state, &visitor).await;
    // The session ends before the provider is asked, because the response can take seconds, and the visitor may leave.
    let cookie = state.sessions.end(&visitor).await?;
    if let Some(session) = began_there
        && let Some(address) = provider::sign_out::find_address(&state, &session).await
    {
        let response = provider::sign_out::page(&state, &visitor, &address)?;
        return Ok(with_cookie(response, &cookie));
    }
    let response = match return_path(form.value("next")) {
        // With `--oidc-redirect`, the provider would sign the visitor in again at once.
        Some(next) if state.leads_to_provider() => {
            see_other(&state.sessions, &local_page(Some(&next)))?
        }
        Some(next) => see_other(&state.sessions, &with_next(SIGN_IN, Some(&next)))?,
        None => see_other(&state.sessions, START)?,
    };
    Ok(with_cookie(response, &cookie))
}

/// Returns the page with a form to sign out that has a CSRF token. Without a session, redirects to the start page.
async fn ask_to_sign_out(
    state: &AccountState,
    visitor: Visitor,
    uri: Uri,
    form: &Form,
) -> PageResult {
    let Some(owner) = state.sessions.find(&visitor).await? else {
        return see_other(&state.sessions, START);
    };
    let page = FormPage::new(&state.sessions, visitor, owner, uri);
    let title = page.forms.l10n.text("page-sign-out");
    let next = return_path(form.value("next")).unwrap_or_default();
    let body = html! {
        p { (page.forms.l10n.text("sign-out-question")) }
        (PostForm {
            hidden: vec![("next", next.as_str())],
            ..page.forms.post(SIGN_OUT, "page-sign-out")
        })
    };
    Ok(page.respond_with_status(page.page(&title, body), StatusCode::FORBIDDEN))
}

async fn check_credentials(
    state: &AccountState,
    form: &Form,
    address: CallerAddress,
) -> Result<SignIn> {
    let [name, password] = read_required(form, ["who", "password"])?;
    state
        .account_service
        .sign_in(SignInName::of(name.trim()), password, None, address)
        .await
}

async fn check_code(
    state: &AccountState,
    pending: &PendingSignIn,
    form: &Form,
    address: CallerAddress,
) -> Result<Option<Account>> {
    let [code] = read_required(form, ["code"])?;
    state
        .account_service
        .finish_sign_in(pending, code, address)
        .await
}
