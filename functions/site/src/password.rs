//! Password reset: the page that sends a link by mail, and the page that the link leads to.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use maud::html;
use shared::Error;
use shared::auth::CallerAddress;
use shared::input::Form;
use shared::models::EmailAddress;

use crate::answer::with_forms;
use crate::error::PageError;
use crate::form::{FormErrors, PASSWORD_HINT, PostForm, SentForm, link_token, required};
use crate::language::Localizer;
use crate::layout::{Control, Field, Page};
use crate::paths::{FORGOT_PASSWORD, RESET_PASSWORD, SIGN_IN};
use crate::return_path::{of_query, return_path, with_next};
use crate::sessions::Visitor;
use crate::state::SiteState;

/// `GET /forgot-password`
pub(crate) async fn forgot_page(
    State(state): State<Arc<SiteState>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, PageError> {
    let next = of_query(&uri);
    show_forgot(&state, &visitor, next.as_deref(), "", None).await
}

/// `POST /forgot-password`. The response is the same for known and unknown e-mail addresses, so that it does
/// not reveal which of them have an account.
pub(crate) async fn forgot(
    State(state): State<Arc<SiteState>>,
    address: CallerAddress,
    SentForm { visitor, form }: SentForm,
) -> Result<Response, PageError> {
    let next = return_path(form.value("next"));
    if let Err(error) = send(&state, &form, address).await {
        let (faults, typed) = (FormErrors::of(error)?, form.value("email"));
        return show_forgot(&state, &visitor, next.as_deref(), typed, Some(&faults)).await;
    }
    let name = state.name_of(&visitor).await;
    let l10n = Localizer::default();
    let body = html! {
        p { "If an account uses this address, we have sent a link to it." }
        p { "The link expires after 1 hour. If you do not find it, check your spam folder or try another address." }
        p { a.row href=(with_next(SIGN_IN, next.as_deref())) { "Back to sign in" } }
    };
    let page = Page {
        visitor: name.as_deref(),
        ..Page::new(&l10n, "Check your e-mail", body)
    };
    Ok(page.answer(StatusCode::OK))
}

async fn send(state: &SiteState, form: &Form, address: CallerAddress) -> Result<(), Error> {
    let mut fields = form.fields();
    let email = fields.parsed("email", |text| EmailAddress::new(text.trim()));
    let email = fields.finish(email)?;
    state.links.send_reset(email, address).await
}

async fn show_forgot(
    state: &SiteState,
    visitor: &Visitor,
    next: Option<&str>,
    typed: &str,
    faults: Option<&FormErrors>,
) -> Result<Response, PageError> {
    let csrf = state.sessions.csrf(visitor);
    let name = state.name_of(visitor).await;
    let email = Field {
        name: "email",
        label: "E-mail address",
        control: Control::Email,
        value: typed,
        hint: "The address of your account. We will send it a link to choose a new password.",
    };
    let body = html! {
        (PostForm {
            action: FORGOT_PASSWORD,
            csrf: &csrf.token,
            hidden: next.map(|next| ("next", next)),
            fields: &[email],
            faults,
            button: "Send me a link",
            ..PostForm::default()
        })
        p { a.row href=(with_next(SIGN_IN, next)) { "Back to sign in" } }
    };
    let l10n = Localizer::default();
    let page = Page {
        visitor: name.as_deref(),
        ..Page::new(&l10n, "Forgot your password?", body)
    };
    Ok(with_forms(page, csrf, faults))
}

/// `GET /reset-password`
pub(crate) async fn reset_page(
    State(state): State<Arc<SiteState>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, PageError> {
    let token = link_token(&uri);
    show_reset(&state, &visitor, &token, None).await
}

/// `POST /reset-password`. Ends all sessions and access tokens of the account.
pub(crate) async fn reset(
    State(state): State<Arc<SiteState>>,
    address: CallerAddress,
    SentForm { visitor, form }: SentForm,
) -> Result<Response, PageError> {
    if let Err(error) = set(&state, &form, address).await {
        let (faults, token) = (FormErrors::of(error)?, form.value("token"));
        return show_reset(&state, &visitor, token, Some(&faults)).await;
    }
    let l10n = Localizer::default();
    // Without a visitor, because the reset ended every session of the account.
    let body = html! {
        p { "You are signed out everywhere, and all access tokens have been revoked." }
        p { a.button href=(SIGN_IN) { "Sign in" } }
    };
    let page = Page::new(&l10n, "Your password has been changed", body);
    Ok(page.answer(StatusCode::OK))
}

async fn set(state: &SiteState, form: &Form, address: CallerAddress) -> Result<(), Error> {
    let [password] = required(form, ["password"])?;
    let token = form.value("token");
    state.links.reset_password(token, password, address).await
}

async fn show_reset(
    state: &SiteState,
    visitor: &Visitor,
    token: &str,
    faults: Option<&FormErrors>,
) -> Result<Response, PageError> {
    let csrf = state.sessions.csrf(visitor);
    let name = state.name_of(visitor).await;
    let password = Field {
        name: "password",
        label: "New password",
        control: Control::NewPassword,
        value: "",
        hint: PASSWORD_HINT,
    };
    let body = html! {
        p { "You will be signed out everywhere." }
        (PostForm {
            action: RESET_PASSWORD,
            csrf: &csrf.token,
            hidden: Some(("token", token)),
            fields: &[password],
            faults,
            button: "Set password",
            ..PostForm::default()
        })
        @if faults.is_some() {
            p { a.row href=(FORGOT_PASSWORD) { "Request another link" } }
        }
    };
    let l10n = Localizer::default();
    let page = Page {
        visitor: name.as_deref(),
        ..Page::new(&l10n, "Choose a new password", body)
    };
    Ok(with_forms(page, csrf, faults))
}
