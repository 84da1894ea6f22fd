//! Password reset: the page that sends a link by mail, and the page that the link leads to.

use std::sync::Arc;

use accounts::SignedInUser;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use maud::html;
use pages::error::PageError;
use pages::form::{FormErrors, PASSWORD_HINT, PostForm, SentForm, read_link_token, read_required};
use pages::layout::{Control, Field, Page};
use pages::paths::{FORGOT_PASSWORD, RESET_PASSWORD, SIGN_IN};
use pages::response::respond_with_forms;
use pages::return_path::{read_return_path, return_path, with_next};
use pages::sessions::Visitor;
use shared::Error;
use shared::auth::CallerAddress;
use shared::input::Form;
use shared::models::EmailAddress;

use crate::state::AccountState;

/// `GET /forgot-password`
pub(crate) async fn forgot_page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, PageError> {
    state.accounts.check_has_passwords()?;
    let next = read_return_path(&uri);
    show_forgot(&state, &visitor, next.as_deref(), "", None).await
}

/// `POST /forgot-password`. The response is the same for known and unknown e-mail addresses, so that it does
/// not reveal which of them have an account.
pub(crate) async fn request_reset(
    State(state): State<Arc<AccountState>>,
    address: CallerAddress,
    SentForm { visitor, form }: SentForm,
) -> Result<Response, PageError> {
    let next = return_path(form.value("next"));
    if let Err(error) = send_reset_link(&state, &form, address).await {
        let (errors, typed) = (FormErrors::of(error)?, form.value("email"));
        return show_forgot(&state, &visitor, next.as_deref(), typed, Some(&errors)).await;
    }
    let signed_in = state.sessions.find_if_readable(&visitor).await;
    let l10n = &visitor.localizer(signed_in.as_ref());
    let body = html! {
        p { (l10n.text("forgot-sent")) }
        p { (l10n.text("forgot-sent-hint")) }
        p { a.row href=(with_next(SIGN_IN, next.as_deref())) { (l10n.text("forgot-back")) } }
    };
    let title = l10n.text("forgot-sent-title");
    let page = Page {
        visitor: signed_in.as_ref().map(SignedInUser::username),
        ..Page::new(l10n, &title, body)
    };
    Ok(page.respond(StatusCode::OK))
}

async fn send_reset_link(
    state: &AccountState,
    form: &Form,
    address: CallerAddress,
) -> Result<(), Error> {
    let mut fields = form.fields();
    let email = fields.read_with("email", |text| EmailAddress::new(text.trim()));
    let email = fields.finish(email)?;
    state.mail_links.send_reset(email, address).await
}

async fn show_forgot(
    state: &AccountState,
    visitor: &Visitor,
    next: Option<&str>,
    typed: &str,
    errors: Option<&FormErrors>,
) -> Result<Response, PageError> {
    let signed_in = state.sessions.find_if_readable(visitor).await;
    let csrf = state.sessions.csrf(visitor);
    let l10n = &visitor.localizer(signed_in.as_ref());
    let email = Field {
        name: "email",
        label: &l10n.text("account-email"),
        control: Control::Email,
        value: typed,
        hint: &l10n.text("forgot-hint"),
    };
    let body = html! {
        (PostForm {
            action: FORGOT_PASSWORD,
            csrf: &csrf.token,
            hidden: next.map(|next| ("next", next)).into_iter().collect(),
            fields: &[email],
            errors,
            button: &l10n.text("forgot-button"),
            ..PostForm::new(l10n)
        })
        p { a.row href=(with_next(SIGN_IN, next)) { (l10n.text("forgot-back")) } }
    };
    let title = l10n.text("forgot-title");
    let page = Page {
        visitor: signed_in.as_ref().map(SignedInUser::username),
        ..Page::new(l10n, &title, body)
    };
    Ok(respond_with_forms(page, csrf, errors))
}

/// `GET /reset-password`
pub(crate) async fn reset_page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, PageError> {
    state.accounts.check_has_passwords()?;
    let token = read_link_token(&uri);
    show_reset(&state, &visitor, &token, None).await
}

/// `POST /reset-password`. Ends all sessions and access tokens of the account.
pub(crate) async fn reset(
    State(state): State<Arc<AccountState>>,
    address: CallerAddress,
    SentForm { visitor, form }: SentForm,
) -> Result<Response, PageError> {
    if let Err(error) = set_password(&state, &form, address).await {
        let (errors, token) = (FormErrors::of(error)?, form.value("token"));
        return show_reset(&state, &visitor, token, Some(&errors)).await;
    }
    // The page has no signed-in user, because the reset ended every session of the account.
    let l10n = &visitor.localizer(None);
    let body = html! {
        p { (l10n.text("account-signed-out-everywhere")) }
        p { a.button href=(SIGN_IN) { (l10n.text("page-sign-in")) } }
    };
    let title = l10n.text("reset-done");
    let page = Page::new(l10n, &title, body);
    Ok(page.respond(StatusCode::OK))
}

async fn set_password(
    state: &AccountState,
    form: &Form,
    address: CallerAddress,
) -> Result<(), Error> {
    let [password] = read_required(form, ["password"])?;
    let token = form.value("token");
    state
        .mail_links
        .reset_password(token, password, address)
        .await
}

async fn show_reset(
    state: &AccountState,
    visitor: &Visitor,
    token: &str,
    errors: Option<&FormErrors>,
) -> Result<Response, PageError> {
    let signed_in = state.sessions.find_if_readable(visitor).await;
    let csrf = state.sessions.csrf(visitor);
    let l10n = &visitor.localizer(signed_in.as_ref());
    let password = Field {
        name: "password",
        label: &l10n.text("account-new-password"),
        control: Control::NewPassword,
        value: "",
        hint: &l10n.text(PASSWORD_HINT),
    };
    let body = html! {
        p { (l10n.text("reset-explanation")) }
        (PostForm {
            action: RESET_PASSWORD,
            csrf: &csrf.token,
            hidden: vec![("token", token)],
            fields: &[password],
            errors,
            button: &l10n.text("reset-button"),
            ..PostForm::new(l10n)
        })
        @if errors.is_some() {
            p { a.row href=(FORGOT_PASSWORD) { (l10n.text("reset-again")) } }
        }
    };
    let title = l10n.text("reset-title");
    let page = Page {
        visitor: signed_in.as_ref().map(SignedInUser::username),
        ..Page::new(l10n, &title, body)
    };
    Ok(respond_with_forms(page, csrf, errors))
}
