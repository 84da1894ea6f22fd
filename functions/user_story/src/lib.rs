//! The user story endpoints (contract, "UserStory endpoints").

use std::sync::Arc;

use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures_util::try_join;
use runtime::Environment;
use serde::Deserialize;
use shared::Error;
use shared::auth::{Access, Action, Bearer, Credential, Tokens};
use shared::clock::Clock;
use shared::http::openapi::{
    AlreadyExists, BadBody, Fault, InvalidParameters, NoAccess, NoLongerSo, NothingFound,
    OutOfReach,
};
use shared::http::response::{Asked, PathId, private, private_page};
use shared::http::routing::ApiRouter;
use shared::http::{ApiError, Envelope};
use shared::input::{CursorRequest, Fields, MAX_SAFE_INTEGER, Params, present};
use shared::models::{AnimeId, LinkedAccounts, StoryId, UserId, UserStory, WatchStatus, WireEnum};
use store::{Change, NewStory, StoryFilter, StoryStore, UserStore};
use utoipa::{OpenApi, ToSchema};

/// What the endpoints work with.
#[derive(Debug)]
pub struct StoryState {
    /// Verifies who calls.
    pub tokens: Tokens,
    /// The users' rows, for what only reads.
    pub users: UserStore,
    /// The stories.
    pub stories: StoryStore,
    /// The time.
    pub clock: Clock,
}

impl StoryState {
    /// Made out of what Lambda's environment says.
    ///
    /// # Errors
    /// When the environment is short of something.
    pub fn new(environment: &Environment) -> Result<Arc<Self>, lambda_http::Error> {
        let (client, tables) = (&environment.client, &environment.tables);
        let random = &environment.random;
        Ok(Arc::new(Self {
            tokens: environment.tokens()?,
            users: environment.users(),
            stories: StoryStore::new(client.clone(), tables, random.clone()),
            clock: environment.clock.clone(),
        }))
    }
}

/// Opens the connections that the first request needs.
///
/// # Errors
/// When one cannot be opened.
pub async fn warm(state: Arc<StoryState>) -> Result<(), Error> {
    runtime::warm(&state.tokens, &state.users).await
}

/// The endpoints.
pub fn router(state: Arc<StoryState>) -> ApiRouter {
    ApiRouter::new()
        .get("/v1/user_story", list)
        .put("/v1/user_story", create)
        .post("/v1/user_story", update)
        .get("/v1/user_story/{id}", find)
        .delete("/v1/user_story/{id}", delete)
        .with_state(state)
}

/// What the reference says of the endpoints.
#[derive(Debug, OpenApi)]
#[openapi(paths(list, create, update, find, delete))]
pub struct Reference;

/// The most tags of `If-Match`: each is a condition, and DynamoDB takes so many.
const MAX_TAGS: usize = 20;

/// The list's name in its cursors.
const LIST: &str = "user_story";

/// A request for a page of a user's stories.
struct ListRequest {
    user_id: Option<UserId>,
    filter: StoryFilter,
    page: CursorRequest<u128>,
    asked: Asked,
}

impl<S: Sync> FromRequestParts<S> for ListRequest {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let mut params = Params::parse(parts.uri.query().unwrap_or_default());
        let anime_id = params.filter_number("anime_id", 1..=AnimeId::MAX);
        let user_id = params.filter_number("user_id", 1..=UserId::MAX);
        let filter = StoryFilter {
            anime_id: anime_id.and_then(AnimeId::new),
            status: params.wire_enum("status"),
            synced: params.flag("synced"),
            linked: LinkedAccounts::default(),
        };
        let page = CursorRequest::read(&mut params, LIST);
        Ok(Self {
            user_id: user_id.and_then(UserId::new),
            filter,
            page,
            asked: Asked::new(params, parts)?,
        })
    }
}

