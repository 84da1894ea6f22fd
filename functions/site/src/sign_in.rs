//! Signing in and out.

use std::sync::Arc;

use accounts::SignInName;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use maud::html;
use shared::Error;
use shared::auth::CallerAddress;
use shared::input::Form;
use store::Account;

use crate::answer::{
    begin_session, done, redirect_after_sign_in, see_other, with_cookie, with_forms, with_status,
};
use crate::error::PageError;
use crate::form::{FormErrors, PostForm, SentForm, SignedInForm, required};
use crate::layout::{Control, Field, Page, PageKind, notice};
use crate::paths::{FORGOT_PASSWORD, LIST, SIGN_IN, SIGN_UP};
use crate::return_path::{may_redirect_away, of_query, return_path, with_next};
use crate::sessions::Visitor;
use crate::state::SiteState;
use crate::story;
use crate::story::form::{Draft, draft};

/// The messages of confirmations, by the value of the parameter `done`.
const DONE: [(&str, &str); 1] = [("everywhere", "account-signed-out-everywhere")];

/// `GET /sign-in`
pub(crate) async fn page(
    State(state): State<Arc<SiteState>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, PageError> {
    let next = of_query(&uri);
    if state.sessions.find(&visitor).await?.is_some() {
        return redirect_after_sign_in(&state, next.as_deref());
    }
    let shown = Shown {
        next: next.as_deref(),
        done: done(&uri, &DONE),
        ..Shown::default()
    };
    Ok(show(&state, &visitor, &shown))
}

/// `POST /sign-in`
pub(crate) async fn sign_in(
    State(state): State<Arc<SiteState>>,
    address: CallerAddress,
    SentForm { visitor, form }: SentForm,
) -> Result<Response, PageError> {
    let next = return_path(form.value("next"));
    match check(&state, &form, address).await {
        Ok(account) if draft(&form).is_some() => {
            show_draft(&state, visitor, &account, form, next.as_deref()).await
        }
        Ok(account) => begin_session(&state, &visitor, &account, next.as_deref()).await,
        Err(error) => {
            let shown = Shown {
                next: next.as_deref(),
                who: form.value("who"),
                faults: Some(&FormErrors::of(error)?),
                draft: draft(&form),
                ..Shown::default()
            };
            Ok(show(&state, &visitor, &shown))
        }
    }
}

/// Asks a visitor whose session has ended to sign in, and keeps what was typed into the form of an entry.
pub(crate) fn ask_with_draft(state: &SiteState, visitor: &Visitor, draft: Draft<'_>) -> Response {
    let shown = Shown {
        next: Some(LIST),
        draft: Some(draft),
        // A program must not take the page for a saved entry.
        status: StatusCode::UNAUTHORIZED,
        ..Shown::default()
    };
    show(state, visitor, &shown)
}

/// Starts a session, and shows the form of an entry with what was typed before the sign-in. The user saves it.
async fn show_draft(
    state: &SiteState,
    mut visitor: Visitor,
    account: &Account,
    form: Form,
    next: Option<&str>,
) -> Result<Response, PageError> {
    let cookie = state.sessions.begin(&visitor, account).await?;
    // The CSRF token of the form must belong to the new session.
    visitor.store_cookie(cookie.clone());
    let answer = match state.sessions.find(&visitor).await? {
        Some(owner) => {
            let own = SignedInForm {
                visitor,
                owner,
                form,
            };
            story::routes::show_draft(state, &own).await?
        }
        None => redirect_after_sign_in(state, next)?,
    };
    Ok(with_cookie(answer, &cookie))
}

/// `POST /sign-out`
pub(crate) async fn sign_out(
    State(state): State<Arc<SiteState>>,
    SentForm { visitor, form }: SentForm,
) -> Result<Response, PageError> {
    let cookie = state.sessions.end(&visitor).await?;
    let answer = match return_path(form.value("next")) {
        Some(next) => see_other(&state, &with_next(SIGN_IN, Some(&next)))?,
        None => see_other(&state, "/")?,
    };
    Ok(with_cookie(answer, &cookie))
}

async fn check(state: &SiteState, form: &Form, address: CallerAddress) -> Result<Account, Error> {
    let [who, password] = required(form, ["who", "password"])?;
    state
        .accounts
        .sign_in(SignInName::of(who.trim()), password, address)
        .await
}

/// The variable contents of the page.
#[derive(Default)]
struct Shown<'a> {
    next: Option<&'a str>,
    who: &'a str,
    /// The message of a confirmation.
    done: Option<&'a str>,
    faults: Option<&'a FormErrors>,
    /// The values that were typed into the form of an entry.
    draft: Option<Draft<'a>>,
    /// The status of the page without errors.
    status: StatusCode,
}

fn show(state: &SiteState, visitor: &Visitor, shown: &Shown<'_>) -> Response {
    let l10n = &visitor.localizer(None);
    let csrf = state.sessions.csrf(visitor);
    let next = shown.next;
    let fields = [
        Field {
            name: "who",
            label: &l10n.text("sign-in-name"),
            control: Control::Username,
            value: shown.who,
            hint: "",
        },
        Field {
            name: "password",
            label: &l10n.text("account-password"),
            control: Control::CurrentPassword,
            value: "",
            hint: "",
        },
    ];
    let draft = shown.draft.iter().flatten().copied();
    let hidden = next.map(|next| ("next", next)).into_iter().chain(draft);
    let title = l10n.text("page-sign-in");
    let body = html! {
        @if let Some(done) = shown.done { (notice(&l10n.text(done))) }
        @if shown.draft.is_some() {
            @let kept = l10n.text("sign-in-draft");
            // The errors of the form take the focus instead of a notice.
            @if shown.faults.is_some() { p { (kept) } } @else { (notice(&kept)) }
        }
        (PostForm {
            action: SIGN_IN,
            csrf: &csrf.token,
            hidden: hidden.collect(),
            fields: &fields,
            faults: shown.faults,
            button: &title,
            ..PostForm::new(l10n)
        })
        ul.links {
            li { a.row href=(with_next(SIGN_UP, next)) { (l10n.text("sign-in-sign-up")) } }
            li { a.row href=(with_next(FORGOT_PASSWORD, next)) { (l10n.text("forgot-title")) } }
        }
    };
    let page = Page {
        current_path: SIGN_IN,
        kind: PageKind::of_form(may_redirect_away(next)),
        ..Page::new(l10n, &title, body)
    };
    match shown.faults {
        Some(faults) => with_forms(page, csrf, Some(faults)),
        None => with_status(page, csrf, shown.status),
    }
}
