//! The password: a new one, or the first one of an account without a password.

use std::sync::Arc;

use accounts::mail::SecurityEvent;
use accounts::users::UserChange;
use axum::extract::State;
use maud::{Markup, html};
use pages::error::PageResult;
use pages::form::{PostForm, new_password_field, read_required};
use pages::form_page::FormPage;
use pages::paths::{PROFILE_PASSWORD, PROFILE_SECURITY};
use pages::profile_part::section as section_of;
use shared::Result;
use shared::auth::{Action, CallerAddress};

use super::{SecurityView, refuse};
use crate::state::AccountState;

/// `POST /profile/security/password`
pub(crate) async fn change(
    State(state): State<Arc<AccountState>>,
    address: CallerAddress,
    page: FormPage,
) -> PageResult {
    if let Err(error) = set_password(&state, &page, address).await {
        return refuse(&state, page, error).await;
    }
    let event = SecurityEvent::PasswordChanged;
    state.notify(&page.owner, event).await;
    page.redirect_with(PROFILE_SECURITY, "password")
}

async fn set_password(state: &AccountState, page: &FormPage, address: CallerAddress) -> Result<()> {
    let [password] = read_required(&page.forms.sent, ["password"])?;
    let (accounts, account) = (&state.accounts, &page.owner.account);
    let hash = accounts
        .check_and_hash_passwords(account, None, Some(password), address)
        .await?;
    let change = UserChange {
        password_hash: hash,
        ..UserChange::default()
    };
    let access = page.owner.access(Action::ChangePassword);
    accounts.users.update_own(&access, &change).await?;
    Ok(())
}

/// Renders the section. The form is folded until it is needed, so that the page is short.
pub(super) fn section(view: &SecurityView<'_>) -> Markup {
    let l10n = &view.forms.l10n;
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
    let password = new_password_field(l10n, "account-new-password");
    let form = PostForm {
        fields: &[password],
        ..view.forms.post(PROFILE_PASSWORD, button)
    };
    let body = html! {
        p { (l10n.text(state)) }
        @if view.has_proof {
            details open[form.errors.is_some()] {
                summary { (l10n.text(open)) }
                p { (l10n.text(explanation)) }
                (form)
            }
        }
    };
    section_of(l10n, "change-password", "account-password", &body)
}
