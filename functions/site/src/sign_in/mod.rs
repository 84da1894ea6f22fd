//! Signing in and out.

mod code;
pub(crate) mod provider;
pub(crate) mod view;

use std::sync::Arc;

use accounts::{PendingSignIn, SignIn, SignInName};
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use pages::error::PageError;
use pages::form::{FormErrors, SentForm, SignedInForm, read_required};
use pages::paths::{SIGN_IN, SIGN_IN_PROVIDER, START};
use pages::response::{
    begin_session, confirmation_message, redirect_after_sign_in, see_other, with_cookie,
};
use pages::return_path::{read_return_path, return_path, with_next};
use pages::sessions::Visitor;
use shared::Error;
use shared::auth::CallerAddress;
use shared::input::{Form, Params};
use store::Account;

use self::view::{SignInForm, local_page, show};
use crate::state::{AccountState, CatalogueState};
use crate::story::form::read_draft;
use crate::story::routes;

/// The messages of confirmations, by the value of the parameter `done`.
const DONE: [(&str, &str); 1] = [("everywhere", "account-signed-out-everywhere")];

/// The reason for refusing the code of a sign-in that has ended.
const ENDED: &str = "Too much time has passed. Sign in again.";

/// `GET /sign-in`
pub(crate) async fn page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, PageError> {
    let next = read_return_path(&uri);
    if state.sessions.find(&visitor).await?.is_some() {
        return redirect_after_sign_in(&state.sessions, next.as_deref());
    }
    let done = confirmation_message(&uri, &DONE);
    // After signing out, the visitor would be signed in again at once.
    if state.leads_to_provider() && done.is_none() && !is_local(&uri) {
        let start = with_next(SIGN_IN_PROVIDER, next.as_deref());
        return see_other(&state.sessions, &start);
    }
    let shown = SignInForm {
        next: next.as_deref(),
        done,
        ..SignInForm::default()
    };
    Ok(show(&state, &visitor, &shown).await)
}

/// Returns true if the address has the parameter `local`, with which the page does not lead to the provider.
fn is_local(uri: &Uri) -> bool {
    let mut params = Params::parse(uri.query().unwrap_or_default());
    params.token("local").is_some()
}

/// `POST /sign-in`
pub(crate) async fn sign_in(
    State(state): State<Arc<AccountState>>,
    State(catalogue): State<Arc<CatalogueState>>,
    address: CallerAddress,
    SentForm { visitor, form }: SentForm,
) -> Result<Response, PageError> {
    match check_credentials(&state, &form, address).await {
        Ok(SignIn::Complete(account)) => begin(&state, &catalogue, visitor, &account, form).await,
        Ok(SignIn::NeedsCode(pending)) => code::ask(&state, &visitor, &pending, &form).await,
        Err(error) => show_refused(&state, &visitor, &form, error).await,
    }
}

/// `POST /sign-in/code`
pub(crate) async fn send_code(
    State(state): State<Arc<AccountState>>,
    State(catalogue): State<Arc<CatalogueState>>,
    address: CallerAddress,
    SentForm { visitor, form }: SentForm,
) -> Result<Response, PageError> {
    let finished = match code::read_pending(&state, &visitor, &form).await? {
        Some(pending) => check_code(&state, &pending, &form, address).await,
        None => Ok(None),
    };
    match finished {
        Ok(Some(account)) => begin(&state, &catalogue, visitor, &account, form).await,
        Ok(None) => show_refused(&state, &visitor, &form, Error::invalid("code", ENDED)).await,
        Err(error) => {
            let (sealed, errors) = (form.value("state"), FormErrors::of(error)?);
            Ok(code::page(&state, &visitor, &form, sealed, Some(&errors)))
        }
    }
}

/// Starts a session, and leads the user to the entry that was typed before signing in, or to the page that `form`
/// names.
pub(crate) async fn begin(
    state: &AccountState,
    catalogue: &CatalogueState,
    visitor: Visitor,
    account: &Account,
    form: Form,
) -> Result<Response, PageError> {
    let next = return_path(form.value("next"));
    if read_draft(&form).is_some() {
        show_draft(catalogue, visitor, account, form, next.as_deref()).await
    } else {
        begin_session(&state.sessions, &visitor, account, next.as_deref()).await
    }
}

/// Returns the page with the reason why the values in `form` do not sign the visitor in.
pub(crate) async fn show_refused(
    state: &AccountState,
    visitor: &Visitor,
    form: &Form,
    error: Error,
) -> Result<Response, PageError> {
    let next = return_path(form.value("next"));
    let shown = SignInForm {
        next: next.as_deref(),
        name: form.value("who"),
        errors: Some(&FormErrors::of(error)?),
        draft: read_draft(form),
        ..SignInForm::default()
    };
    Ok(show(state, visitor, &shown).await)
}

/// Starts a session, and shows the form of an entry with the values that were typed before signing in. The entry is
/// not saved until the user sends this form.
async fn show_draft(
    catalogue: &CatalogueState,
    mut visitor: Visitor,
    account: &Account,
    form: Form,
    next: Option<&str>,
) -> Result<Response, PageError> {
    let cookies = catalogue.sessions.begin(&visitor, account).await?;
    // The CSRF token of the form must belong to the new session.
    for cookie in cookies.clone() {
        visitor.store_cookie(cookie);
    }
    let response = match catalogue.sessions.find(&visitor).await? {
        Some(owner) => {
            let posted = SignedInForm {
                visitor,
                owner,
                form,
            };
            routes::show_draft(catalogue, &posted).await?
        }
        None => redirect_after_sign_in(&catalogue.sessions, next)?,
    };
    Ok(cookies.iter().fold(response, with_cookie))
}

/// `POST /sign-out`
pub(crate) async fn sign_out(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    form: Form,
) -> Result<Response, PageError> {
    // The session may have ended in the meantime.
    let csrf = form.value("csrf");
    state.sessions.check_csrf_of_user(&visitor, csrf).await?;
    let began_there = provider::sign_out::find_session(&state, &visitor).await;
    // The session ends before the provider is asked, because the answer can take seconds, and the visitor may leave.
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

async fn check_credentials(
    state: &AccountState,
    form: &Form,
    address: CallerAddress,
) -> Result<SignIn, Error> {
    let [name, password] = read_required(form, ["who", "password"])?;
    state
        .mail_links
        .sign_in(SignInName::of(name.trim()), password, None, address)
        .await
}

async fn check_code(
    state: &AccountState,
    pending: &PendingSignIn,
    form: &Form,
    address: CallerAddress,
) -> Result<Option<Account>, Error> {
    let [code] = read_required(form, ["code"])?;
    let mail_links = &state.mail_links;
    mail_links.finish_sign_in(pending, code, address).await
}
