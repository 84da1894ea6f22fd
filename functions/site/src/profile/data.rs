//! The download of everything that is stored about the user.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use pages::error::PageError;
use pages::paths::PROFILE;
use pages::sessions::Visitor;
use stories::user_data;

use crate::state::AccountState;

/// `GET /profile/data`
pub(crate) async fn download_data(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    headers: HeaderMap,
) -> Result<Response, PageError> {
    let owner = state.sessions.require_user(&visitor, PROFILE).await?;
    let data = state.user_data.read(owner.account, true).await?;
    let now = state.accounts.clock.now_ms();
    Ok(user_data::build_response(data, &headers, now).await?)
}
