//! The download of everything that is stored about the caller (docs/api.md, "Data about a user"). This function serves
//! it because it reads most of these tables anyway.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use shared::auth::{Action, Bearer};
use shared::http::ApiError;
use shared::http::openapi::{Fault, InvalidParameters, NoAccess, Unavailable};
use shared::input::Params;
use stories::user_data::{self, UserDataFile};

use crate::StoryState;

/// Returns everything that is stored about the caller as one file.
///
/// The file has the account, the times of sessions, profile tokens, applications, linked trackers, and stories with their
/// change histories, but no passwords, tokens or secrets. It has at most 4.5 MB after compression. Send `Accept-Encoding:
/// gzip` for a file of more than 3 MB. Applications cannot call this endpoint.
#[utoipa::path(
    get,
    path = "/v1/auth/me/data",
    tag = "auth",
    operation_id = "download_data",
    security(("bearer" = [])),
    params(
        ("stories" = Option<bool>, Query,
            description = "`false` leaves out the stories, for a file that would be too large with them. Default: \
                `true`", example = true),
    ),
    responses(
        (status = 200, description = "The file, as an attachment",
            content((UserDataFile = "application/json")), headers(
            ("Content-Disposition" = String, description = "`attachment`, with the name of the file"),
        )),
        InvalidParameters,
        NoAccess,
        Fault,
        Unavailable,
    ),
)]
pub(crate) async fn data(
    State(state): State<Arc<StoryState>>,
    bearer: Bearer,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let tokens = &state.tokens;
    let access = tokens
        .access_to_own_data(&bearer, Action::DownloadData)
        .await?;
    let mut params = Params::parse(query.as_deref().unwrap_or_default());
    let with_stories = params.flag("stories").unwrap_or(true);
    params.finish()?;
    let account = state.users.own_account(&access).await?;
    let data = state.user_data.read(account, with_stories).await?;
    Ok(user_data::response(data, &headers, state.clock.now_ms()).await?)
}
