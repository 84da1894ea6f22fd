//! E-mail verification: the page that the link in the mail leads to.

use std::sync::Arc;

use accounts::SignedInUser;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use maud::html;
use pages::error::PageError;
use pages::form::{FormErrors, PostForm, SentForm, read_link_token};
use pages::layout::Page;
use pages::paths::{PROFILE, VERIFY_EMAIL};
use pages::response::respond_with_forms;
use pages::sessions::Visitor;
use shared::auth::CallerAddress;

use crate::state::AccountState;

/// `GET /verify-email`. Only the page's button uses up the link, because mail scanners open links.
pub(crate) async fn page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, PageError> {
    let token = read_link_token(&uri);
    show(&state, &visitor, &token, None).await
}

/// `POST /verify-email`
pub(crate) async fn verify(
    State(state): State<Arc<AccountState>>,
    address: CallerAddress,
    SentForm { visitor, form }: SentForm,
) -> Result<Response, PageError> {
    let token = form.value("token");
    if let Err(error) = state.mail_links.verify_email(token, address).await {
        return show(&state, &visitor, token, Some(&FormErrors::of(error)?)).await;
    }
    let signed_in = state.sessions.find_if_readable(&visitor).await;
    let l10n = &visitor.localizer(signed_in.as_ref());
    let body = html! { p { a.button href=(PROFILE) { (l10n.text("verify-profile")) } } };
    let title = l10n.text("verify-done");
    let page = Page {
        visitor: signed_in.as_ref().map(SignedInUser::username),
        ..Page::new(l10n, &title, body)
    };
    Ok(page.respond(StatusCode::OK))
}

async fn show(
    state: &AccountState,
    visitor: &Visitor,
    token: &str,
    errors: Option<&FormErrors>,
) -> Result<Response, PageError> {
    let signed_in = state.sessions.find_if_readable(visitor).await;
    let csrf = state.sessions.csrf(visitor);
    let l10n = &visitor.localizer(signed_in.as_ref());
    let profile = html! { a href=(PROFILE) { (l10n.text("verify-again-profile")) } };
    let body = html! {
        p { (l10n.text("verify-explanation")) }
        (PostForm {
            action: VERIFY_EMAIL,
            csrf: &csrf.token,
            hidden: vec![("token", token)],
            errors,
            button: &l10n.text("verify-button"),
            ..PostForm::new(l10n)
        })
        @if errors.is_some() {
            p { (l10n.markup("verify-again", [("profile", profile)])) }
        }
    };
    let title = l10n.text("verify-title");
    let page = Page {
        visitor: signed_in.as_ref().map(SignedInUser::username),
        ..Page::new(l10n, &title, body)
    };
    Ok(respond_with_forms(page, csrf, errors))
}
