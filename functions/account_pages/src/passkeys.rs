//! The steps with passkeys that are the same for signing in, signing up, proofs and the profile. The others are in the
//! files of these pages.

use accounts::sign_in::{PasskeyResponse, PasskeyUse};
use accounts::users::Account;
use pages::form_page::{FormPage, PageUser};
use pages::passkey::{CREDENTIAL, STATE};
use shared::Result;
use shared::auth::CallerAddress;
use shared::input::Form;

use crate::state::AccountState;

/// Checks the passkey in a form, and returns the account.
pub(crate) async fn finish_use<U: PageUser>(
    state: &AccountState,
    page: &FormPage<U>,
    address: CallerAddress,
) -> Result<Account> {
    let browser = page.browser_id();
    let purpose = match page.owner.signed_in() {
        Some(owner) => PasskeyUse::Proof(&owner.account),
        None => PasskeyUse::SignIn,
    };
    let response = response_of(&browser, &page.forms.sent);
    state
        .ways
        .passkeys
        .finish_use(response, purpose, address)
        .await
}

/// Returns the browser's response in a form.
pub(crate) fn response_of<'r>(browser: &'r str, form: &'r Form) -> PasskeyResponse<'r> {
    PasskeyResponse {
        browser,
        state: form.value(STATE),
        credential: form.value(CREDENTIAL),
    }
}
