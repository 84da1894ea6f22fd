//! Password reset: the page that sends a link by mail, and the page to which the link leads.

use std::sync::Arc;

use accounts::sessions::SignedInUser;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use maud::html;
use page_parts::door::door;
use pages::error::PageResult;
use pages::form::{PostForm, new_password_field, read_required};
use pages::form_page::FormPage;
use pages::layout::{Control, Field, Page};
use pages::paths::{FORGOT_PASSWORD, RESET_PASSWORD, SIGN_IN};
use pages::return_path::with_next;
use pages::sessions::Visitor;
use shared::Result;
use shared::auth::CallerAddress;
use shared::input::Form;
use shared::models::EmailAddress;

use crate::state::AccountState;

/// `GET /forgot-password`
pub(crate) async fn forgot_page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
) -> PageResult {
    state.accounts.check_has_passwords()?;
    let owner = state.sessions.find_if_readable(&visitor).await;
    let page = FormPage::new(&state.sessions, visitor, owner, uri);
    Ok(show_forgot(&page))
}

/// `POST /forgot-password`. The response is the same for known and unknown e-mail addresses, so that it does
/// not reveal which of them have an account.
pub(crate) async fn request_reset(
    State(state): State<Arc<AccountState>>,
    address: CallerAddress,
    page: FormPage<Option<SignedInUser>>,
) -> PageResult {
    if let Err(error) = send_reset_link(&state, &page.forms.sent, address).await {
        return Ok(show_forgot(&page.with_errors(error)?));
    }
    let (l10n, next) = (&page.forms.l10n, page.forms.next());
    let body = html! {
        p { (l10n.text("forgot-sent")) }
        p { (l10n.text("forgot-sent-hint")) }
        p { a.row href=(with_next(SIGN_IN, next.as_deref())) { (l10n.text("forgot-back")) } }
    };
    Ok(page.show(&l10n.text("forgot-sent-title"), door(l10n, &body)))
}

async fn send_reset_link(state: &AccountState, form: &Form, address: CallerAddress) -> Result<()> {
    let mut fields = form.fields();
    let email = fields.read_with("email", |text| EmailAddress::new(text.trim()));
    let email = fields.finish(email)?;
    state.account_service.send_reset(email, address).await
}

fn show_forgot(page: &FormPage<Option<SignedInUser>>) -> Response {
    let (l10n, next) = (&page.forms.l10n, page.forms.next());
    let next = next.as_deref();
    let email = Field::new(l10n, "email", Control::Email, "account-email")
        .with_hint(l10n.text("forgot-hint"))
        .with_value(page.forms.sent.value("email"));
    let body = html! {
        (PostForm {
            hidden: next.map(|next| ("next", next)).into_iter().collect(),
            fields: &[email],
            ..page.forms.post(FORGOT_PASSWORD, "forgot-button")
        })
        p { a.row href=(with_next(SIGN_IN, next)) { (l10n.text("forgot-back")) } }
    };
    page.show(&l10n.text("forgot-title"), door(l10n, &body))
}

/// `GET /reset-password`. Opening the page does not use up the link.
pub(crate) async fn reset_page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
) -> PageResult {
    let owner = state.sessions.find_if_readable(&visitor).await;
    let page = FormPage::new(&state.sessions, visitor, owner, uri);
    let link = page.forms.link_token();
    match state.account_service.check_reset_link(&link).await {
        Ok(()) => Ok(show_reset(&page)),
        Err(error) => Ok(show_reset(&page.with_errors(error)?)),
    }
}

/// `POST /reset-password`. Ends all sessions and access tokens of the account.
pub(crate) async fn reset(
    State(state): State<Arc<AccountState>>,
    address: CallerAddress,
    page: FormPage<Option<SignedInUser>>,
) -> PageResult {
    if let Err(error) = set_password(&state, &page.forms.sent, address).await {
        return Ok(show_reset(&page.with_errors(error)?));
    }
    // The page has no signed-in user, because the reset ended every session of the account.
    let l10n = &page.visitor.localizer(None);
    let body = html! {
        p { (l10n.text("account-signed-out-everywhere")) }
        p { a.button href=(SIGN_IN) { (l10n.text("page-sign-in")) } }
    };
    let title = l10n.text("reset-done");
    let page = Page::new(l10n, &title, door(l10n, &body));
    Ok(page.respond(StatusCode::OK))
}

async fn set_password(state: &AccountState, form: &Form, address: CallerAddress) -> Result<()> {
    let [password] = read_required(form, ["password"])?;
    let token = form.value("token");
    state
        .account_service
        .reset_password(token, password, address)
        .await
}

/// Returns the page with the form for the new password. If the link is invalid, the page leads to another link instead.
fn show_reset(page: &FormPage<Option<SignedInUser>>) -> Response {
    let (l10n, token) = (&page.forms.l10n, page.forms.link_token());
    let errors = page.forms.sent_errors();
    let body = html! {
        @if let Some(errors) = errors.filter(|errors| errors.reason("token").is_some()) {
            (errors.summary(l10n, &[]))
            p { a.button href=(FORGOT_PASSWORD) { (l10n.text("reset-again")) } }
        } @else {
            p { (l10n.text("reset-explanation")) }
            (PostForm {
                hidden: vec![("token", &token)],
                fields: &[new_password_field(l10n, "account-new-password")],
                ..page.forms.post(RESET_PASSWORD, "reset-button")
            })
        }
    };
    page.show(&l10n.text("reset-title"), door(l10n, &body))
}
