//! The form for a proof with a passkey that it is the user.

use accounts::{PasskeyRequest, PasskeyUse, SignedInUser};
use pages::error::PageError;
use pages::form::PostForm;
use pages::language::Localizer;
use pages::passkey::PasskeyButton;
use pages::paths::PROVE_PASSKEY;
use pages::sessions::{Csrf, Visitor};
use shared::models::Passkey;

use super::ceremony::browser_of;
use crate::state::AccountState;

/// Returns the request to the browser for a proof with a passkey of the user; `None` if the user has none for this
/// address.
pub(crate) async fn request_proof(
    state: &AccountState,
    visitor: &Visitor,
    csrf: &Csrf,
    owner: &SignedInUser,
) -> Result<Option<PasskeyRequest>, PageError> {
    let is_usable = |passkey: &Passkey| state.passkeys.other_host(passkey).is_none();
    let mut passkeys = owner.account.factors.passkeys.iter();
    if !state.passkeys.is_available() || !passkeys.any(is_usable) {
        return Ok(None);
    }
    let browser = browser_of(&state.sessions, visitor, csrf);
    let purpose = PasskeyUse::Proof(&owner.account);
    let begun = state
        .passkeys
        .begin_use(&state.ceremonies, &browser, purpose);
    Ok(Some(begun.await?))
}

/// Returns the form for a proof with a passkey. It leads to `next`.
pub(crate) fn proof_form<'a>(
    l10n: &'a Localizer,
    csrf: &'a str,
    request: &'a PasskeyRequest,
    label: &'a str,
    next: &'a str,
) -> PostForm<'a> {
    PostForm {
        action: PROVE_PASSKEY,
        csrf,
        hidden: vec![("next", next)],
        passkey: Some(PasskeyButton {
            action: PROVE_PASSKEY,
            label,
            request: Some(request),
            autofills: false,
            is_secondary: false,
        }),
        ..PostForm::new(l10n)
    }
}
