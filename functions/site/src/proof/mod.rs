//! The page that asks for a proof that the signed-in user is the owner of the account. A sign-in is a proof, too. Each
//! proof counts for 10 minutes ([`accounts::FRESH_PROOF_S`]).

mod view;

pub(crate) use view::prove_first;

use std::sync::Arc;

use accounts::SignedInUser;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use pages::error::PageError;
use pages::form::{FormErrors, SentForm, SignedInForm, read_required};
use pages::paths::{PROFILE_SECURITY, PROVE, PROVE_PASSKEY};
use pages::response::see_other;
use pages::return_path::{read_return_path, return_path};
use pages::sessions::Visitor;
use shared::Error;
use shared::auth::CallerAddress;
use shared::input::Form;

use self::view::show;
use crate::passkeys::ceremony::finish_use;
use crate::state::AccountState;

/// `GET /prove`. Leads on at once if a proof is still fresh.
pub(crate) async fn page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, PageError> {
    let next = read_return_path(&uri).unwrap_or_else(|| PROFILE_SECURITY.to_owned());
    let owner = state.sessions.require_user(&visitor, &next).await?;
    if owner.has_fresh_proof(state.accounts.clock.now_s()) {
        return see_other(&state.sessions, &next);
    }
    show(&state, &visitor, &owner, &next, None).await
}

/// `POST /prove`: checks the password.
pub(crate) async fn prove(
    State(state): State<Arc<AccountState>>,
    address: CallerAddress,
    SentForm { visitor, form }: SentForm,
) -> Result<Response, PageError> {
    let next = return_path(form.value("next")).unwrap_or_else(|| PROFILE_SECURITY.to_owned());
    let owner = state.sessions.require_user(&visitor, &next).await?;
    if let Err(error) = check_password(&state, &owner, &form, address).await {
        let errors = FormErrors::of(error)?;
        return show(&state, &visitor, &owner, &next, Some((PROVE, &errors))).await;
    }
    state.sessions.record_proof(&owner).await?;
    see_other(&state.sessions, &next)
}

/// `POST /prove/passkey`
pub(crate) async fn prove_with_passkey(
    State(state): State<Arc<AccountState>>,
    address: CallerAddress,
    SignedInForm {
        visitor,
        owner,
        form,
    }: SignedInForm,
) -> Result<Response, PageError> {
    let next = return_path(form.value("next")).unwrap_or_else(|| PROFILE_SECURITY.to_owned());
    match finish_use(&state, &visitor, &form, Some(&owner), address).await {
        Ok(_) => {
            state.sessions.record_proof(&owner).await?;
            see_other(&state.sessions, &next)
        }
        Err(error) => {
            let errors = FormErrors::of(error)?;
            show(
                &state,
                &visitor,
                &owner,
                &next,
                Some((PROVE_PASSKEY, &errors)),
            )
            .await
        }
    }
}

async fn check_password(
    state: &AccountState,
    owner: &SignedInUser,
    form: &Form,
    address: CallerAddress,
) -> Result<(), Error> {
    let [password] = read_required(form, ["password"])?;
    state
        .accounts
        .check_password(&owner.account, password, address)
        .await
}
