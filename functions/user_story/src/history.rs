//! The change history of a story (docs/api.md, "Change history").

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use shared::Result;
use shared::auth::Bearer;
use shared::http::openapi::NothingFound;
use shared::http::response::{PathId, private};
use shared::http::{ApiError, Envelope};
use shared::models::Origin;
use stories::lists::{Story, StoryRevision, list_revisions};

use crate::UserStoryState;
use crate::user_stories::find_readable_story;

/// Returns the latest changes of a story, newest first.
///
/// A story has at most 50 of them. Only the owner sees old notes: they are null for applications, moderators and
/// administrators. Changes of `current_episode_ticks` alone are not recorded. Changes that were made before
/// the service kept a history are missing.
#[utoipa::path(
    get,
    path = "/v1/user_story/{id}/history",
    tag = "user_story_sync",
    security(("bearer" = [])),
    params(
        ("id" = u64, Path, minimum = 1, maximum = 9_007_199_254_740_991_u64, description = "Identifier of the story",
            example = 33_554_434),
    ),
    responses(
        (status = 200, description = "The changes", body = Envelope<Vec<StoryRevision>>),
        NothingFound,
    ),
)]
pub(crate) async fn list_user_story_revisions(
    State(state): State<Arc<UserStoryState>>,
    bearer: Bearer,
    id: Result<PathId, ApiError>,
) -> Result<Response, ApiError> {
    let credential = state.tokens.credential(&bearer).await?;
    let PathId(id) = id?;
    let (mut story, _) = Box::pin(find_readable_story(&state, &credential, id)).await?;
    if credential.user_id != story.user_id || credential.client.is_some() {
        // Notes that the owner has removed or replaced are for the owner only.
        for revision in &mut story.history {
            let details = &mut revision.before.details;
            details.notes = details.notes.as_ref().map(|_| None);
        }
    }
    let names = application_names(&state, &story).await?;
    Ok(private("Changes found", list_revisions(&story, &names)))
}

/// Returns the names of the applications that have changed a story, by their identifiers.
async fn application_names(
    state: &UserStoryState,
    story: &Story,
) -> Result<BTreeMap<String, String>> {
    let client = |origin: &Origin| match origin {
        Origin::Application(client_id) => Some(client_id.clone()),
        _ => None,
    };
    let ids: BTreeSet<String> = story
        .history
        .iter()
        .filter_map(|revision| client(&revision.by))
        .collect();
    let ids: Vec<String> = ids.into_iter().collect();
    let clients = state.clients.find_many(&ids).await?.into_iter();
    Ok(clients
        .map(|client| (client.client_id, client.name))
        .collect())
}
