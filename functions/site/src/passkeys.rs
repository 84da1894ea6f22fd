//! The steps of passkeys that signing in, signing up, proofs and the profile share. The rest is beside the pages.

use accounts::sign_in::{PasskeyRequest, PasskeyResponse, PasskeyUse};
use accounts::users::Account;
use pages::form_page::{FormPage, PageUser};
use pages::passkey::{CREDENTIAL, STATE};
use shared::Error;
use shared::auth::CallerAddress;
use shared::input::Form;

use crate::state::AccountState;

/// Returns the request to the browser to sign in with a passkey; `None` if the service has no passkeys. If the request
/// cannot be made, the page offers only the other ways to sign in.
pub(crate) async fn request_sign_in(
    state: &AccountState,
    page: &FormPage<()>,
) -> Option<PasskeyRequest> {
    if !state.passkeys.is_available() {
        return None;
    }
    let browser = page.browser_id();
    let begin_use = state.passkeys.begin_use(&browser, PasskeyUse::SignIn);
    begin_use
        .await
        .inspect_err(|error| tracing::warn!(%error, "the sign-in page offers no passkeys"))
        .ok()
}

/// Checks the passkey in a form, and returns the account.
pub(crate) async fn finish_use<U: PageUser>(
    state: &AccountState,
    page: &FormPage<U>,
    address: CallerAddress,
) -> Result<Account, Error> {
    let browser = page.browser_id();
    let purpose = match page.owner.signed_in() {
        Some(owner) => PasskeyUse::Proof(&owner.account),
        None => PasskeyUse::SignIn,
    };
    let response = response_of(&browser, &page.forms.sent);
    state.passkeys.finish_use(response, purpose, address).await
}

/// Returns the browser's response in a form.
pub(crate) fn response_of<'r>(browser: &'r str, form: &'r Form) -> PasskeyResponse<'r> {
    PasskeyResponse {
        browser,
        state: form.value(STATE),
        credential: form.value(CREDENTIAL),
    }
}
