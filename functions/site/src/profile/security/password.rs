//! The password: a new one, or the first one of an account without a password.

use std::sync::Arc;

use accounts::SecurityEvent;
use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use pages::error::PageError;
use pages::form::{FormErrors, PASSWORD_HINT, PostForm, SignedInForm, read_required};
use pages::layout::{Control, Field};
use pages::paths::{PROFILE_PASSWORD, PROFILE_SECURITY};
use pages::response::see_notice;
use shared::Error;
use shared::auth::{Action, CallerAddress};
use store::UserChange;

use super::{RefusedForm, SecurityView, show_refused};
use crate::profile::part::section as section_of;
use crate::state::AccountState;

/// `POST /profile/security/password`
pub(crate) async fn change(
    State(state): State<Arc<AccountState>>,
    address: CallerAddress,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    if let Err(error) = set_password(&state, &posted, address).await {
        let refused = RefusedForm {
            action: PROFILE_PASSWORD,
            errors: FormErrors::of(error)?,
        };
        return show_refused(&state, &posted.visitor, &posted.owner, &refused).await;
    }
    let account = &posted.owner.account;
    let event = SecurityEvent::PasswordChanged;
    state.mail_links.notify(account, event).await;
    let done = format!("{PROFILE_SECURITY}?done=password");
    see_notice(&state.sessions, &done)
}

async fn set_password(
    state: &AccountState,
    posted: &SignedInForm,
    address: CallerAddress,
) -> Result<(), Error> {
    let [password] = read_required(&posted.form, ["password"])?;
    let (accounts, account) = (&state.accounts, &posted.owner.account);
    let hash = accounts
        .check_and_hash_passwords(account, None, Some(password), address)
        .await?;
    let change = UserChange {
        password_hash: hash,
        ..UserChange::default()
    };
    let access = posted.owner.access(Action::ChangePassword);
    accounts.users.update_own(&access, &change).await?;
    Ok(())
}

/// Renders the section. The form is folded until it is needed, so that the page is short.
pub(super) fn section(view: &SecurityView<'_>) -> Markup {
    let l10n = view.l10n;
    let has_password = view.owner.account.password_hash.is_some();
    let [state, open, explanation, button] = if has_password {
        [
            "password-set",
            "password-open",
            "password-explanation",
            "password-button",
        ]
    } else {
        [
            "password-none",
            "password-first-open",
            "password-first-explanation",
            "password-first-button",
        ]
    };
    let password = Field {
        name: "password",
        label: &l10n.text("account-new-password"),
        control: Control::NewPassword,
        value: "",
        hint: &l10n.text(PASSWORD_HINT),
    };
    let errors = view.errors(PROFILE_PASSWORD);
    let body = html! {
        p { (l10n.text(state)) }
        @if view.has_proof {
            details open[errors.is_some()] {
                summary { (l10n.text(open)) }
                p { (l10n.text(explanation)) }
                (PostForm {
                    action: PROFILE_PASSWORD,
                    csrf: view.csrf,
                    fields: &[password],
                    errors,
                    button: &l10n.text(button),
                    ..PostForm::new(l10n)
                })
            }
        }
    };
    section_of(l10n, "change-password", "account-password", &body)
}
