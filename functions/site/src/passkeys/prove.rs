//! The form for a proof with a passkey.

use accounts::{PasskeyRequest, PasskeyUse, SignedInUser};
use pages::error::PageError;
use pages::form::PostForm;
use pages::language::Localizer;
use pages::passkey::PasskeyButton;
use pages::paths::PROVE_PASSKEY;
use pages::sessions::{Csrf, Visitor};

use crate::state::AccountState;

/// Returns the request to the browser for a proof with a passkey of the user; `None` if the user has none for this
/// address.
pub(crate) async fn request_proof(
    state: &AccountState,
    visitor: &Visitor,
    csrf: &Csrf,
    owner: &SignedInUser,
) -> Result<Option<PasskeyRequest>, PageError> {
    let mut passkeys = owner.account.factors.passkeys.iter();
    if !passkeys.any(|passkey| state.passkeys.is_usable(passkey)) {
        return Ok(None);
    }
    let browser = state.sessions.browser_with(visitor, csrf);
    let purpose = PasskeyUse::Proof(&owner.account);
    let begun = state.passkeys.begin_use(&browser, purpose);
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
