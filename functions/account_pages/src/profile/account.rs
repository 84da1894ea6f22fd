//! The part of the profile about the account: e-mail address, language and sign-out.

use std::sync::Arc;

use accounts::users::UserChange;
use axum::extract::State;
use axum::response::Response;
use pages::error::PageResult;
use pages::form::NOT_LISTED;
use pages::form_page::FormPage;
use pages::paths::PROFILE;
use pages::response::see_other;
use shared::auth::{Action, CallerAddress};
use shared::input::Fields;
use shared::models::{EmailAddress, Gender, LocaleCode, WireEnum};
use shared::{Error, Result};

use super::account_view::show;
use crate::state::AccountState;

/// The messages of confirmations, by the value of the parameter `done`.
const DONE: [(&str, &str); 5] = [
    ("email", "profile-done-email"),
    ("picture", "profile-done-picture"),
    ("picture-removed", "profile-done-picture-removed"),
    ("verification", "profile-done-verification"),
    ("settings", "profile-done-settings"),
];

/// `GET /profile`
pub(crate) fn page(page: FormPage) -> Response {
    show(&page.with_confirmation(&DONE))
}

/// `POST /profile/verification`: sends the verification link again.
pub(crate) async fn send_verification(
    State(state): State<Arc<AccountState>>,
    page: FormPage,
) -> PageResult {
    let account = &page.owner.account;
    let sent = state.account_service.send_verification(account).await;
    if matches!(sent, Err(Error::Conflict(_))) {
        // The address has been verified in the meantime. The page shows that.
        return see_other(&state.sessions, PROFILE);
    }
    respond(page, "verification", sent)
}

/// `POST /profile/email`: changes the e-mail address.
pub(crate) async fn change_email(
    State(state): State<Arc<AccountState>>,
    address: CallerAddress,
    page: FormPage,
) -> PageResult {
    let account = &page.owner.account;
    let write = async {
        let mut fields = page.forms.sent.fields();
        let email = fields.read_with("email", |text| EmailAddress::new(text.trim()));
        let email = fields.finish(email)?;
        if account.email == email.as_str() {
            return Ok(());
        }
        let access = page.owner.access(Action::ChangePassword);
        let change_email = state
            .account_service
            .change_email(&access, account, &email, address);
        change_email.await
    };
    let changed = Box::pin(write).await;
    respond(page, "email", changed)
}

/// `POST /profile/settings`
pub(crate) async fn save_settings(
    State(state): State<Arc<AccountState>>,
    page: FormPage,
) -> PageResult {
    let save = async {
        let change = read_settings(page.forms.sent.fields())?;
        let access = page.owner.access(Action::UpdateUser);
        state.accounts.users.update_own(&access, &change).await
    };
    let saved = save.await.map(|_| ());
    respond(page, "settings", saved)
}

/// Returns the response to a form: a redirect to the page with the confirmation `done`, or the page with the form's
/// errors.
fn respond(page: FormPage, done: &str, result: Result<()>) -> PageResult {
    match result {
        Ok(()) => page.redirect_with(PROFILE, done),
        Err(error) => Ok(show(&page.with_errors(error)?)),
    }
}

fn read_settings(mut fields: Fields) -> Result<UserChange> {
    let gender = fields.read_with("gender", |number| {
        let number = number.parse().ok().and_then(Gender::from_wire);
        number.ok_or(NOT_LISTED)
    });
    let localization = fields.read::<LocaleCode>("localization");
    let (gender, localization) = fields.finish(gender.zip(localization))?;
    Ok(UserChange {
        gender: Some(gender),
        localization: Some(localization.into_string()),
        ..UserChange::default()
    })
}
