//! The download of everything that is stored about the user.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use stories::user_data;

use crate::error::PageError;
use crate::paths::PROFILE;
use crate::sessions::Visitor;
use crate::state::SiteState;

/// `GET /profile/data`
pub(crate) async fn data(
    State(state): State<Arc<SiteState>>,
    visitor: Visitor,
    headers: HeaderMap,
) -> Result<Response, PageError> {
    let owner = state.sessions.require(&visitor, PROFILE).await?;
    let data = state.user_data.read(owner.account, true).await?;
    let now = state.accounts.clock.now_ms();
    Ok(user_data::response(data, &headers, now).await?)
}
