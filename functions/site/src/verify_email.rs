//! Where the link leads that shows that an e-mail address is one's own.

use std::sync::Arc;

use axum::extract::State as With;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use maud::html;
use shared::accounts::links::VERIFY_EMAIL;
use shared::auth::{CallerAddress, Visitor};
use shared::error::ApiError;
use shared::html::Page;

use crate::answer::with_forms;
use crate::form::{Faults, PostForm, SentForm, link_token};
use crate::{State, profile};

/// `GET /verify-email`: only the page's button uses the link up, not the programs that look at links
/// in mails.
pub(crate) async fn page(
    With(state): With<Arc<State>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, ApiError> {
    let token = link_token(&uri);
    show(&state, &visitor, &token, None).await
}

/// `POST /verify-email`
pub(crate) async fn verify(
    With(state): With<Arc<State>>,
    address: CallerAddress,
    SentForm { visitor, form }: SentForm,
) -> Result<Response, ApiError> {
    let token = form.value("token");
    if let Err(error) = state.links.verify_email(token, address).await {
        return show(&state, &visitor, token, Some(&Faults::of(error)?)).await;
    }
    let name = state.name_of(&visitor).await;
    let page = Page {
        title: "Your e-mail address is verified",
        at: "",
        visitor: name.as_deref(),
        leads_away: false,
        body: html! { p { a.button href=(profile::PATH) { "Go to your profile" } } },
    };
    Ok(page.answer(StatusCode::OK))
}

async fn show(
    state: &State,
    visitor: &Visitor,
    token: &str,
    faults: Option<&Faults>,
) -> Result<Response, ApiError> {
    let csrf = state.sessions.csrf(visitor)?;
    let name = state.name_of(visitor).await;
    let body = html! {
        p { "Press the button to show that this address is yours." }
        (PostForm {
            action: VERIFY_EMAIL,
            csrf: &csrf.token,
            hidden: Some(("token", token)),
            faults,
            button: "Verify my e-mail address",
            ..PostForm::default()
        })
        @if faults.is_some() {
            p { "You can have another link sent from " a href=(profile::PATH) { "your profile" } "." }
        }
    };
    let page = Page {
        title: "Verify your e-mail address",
        at: "",
        visitor: name.as_deref(),
        leads_away: false,
        body,
    };
    Ok(with_forms(page, csrf, faults))
}
