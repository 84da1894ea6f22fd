//! Creating an account.

pub(crate) mod passkey;

use std::sync::Arc;

use accounts::invitations::InvitationCode;
use accounts::registration::Registration;
use accounts::users::Account;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use maud::html;
use page_parts::door::door;
use page_parts::sign_in::provider_link;
use pages::error::PageResult;
use pages::form::{PostForm, new_password_field};
use pages::form_page::FormPage;
use pages::layout::{Control, Field, Page, PageKind};
use pages::passkey::PasskeyButton;
use pages::paths::{SIGN_IN, SIGN_UP, SIGN_UP_PASSKEY, WELCOME};
use pages::response::{begin_session, redirect_after_sign_in};
use pages::return_path::{may_redirect_away, with_next};
use shared::auth::{CallerAddress, RegistrationMode};
use shared::models::LocaleCode;
use shared::{Error, Result};

use crate::state::AccountState;

/// `GET /sign-up`. The link of an invitation leads here, with the parameter `invitation`.
pub(crate) async fn page(State(state): State<Arc<AccountState>>, page: FormPage<()>) -> PageResult {
    if state.sessions.find(&page.visitor).await?.is_some() {
        return redirect_after_sign_in(&state.sessions, page.forms.next().as_deref());
    }
    let invitation = page.forms.params().token("invitation");
    match find_obstacle(&state, invitation.as_deref()).await? {
        Some(reason) => Ok(show_obstacle(&state, &page, reason)),
        None => Ok(show(&state, &page, invitation.as_deref())),
    }
}

/// `POST /sign-up`. Leads to the welcome page, unless the visitor was on the way to another page.
pub(crate) async fn sign_up(
    State(state): State<Arc<AccountState>>,
    address: CallerAddress,
    page: FormPage<()>,
) -> PageResult {
    // The button was pressed twice, or the user signed in from another tab.
    if state.sessions.find(&page.visitor).await?.is_some() {
        return redirect_after_sign_in(&state.sessions, Some(&destination(&page)));
    }
    let registered = register(&state, &page, address).await;
    respond(&state, page, registered).await
}

/// Starts a session with the new account, or returns the page with the reason why there is none.
async fn respond(
    state: &AccountState,
    page: FormPage<()>,
    registered: Result<Account>,
) -> PageResult {
    match registered {
        Ok(account) => {
            let destination = destination(&page);
            begin_session(&state.sessions, &page.visitor, &account, Some(&destination)).await
        }
        Err(error) => show_refused(state, page, error),
    }
}

/// Returns the page to go to afterwards: the welcome page, unless the visitor was on the way to another page.
fn destination(page: &FormPage<()>) -> String {
    page.forms.next().unwrap_or_else(|| WELCOME.to_owned())
}

/// Returns the page with the sent values and the reasons why no account was created.
fn show_refused(state: &AccountState, page: FormPage<()>, error: Error) -> PageResult {
    let page = page.with_errors(error)?;
    let invitation = Some(page.forms.sent.value("invitation"));
    let invitation = invitation.filter(|code| !code.is_empty());
    Ok(show(state, &page, invitation))
}

/// Returns the message with the reason why no account can be created, or `None` if one can be created.
async fn find_obstacle(
    state: &AccountState,
    invitation: Option<&str>,
) -> Result<Option<&'static str>> {
    let accounts = &state.accounts;
    if !accounts.has_passwords {
        return Ok(Some("provider-only"));
    }
    let mode = accounts.registration;
    let code = invitation.and_then(InvitationCode::read);
    let is_closed =
        mode == RegistrationMode::Closed && !code.as_ref().is_some_and(InvitationCode::is_setup);
    if is_closed {
        return Ok(Some("sign-up-closed"));
    }
    if invitation.is_none() {
        let needs_invitation = mode == RegistrationMode::Invite;
        return Ok(needs_invitation.then_some("sign-up-needs-invitation"));
    }
    // The form would be refused, so it is not shown.
    let is_valid = match &code {
        Some(code) => {
            let now = accounts.clock.now_s();
            accounts.invitations.is_valid(code, now).await?
        }
        None => false,
    };
    Ok((!is_valid).then_some("sign-up-invalid-invitation"))
}

/// Returns the page that says why no account can be created.
fn show_obstacle(state: &AccountState, page: &FormPage<()>, reason: &str) -> Response {
    let (l10n, next) = (&page.forms.l10n, page.forms.next());
    let title = l10n.text("page-sign-up");
    let sign_in = html! { a href=(SIGN_IN) { (l10n.text("page-sign-in")) } };
    let body = html! {
        p { (l10n.text(reason)) }
        @if state.may_register_with_provider() { (provider_link(l10n, &state.ways, next.as_deref())) }
        p { (l10n.markup("sign-up-has-account", [("sign-in", sign_in)])) }
    };
    let page = Page {
        current_path: SIGN_UP,
        ..page.page(&title, door(l10n, &body))
    };
    page.respond(StatusCode::OK)
}

/// Creates the account. Its language is the language of the page, unless the form states another.
async fn register(
    state: &AccountState,
    page: &FormPage<()>,
    address: CallerAddress,
) -> Result<Account> {
    let language = page.forms.l10n.language();
    let code = LocaleCode::new(language.code()).map_err(Error::internal)?;
    let new = Registration::read(page.forms.sent.fields(), state.accounts.registration)?;
    let new = new.with_default_localization(code);
    state.account_service.register(new, address).await
}

/// Renders the page. `invitation` is the code of an invitation.
fn show(state: &AccountState, page: &FormPage<()>, invitation: Option<&str>) -> Response {
    let (l10n, typed, next) = (&page.forms.l10n, &page.forms.sent, page.forms.next());
    let next = next.as_deref();
    let fields = [
        Field::new(l10n, "username", Control::Username, "account-name")
            .with_hint(l10n.text("sign-up-name-hint"))
            .with_value(typed.value("username")),
        Field::new(l10n, "email", Control::Email, "account-email")
            .with_hint(l10n.text("sign-up-email-hint"))
            .with_value(typed.value("email")),
        new_password_field(l10n, "account-password"),
    ];
    let title = l10n.text("page-sign-up");
    let sign_in = html! { a href=(with_next(SIGN_IN, next)) { (l10n.text("page-sign-in")) } };
    let passkey = l10n.text("passkeys-sign-up");
    let hidden = [
        next.map(|next| ("next", next)),
        invitation.map(|code| ("invitation", code)),
    ];
    let body = html! {
        (PostForm {
            hidden: hidden.into_iter().flatten().collect(),
            fields: &fields,
            errors: page.forms.sent_errors(),
            passkey: state.ways.passkeys.is_available().then(|| PasskeyButton {
                action: SIGN_UP_PASSKEY,
                label: &passkey,
                request: None,
                autofills: false,
                is_secondary: true,
            }),
            ..page.forms.post(SIGN_UP, "page-sign-up")
        })
        @if state.may_register_with_provider() { (provider_link(l10n, &state.ways, next)) }
        p { (l10n.markup("sign-up-has-account", [("sign-in", sign_in)])) }
    };
    page.respond(Page {
        current_path: SIGN_UP,
        kind: PageKind::of_form(may_redirect_away(next)),
        ..page.page(&title, door(l10n, &body))
    })
}
