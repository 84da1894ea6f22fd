//! Deletion of the user's own account.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use maud::html;
use pages::error::PageResult;
use pages::form::PostForm;
use pages::form_page::FormPage;
use pages::layout::Page;
use pages::paths::{PROFILE, PROFILE_DELETE, START};
use pages::profile_part::ProfilePart;
use pages::response::with_cookie;
use shared::auth::Action;

use crate::state::AccountState;

/// `GET /profile/delete`
pub(crate) fn page(page: &FormPage) -> Response {
    let l10n = &page.forms.l10n;
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
            danger: true,
            ..page.forms.post(PROFILE_DELETE, "profile-delete-button")
        })
        p { a.row href=(PROFILE) { (l10n.text("delete-keep")) } }
    };
    let title = l10n.text("delete-title");
    page.respond(ProfilePart::Account.sub_page(page, &title, &body))
}

/// `POST /profile/delete`
pub(crate) async fn delete(State(state): State<Arc<AccountState>>, page: FormPage) -> PageResult {
    let access = page.owner.access(Action::DeleteUser);
    state.accounts.delete(&access, &page.owner.account).await?;
    let cookie = state.sessions.end(&page.visitor).await?;
    let l10n = &page.forms.l10n;
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
