//! Deletion of the user's own account.

use std::sync::Arc;

use accounts::SignedIn;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use maud::html;
use shared::Error;
use shared::auth::{Action, CallerAddress};

use crate::answer::{with_cookie, with_forms};
use crate::error::PageError;
use crate::form::{FormErrors, PostForm, SignedInForm, required};
use crate::language::Localizer;
use crate::layout::{Control, Field, Page};
use crate::paths::PROFILE;
use crate::sessions::Visitor;
use crate::state::SiteState;

/// `GET /profile/delete`
pub(crate) async fn delete_page(
    State(state): State<Arc<SiteState>>,
    visitor: Visitor,
) -> Result<Response, PageError> {
    let owner = state.sessions.require(&visitor, PROFILE).await?;
    Ok(show(&state, &visitor, &owner, None))
}

/// `POST /profile/delete`
pub(crate) async fn delete(
    State(state): State<Arc<SiteState>>,
    address: CallerAddress,
    own: SignedInForm,
) -> Result<Response, PageError> {
    if let Err(error) = delete_own(&state, &own, address).await {
        let faults = FormErrors::of(error)?;
        return Ok(show(&state, &own.visitor, &own.owner, Some(&faults)));
    }
    let cookie = state.sessions.end(&own.visitor).await?;
    let l10n = Localizer::default();
    let body = html! {
        p { "You are signed out, and all access tokens have been revoked." }
        p { a.button href="/" { "Go to the start page" } }
    };
    let page = Page {
        current_path: PROFILE,
        ..Page::new(&l10n, "Your account has been deleted", body)
    };
    Ok(with_cookie(page.answer(StatusCode::OK), &cookie))
}

async fn delete_own(
    state: &SiteState,
    own: &SignedInForm,
    address: CallerAddress,
) -> Result<(), Error> {
    let [password] = required(&own.form, ["current_password"])?;
    let account = &own.owner.account;
    state
        .accounts
        .check_and_hash_passwords(account, Some(password), None, address)
        .await?;
    let access = own.owner.access(Action::DeleteUser);
    state.accounts.delete(&access, account).await
}

fn show(
    state: &SiteState,
    visitor: &Visitor,
    owner: &SignedIn,
    faults: Option<&FormErrors>,
) -> Response {
    let csrf = state.sessions.csrf(visitor);
    let password = Field {
        name: "current_password",
        label: "Current password",
        control: Control::CurrentPassword,
        value: "",
        hint: "",
    };
    let body = html! {
        p { "This cannot be undone. It deletes:" }
        ul {
            li { "your account, with its name, e-mail address and settings" }
            li { "your watch history" }
            li { "the connections to your tracker accounts" }
            li { "the access of applications that you have connected" }
            li { "applications that you have registered, and their access to other users’ data" }
        }
        p { "Other users can then register with your name and your e-mail address." }
        (PostForm {
            action: "/profile/delete",
            csrf: &csrf.token,
            fields: &[password],
            faults,
            button: "Delete my account",
            danger: true,
            ..PostForm::default()
        })
        p { a.row href=(PROFILE) { "Keep my account" } }
    };
    let l10n = Localizer::default();
    let page = Page {
        current_path: PROFILE,
        visitor: Some(&owner.account.user.username),
        ..Page::new(&l10n, "Delete your account?", body)
    };
    with_forms(page, csrf, faults)
}
