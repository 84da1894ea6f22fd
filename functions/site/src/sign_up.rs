//! Creating an account.

use std::sync::Arc;

use accounts::Registration;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use maud::html;
use shared::Error;
use shared::auth::CallerAddress;
use shared::input::Form;
use store::Account;

use crate::answer::{begin_session, redirect_after_sign_in, with_forms};
use crate::error::PageError;
use crate::form::{FormErrors, PASSWORD_HINT, PostForm, SentForm};
use crate::language::Localizer;
use crate::layout::{Control, Field, Page, PageKind};
use crate::paths::{SIGN_IN, SIGN_UP};
use crate::return_path::{may_redirect_away, of_query, return_path, with_next};
use crate::sessions::Visitor;
use crate::state::SiteState;

/// `GET /sign-up`
pub(crate) async fn page(
    State(state): State<Arc<SiteState>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, PageError> {
    let next = of_query(&uri);
    if state.sessions.find(&visitor).await?.is_some() {
        return redirect_after_sign_in(&state, next.as_deref());
    }
    let form = Form::default();
    Ok(show(&state, &visitor, next.as_deref(), &form, None))
}

/// `POST /sign-up`
pub(crate) async fn sign_up(
    State(state): State<Arc<SiteState>>,
    address: CallerAddress,
    SentForm { visitor, form }: SentForm,
) -> Result<Response, PageError> {
    let next = return_path(form.value("next"));
    let next = next.as_deref();
    // The button was pressed twice, or the user signed in from another tab.
    if state.sessions.find(&visitor).await?.is_some() {
        return redirect_after_sign_in(&state, next);
    }
    match register(&state, &form, address).await {
        Ok(account) => begin_session(&state, &visitor, &account, next).await,
        Err(error) => {
            let faults = FormErrors::of(error)?;
            Ok(show(&state, &visitor, next, &form, Some(&faults)))
        }
    }
}

async fn register(
    state: &SiteState,
    form: &Form,
    address: CallerAddress,
) -> Result<Account, Error> {
    let new = Registration::read(form.fields())?;
    state.links.register(new, address).await
}

fn show(
    state: &SiteState,
    visitor: &Visitor,
    next: Option<&str>,
    typed: &Form,
    faults: Option<&FormErrors>,
) -> Response {
    let csrf = state.sessions.csrf(visitor);
    let fields = [
        Field {
            name: "username",
            label: "Name",
            control: Control::Username,
            value: typed.value("username"),
            hint: "3 to 32 characters: letters from a to z, digits, _ and -. Your name is public.",
        },
        Field {
            name: "email",
            label: "E-mail address",
            control: Control::Email,
            value: typed.value("email"),
            hint: "Not public. We will send you a link to verify it.",
        },
        Field {
            name: "password",
            label: "Password",
            control: Control::NewPassword,
            value: "",
            hint: PASSWORD_HINT,
        },
    ];
    let body = html! {
        (PostForm {
            action: SIGN_UP,
            csrf: &csrf.token,
            hidden: next.map(|next| ("next", next)),
            fields: &fields,
            faults,
            button: "Sign up",
            ..PostForm::default()
        })
        p { "Already have an account? " a href=(with_next(SIGN_IN, next)) { "Sign in" } "." }
    };
    let l10n = Localizer::default();
    let page = Page {
        current_path: SIGN_UP,
        kind: PageKind::of_form(may_redirect_away(next)),
        ..Page::new(&l10n, "Sign up", body)
    };
    with_forms(page, csrf, faults)
}
