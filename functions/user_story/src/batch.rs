//! Many changes of stories in one request (docs/api.md, "Batch writes").

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use serde_json::Value;
use shared::auth::{Access, Action, Bearer};
use shared::http::openapi::{NothingFound, TooMany};
use shared::http::response::private;
use shared::http::{ApiError, Envelope, ErrorData};
use shared::input::{Body, BodyField, Fields};
use shared::models::{AnimeId, StoryChange, StoryId, UserId, UserStory, WatchStatus};
use shared::{Error, Result, body};
use stories::lists::{BatchChange, MAX_CHANGES};
use utoipa::ToSchema;

use crate::UserStoryState;
use crate::details::StoryDetailsChange;
use crate::entity_tag::{entity_tag, read_tags};

/// The kind of a change.
#[derive(Clone, Copy, ToSchema)]
#[schema(as = Operation, rename_all = "lowercase")]
enum BatchOperation {
    Put,
    Delete,
}

impl BodyField for BatchOperation {
    fn parse(value: &Value) -> Result<Self, String> {
        match value.as_str() {
            Some("put") => Ok(Self::Put),
            Some("delete") => Ok(Self::Delete),
            _ => Err("must be put or delete".to_owned()),
        }
    }
}

body! {
    /// A change of the story about one anime.
    struct BatchedChange {
        /// `put` creates the story or replaces its state, `delete` deletes it.
        #[schema(example = "put")]
        op: BatchOperation,
        /// Identifier of the anime.
        #[schema(value_type = u64, minimum = 1, maximum = 33_554_431, example = 2)]
        anime_id: AnimeId,
        /// Watch status. Required with `put`. 1 (PLANNING) sets `current_episode` to 0, and 2 (COMPLETED) sets it to
        /// the anime's `episodes_count`.
        #[schema(example = 0)]
        status: Option<WatchStatus>,
        /// Number of the current episode, at most the anime's `episodes_count`. Ignored with status 1 (PLANNING)
        /// and 2 (COMPLETED). Default: 0.
        #[schema(value_type = Option<u64>, maximum = 4_294_967_295_u64, example = 3)]
        current_episode: Option<u32>,
        /// Watching time of the current episode, in milliseconds. Default: 0.
        #[schema(maximum = 9_007_199_254_740_991_u64, example = 0)]
        current_episode_ticks: Option<u64>,
        /// Details of the story. Those that are absent keep their values.
        details: Option<StoryDetailsChange>,
        /// `etag` of the story as you read it, up to 20 tags separated by commas, or `*` for any existing story. If the
        /// story has changed since, it is left unchanged and the result is a 412.
        if_match: Option<String>,
    }
}

/// The changes of a request. An element that is not an object is `None`: only this change fails, as with any other
/// invalid change.
struct StoryChanges(Vec<Option<Fields>>);

impl BodyField for StoryChanges {
    fn parse(value: &Value) -> Result<Self, String> {
        let changes = value.as_array().map(Vec::as_slice).unwrap_or_default();
        if !(1..=MAX_CHANGES).contains(&changes.len()) {
            return Err(format!("must be an array of 1 to {MAX_CHANGES} changes"));
        }
        Ok(Self(changes.iter().map(Fields::of).collect()))
    }
}

body! {
    /// Changes of a user's stories.
    pub(crate) struct StoryBatch {
        /// Identifier of the user: the caller, or for moderators and administrators another user. Default: the caller.
        #[schema(value_type = Option<u64>, minimum = 1, maximum = 268_435_455, example = 1)]
        user_id: Option<UserId>,
        /// Up to 100 changes, each of another anime.
        #[schema(value_type = Vec<BatchedChange>, min_items = 1, max_items = 100, example = json!([
            {"op": "put", "anime_id": 2, "status": 0, "current_episode": 3, "current_episode_ticks": 0},
            {"op": "delete", "anime_id": 160},
        ]))]
        changes: StoryChanges,
    }
}

/// The result of one change.
#[derive(Serialize, ToSchema)]
pub(crate) struct StoryChangeResult {
    /// The HTTP status that a request with this change alone would have: 200, 400, 404 or 412.
    #[schema(example = 200)]
    status_code: u16,
    /// A short text about the result.
    #[schema(value_type = String, example = "Story saved")]
    message: Cow<'static, str>,
    /// The story (`UserStory`), an empty string after a deletion, or the reason for an error (`ErrorData`).
    // A value of several types has no schema, because some generators take the fields of one type for all of them.
    #[schema(value_type = Value)]
    data: StoryChangeData,
    /// Tag of the story's new state, for `if_match` and `If-Match`. Absent after a deletion or an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    etag: Option<String>,
}

