//! The steps of passkeys that signing in, signing up, proofs and the profile share.

use accounts::{PasskeyRequest, PasskeyResponse, PasskeyUse, SignedInUser};
use pages::passkey::{CREDENTIAL, STATE};
use pages::sessions::{Csrf, Visitor};
use shared::Error;
use shared::auth::CallerAddress;
use shared::input::Form;
use store::Account;

use crate::state::AccountState;

/// Returns the request to the browser to sign in with a passkey; `None` if the service has no passkeys. If the request
/// cannot be made, the page offers only the other ways to sign in.
pub(crate) async fn request_sign_in(
    state: &AccountState,
    visitor: &Visitor,
    csrf: &Csrf,
) -> Option<PasskeyRequest> {
    if !state.passkeys.is_available() {
        return None;
    }
    let browser = state.sessions.browser_with(visitor, csrf);
    let begun = state.passkeys.begin_use(&browser, PasskeyUse::SignIn);
    begun
        .await
        .inspect_err(|error| tracing::warn!(%error, "the sign-in page offers no passkeys"))
        .ok()
}

/// Checks the passkey in a form, and returns the account.
pub(crate) async fn finish_use(
    state: &AccountState,
    visitor: &Visitor,
    form: &Form,
    owner: Option<&SignedInUser>,
    address: CallerAddress,
) -> Result<Account, Error> {
    let browser = state.sessions.browser_id(visitor).unwrap_or_default();
    let purpose = owner.map_or(PasskeyUse::SignIn, |owner| {
        PasskeyUse::Proof(&owner.account)
    });
    let response = response_of(&browser, form);
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
