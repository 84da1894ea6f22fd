//! The imports of the last 7 days, and their undo (docs/api.md, "Undo of an import").

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::response::Response;
use shared::auth::{Action, Bearer};
use shared::http::openapi::{NothingFound, TooMany};
use shared::http::response::private;
use shared::http::{ApiError, Envelope};
use shared::{Error, Missing};
use stories::list_files::{self, RecentImport, UndoReport};

use crate::{OwnerQuery, UserStoryState, read_owner};

/// Returns the imports of the last 7 days, newest first.
///
/// An import is missing if its stories no longer exist and none of its entries waits for its anime or for an answer.
/// Moderators can also read the imports of basic users, and administrators those of all users.
#[utoipa::path(
    get,
    path = "/v1/user_story/import",
    tag = "user_story_file",
    security(("bearer" = [])),
    params(OwnerQuery),
    responses(
        (status = 200, description = "The imports", body = Envelope<Vec<RecentImport>>),
        NothingFound,
    ),
)]
pub(crate) async fn list_user_story_imports(
    State(state): State<Arc<UserStoryState>>,
    bearer: Bearer,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let (owner, access) = read_owner(&state, &bearer, query.as_deref(), Action::ReadStory).await?;
    state.stories.check_access(&access, owner).await?;
    let now = state.clock.now_ms();
    let imports = list_files::recent_imports(&state.stories, &state.waiting, owner, now).await?;
    Ok(private("Imports found", imports))
}

/// Undoes an import of the last 7 days.
///
/// Restores the fields that the import changed and that have not changed since, and deletes the stories that it created
/// and that have not changed since. Its entries that wait for their anime or for an answer are deleted. An undo can be
/// repeated safely: after a 429 or 503, repeating it completes it. Moderators can also undo the imports of basic users,
/// and administrators those of all users.
#[utoipa::path(
    post,
    path = "/v1/user_story/import/{id}/undo",
    tag = "user_story_file",
    security(("bearer" = [])),
    params(
        ("id" = String, Path, pattern = "^[0-9a-f]{16}$", description = "Identifier of the import",
            example = "0a1b2c3d4e5f6071"),
        OwnerQuery,
    ),
    responses(
        (status = 200, description = "The report", body = Envelope<UndoReport>),
        NothingFound,
        TooMany,
    ),
)]
pub(crate) async fn undo_user_story_import(
    State(state): State<Arc<UserStoryState>>,
    bearer: Bearer,
    id: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let (owner, access) = read_owner(&state, &bearer, query.as_deref(), Action::WriteStory).await?;
    state.stories.check_access(&access, owner).await?;
    let Path(id) = id.map_err(|_| Error::NotFound(Missing::Import))?;
    let _slot = state.file_slots.acquire(owner).await;
    let now = state.clock.now_ms();
    let (stories, waiting, catalogue) = (&state.stories, &state.waiting, &state.catalogue);
    let report = list_files::undo(stories, waiting, catalogue, &access, owner, &id, now).await?;
    Ok(private("Import undone", report))
}