/// The story, an empty string after a deletion, or the reason for an error.
#[derive(Serialize)]
#[serde(untagged)]
enum StoryChangeData {
    Story(UserStory),
    Other(ErrorData),
}

impl From<Error> for StoryChangeResult {
    fn from(error: Error) -> Self {
        let envelope = ApiError::from(error).envelope();
        Self {
            status_code: envelope.status_code,
            message: envelope.message,
            data: StoryChangeData::Other(envelope.data),
            etag: None,
        }
    }
}

impl StoryChangeResult {
    fn saved(id: StoryId, state: &shared::models::StoryState) -> Self {
        Self {
            status_code: 200,
            message: "Story saved".into(),
            etag: Some(entity_tag(state)),
            data: StoryChangeData::Story(UserStory::new(id, state)),
        }
    }

    fn deleted() -> Self {
        Self {
            status_code: 200,
            message: "Story deleted".into(),
            data: StoryChangeData::Other(ErrorData::Sentence("")),
            etag: None,
        }
    }
}

/// Creates, updates and deletes stories.
///
/// `data` has one result per change, in order. A change that fails does not affect the others. A change can be repeated
/// safely: `put` leads to the same state, and `delete` of a story that does not exist is a 404 in its result.
/// Moderators can change the stories of basic users, and administrators those of all users.
#[utoipa::path(
    post,
    path = "/v1/user_story/batch",
    tag = "user_story_sync",
    security(("bearer" = [])),
    request_body = StoryBatch,
    responses(
        (status = 200, description = "The result of each change", body = Envelope<Vec<StoryChangeResult>>),
        NothingFound,
        TooMany,
    ),
)]
pub(crate) async fn change_user_stories(
    State(state): State<Arc<UserStoryState>>,
    bearer: Bearer,
    fields: Result<Fields, ApiError>,
) -> Result<Response, ApiError> {
    let credential = state.tokens.credential(&bearer).await?;
    let body: StoryBatch = fields?.body()?;
    let owner = body.user_id.unwrap_or(credential.user_id);
    let access = Access::new(&credential, Action::WriteStory, owner);
    let mut seen = HashSet::new();
    let read = |change| {
        let change = read_change(change)?;
        if seen.insert(change.anime) {
            Ok(change)
        } else {
            Err(Error::invalid(
                "anime_id",
                "has another change earlier in this request",
            ))
        }
    };
    let changes: Vec<Result<BatchChange>> = body.changes.0.into_iter().map(read).collect();
    let valid: Vec<BatchChange> = changes.iter().flatten().cloned().collect();
    let now = state.clock.now_ms();
    let index = state.catalogue.index().await?;
    let episodes = |anime| index.episodes_count(anime);
    let changed = state
        .stories
        .change_many(&access, owner, &valid, episodes, now)
        .await?;
    // The store returns the results of the valid changes only, in order.
    let mut changed = changed.into_iter();
    let result = |change: Result<BatchChange>| {
        let change = match change {
            Ok(change) => change,
            Err(error) => return Some(error.into()),
        };
        Some(match changed.next()? {
            Ok(Some(new)) => StoryChangeResult::saved(StoryId::of(owner, change.anime), &new),
            Ok(None) => StoryChangeResult::deleted(),
            Err(error) => error.into(),
        })
    };
    let results: Vec<StoryChangeResult> = changes.into_iter().filter_map(result).collect();
    Ok(private("Stories changed", results))
}

fn read_change(fields: Option<Fields>) -> Result<BatchChange> {
    let mut fields = fields.ok_or_else(|| Error::invalid("changes", "must have only objects"))?;
    fields.refuse_misplaced::<StoryDetailsChange>("details");
    let change = <BatchedChange as Body>::read(&mut fields);
    let new = change.as_ref().and_then(|change| match change.op {
        BatchOperation::Delete => Some(None),
        BatchOperation::Put => {
            // `put` requires the status, which is optional in `BatchedChange`.
            let status = fields.read("status")?;
            Some(Some(StoryChange {
                status,
                current_episode: change.current_episode.unwrap_or(0),
                watched_episodes: None,
                current_episode_ticks: change.current_episode_ticks.unwrap_or(0),
                details: change.details.clone().map(Into::into).unwrap_or_default(),
            }))
        }
    });
    let (change, new) = fields.finish(change.zip(new))?;
    let expected_tags = change
        .if_match
        .map(|tags| read_tags("if_match", [tags.as_str()]));
    Ok(BatchChange {
        anime: change.anime_id,
        change: new,
        expected_tags: expected_tags.transpose()?,
    })
}