/// A page of a user's stories that pass the filters, the newest first.
///
/// A page under a filter may be short, or even empty, while `Link` says that the list goes on: each
/// call reads at most 1,000 stories.
#[utoipa::path(
    get,
    path = "/v1/user_story",
    tag = "user_story",
    operation_id = "list_user_stories",
    security(("bearer" = [])),
    params(
        ("anime_id" = Option<u64>, Query, minimum = 1, maximum = 33_554_431, description = "Exact filter on anime_id", example = 2),
        ("user_id" = Option<u64>, Query, minimum = 1, maximum = 268_435_455, description = "Whose stories; the caller's own when absent", example = 1),
        ("status" = Option<WatchStatus>, Query, description = "Filter on status", example = 0),
        ("synced" = Option<bool>, Query, description = "Whether every tracker that the user links knows the story as it is", example = false),
        ("per_page" = Option<u64>, Query, minimum = 1, maximum = 100, description = "Rows a page; 100 when absent", example = 20),
        ("cursor" = Option<String>, Query, description = "Where the list goes on, as the header `Link` has it"),
    ),
    responses(
        (status = 200, description = "A page of the list, which may be empty", body = Envelope<Vec<UserStory>>, headers(
            ("Link" = String, description = "The next page, as `<...>; rel=\"next\"`, while there is one"),
        )),
        InvalidParameters,
        NoAccess,
        Fault,
        OutOfReach,
    ),
)]
async fn list(
    State(state): State<Arc<StoryState>>,
    bearer: Bearer,
    request: Result<ListRequest, ApiError>,
) -> Result<Response, ApiError> {
    let credential = state.tokens.credential(&bearer).await?;
    let ListRequest {
        user_id,
        filter,
        page,
        asked,
    } = request?;
    let owner = user_id.unwrap_or(credential.user_id);
    let access = Access::new(&credential, Action::ReadStory, owner);
    let rows = state.users.caller_and(&credential, owner);
    let list = |filter| state.stories.list(owner, filter, page.after, page.per_page);
    let ((caller, owners_row), mut found) = if filter.synced.is_some() {
        // What is synced depends on what the owner has linked.
        let rows = rows.await?;
        access.check_for(rows.0.as_ref(), rows.1.as_ref())?;
        let linked = rows.1.as_ref().map(|row| row.linked).unwrap_or_default();
        (rows, list(StoryFilter { linked, ..filter }).await?)
    } else {
        try_join!(rows, list(filter))?
    };
    access.check_for(caller.as_ref(), owners_row.as_ref())?;
    if owners_row.is_none_or(|row| row.deleted_at.is_some()) {
        found.stories.clear();
        found.next = None;
    }
    let stories: Vec<UserStory> = found.stories.into_iter().map(UserStory::from).collect();
    let next = found.next.as_ref();
    Ok(private_page("Stories found", stories, next, LIST, &asked))
}

/// The story with this identifier.
#[utoipa::path(
    get,
    path = "/v1/user_story/{id}",
    tag = "user_story",
    operation_id = "find_user_story",
    security(("bearer" = [])),
    params(("id" = u64, Path, minimum = 1, description = "Identifier", example = 33_554_434)),
    responses(
        (status = 200, description = "The story", body = Envelope<UserStory>, headers(
            ("ETag" = String, description = "For If-Match, so that no change of somebody else's is overwritten unseen"),
        )),
        InvalidParameters,
        NoAccess,
        NothingFound,
        Fault,
        OutOfReach,
    ),
)]
async fn find(
    State(state): State<Arc<StoryState>>,
    bearer: Bearer,
    id: Result<PathId, ApiError>,
) -> Result<Response, ApiError> {
    let credential = state.tokens.credential(&bearer).await?;
    let PathId(id) = id?;
    let Some(id) = StoryId::new(id) else {
        return Err(not_found(&state, &credential, Action::ReadStory).await?);
    };
    let access = Access::new(&credential, Action::ReadStory, id.user());
    let ((caller, owners_row), found) = try_join!(
        state.users.caller_and(&credential, id.user()),
        state.stories.get(id),
    )?;
    access.check_for(caller.as_ref(), owners_row.as_ref())?;
    let found = found.filter(|_| owners_row.is_some_and(|row| row.deleted_at.is_none()));
    let story = found.ok_or(Error::NotFound("Story not found"))?;
    Ok(tagged("Story found", story.into()))
}

/// What is said of an identifier that no story can have, to a caller whose token holds.
async fn not_found(
    state: &StoryState,
    credential: &Credential,
    action: Action,
) -> Result<ApiError, ApiError> {
    let access = Access::new(credential, action, credential.user_id);
    access.check(state.users.caller(credential).await?.as_ref())?;
    Ok(Error::NotFound("Story not found").into())
}

/// A new story.
#[derive(Deserialize, ToSchema)]
#[expect(dead_code, reason = "says in the reference what the body is")]
struct CreateUserStory {
    /// Whose story it is: the caller's, or for moderators anybody's.
    #[schema(minimum = 1, maximum = 268_435_455, example = 1)]
    user_id: u64,
    /// The anime.
    #[schema(minimum = 1, maximum = 33_554_431, example = 160)]
    anime_id: u64,
    /// How far the user is with it. With 1 (PLANNING) and 2 (COMPLETED) the episode follows from it.
    #[schema(example = 0)]
    status: WatchStatus,
    /// Number of the episode, at most the anime's `episodes_count`; 0 when absent.
    #[schema(example = 1)]
    current_episode: Option<u32>,
    /// Watching time of that episode in milliseconds; 0 when absent.
    #[schema(example = 754_000)]
    current_episode_ticks: Option<u64>,
}

