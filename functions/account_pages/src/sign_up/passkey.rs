//! Signing up with a passkey, in two steps: the name and the e-mail address, which the sign-up page asks for, and then
//! the passkey. The account has no password.

use std::sync::Arc;

use accounts::registration::PasswordlessRegistration;
use accounts::sign_in::{NewPasskey, PasskeyUser};
use accounts::users::Account;
use axum::extract::State;
use maud::html;
use page_parts::door::door;
use pages::error::PageResult;
use pages::form::PostForm;
use pages::form_page::FormPage;
use pages::layout::{Page, PageKind};
use pages::passkey::{NoPasskeys, PasskeyButton};
use pages::paths::{SIGN_UP, SIGN_UP_PASSKEY_CREATE};
use pages::response::redirect_after_sign_in;
use pages::return_path::may_redirect_away;
use shared::auth::CallerAddress;
use shared::models::{LocaleCode, UserId};
use shared::{Error, Result};

use super::{destination, respond, show_refused};
use crate::passkeys::response_of;
use crate::state::AccountState;

/// `POST /sign-up/passkey`: the page that makes the passkey, or the sign-up page with errors.
pub(crate) async fn begin(
    State(state): State<Arc<AccountState>>,
    address: CallerAddress,
    page: FormPage<()>,
) -> PageResult {
    if state.sessions.find(&page.visitor).await?.is_some() {
        return redirect_after_sign_in(&state.sessions, Some(&destination(&page)));
    }
    let begin = async {
        let new = read(&state, &page)?;
        let id = state
            .account_service
            .begin_passkey_registration(&new, address);
        Ok((id.await?, new))
    };
    match begin.await {
        Ok((id, new)) => show_second_step(&state, &page, id, new.username()).await,
        Err(error) => show_refused(&state, page, error),
    }
}

/// `POST /sign-up/passkey/create`: creates the account, and starts a session.
pub(crate) async fn create(
    State(state): State<Arc<AccountState>>,
    address: CallerAddress,
    page: FormPage<()>,
) -> PageResult {
    if state.sessions.find(&page.visitor).await?.is_some() {
        return redirect_after_sign_in(&state.sessions, Some(&destination(&page)));
    }
    let registered = register(&state, &page, address).await;
    respond(&state, page, registered).await
}

/// Reads the name and the e-mail address. The language of the account is that of the page.
fn read(state: &AccountState, page: &FormPage<()>) -> Result<PasswordlessRegistration> {
    let fields = page.forms.sent.fields();
    let language = page.forms.l10n.language();
    let code = LocaleCode::new(language.code()).map_err(Error::internal)?;
    PasswordlessRegistration::read(fields, state.accounts.registration, code)
}

async fn register(
    state: &AccountState,
    page: &FormPage<()>,
    address: CallerAddress,
) -> Result<Account> {
    let new = read(state, page)?;
    let browser = page.browser_id();
    let name = page.forms.l10n.text("passkeys-first");
    let response = response_of(&browser, &page.forms.sent);
    let passkeys = &state.ways.passkeys;
    let finish_registration = passkeys.finish_registration(response, NewPasskey::SignUp, name);
    let (id, passkey) = finish_registration.await?;
    let register_with_passkey = state
        .account_service
        .register_with_passkey(new, id, passkey, address);
    register_with_passkey.await
}

async fn show_second_step(
    state: &AccountState,
    page: &FormPage<()>,
    id: UserId,
    username: &str,
) -> PageResult {
    let (l10n, form) = (&page.forms.l10n, &page.forms.sent);
    let user = PasskeyUser {
        id,
        username,
        passkeys: &[],
    };
    let (passkeys, browser) = (&state.ways.passkeys, page.browser_id());
    let begin_registration = passkeys.begin_registration(&browser, NewPasskey::SignUp, user);
    let request = begin_registration.await?;
    let next = page.forms.next();
    let hidden = ["username", "email", "invitation", "next"].map(|name| (name, form.value(name)));
    let title = l10n.text("page-sign-up");
    let name = html! { strong { (username) } };
    let body = html! {
        p { (l10n.markup("passkeys-sign-up-explanation", [("name", name)])) }
        (PostForm {
            hidden: hidden.into_iter().filter(|(_, value)| !value.is_empty()).collect(),
            passkey: Some(PasskeyButton {
                action: SIGN_UP_PASSKEY_CREATE,
                label: &l10n.text("passkeys-create"),
                request: Some(&request),
                autofills: false,
                is_secondary: false,
            }),
            ..page.forms.post(SIGN_UP_PASSKEY_CREATE, "")
        })
        (NoPasskeys(l10n))
    };
    Ok(page.respond(Page {
        current_path: SIGN_UP,
        kind: PageKind::of_form(may_redirect_away(next.as_deref())),
        ..page.page(&title, door(l10n, &body))
    }))
}
