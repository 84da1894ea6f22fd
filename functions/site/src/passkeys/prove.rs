//! The form for a proof with a passkey.

use accounts::{PasskeyRequest, PasskeyUse};
use pages::error::PageError;
use pages::form::PostForm;
use pages::form_page::FormPage;
use pages::passkey::PasskeyButton;
use pages::paths::PROVE_PASSKEY;

use crate::state::AccountState;

/// Returns the request to the browser for a proof with a passkey of the user; `None` if the user has none for this
/// address.
pub(crate) async fn request_proof(
    state: &AccountState,
    page: &FormPage,
) -> Result<Option<PasskeyRequest>, PageError> {
    let account = &page.owner.account;
    let mut passkeys = account.factors.passkeys.iter();
    if !passkeys.any(|passkey| state.passkeys.is_usable(passkey)) {
        return Ok(None);
    }
    let (browser, purpose) = (page.browser_id(), PasskeyUse::Proof(account));
    let begun = state.passkeys.begin_use(&browser, purpose);
    Ok(Some(begun.await?))
}

/// Adds the passkey to the form for a proof. It leads to `next`.
pub(crate) fn proof_form<'a>(
    form: PostForm<'a>,
    request: &'a PasskeyRequest,
    label: &'a str,
    next: &'a str,
) -> PostForm<'a> {
    PostForm {
        hidden: vec![("next", next)],
        passkey: Some(PasskeyButton {
            action: PROVE_PASSKEY,
            label,
            request: Some(request),
            autofills: false,
            is_secondary: false,
        }),
        ..form
    }
}
