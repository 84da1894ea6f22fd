//! Creating an account.

use std::sync::Arc;

use accounts::Registration;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use maud::html;
use pages::error::PageError;
use pages::form::{FormErrors, PASSWORD_HINT, PostForm, SentForm};
use pages::layout::{Control, Field, Page, PageKind};
use pages::paths::{SIGN_IN, SIGN_UP};
use pages::response::{begin_session, redirect_after_sign_in, respond_with_forms};
use pages::return_path::{may_redirect_away, read_return_path, return_path, with_next};
use pages::sessions::Visitor;
use shared::Error;
use shared::auth::CallerAddress;
use shared::input::Form;
use shared::models::LocaleCode;
use store::Account;

use crate::state::AccountState;

/// `GET /sign-up`
pub(crate) async fn page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, PageError> {
    let next = read_return_path(&uri);
    if state.sessions.find(&visitor).await?.is_some() {
        return redirect_after_sign_in(&state.sessions, next.as_deref());
    }
    let form = Form::default();
    Ok(show(&state, &visitor, next.as_deref(), &form, None))
}

/// `POST /sign-up`
pub(crate) async fn sign_up(
    State(state): State<Arc<AccountState>>,
    address: CallerAddress,
    SentForm { visitor, form }: SentForm,
) -> Result<Response, PageError> {
    let next = return_path(form.value("next"));
    let next = next.as_deref();
    // The button was pressed twice, or the user signed in from another tab.
    if state.sessions.find(&visitor).await?.is_some() {
        return redirect_after_sign_in(&state.sessions, next);
    }
    match register(&state, &visitor, &form, address).await {
        Ok(account) => begin_session(&state.sessions, &visitor, &account, next).await,
        Err(error) => {
            let errors = FormErrors::of(error)?;
            Ok(show(&state, &visitor, next, &form, Some(&errors)))
        }
    }
}

/// Creates the account. Its language is that of the page, unless the form states another one.
async fn register(
    state: &AccountState,
    visitor: &Visitor,
    form: &Form,
    address: CallerAddress,
) -> Result<Account, Error> {
    let language = visitor.localizer(None).language();
    let code = LocaleCode::new(language.code()).map_err(Error::internal)?;
    let new = Registration::read(form.fields())?.with_default_localization(code);
    state.mail_links.register(new, address).await
}

fn show(
    state: &AccountState,
    visitor: &Visitor,
    next: Option<&str>,
    typed: &Form,
    errors: Option<&FormErrors>,
) -> Response {
    let l10n = &visitor.localizer(None);
    let csrf = state.sessions.csrf(visitor);
    let fields = [
        Field {
            name: "username",
            label: &l10n.text("account-name"),
            control: Control::Username,
            value: typed.value("username"),
            hint: &l10n.text("sign-up-name-hint"),
        },
        Field {
            name: "email",
            label: &l10n.text("account-email"),
            control: Control::Email,
            value: typed.value("email"),
            hint: &l10n.text("sign-up-email-hint"),
        },
        Field {
            name: "password",
            label: &l10n.text("account-password"),
            control: Control::NewPassword,
            value: "",
            hint: &l10n.text(PASSWORD_HINT),
        },
    ];
    let title = l10n.text("page-sign-up");
    let sign_in = html! { a href=(with_next(SIGN_IN, next)) { (l10n.text("page-sign-in")) } };
    let body = html! {
        (PostForm {
            action: SIGN_UP,
            csrf: &csrf.token,
            hidden: next.map(|next| ("next", next)).into_iter().collect(),
            fields: &fields,
            errors,
            button: &title,
            ..PostForm::new(l10n)
        })
        p { (l10n.markup("sign-up-has-account", [("sign-in", sign_in)])) }
    };
    let page = Page {
        current_path: SIGN_UP,
        kind: PageKind::of_form(may_redirect_away(next)),
        ..Page::new(l10n, &title, body)
    };
    respond_with_forms(page, csrf, errors)
}
