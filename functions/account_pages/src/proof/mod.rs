//! The page that asks for a proof that the signed-in user is the owner of the account. A sign-in is also a proof. Each
//! proof counts for 10 minutes ([`accounts::sessions::FRESH_PROOF_S`]).

mod view;

pub(crate) use view::proof_link;

use std::sync::Arc;

use accounts::sessions::SignedInUser;
use axum::extract::State;
use axum::http::Uri;
use pages::error::PageResult;
use pages::form::read_required;
use pages::form_page::FormPage;
use pages::paths::PROFILE_SECURITY;
use pages::response::see_other;
use pages::return_path::read_return_path;
use pages::sessions::Visitor;
use shared::Result;
use shared::auth::CallerAddress;

use self::view::show;
use crate::passkeys::finish_use;
use crate::state::AccountState;

/// `GET /prove`. Redirects at once to the next page if a proof is still fresh.
pub(crate) async fn page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
) -> PageResult {
    let next = read_return_path(&uri);
    let next = next.as_deref().unwrap_or(PROFILE_SECURITY);
    let owner = state.sessions.require_user(&visitor, next).await?;
    let page = FormPage::new(&state.sessions, visitor, owner, uri);
    if page.has_fresh_proof() {
        return see_other(&state.sessions, next);
    }
    show(&state, &page, next).await
}

/// `POST /prove`: checks the password.
pub(crate) async fn prove(
    State(state): State<Arc<AccountState>>,
    address: CallerAddress,
    page: FormPage<Option<SignedInUser>>,
) -> PageResult {
    let next = page.forms.next();
    let page = page.require_user(next.as_deref().unwrap_or(PROFILE_SECURITY))?;
    let checked = check_password(&state, &page, address).await;
    respond(&state, page, checked).await
}

/// Records the proof, and redirects the user to the page that needs it.
async fn respond(state: &AccountState, page: FormPage, checked: Result<()>) -> PageResult {
    let next = page.forms.next();
    let next = next.as_deref().unwrap_or(PROFILE_SECURITY);
    if let Err(error) = checked {
        return show(state, &page.with_errors(error)?, next).await;
    }
    state.sessions.record_proof(&page.owner).await?;
    see_other(&state.sessions, next)
}

/// `POST /prove/passkey`
pub(crate) async fn prove_with_passkey(
    State(state): State<Arc<AccountState>>,
    address: CallerAddress,
    page: FormPage,
) -> PageResult {
    let checked = finish_use(&state, &page, address).await;
    respond(&state, page, checked.map(|_| ())).await
}

async fn check_password(
    state: &AccountState,
    page: &FormPage,
    address: CallerAddress,
) -> Result<()> {
    let [password] = read_required(&page.forms.sent, ["password"])?;
    let account = &page.owner.account;
    state
        .accounts
        .check_password(account, password, address)
        .await
}
