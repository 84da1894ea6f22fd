//! Signing in with a passkey. No second factor is asked for, because the authenticator has verified the user.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use pages::error::PageError;
use pages::form_page::FormPage;
use shared::auth::CallerAddress;

use super::ceremony::finish_use;
use crate::sign_in::{begin, show_refused};
use crate::state::{AccountState, CatalogueState};

/// `POST /sign-in/passkey`
pub(crate) async fn sign_in(
    State(state): State<Arc<AccountState>>,
    State(catalogue): State<Arc<CatalogueState>>,
    address: CallerAddress,
    page: FormPage<()>,
) -> Result<Response, PageError> {
    match finish_use(&state, &page, address).await {
        Ok(account) => begin(&state, &catalogue, page, &account).await,
        Err(error) => show_refused(&state, page, error).await,
    }
}
