//! Signing up with a passkey, in two steps: the name and the e-mail address, which the sign-up page asks for, and then
//! the passkey. The account has no password.

use std::sync::Arc;

use accounts::{NewPasskey, PasskeyUser, PasswordlessRegistration};
use axum::extract::State;
use axum::response::Response;
use maud::html;
use pages::error::PageError;
use pages::form::{PostForm, SentForm};
use pages::layout::{Page, PageKind};
use pages::passkey::{NoPasskeys, PasskeyButton};
use pages::paths::{SIGN_UP, SIGN_UP_PASSKEY_CREATE};
use pages::response::{begin_session, redirect_after_sign_in, respond_with_forms};
use pages::return_path::{may_redirect_away, return_path};
use pages::sessions::Visitor;
use shared::Error;
use shared::auth::CallerAddress;
use shared::input::Form;
use shared::models::{LocaleCode, UserId};
use store::Account;

use super::ceremony::response_of;
use crate::sign_up::{destination, show_refused};
use crate::state::AccountState;

/// `POST /sign-up/passkey`: the page that makes the passkey, or the sign-up page with errors.
pub(crate) async fn begin(
    State(state): State<Arc<AccountState>>,
    address: CallerAddress,
    SentForm { visitor, form }: SentForm,
) -> Result<Response, PageError> {
    if state.sessions.find(&visitor).await?.is_some() {
        return redirect_after_sign_in(&state.sessions, Some(&destination(&form)));
    }
    let begun = async {
        let new = read(&state, &visitor, &form)?;
        let id = state.mail_links.begin_passkey_registration(&new, address);
        Ok((id.await?, new))
    };
    match begun.await {
        Ok((id, new)) => show_second_step(&state, &visitor, &form, id, new.username()).await,
        Err(error) => show_refused(&state, &visitor, &form, error),
    }
}

/// `POST /sign-up/passkey/create`: creates the account, and starts a session.
pub(crate) async fn create(
    State(state): State<Arc<AccountState>>,
    address: CallerAddress,
    SentForm { visitor, form }: SentForm,
) -> Result<Response, PageError> {
    let destination = destination(&form);
    if state.sessions.find(&visitor).await?.is_some() {
        return redirect_after_sign_in(&state.sessions, Some(&destination));
    }
    match register(&state, &visitor, &form, address).await {
        Ok(account) => begin_session(&state.sessions, &visitor, &account, Some(&destination)).await,
        Err(error) => show_refused(&state, &visitor, &form, error),
    }
}

/// Reads the name and the e-mail address. The language of the account is that of the page.
fn read(
    state: &AccountState,
    visitor: &Visitor,
    form: &Form,
) -> Result<PasswordlessRegistration, Error> {
    let language = visitor.localizer(None).language();
    let code = LocaleCode::new(language.code()).map_err(Error::internal)?;
    PasswordlessRegistration::read(form.fields(), state.accounts.registration, code)
}

async fn register(
    state: &AccountState,
    visitor: &Visitor,
    form: &Form,
    address: CallerAddress,
) -> Result<Account, Error> {
    let new = read(state, visitor, form)?;
    let browser = state.sessions.browser_id(visitor).unwrap_or_default();
    let name = visitor.localizer(None).text("passkeys-first");
    let response = response_of(&browser, form);
    let passkeys = &state.passkeys;
    let made = passkeys.finish_registration(response, NewPasskey::SignUp, name);
    let (id, passkey) = made.await?;
    let registered = state
        .mail_links
        .register_with_passkey(new, id, passkey, address);
    registered.await
}

async fn show_second_step(
    state: &AccountState,
    visitor: &Visitor,
    form: &Form,
    id: UserId,
    username: &str,
) -> Result<Response, PageError> {
    let l10n = &visitor.localizer(None);
    let csrf = state.sessions.csrf(visitor);
    let browser = state.sessions.browser_with(visitor, &csrf);
    let user = PasskeyUser {
        id,
        username,
        passkeys: &[],
    };
    let passkeys = &state.passkeys;
    let begun = passkeys.begin_registration(&browser, NewPasskey::SignUp, user);
    let request = begun.await?;
    let next = return_path(form.value("next"));
    let hidden = ["username", "email", "invitation", "next"].map(|name| (name, form.value(name)));
    let title = l10n.text("page-sign-up");
    let name = html! { strong { (username) } };
    let body = html! {
        p { (l10n.markup("passkeys-sign-up-explanation", [("name", name)])) }
        (PostForm {
            action: SIGN_UP_PASSKEY_CREATE,
            csrf: &csrf.token,
            hidden: hidden.into_iter().filter(|(_, value)| !value.is_empty()).collect(),
            passkey: Some(PasskeyButton {
                action: SIGN_UP_PASSKEY_CREATE,
                label: &l10n.text("passkeys-create"),
                request: Some(&request),
                autofills: false,
                is_secondary: false,
            }),
            ..PostForm::new(l10n)
        })
        (NoPasskeys(l10n))
    };
    let page = Page {
        current_path: SIGN_UP,
        kind: PageKind::of_form(may_redirect_away(next.as_deref())),
        ..Page::new(l10n, &title, body)
    };
    Ok(respond_with_forms(page, csrf, None))
}
