//! Signing in and out.

use std::sync::Arc;

use axum::extract::State as With;
use axum::http::Uri;
use axum::response::Response;
use maud::html;
use shared::accounts::Who;
use shared::auth::{CallerAddress, Visitor};
use shared::body::Form;
use shared::error::ApiError;
use shared::html::{Control, Field, Page, notice};
use shared::models::Account;

use crate::answer::{done, go_on, see_other, with_cookie, with_forms};
use crate::form::{Faults, PostForm, SentForm, required};
use crate::return_path::{leads_away, of_query, return_path, with_next};
use crate::{State, password, sign_up};

/// Where it is.
pub(crate) const PATH: &str = "/sign-in";

/// What brought the visitor here.
const DONE: [(&str, &str); 1] = [(
    "everywhere",
    "You are signed out everywhere, and every token has ended.",
)];

/// `GET /sign-in`
pub(crate) async fn page(
    With(state): With<Arc<State>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, ApiError> {
    let next = of_query(&uri);
    if state.sessions.find(&visitor).await?.is_some() {
        return go_on(&state, next.as_deref());
    }
    let shown = Shown {
        next: next.as_deref(),
        done: done(&uri, &DONE),
        ..Shown::default()
    };
    show(&state, &visitor, &shown)
}

/// `POST /sign-in`
pub(crate) async fn sign_in(
    With(state): With<Arc<State>>,
    address: CallerAddress,
    SentForm { visitor, form }: SentForm,
) -> Result<Response, ApiError> {
    let next = return_path(form.value("next"));
    match check(&state, &form, address).await {
        Ok(account) => begin(&state, &visitor, &account, next.as_deref()).await,
        Err(error) => {
            let shown = Shown {
                next: next.as_deref(),
                who: form.value("who"),
                faults: Some(&Faults::of(error)?),
                done: None,
            };
            show(&state, &visitor, &shown)
        }
    }
}

/// `POST /sign-out`
pub(crate) async fn sign_out(
    With(state): With<Arc<State>>,
    SentForm { visitor, form }: SentForm,
) -> Result<Response, ApiError> {
    let cookie = state.sessions.end(&visitor).await?;
    let answer = match return_path(form.value("next")) {
        Some(next) => see_other(&state, &with_next(PATH, Some(&next)))?,
        None => see_other(&state, "/")?,
    };
    Ok(with_cookie(answer, cookie))
}

/// Begins the session of somebody who has shown who they are, and sends them on.
pub(crate) async fn begin(
    state: &State,
    visitor: &Visitor,
    account: &Account,
    next: Option<&str>,
) -> Result<Response, ApiError> {
    let cookie = state.sessions.begin(visitor, account).await?;
    Ok(with_cookie(go_on(state, next)?, cookie))
}

async fn check(state: &State, form: &Form, address: CallerAddress) -> Result<Account, ApiError> {
    let [who, password] = required(form, ["who", "password"])?;
    state
        .accounts
        .sign_in(Who::of(who.trim()), password, address)
        .await
}

/// What is on the page beside its form.
#[derive(Default)]
struct Shown<'a> {
    next: Option<&'a str>,
    who: &'a str,
    done: Option<&'a str>,
    faults: Option<&'a Faults>,
}

fn show(state: &State, visitor: &Visitor, shown: &Shown<'_>) -> Result<Response, ApiError> {
    let csrf = state.sessions.csrf(visitor)?;
    let next = shown.next;
    let fields = [
        Field {
            name: "who",
            label: "Name or e-mail address",
            control: Control::Username,
            value: shown.who,
            hint: "",
        },
        Field {
            name: "password",
            label: "Password",
            control: Control::CurrentPassword,
            value: "",
            hint: "",
        },
    ];
    let body = html! {
        @if let Some(done) = shown.done { (notice(done)) }
        (PostForm {
            action: PATH,
            csrf: &csrf.token,
            hidden: next.map(|next| ("next", next)),
            fields: &fields,
            faults: shown.faults,
            button: "Sign in",
            ..PostForm::default()
        })
        ul.links {
            li { a.row href=(with_next(sign_up::PATH, next)) { "Make an account" } }
            li { a.row href=(with_next(password::FORGOT, next)) { "Forgot your password?" } }
        }
    };
    let page = Page {
        title: "Sign in",
        at: PATH,
        visitor: None,
        leads_away: leads_away(next),
        body,
    };
    Ok(with_forms(page, csrf, shown.faults))
}
