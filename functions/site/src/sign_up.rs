//! Making an account.

use std::sync::Arc;

use axum::extract::State as With;
use axum::http::Uri;
use axum::response::Response;
use maud::html;
use shared::accounts::Registration;
use shared::auth::{CallerAddress, Visitor};
use shared::body::Form;
use shared::error::ApiError;
use shared::html::{Control, Field, Page};
use shared::models::Account;

use crate::answer::{go_on, with_forms};
use crate::form::{Faults, PASSWORD_HINT, PostForm, SentForm};
use crate::return_path::{leads_away, of_query, return_path, with_next};
use crate::{State, sign_in};

/// Where it is.
pub(crate) const PATH: &str = "/sign-up";

/// `GET /sign-up`
pub(crate) async fn page(
    With(state): With<Arc<State>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, ApiError> {
    let next = of_query(&uri);
    if state.sessions.find(&visitor).await?.is_some() {
        return go_on(&state, next.as_deref());
    }
    show(&state, &visitor, next.as_deref(), &Form::default(), None)
}

/// `POST /sign-up`
pub(crate) async fn sign_up(
    With(state): With<Arc<State>>,
    address: CallerAddress,
    SentForm { visitor, form }: SentForm,
) -> Result<Response, ApiError> {
    let next = return_path(form.value("next"));
    let next = next.as_deref();
    // The button was pressed twice, or on a page that had been left open.
    if state.sessions.find(&visitor).await?.is_some() {
        return go_on(&state, next);
    }
    match register(&state, &form, address).await {
        Ok(account) => sign_in::begin(&state, &visitor, &account, next).await,
        Err(error) => show(&state, &visitor, next, &form, Some(&Faults::of(error)?)),
    }
}

async fn register(state: &State, form: &Form, address: CallerAddress) -> Result<Account, ApiError> {
    let new = Registration::read(form.fields())?;
    state.links.register(new, address).await
}

fn show(
    state: &State,
    visitor: &Visitor,
    next: Option<&str>,
    typed: &Form,
    faults: Option<&Faults>,
) -> Result<Response, ApiError> {
    let csrf = state.sessions.csrf(visitor)?;
    let fields = [
        Field {
            name: "username",
            label: "Name",
            control: Control::Username,
            value: typed.value("username"),
            hint: "3 to 32 letters from a to z, digits, _ and -. Everybody can see it.",
        },
        Field {
            name: "email",
            label: "E-mail address",
            control: Control::Email,
            value: typed.value("email"),
            hint: "Only you can see it. A link to verify it is sent there.",
        },
        Field {
            name: "password",
            label: "Password",
            control: Control::NewPassword,
            value: "",
            hint: PASSWORD_HINT,
        },
    ];
    let body = html! {
        (PostForm {
            action: PATH,
            csrf: &csrf.token,
            hidden: next.map(|next| ("next", next)),
            fields: &fields,
            faults,
            button: "Sign up",
            ..PostForm::default()
        })
        p { "You have an account? " a href=(with_next(sign_in::PATH, next)) { "Sign in" } "." }
    };
    let page = Page {
        title: "Sign up",
        at: PATH,
        visitor: None,
        leads_away: leads_away(next),
        body,
    };
    Ok(with_forms(page, csrf, faults))
}
