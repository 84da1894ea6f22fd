//! The entries of imports whose anime are not in the catalogue yet (docs/api.md, "Entries whose anime is missing").

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use shared::auth::{Action, Bearer};
use shared::http::openapi::{NothingFound, TooMany};
use shared::http::response::private;
use shared::http::{ApiError, Envelope};
use stories::list_files;

use crate::export::StoryFile;
use crate::{OwnerQuery, UserStoryState, find_readable_owner, read_owner};

/// Returns the entries of imports that wait for their anime to appear in the catalogue, as a file.
///
/// The file is in this service's JSON, the newest import first. It can be edited and imported again. An entry becomes a
/// story when the catalogue is refreshed and its anime has appeared, and is deleted 365 days after the import. Entries
/// that wait for an answer are also in the file. Moderators can also read the entries of basic users, and
/// administrators those of all users.
#[utoipa::path(
    get,
    path = "/v1/user_story/import/waiting",
    tag = "user_story_file",
    security(("bearer" = [])),
    params(OwnerQuery),
    responses(
        (status = 200, description = "The file, as an attachment", body = StoryFile,
            content_type = "application/json", headers(
            ("Content-Disposition" = String, description = "`attachment`, with the name of the file"),
        )),
        NothingFound,
    ),
)]
pub(crate) async fn list_waiting_entries(
    State(state): State<Arc<UserStoryState>>,
    bearer: Bearer,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let (owner, access) = read_owner(&state, &bearer, query.as_deref(), Action::ReadStory).await?;
    let account = find_readable_owner(&state, &access, owner).await?;
    let now = state.clock.now_ms();
    Ok(list_files::export_waiting(&state.waiting, account, &headers, now).await?)
}

/// Deletes the entries of imports that wait for their anime to appear in the catalogue, or for an answer.
///
/// The deleted entries no longer become stories. Stories that were created already stay. Moderators can delete the
/// entries of basic users, and administrators those of all users.
#[utoipa::path(
    delete,
    path = "/v1/user_story/import/waiting",
    tag = "user_story_file",
    security(("bearer" = [])),
    params(OwnerQuery),
    responses(
        (status = 200, description = "There are no waiting entries any more; `data` is empty", body = Envelope<String>),
        NothingFound,
        TooMany,
    ),
)]
pub(crate) async fn delete_waiting_entries(
    State(state): State<Arc<UserStoryState>>,
    bearer: Bearer,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let (owner, access) = read_owner(&state, &bearer, query.as_deref(), Action::WriteStory).await?;
    state.waiting.delete(&access, owner).await?;
    Ok(private("Waiting entries deleted", ""))
}
