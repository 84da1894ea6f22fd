//! Choosing a new password without knowing the old one: asking for a link, and where it leads.

use std::sync::Arc;

use axum::extract::State as With;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use maud::html;
use shared::accounts::links::RESET_PASSWORD;
use shared::auth::{CallerAddress, Visitor};
use shared::body::{Form, present};
use shared::error::ApiError;
use shared::html::{Control, Field, Page};
use shared::models::EmailAddress;

use crate::answer::with_forms;
use crate::form::{Faults, PASSWORD_HINT, PostForm, SentForm, link_token, required};
use crate::return_path::{of_query, return_path, with_next};
use crate::{State, sign_in};

/// Where a link is asked for.
pub(crate) const FORGOT: &str = "/forgot-password";

/// `GET /forgot-password`
pub(crate) async fn forgot_page(
    With(state): With<Arc<State>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, ApiError> {
    let next = of_query(&uri);
    show_forgot(&state, &visitor, next.as_deref(), "", None).await
}

/// `POST /forgot-password`: the answer does not say whether there is such an account.
pub(crate) async fn forgot(
    With(state): With<Arc<State>>,
    address: CallerAddress,
    SentForm { visitor, form }: SentForm,
) -> Result<Response, ApiError> {
    let next = return_path(form.value("next"));
    if let Err(error) = send(&state, &form, address).await {
        let (faults, typed) = (Faults::of(error)?, form.value("email"));
        return show_forgot(&state, &visitor, next.as_deref(), typed, Some(&faults)).await;
    }
    let name = state.name_of(&visitor).await;
    let page = Page {
        title: "Look into your mail",
        at: "",
        visitor: name.as_deref(),
        leads_away: false,
        body: html! {
            p { "If there is an account with this address, a link is on its way." }
            p { "It is good for an hour. Nothing there? Look among the spam, or try another address." }
            p { a.row href=(with_next(sign_in::PATH, next.as_deref())) { "Back to sign in" } }
        },
    };
    Ok(page.answer(StatusCode::OK))
}

async fn send(state: &State, form: &Form, address: CallerAddress) -> Result<(), ApiError> {
    let mut fields = form.fields();
    let email = fields.parsed("email", |text| EmailAddress::new(text.trim()));
    let email = fields.require("email", email);
    fields.finish()?;
    state.links.send_reset(present(email)?, address).await
}

async fn show_forgot(
    state: &State,
    visitor: &Visitor,
    next: Option<&str>,
    typed: &str,
    faults: Option<&Faults>,
) -> Result<Response, ApiError> {
    let csrf = state.sessions.csrf(visitor)?;
    let name = state.name_of(visitor).await;
    let email = Field {
        name: "email",
        label: "E-mail address",
        control: Control::Email,
        value: typed,
        hint: "That of your account. A link to choose a new password is sent there.",
    };
    let body = html! {
        (PostForm {
            action: FORGOT,
            csrf: &csrf.token,
            hidden: next.map(|next| ("next", next)),
            fields: &[email],
            faults,
            button: "Send me a link",
            ..PostForm::default()
        })
        p { a.row href=(with_next(sign_in::PATH, next)) { "Back to sign in" } }
    };
    let page = Page {
        title: "Forgot your password?",
        at: "",
        visitor: name.as_deref(),
        leads_away: false,
        body,
    };
    Ok(with_forms(page, csrf, faults))
}

/// `GET /reset-password`
pub(crate) async fn reset_page(
    With(state): With<Arc<State>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, ApiError> {
    let token = link_token(&uri);
    show_reset(&state, &visitor, &token, None).await
}

/// `POST /reset-password`
pub(crate) async fn reset(
    With(state): With<Arc<State>>,
    address: CallerAddress,
    SentForm { visitor, form }: SentForm,
) -> Result<Response, ApiError> {
    if let Err(error) = set(&state, &form, address).await {
        let (faults, token) = (Faults::of(error)?, form.value("token"));
        return show_reset(&state, &visitor, token, Some(&faults)).await;
    }
    let page = Page {
        title: "Your password is changed",
        at: "",
        // Whoever was signed in is not any more.
        visitor: None,
        leads_away: false,
        body: html! {
            p { "Wherever you were signed in, you are signed out now, and every token has ended." }
            p { a.button href=(sign_in::PATH) { "Sign in" } }
        },
    };
    Ok(page.answer(StatusCode::OK))
}

async fn set(state: &State, form: &Form, address: CallerAddress) -> Result<(), ApiError> {
    let [password] = required(form, ["password"])?;
    let token = form.value("token");
    state.links.reset_password(token, password, address).await
}

async fn show_reset(
    state: &State,
    visitor: &Visitor,
    token: &str,
    faults: Option<&Faults>,
) -> Result<Response, ApiError> {
    let csrf = state.sessions.csrf(visitor)?;
    let name = state.name_of(visitor).await;
    let password = Field {
        name: "password",
        label: "New password",
        control: Control::NewPassword,
        value: "",
        hint: PASSWORD_HINT,
    };
    let body = html! {
        p { "Wherever you are signed in now, you will be signed out." }
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
            p { a.row href=(FORGOT) { "Ask for another link" } }
        }
    };
    let page = Page {
        title: "Choose a new password",
        at: "",
        visitor: name.as_deref(),
        leads_away: false,
        body,
    };
    Ok(with_forms(page, csrf, faults))
}
