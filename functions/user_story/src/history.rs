//! The change history of a story (docs/api.md, "Change history").

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use shared::Error;
use shared::auth::Bearer;
use shared::http::openapi::{Fault, InvalidParameters, NoAccess, NothingFound, Unavailable};
use shared::http::response::{PathId, private};
use shared::http::{ApiError, Envelope};
use shared::models::{Origin, PartialDate, Replaced, TrackerName, UserScore, WatchStatus};
use store::Story;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::document::seconds;
use crate::{StoryState, find_readable};

/// A change of a story.
#[derive(Serialize, ToSchema)]
pub(crate) struct StoryRevision {
    /// Time of the change.
    #[serde(with = "time::serde::rfc3339")]
    #[schema(value_type = String, format = DateTime, example = "2016-09-30T20:15:00Z")]
    changed_at: OffsetDateTime,
    by: RevisionOrigin,
    /// Identifier of the application, if an application made the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    client_id: Option<String>,
    /// Name of the application, unless it was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    application: Option<String>,
    /// True if the change created the story. `from` is then empty.
    created: bool,
    /// The changed fields with their values before the change.
    from: RevisedFields,
    /// The changed fields with their values after the change; all fields of a new story that have a value.
    to: RevisedFields,
}

/// The origin of a change: the owner on this site or with a token of their own sign-in, a moderator, a token that the
/// owner made on the profile page, an application, a tracker, an import of a list file, or the
/// undo of an import.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum RevisionOrigin {
    Owner,
    Moderator,
    ProfileToken,
    Application,
    TrackerA,
    TrackerB,
    Import,
    ImportUndo,
}

impl From<&Origin> for RevisionOrigin {
    fn from(origin: &Origin) -> Self {
        match origin {
            Origin::Owner => Self::Owner,
            Origin::Moderator => Self::Moderator,
            Origin::ProfileToken => Self::ProfileToken,
            Origin::Application(_) => Self::Application,
            Origin::Tracker(TrackerName::A) => Self::TrackerA,
            Origin::Tracker(TrackerName::B) => Self::TrackerB,
            Origin::Import(_) => Self::Import,
            Origin::Undo(_) => Self::ImportUndo,
        }
    }
}

/// The fields that a change concerns. All others are absent.
#[derive(Serialize, ToSchema)]
#[expect(clippy::option_option, reason = "an absent value differs from null")]
struct RevisedFields {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    status: Option<WatchStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    current_episode: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, example = 87.5)]
    score: Option<Option<UserScore>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "2016-08-26")]
    started_on: Option<Option<PartialDate>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "2016-09")]
    finished_on: Option<Option<PartialDate>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    repeats: Option<u16>,
    /// The notes; null if this old text is no longer kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<Option<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    private: Option<bool>,
}

impl From<Replaced> for RevisedFields {
    fn from(values: Replaced) -> Self {
        Self {
            status: values.status,
            current_episode: values.current_episode,
            score: values.score,
            started_on: values.started_on,
            finished_on: values.finished_on,
            repeats: values.repeats,
            notes: values.notes.map(|notes| notes.map(String::from)),
            private: values.private,
        }
    }
}

/// Returns the latest changes of a story, newest first.
///
/// A story has at most 50 of them. Changes of `current_episode_ticks` alone are not recorded. Changes that were made before
/// the service kept a history are missing.
#[utoipa::path(
    get,
    path = "/v1/user_story/{id}/history",
    tag = "user_story_sync",
    operation_id = "list_user_story_revisions",
    security(("bearer" = [])),
    params(
        ("id" = u64, Path, minimum = 1, maximum = 9_007_199_254_740_991_u64, description = "Identifier of the story", example = 33_554_434),
    ),
    responses(
        (status = 200, description = "The changes", body = Envelope<Vec<StoryRevision>>),
        InvalidParameters,
        NoAccess,
        NothingFound,
        Fault,
        Unavailable,
    ),
)]
pub(crate) async fn history(
    State(state): State<Arc<StoryState>>,
    bearer: Bearer,
    id: Result<PathId, ApiError>,
) -> Result<Response, ApiError> {
    let credential = state.tokens.credential(&bearer).await?;
    let PathId(id) = id?;
    let (story, _) = Box::pin(find_readable(&state, &credential, id)).await?;
    let names = application_names(&state, &story).await?;
    Ok(private("Changes found", revisions(&story, &names)))
}

/// Returns the names of the applications that have changed a story, by their identifiers.
async fn application_names(
    state: &StoryState,
    story: &Story,
) -> Result<HashMap<String, String>, Error> {
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

/// Returns the changes of a story, newest first. A revision has only the values before its change, so the values after
/// it are found by going back from the present state.
fn revisions(story: &Story, names: &HashMap<String, String>) -> Vec<StoryRevision> {
    let mut after = story.state();
    let mut has_notes = true;
    let mut revisions = Vec::with_capacity(story.history.len());
    for revision in story.history.iter().rev() {
        let created = revision.before == Replaced::default();
        let before = revision.before.restore(&after);
        let mut to = if created {
            Replaced::of(&after)
        } else {
            Replaced::between(&after, &before)
        };
        if !has_notes {
            // The text was before that of a revision whose text is no longer kept.
            to.notes = to.notes.map(|_| None);
        }
        has_notes &= revision.before.notes != Some(None);
        let client_id = match &revision.by {
            Origin::Application(client_id) => Some(client_id.clone()),
            _ => None,
        };
        revisions.push(StoryRevision {
            changed_at: seconds(revision.at * 1000),
            by: RevisionOrigin::from(&revision.by),
            application: client_id.as_ref().and_then(|id| names.get(id).cloned()),
            client_id,
            created,
            from: revision.before.clone().into(),
            to: to.into(),
        });
        after = before;
    }
    revisions
}
