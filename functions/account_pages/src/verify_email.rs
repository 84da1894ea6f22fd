//! E-mail verification: the page that the link in the mail leads to.

use std::sync::Arc;

use accounts::sessions::SignedInUser;
use axum::extract::State;
use axum::response::Response;
use maud::html;
use page_parts::door::door;
use pages::error::PageResult;
use pages::form::PostForm;
use pages::form_page::FormPage;
use pages::paths::{PROFILE, VERIFY_EMAIL};
use shared::auth::CallerAddress;

use crate::state::AccountState;

/// `POST /verify-email`
pub(crate) async fn verify(
    State(state): State<Arc<AccountState>>,
    address: CallerAddress,
    page: FormPage<Option<SignedInUser>>,
) -> PageResult {
    let token = page.forms.sent.value("token");
    if let Err(error) = state.account_service.verify_email(token, address).await {
        return Ok(self::page(&page.with_errors(error)?));
    }
    let l10n = &page.forms.l10n;
    let body = html! { p { a.button href=(PROFILE) { (l10n.text("verify-profile")) } } };
    Ok(page.show(&l10n.text("verify-done"), door(l10n, &body)))
}

/// `GET /verify-email`. Only the page's button uses up the link, because mail scanners open links.
pub(crate) fn page(page: &FormPage<Option<SignedInUser>>) -> Response {
    let (l10n, token) = (&page.forms.l10n, page.forms.link_token());
    let profile = html! { a href=(PROFILE) { (l10n.text("verify-again-profile")) } };
    let body = html! {
        p { (l10n.text("verify-explanation")) }
        (PostForm {
            hidden: vec![("token", &token)],
            ..page.forms.post(VERIFY_EMAIL, "verify-button")
        })
        @if page.forms.sent_errors().is_some() {
            p { (l10n.markup("verify-again", [("profile", profile)])) }
        }
    };
    page.show(&l10n.text("verify-title"), door(l10n, &body))
}