/// Creates a story. A user has one of each anime.
#[utoipa::path(
    put,
    path = "/v1/user_story",
    tag = "user_story",
    operation_id = "create_user_story",
    security(("bearer" = [])),
    request_body = CreateUserStory,
    responses(
        (status = 200, description = "The story", body = Envelope<UserStory>, headers(
            ("ETag" = String, description = "For If-Match"),
        )),
        BadBody,
        NoAccess,
        NothingFound,
        AlreadyExists,
        Fault,
        OutOfReach,
    ),
)]
async fn create(
    State(state): State<Arc<StoryState>>,
    bearer: Bearer,
    fields: Result<Fields, ApiError>,
) -> Result<Response, ApiError> {
    let credential = state.tokens.credential(&bearer).await?;
    let mut fields = fields?;
    let id = read_pair(&mut fields);
    let status = read_status(&mut fields);
    let episode = read_episode(&mut fields);
    let ticks = read_ticks(&mut fields);
    fields.finish()?;
    let (id, status) = (present(id)?, present(status)?);
    let new = NewStory {
        id,
        status,
        current_episode: episode.unwrap_or(0),
        current_episode_ticks: ticks.unwrap_or(0),
        created_at: state.clock.now_ms(),
    };
    let access = Access::new(&credential, Action::WriteStory, id.user());
    let story = state.stories.create(&access, new).await?;
    Ok(tagged("Story created", story.into()))
}

/// A story as it is to be.
#[derive(Deserialize, ToSchema)]
#[expect(dead_code, reason = "says in the reference what the body is")]
struct UpdateUserStory {
    /// Its identifier.
    #[schema(minimum = 1, example = 33_554_434)]
    id: u64,
    /// Whose story it is; it stays theirs.
    #[schema(minimum = 1, maximum = 268_435_455, example = 1)]
    user_id: u64,
    /// The anime that it is about, and stays about.
    #[schema(minimum = 1, maximum = 33_554_431, example = 2)]
    anime_id: u64,
    /// How far the user is with it.
    #[schema(example = 0)]
    status: WatchStatus,
    /// Number of the episode, at most the anime's `episodes_count`.
    #[schema(example = 4)]
    current_episode: u32,
    /// Watching time of that episode in milliseconds.
    #[schema(example = 12_000)]
    current_episode_ticks: u64,
}

/// Updates a story. All fields are required. With `If-Match` only if it still is what was read.
#[utoipa::path(
    post,
    path = "/v1/user_story",
    tag = "user_story",
    operation_id = "update_user_story",
    security(("bearer" = [])),
    params(("If-Match" = Option<String>, Header, description = "The `ETag` of the story as it was read: if it has changed since, nothing is written and the answer is 412")),
    request_body = UpdateUserStory,
    responses(
        (status = 200, description = "The story", body = Envelope<UserStory>, headers(
            ("ETag" = String, description = "For If-Match"),
        )),
        BadBody,
        NoAccess,
        NothingFound,
        NoLongerSo,
        Fault,
        OutOfReach,
    ),
)]
async fn update(
    State(state): State<Arc<StoryState>>,
    bearer: Bearer,
    headers: HeaderMap,
    fields: Result<Fields, ApiError>,
) -> Result<Response, ApiError> {
    let credential = state.tokens.credential(&bearer).await?;
    let mut fields = fields?;
    let id = fields.number("id", 1..=MAX_SAFE_INTEGER);
    let id = fields.require("id", id);
    let pair = read_pair(&mut fields);
    let status = read_status(&mut fields);
    let episode = read_episode(&mut fields);
    let episode = fields.require("current_episode", episode);
    let ticks = read_ticks(&mut fields);
    let ticks = fields.require("current_episode_ticks", ticks);
    if let (Some(id), Some(pair)) = (id, pair)
        && id != pair.get()
    {
        fields.fail("id", "is not the story of this user_id and anime_id");
    }
    fields.finish()?;
    let id = present(pair)?;
    let story = UserStory {
        id,
        user_id: id.user(),
        anime_id: id.anime(),
        status: present(status)?,
        current_episode: present(episode)?,
        current_episode_ticks: present(ticks)?,
    };
    let access = Access::new(&credential, Action::WriteStory, story.user_id);
    let taken_for = if_match(&headers)?;
    let change = state_of(&story);
    let now = state.clock.now_ms();
    let updated = state
        .stories
        .update(&access, id, change, taken_for.as_deref(), now);
    updated.await?;
    Ok(tagged("Story updated", story))
}

