//! Imports of list files (docs/api.md, "Import").

use std::sync::Arc;

use axum::extract::{RawQuery, Request, State};
use axum::response::Response;
use shared::auth::{Access, Action, Bearer};
use shared::http::openapi::{BadFile, NothingFound, TooMany};
use shared::http::response::private;
use shared::http::{ApiError, Envelope, body};
use shared::input::{FilterId, QueryString};
use shared::query;
use stories::list_files::{
    ImportMode, ImportReport, ImportRequest, ReadOptions, ScoreScaleOption, import, read_file,
};
use utoipa::ToSchema;

use crate::{OwnerQuery, UserStoryState};

/// A list file, plain, compressed with gzip, or in an archive.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "describes the body, which is read as bytes")]
pub(crate) struct ListUpload(Vec<u8>);

query! {
    /// The parameters of an import, besides the owner of the stories.
    struct ImportQuery {
        #[doc = "Treatment of stories that exist already. `merge` (default) merges them as a synchronization with a \
            tracker does, and the progress never gets smaller, unless the story or the entry is REPEATING; `keep` \
            leaves them as they are; and `replace` takes all values that the file states"]
        #[param(example = "merge")]
        mode: Option<ImportMode>,
        /// `true` returns the report without writing anything
        #[param(value_type = Option<bool>, example = true)]
        is_dry_run as "dry_run": bool,
        /// The highest score of the scale on which the file rates, if neither the file nor its format states one
        #[param(example = "10")]
        score_scale: Option<ScoreScaleOption>,
        /// The account whose views count, if the file is a history of Plex with several accounts
        #[param(example = 1)]
        account: Option<FilterId>,
    }
}

/// Imports a list file into a user's stories.
///
/// The body is a file of this service or of one of the services in the documentation, CSV, or a response of Jellyfin,
/// Plex or Emby about watched items, up to 5 MB and 20,000 entries, plain, compressed with gzip, or in an archive. Its
/// content determines the format; `Content-Type` is ignored. An entry becomes a story if an identifier says which anime
/// it is. An entry that only a title names, or whose title contradicts its identifier, waits for an answer. An import
/// can be repeated safely: after a 429 or 503, repeating it completes it. Moderators can import into the histories of
/// basic users, and administrators into those of all users.
#[utoipa::path(
    post,
    path = "/v1/user_story/import",
    tag = "user_story_file",
    security(("bearer" = [])),
    params(ImportQuery, OwnerQuery),
    request_body(content = ListUpload, content_type = "application/octet-stream", description = "The list file",
        example = json!("anime_id,status,current_episode\n2,watching,3\n")),
    responses(
        (status = 200, description = "The report", body = Envelope<ImportReport>),
        BadFile,
        NothingFound,
        TooMany,
    ),
)]
pub(crate) async fn import_user_stories(
    State(state): State<Arc<UserStoryState>>,
    bearer: Bearer,
    RawQuery(query): RawQuery,
    request: Request,
) -> Result<Response, ApiError> {
    let credential = state.tokens.credential(&bearer).await?;
    let (query, OwnerQuery { user_id }) = QueryString::parse(query.as_deref())?;
    let ImportQuery {
        mode,
        is_dry_run,
        score_scale,
        account,
    } = query;
    let owner = user_id.unwrap_or(credential.user_id);
    let access = Access::new(&credential, Action::WriteStory, owner);
    // The access is checked before the file is read, so that only callers with access can cause that work.
    state.stories.check_access(&access, owner).await?;
    let slot = Arc::new(state.file_slots.acquire(owner).await);
    let file = body::read_file(request.into_body()).await?;
    let account = account.map(|FilterId(account)| account);
    let options = ReadOptions {
        score_scale,
        account,
    };
    let file = read_file(file, options, &slot).await?;
    let id = (!is_dry_run).then(|| state.random.short_id());
    let request = ImportRequest {
        access: Some(&access),
        owner,
        mode: mode.unwrap_or_default(),
        id: id.as_deref(),
        now: state.clock.now_ms(),
    };
    let (stories, waiting, players) = (&state.stories, &state.waiting, &state.players);
    let report = import(stories, waiting, players, &state.catalogue, file, request).await?;
    let message = if is_dry_run {
        "Nothing imported"
    } else {
        "Stories imported"
    };
    Ok(private(message, report))
}
