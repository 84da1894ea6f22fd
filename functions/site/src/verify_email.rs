//! E-mail verification: the page that the link in the mail leads to.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use maud::html;
use shared::auth::CallerAddress;

use crate::answer::with_forms;
use crate::error::PageError;
use crate::form::{FormErrors, PostForm, SentForm, link_token};
use crate::language::Localizer;
use crate::layout::Page;
use crate::paths::{PROFILE, VERIFY_EMAIL};
use crate::sessions::Visitor;
use crate::state::SiteState;

/// `GET /verify-email`. Only the page's button uses up the link, because mail scanners open links.
pub(crate) async fn page(
    State(state): State<Arc<SiteState>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, PageError> {
    let token = link_token(&uri);
    show(&state, &visitor, &token, None).await
}

/// `POST /verify-email`
pub(crate) async fn verify(
    State(state): State<Arc<SiteState>>,
    address: CallerAddress,
    SentForm { visitor, form }: SentForm,
) -> Result<Response, PageError> {
    let token = form.value("token");
    if let Err(error) = state.links.verify_email(token, address).await {
        return show(&state, &visitor, token, Some(&FormErrors::of(error)?)).await;
    }
    let name = state.name_of(&visitor).await;
    let l10n = Localizer::default();
    let body = html! { p { a.button href=(PROFILE) { "Go to your profile" } } };
    let page = Page {
        visitor: name.as_deref(),
        ..Page::new(&l10n, "Your e-mail address is verified", body)
    };
    Ok(page.answer(StatusCode::OK))
}

async fn show(
    state: &SiteState,
    visitor: &Visitor,
    token: &str,
    faults: Option<&FormErrors>,
) -> Result<Response, PageError> {
    let csrf = state.sessions.csrf(visitor);
    let name = state.name_of(visitor).await;
    let body = html! {
        p { "Select the button to confirm your e-mail address." }
        (PostForm {
            action: VERIFY_EMAIL,
            csrf: &csrf.token,
            hidden: Some(("token", token)),
            faults,
            button: "Verify my e-mail address",
            ..PostForm::default()
        })
        @if faults.is_some() {
            p { "You can request another link on " a href=(PROFILE) { "your profile" } "." }
        }
    };
    let l10n = Localizer::default();
    let page = Page {
        visitor: name.as_deref(),
        ..Page::new(&l10n, "Verify your e-mail address", body)
    };
    Ok(with_forms(page, csrf, faults))
}
