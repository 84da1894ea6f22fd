//! Signing in with a passkey. No second factor is asked for, because the authenticator has verified the user.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use pages::error::PageError;
use pages::form::{FormErrors, SentForm};
use pages::response::begin_session;
use pages::return_path::return_path;
use shared::auth::CallerAddress;

use super::ceremony::finish_use;
use crate::sign_in::show_draft;
use crate::sign_in::view::{SignInForm, show};
use crate::state::{AccountState, CatalogueState};
use crate::story::form::read_draft;

/// `POST /sign-in/passkey`
pub(crate) async fn sign_in(
    State(state): State<Arc<AccountState>>,
    State(catalogue): State<Arc<CatalogueState>>,
    address: CallerAddress,
    SentForm { visitor, form }: SentForm,
) -> Result<Response, PageError> {
    let next = return_path(form.value("next"));
    match finish_use(&state, &visitor, &form, None, address).await {
        Ok(account) if read_draft(&form).is_some() => {
            show_draft(&catalogue, visitor, &account, form, next.as_deref()).await
        }
        Ok(account) => begin_session(&state.sessions, &visitor, &account, next.as_deref()).await,
        Err(error) => {
            let shown = SignInForm {
                next: next.as_deref(),
                name: form.value("who"),
                errors: Some(&FormErrors::of(error)?),
                draft: read_draft(&form),
                ..SignInForm::default()
            };
            Ok(show(&state, &visitor, &shown).await)
        }
    }
}
