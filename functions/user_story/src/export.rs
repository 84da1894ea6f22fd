//! Exports of watch histories as list files (docs/api.md, "Export").

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use shared::auth::{Access, Action, Bearer};
use shared::http::ApiError;
use shared::http::openapi::NothingFound;
use shared::input::QueryString;
use shared::models::WatchStatus;
use stories::list_files::{self, ExportFormat, ExportRequest};
use utoipa::ToSchema;

use crate::{OwnerQuery, UserStoryState, find_readable_owner};

/// A watch history in the format `json`, for the OpenAPI document.
#[derive(ToSchema)]
#[expect(dead_code, reason = "the crate interchange writes the file")]
pub(crate) struct StoryFile {
    /// Always `kiroku`.
    #[schema(example = "kiroku")]
    format: String,
    /// Version of the format. A change that makes old readers fail gets another version.
    #[schema(example = 1)]
    version: u32,
    /// Time of the export.
    #[schema(format = DateTime, example = "2016-08-26T12:00:00Z")]
    exported_at: String,
    /// Username.
    #[schema(example = "mitsuha")]
    user: String,
    /// The stories, newest first, with the identifiers and the title of the anime, the fields of a story and its
    /// details.
    #[schema(value_type = Vec<Object>,
        example = json!([{"anime_id": 2, "title": "Cowboy Bebop", "status": "CURRENT", "current_episode": 3, "score": 87.5}]))]
    stories: Vec<String>,
}

/// A file in one of the formats.
// Most generated clients use the first media type of a response for all of them. They return `binary` unchanged.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "the crate interchange writes the file")]
pub(crate) struct ExportedFile(Vec<u8>);

/// Returns the watch history of a user as a file that this service and others can import.
///
/// `json` has every field of a story, `csv` all but the watching time of the current episode. `mal_xml` is the format
/// that MyAnimeList imports, always compressed (`.xml.gz`): it leaves out private stories and those of anime without an
/// identifier at MyAnimeList, and the header `X-Left-Out` has their numbers. A file has at most 20,000 stories, and 4.5
/// MB after compression. Send `Accept-Encoding: gzip` for a file of more than 3 MB. Moderators can also export the
/// stories of basic users, and administrators those of all users.
#[utoipa::path(
    get,
    path = "/v1/user_story/export",
    tag = "user_story_file",
    security(("bearer" = [])),
    params(
        ("format" = Option<ExportFormat>, Query, description = "Format of the file. Default: `json`",
            example = "json"),
        OwnerQuery,
        ("status" = Option<WatchStatus>, Query, description = "Watch status of the stories. Default: all stories",
            example = 0),
    ),
    responses(
        (status = 200, description = "The file, as an attachment", content(
            (ExportedFile = "application/gzip"),
            (StoryFile = "application/json"),
            (String = "text/csv"),
        ), headers(
            ("Content-Disposition" = String, description = "`attachment`, with the name of the file"),
            ("X-Left-Out" = String,
                description = "With `mal_xml`, the numbers of stories that the file does not have: `private=3, \
                    without_mal_id=2`"),
        )),
        NothingFound,
    ),
)]
pub(crate) async fn export_user_stories(
    State(state): State<Arc<UserStoryState>>,
    bearer: Bearer,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let credential = state.tokens.credential(&bearer).await?;
    let (request, OwnerQuery { user_id }) = <(ExportRequest, OwnerQuery)>::parse(query.as_deref())?;
    let owner = user_id.unwrap_or(credential.user_id);
    let access = Access::new(&credential, Action::ReadStory, owner);
    let account = find_readable_owner(&state, &access, owner).await?;
    let (stories, catalogue) = (&state.stories, &state.catalogue);
    let slot = state.file_slots.acquire(credential.user_id).await;
    let now = state.clock.now_ms();
    let file = list_files::export(stories, catalogue, account, request, &headers, now, slot);
    Ok(file.await?)
}
