//! The download of everything that is stored about the caller (docs/api.md, "Data about a user"). The function
//! `user_story` serves the download, because it reads most of the tables with such data anyway.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use shared::auth::{Action, Bearer};
use shared::http::ApiError;
use shared::input::QueryString;
use shared::query;
use stories::user_data::{self, UserDataFile};

use crate::UserStoryState;

query! {
    /// The parameter of a request for the data about a user.
    struct DataQuery {
        /// `false` leaves out the stories, for a file that would be too large with them. Default: `true`
        #[param(example = true)]
        with_stories as "stories": Option<bool>,
    }
}

/// Returns everything that is stored about the caller as one file.
///
/// The file has the account, the times of sessions, profile tokens, applications, linked trackers, stories with
/// their change histories, deleted stories that the change feed still has, and entries of imports that wait for
/// their anime. It has no passwords, tokens or secrets, and at most 4.5 MB after compression. Send
/// `Accept-Encoding: gzip` for a file of more than 3 MB. Applications cannot call this endpoint.
#[utoipa::path(
    get,
    path = "/v1/auth/me/data",
    tag = "user_data",
    security(("bearer" = [])),
    params(DataQuery),
    responses(
        (status = 200, description = "The file, as an attachment",
            content((UserDataFile = "application/json")), headers(
            ("Content-Disposition" = String, description = "`attachment`, with the name of the file"),
        )),
    ),
)]
pub(crate) async fn download_data(
    State(state): State<Arc<UserStoryState>>,
    bearer: Bearer,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let tokens = &state.tokens;
    let access = tokens
        .access_to_own_data(&bearer, Action::DownloadData)
        .await?;
    let DataQuery { with_stories } = QueryString::parse(query.as_deref())?;
    let account = state.users.own_account(&access).await?;
    let slot = state.file_slots.acquire(account.user.id).await;
    let file = user_data::build_response(
        &state.user_data,
        &state.catalogue,
        account,
        with_stories.unwrap_or(true),
        &headers,
        state.clock.now_ms(),
        slot,
    );
    Ok(Box::pin(file).await?)
}
