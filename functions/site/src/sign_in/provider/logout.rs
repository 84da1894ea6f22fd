//! Back-channel logout: the provider says that a person has signed out there (OpenID Connect Back-Channel Logout 1.0).

use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::future::try_join_all;
use openid::ProviderError;
use pages::error::PageError;
use shared::input::Form;
use shared::models::Identity;
use shared::{Error, digest};

use super::person::provider;
use crate::state::AccountState;

/// `POST /sign-in/provider/logout`: ends the sessions of the person that the logout token names. The provider calls it
/// and not a browser, so it has no CSRF token. Tokens of programs and applications stay, because they are not used in a
/// browser in which the person could have signed out.
pub(crate) async fn logout(
    State(state): State<Arc<AccountState>>,
    form: Form,
) -> Result<Response, PageError> {
    let provider = provider(&state)?;
    let status = match provider.check_logout(form.value("logout_token")).await {
        Ok(token) => {
            let issuer = &provider.settings.issuer;
            let id = digest(&format!("logout token of {issuer}\n{}", token.id));
            if state.logout_tokens.use_up(&id, token.ends_at).await? {
                let identity = Identity {
                    issuer: issuer.clone(),
                    subject: token.subject,
                    connected_at: 0,
                };
                if let Err(error) = end_sessions(&state, &identity).await {
                    // The provider may send the token again.
                    state.logout_tokens.undo_use(&id).await?;
                    return Err(error.into());
                }
                StatusCode::OK
            } else {
                StatusCode::BAD_REQUEST
            }
        }
        Err(ProviderError::Fault(error)) => return Err(error.into()),
        Err(error) => {
            tracing::warn!(reason = ?error.to_string(), "a logout token was refused");
            StatusCode::BAD_REQUEST
        }
    };
    Ok((status, [(header::CACHE_CONTROL, "no-store")]).into_response())
}

/// Ends the sessions of the user with this account at the provider, if there is one.
async fn end_sessions(state: &AccountState, identity: &Identity) -> Result<(), Error> {
    let Some(user) = state.accounts.users.find_by_identity(identity).await? else {
        return Ok(());
    };
    let sessions = state.session_store.list(user).await?;
    let deletions = sessions
        .iter()
        .map(|session| state.session_store.delete(&session.id_hash));
    try_join_all(deletions).await?;
    Ok(())
}
