//! Deletion of the user's own account.

use std::sync::Arc;

use accounts::SignedInUser;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use maud::html;
use pages::error::PageError;
use pages::form::{PostForm, SignedInForm};
use pages::layout::Page;
use pages::paths::{PROFILE, PROFILE_DELETE, START};
use pages::response::{respond_with_forms, with_cookie};
use pages::sessions::Visitor;
use shared::auth::Action;

use super::part::Part;
use crate::state::AccountState;

/// `GET /profile/delete`
pub(crate) async fn page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
) -> Result<Response, PageError> {
    let owner = state
        .sessions
        .require_user(&visitor, PROFILE_DELETE)
        .await?;
    let now = state.accounts.clock.now_s();
    state.sessions.require_proof(&owner, PROFILE_DELETE, now)?;
    Ok(show(&state, &visitor, &owner))
}

/// `POST /profile/delete`
pub(crate) async fn delete(
    State(state): State<Arc<AccountState>>,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let access = posted.owner.access(Action::DeleteUser);
    state
        .accounts
        .delete(&access, &posted.owner.account)
        .await?;
    let cookie = state.sessions.end(&posted.visitor).await?;
    let l10n = &posted.visitor.localizer(Some(&posted.owner));
    let body = html! {
        p { (l10n.text("delete-done-text")) }
        p { a.button href=(START) { (l10n.text("page-start")) } }
    };
    let title = l10n.text("delete-done");
    let page = Page {
        current_path: PROFILE,
        ..Page::new(l10n, &title, body)
    };
    Ok(with_cookie(page.respond(StatusCode::OK), &cookie))
}

fn show(state: &AccountState, visitor: &Visitor, owner: &SignedInUser) -> Response {
    let l10n = &visitor.localizer(Some(owner));
    let csrf = state.sessions.csrf(visitor);
    let body = html! {
        p { (l10n.text("delete-explanation")) }
        ul {
            li { (l10n.text("delete-account")) }
            li { (l10n.text("delete-history")) }
            li { (l10n.text("delete-trackers")) }
            li { (l10n.text("delete-connections")) }
            li { (l10n.text("delete-applications")) }
        }
        p { (l10n.text("delete-name")) }
        (PostForm {
            action: PROFILE_DELETE,
            csrf: &csrf.token,
            button: &l10n.text("profile-delete-button"),
            danger: true,
            ..PostForm::new(l10n)
        })
        p { a.row href=(PROFILE) { (l10n.text("delete-keep")) } }
    };
    let title = l10n.text("delete-title");
    let page = Part::Account.sub_page(l10n, &title, owner, &body);
    respond_with_forms(page, csrf, None)
}