/// Deletes a story. While a tracker is linked that has it, it is imported again. With `If-Match` only
/// if it still is what was read.
#[utoipa::path(
    delete,
    path = "/v1/user_story/{id}",
    tag = "user_story",
    operation_id = "delete_user_story",
    security(("bearer" = [])),
    params(
        ("id" = u64, Path, minimum = 1, description = "Identifier", example = 33_554_434),
        ("If-Match" = Option<String>, Header, description = "The `ETag` of the story as it was read"),
    ),
    responses(
        (status = 200, description = "It is gone; `data` is empty", body = Envelope<String>),
        InvalidParameters,
        NoAccess,
        NothingFound,
        NoLongerSo,
        Fault,
        OutOfReach,
    ),
)]
async fn delete(
    State(state): State<Arc<StoryState>>,
    bearer: Bearer,
    headers: HeaderMap,
    id: Result<PathId, ApiError>,
) -> Result<Response, ApiError> {
    let credential = state.tokens.credential(&bearer).await?;
    let PathId(id) = id?;
    let Some(id) = StoryId::new(id) else {
        return Err(not_found(&state, &credential, Action::WriteStory).await?);
    };
    let access = Access::new(&credential, Action::WriteStory, id.user());
    let taken_for = if_match(&headers)?;
    let now = state.clock.now_ms();
    let deleted = state.stories.delete(&access, id, taken_for.as_deref(), now);
    deleted.await?;
    Ok(private("Story deleted", ""))
}

/// The user and the anime of a body, as a story's identifier.
fn read_pair(fields: &mut Fields) -> Option<StoryId> {
    let user = fields.number("user_id", 1..=UserId::MAX);
    let user = fields.require("user_id", user).and_then(UserId::new);
    let anime = fields.number("anime_id", 1..=AnimeId::MAX);
    let anime = fields.require("anime_id", anime).and_then(AnimeId::new);
    Some(StoryId::of(user?, anime?))
}

fn read_status(fields: &mut Fields) -> Option<WatchStatus> {
    let status = fields.wire_enum("status");
    fields.require("status", status)
}

fn read_episode(fields: &mut Fields) -> Option<u32> {
    let episode = fields.number("current_episode", 0..=u32::MAX.into());
    episode.and_then(|episode| u32::try_from(episode).ok())
}

fn read_ticks(fields: &mut Fields) -> Option<u64> {
    fields.number("current_episode_ticks", 0..=MAX_SAFE_INTEGER)
}

/// A story with its `ETag`.
fn tagged(message: &'static str, story: UserStory) -> Response {
    let tag = HeaderValue::from_str(&entity_tag(state_of(&story)));
    let tag: Option<[(HeaderName, HeaderValue); 1]> = tag.ok().map(|tag| [(header::ETAG, tag)]);
    match tag {
        Some(tag) => (tag, private(message, story)).into_response(),
        None => private(message, story),
    }
}

fn state_of(story: &UserStory) -> Change {
    Change {
        status: story.status,
        current_episode: story.current_episode,
        current_episode_ticks: story.current_episode_ticks,
    }
}

/// The entity tag of a story says all that can change of it, so that `If-Match` is a condition on the
/// row itself (RFC 9110, section 13.1.1).
fn entity_tag(state: Change) -> String {
    let status = u8::from(state.status);
    let (episode, ticks) = (state.current_episode, state.current_episode_ticks);
    format!("\"{status}-{episode}-{ticks}\"")
}

/// The states that `If-Match` names. `None` without the header; an empty list for `*`.
fn if_match(headers: &HeaderMap) -> Result<Option<Vec<Change>>, ApiError> {
    let mut values = headers.get_all(header::IF_MATCH).iter().peekable();
    if values.peek().is_none() {
        return Ok(None);
    }
    let texts = values.filter_map(|value| value.to_str().ok());
    let tags: Vec<&str> = texts
        .flat_map(|text| text.split(','))
        .map(str::trim)
        .collect();
    if tags.contains(&"*") {
        return Ok(Some(Vec::new()));
    }
    if tags.len() > MAX_TAGS {
        let reason = format!("must name at most {MAX_TAGS} tags");
        return Err(Error::invalid("If-Match", reason).into());
    }
    // No state of a story has any other tag.
    let states: Vec<Change> = tags.into_iter().filter_map(read_tag).collect();
    if states.is_empty() {
        return Err(Error::Changed.into());
    }
    Ok(Some(states))
}

fn read_tag(tag: &str) -> Option<Change> {
    let mut parts = tag.strip_prefix('"')?.strip_suffix('"')?.split('-');
    let status = WatchStatus::from_wire(parts.next()?.parse().ok()?)?;
    let state = Change {
        status,
        current_episode: parts.next()?.parse().ok()?,
        current_episode_ticks: parts.next()?.parse().ok()?,
    };
    (entity_tag(state) == tag).then_some(state)
}
