//! Back-channel logout: the provider says that a person or a session has signed out there (OpenID Connect Back-Channel
//! Logout 1.0).

use std::sync::Arc;

use accounts::sessions::Session;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use futures_util::future::try_join_all;
use openid::{LogoutToken, ProviderError};
use pages::error::PageResult;
use shared::input::Form;
use shared::log_text::for_log;
use shared::models::Identity;
use shared::{Error, Result, digest};

use super::person::{provider, session_digest};
use crate::state::AccountState;

/// `POST /sign-in/provider/logout`: ends the sessions that the logout token names. The provider calls it, not a
/// browser, so it has no CSRF token. Tokens of programs and applications stay valid, because they do not belong to a
/// browser in which the person could sign out.
pub(crate) async fn logout(State(state): State<Arc<AccountState>>, form: Form) -> PageResult {
    let provider = provider(&state)?;
    let status = match provider.check_logout(form.value("logout_token")).await {
        Ok(token) => {
            let issuer = provider.settings.issuer.clone();
            let state = Arc::clone(&state);
            // The token is used in a task of its own, which continues if the provider disconnects. Otherwise the token
            // could be used up before the sessions have ended.
            let ending = tokio::spawn(async move { use_token(&state, &issuer, token).await });
            if ending.await.map_err(Error::internal)?? {
                StatusCode::OK
            } else {
                StatusCode::BAD_REQUEST
            }
        }
        Err(ProviderError::Fault(error)) => return Err(error.into()),
        Err(error) => {
            let reason = for_log(&error.to_string());
            tracing::warn!(reason, "a logout token was refused");
            StatusCode::BAD_REQUEST
        }
    };
    Ok((status, [(header::CACHE_CONTROL, "no-store")]).into_response())
}

/// Ends the sessions that a logout token names. Returns false if the token has been used before.
async fn use_token(state: &AccountState, issuer: &str, token: LogoutToken) -> Result<bool> {
    let id = digest(&format!("logout token of {issuer}\n{}", token.id));
    if !state.logout_tokens.use_up(&id, token.ends_at).await? {
        return Ok(false);
    }
    if let Err(error) = end_sessions(state, issuer, token).await {
        // The provider may send the token again.
        state.logout_tokens.undo_use(&id).await?;
        return Err(error);
    }
    Ok(true)
}

/// Ends the sessions that began in the session at the provider, or all sessions of the person. If the token names both,
/// sessions that began in another session at the provider stay.
async fn end_sessions(state: &AccountState, issuer: &str, token: LogoutToken) -> Result<()> {
    let store = &state.session_store;
    let at_provider = token
        .session
        .map(|session| session_digest(issuer, &session));
    let ended: Vec<String> = match (token.subject, at_provider) {
        (None, None) => Vec::new(),
        (None, Some(at_provider)) => store.list_at_provider(&at_provider).await?,
        (Some(subject), at_provider) => {
            let identity = Identity {
                issuer: issuer.to_owned(),
                subject,
                connected_at: 0,
            };
            let Some(user) = state.accounts.users.find_by_identity(&identity).await? else {
                return Ok(());
            };
            let sessions = store.list(user).await?.into_iter();
            let is_ended = |session: &Session| {
                let began_at = session.provider_session.as_ref();
                began_at.is_none() || at_provider.is_none() || began_at == at_provider.as_ref()
            };
            let ended = sessions.filter(is_ended);
            ended.map(|session| session.id_hash).collect()
        }
    };
    try_join_all(ended.iter().map(|id| store.delete(id))).await?;
    Ok(())
}
