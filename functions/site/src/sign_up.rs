//! Creating an account.

use std::sync::Arc;

use accounts::Registration;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use maud::html;
use pages::error::PageError;
use pages::form::{FormErrors, PASSWORD_HINT, PostForm, SentForm};
use pages::layout::{Control, Field, Page, PageKind};
use pages::passkey::PasskeyButton;
use pages::paths::{SIGN_IN, SIGN_UP, SIGN_UP_PASSKEY, WELCOME};
use pages::response::{begin_session, redirect_after_sign_in, respond_with_forms};
use pages::return_path::{may_redirect_away, read_return_path, return_path, with_next};
use pages::sessions::Visitor;
use shared::Error;
use shared::auth::{CallerAddress, RegistrationMode};
use shared::input::{Form, Params};
use shared::models::LocaleCode;
use store::{Account, InvitationCode};

use crate::sign_in::view::provider_link;
use crate::state::AccountState;

/// `GET /sign-up`. The link of an invitation leads here, with the parameter `invitation`.
pub(crate) async fn page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, PageError> {
    let next = read_return_path(&uri);
    if state.sessions.find(&visitor).await?.is_some() {
        return redirect_after_sign_in(&state.sessions, next.as_deref());
    }
    let mut params = Params::parse(uri.query().unwrap_or_default());
    let invitation = params.token("invitation");
    if let Some(reason) = find_obstacle(&state, invitation.as_deref()).await? {
        return Ok(show_obstacle(&state, &visitor, next.as_deref(), reason));
    }
    let form = Form::default();
    let sign_up = SignUpForm {
        next: next.as_deref(),
        invitation: invitation.as_deref(),
        typed: &form,
        errors: None,
    };
    Ok(show(&state, &visitor, &sign_up))
}

/// `POST /sign-up`. Leads to the welcome page, unless the visitor was on the way to another page.
pub(crate) async fn sign_up(
    State(state): State<Arc<AccountState>>,
    address: CallerAddress,
    SentForm { visitor, form }: SentForm,
) -> Result<Response, PageError> {
    let destination = destination(&form);
    // The button was pressed twice, or the user signed in from another tab.
    if state.sessions.find(&visitor).await?.is_some() {
        return redirect_after_sign_in(&state.sessions, Some(&destination));
    }
    match register(&state, &visitor, &form, address).await {
        Ok(account) => begin_session(&state.sessions, &visitor, &account, Some(&destination)).await,
        Err(error) => show_refused(&state, &visitor, &form, error),
    }
}

/// Returns the page to go to afterwards: the welcome page, unless the visitor was on the way to another page.
pub(crate) fn destination(form: &Form) -> String {
    return_path(form.value("next")).unwrap_or_else(|| WELCOME.to_owned())
}

/// Returns the page with the reason why no account is created with the values in `form`.
pub(crate) fn show_refused(
    state: &AccountState,
    visitor: &Visitor,
    form: &Form,
    error: Error,
) -> Result<Response, PageError> {
    let errors = FormErrors::of(error)?;
    let next = return_path(form.value("next"));
    let sign_up = SignUpForm {
        next: next.as_deref(),
        invitation: Some(form.value("invitation")).filter(|code| !code.is_empty()),
        typed: form,
        errors: Some(&errors),
    };
    Ok(show(state, visitor, &sign_up))
}

/// Returns the message with the reason why no account can be created, or `None` if one can be created.
async fn find_obstacle(
    state: &AccountState,
    invitation: Option<&str>,
) -> Result<Option<&'static str>, Error> {
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
fn show_obstacle(
    state: &AccountState,
    visitor: &Visitor,
    next: Option<&str>,
    reason: &str,
) -> Response {
    let l10n = &visitor.localizer(None);
    let title = l10n.text("page-sign-up");
    let sign_in = html! { a href=(SIGN_IN) { (l10n.text("page-sign-in")) } };
    let body = html! {
        p { (l10n.text(reason)) }
        @if state.may_register_with_provider() { (provider_link(l10n, state, next)) }
        p { (l10n.markup("sign-up-has-account", [("sign-in", sign_in)])) }
    };
    let page = Page {
        current_path: SIGN_UP,
        ..Page::new(l10n, &title, body)
    };
    page.respond(StatusCode::OK)
}

/// Creates the account. Its language is that of the page, unless the form states another one.
async fn register(
    state: &AccountState,
    visitor: &Visitor,
    form: &Form,
    address: CallerAddress,
) -> Result<Account, Error> {
    let language = visitor.localizer(None).language();
    let code = LocaleCode::new(language.code()).map_err(Error::internal)?;
    let new = Registration::read(form.fields(), state.accounts.registration)?;
    let new = new.with_default_localization(code);
    state.mail_links.register(new, address).await
}

/// The content of the form.
struct SignUpForm<'a> {
    /// The path to go to afterwards.
    pub next: Option<&'a str>,
    /// The code of an invitation.
    pub invitation: Option<&'a str>,
    /// The values that were sent.
    pub typed: &'a Form,
    /// Their errors.
    pub errors: Option<&'a FormErrors>,
}

/// Renders the page.
fn show(state: &AccountState, visitor: &Visitor, form: &SignUpForm<'_>) -> Response {
    let SignUpForm {
        next,
        invitation,
        typed,
        errors,
    } = *form;
    let l10n = &visitor.localizer(None);
    let csrf = state.sessions.csrf(visitor);
    let fields = [
        Field {
            name: "username",
            label: &l10n.text("account-name"),
            control: Control::Username,
            value: typed.value("username"),
            hint: &l10n.text("sign-up-name-hint"),
        },
        Field {
            name: "email",
            label: &l10n.text("account-email"),
            control: Control::Email,
            value: typed.value("email"),
            hint: &l10n.text("sign-up-email-hint"),
        },
        Field {
            name: "password",
            label: &l10n.text("account-password"),
            control: Control::NewPassword,
            value: "",
            hint: &l10n.text(PASSWORD_HINT),
        },
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
            action: SIGN_UP,
            csrf: &csrf.token,
            hidden: hidden.into_iter().flatten().collect(),
            fields: &fields,
            errors,
            button: &title,
            passkey: state.passkeys.is_available().then(|| PasskeyButton {
                action: SIGN_UP_PASSKEY,
                label: &passkey,
                request: None,
                autofills: false,
                is_secondary: true,
            }),
            ..PostForm::new(l10n)
        })
        @if state.may_register_with_provider() { (provider_link(l10n, state, next)) }
        p { (l10n.markup("sign-up-has-account", [("sign-in", sign_in)])) }
    };
    let page = Page {
        current_path: SIGN_UP,
        kind: PageKind::of_form(may_redirect_away(next)),
        ..Page::new(l10n, &title, body)
    };
    respond_with_forms(page, csrf, errors)
}
