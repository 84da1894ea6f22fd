//! Signing in and out.

pub(crate) mod view;

use std::sync::Arc;

use accounts::SignInName;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use pages::answer::{begin_session, done, redirect_after_sign_in, see_other, with_cookie};
use pages::error::PageError;
use pages::form::{FormErrors, SentForm, SignedInForm, required};
use pages::paths::{SIGN_IN, START};
use pages::return_path::{of_query, return_path, with_next};
use pages::sessions::Visitor;
use shared::Error;
use shared::auth::CallerAddress;
use shared::input::Form;
use store::Account;

use self::view::{SignInForm, show};
use crate::state::{AccountState, CatalogueState};
use crate::story::form::draft;
use crate::story::routes;

/// The messages of confirmations, by the value of the parameter `done`.
const DONE: [(&str, &str); 1] = [("everywhere", "account-signed-out-everywhere")];

/// `GET /sign-in`
pub(crate) async fn page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, PageError> {
    let next = of_query(&uri);
    if state.sessions.find(&visitor).await?.is_some() {
        return redirect_after_sign_in(&state.sessions, next.as_deref());
    }
    let shown = SignInForm {
        next: next.as_deref(),
        done: done(&uri, &DONE),
        ..SignInForm::default()
    };
    Ok(show(&state.sessions, &visitor, &shown))
}

/// `POST /sign-in`
pub(crate) async fn sign_in(
    State(state): State<Arc<AccountState>>,
    State(catalogue): State<Arc<CatalogueState>>,
    address: CallerAddress,
    SentForm { visitor, form }: SentForm,
) -> Result<Response, PageError> {
    let next = return_path(form.value("next"));
    match check(&state, &form, address).await {
        Ok(account) if draft(&form).is_some() => {
            show_draft(&catalogue, visitor, &account, form, next.as_deref()).await
        }
        Ok(account) => begin_session(&state.sessions, &visitor, &account, next.as_deref()).await,
        Err(error) => {
            let shown = SignInForm {
                next: next.as_deref(),
                who: form.value("who"),
                errors: Some(&FormErrors::of(error)?),
                draft: draft(&form),
                ..SignInForm::default()
            };
            Ok(show(&state.sessions, &visitor, &shown))
        }
    }
}

/// Starts a session, and shows the form of an entry with what was typed before the sign-in. The entry is not
/// saved until the user sends this form.
async fn show_draft(
    catalogue: &CatalogueState,
    mut visitor: Visitor,
    account: &Account,
    form: Form,
    next: Option<&str>,
) -> Result<Response, PageError> {
    let cookie = catalogue.sessions.begin(&visitor, account).await?;
    // The CSRF token of the form must belong to the new session.
    visitor.store_cookie(cookie.clone());
    let answer = match catalogue.sessions.find(&visitor).await? {
        Some(owner) => {
            let posted = SignedInForm {
                visitor,
                owner,
                form,
            };
            routes::show_draft(catalogue, &posted).await?
        }
        None => redirect_after_sign_in(&catalogue.sessions, next)?,
    };
    Ok(with_cookie(answer, &cookie))
}

/// `POST /sign-out`
pub(crate) async fn sign_out(
    State(state): State<Arc<AccountState>>,
    SentForm { visitor, form }: SentForm,
) -> Result<Response, PageError> {
    let cookie = state.sessions.end(&visitor).await?;
    let answer = match return_path(form.value("next")) {
        Some(next) => see_other(&state.sessions, &with_next(SIGN_IN, Some(&next)))?,
        None => see_other(&state.sessions, START)?,
    };
    Ok(with_cookie(answer, &cookie))
}

async fn check(
    state: &AccountState,
    form: &Form,
    address: CallerAddress,
) -> Result<Account, Error> {
    let [who, password] = required(form, ["who", "password"])?;
    state
        .accounts
        .sign_in(SignInName::of(who.trim()), password, address)
        .await
}
