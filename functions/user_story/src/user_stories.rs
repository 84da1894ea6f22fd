//! Stories one by one: the list, creation, changes and deletion (docs/api.md, "UserStory endpoints").

use std::collections::HashMap;
use std::num::NonZeroU64;
use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures_util::try_join;
use shared::auth::{Access, Action, Bearer, Credential};
use shared::http::openapi::{CursorParameters, NothingFound, StoryExists, TooMany};
use shared::http::response::{PathId, PrivateListRequest, private};
use shared::http::{ApiError, Envelope};
use shared::input::{Body, Fields, ListFilter, QueryString};
use shared::models::{
    AnimeId, LinkedAccounts, StoryChange, StoryId, UserId, UserStory, WatchStatus,
};
use shared::{Error, FieldErrors, Missing, Result, body, query};
use stories::lists::{ListedStory, Story, StoryFilter};

use crate::UserStoryState;
use crate::details::StoryDetailsChange;
use crate::document::{IncludedDocuments, StoryDocument, StoryInclude};
use crate::entity_tag::{entity_tag, read_if_match};

impl UserStoryState {
    /// Returns the stories as documents, with the parts that the request asks for. `stories` must have at most 100
    /// entries. `linked` are the owner's linked accounts.
    async fn load_documents(
        &self,
        stories: Vec<ListedStory>,
        linked: LinkedAccounts,
        included: IncludedDocuments,
    ) -> Result<Vec<StoryDocument>> {
        let mut anime = HashMap::new();
        if included.anime {
            let ids: Vec<u64> = stories.iter().map(|story| story.anime_id.get()).collect();
            let documents = self.catalogue.find_many(&ids).await?.into_iter();
            anime.extend(documents.map(|document| (document.version().0, document)));
        }
        let document = |story: ListedStory| {
            let anime = anime.remove(&story.anime_id.get());
            included.document(&story, linked, anime)
        };
        Ok(stories.into_iter().map(document).collect())
    }
}

query! {
    /// The parameters of the story list, without those of its page.
    #[derive(Debug)]
    pub(crate) struct StoryListFilter {
        #[doc = "Identifiers of anime, up to 100: selects the stories about any of them. Separate values with \
            commas, or repeat the parameter"]
        #[param(style = Form, explode = false, min_items = 1, max_items = 100, example = json!([2, 160]))]
        anime_id: Option<Vec<AnimeId>>,
        /// Identifier of the user whose stories are listed. Default: the caller
        #[param(value_type = Option<u64>, minimum = 1, maximum = 268_435_455, example = 1)]
        user_id: Option<UserId>,
        /// Watch status of the story
        #[param(example = 0)]
        status: Option<WatchStatus>,
        #[doc = "`true` selects stories that are synced with all linked trackers, `false` the others. Without a \
            linked tracker no story is synced"]
        #[param(example = false)]
        synced: Option<bool>,
        /// `anime` adds the anime to each story, and `details` the score, dates, repeats, notes and privacy
        #[param(
            value_type = Option<Vec<StoryInclude>>, style = Form, explode = false, min_items = 1,
            example = json!(["anime", "details"])
        )]
        include: Vec<StoryInclude>,
    }
}

impl ListFilter for StoryListFilter {
    const LIST: &'static str = "user_story";
}

/// Lists the stories of a user, newest first.
///
/// Callers can read their own stories. Moderators can also read those of basic users, and administrators
/// those of all users.
#[utoipa::path(
    get,
    path = "/v1/user_story",
    tag = "user_story",
    security(("bearer" = [])),
    params(StoryListFilter, CursorParameters),
    responses(
        (status = 200, description = "One page of results; an empty array if nothing matches",
            body = Envelope<Vec<StoryDocument>>),
    ),
)]
pub(crate) async fn list_user_stories(
    State(state): State<Arc<UserStoryState>>,
    bearer: Bearer,
    request: Result<PrivateListRequest<StoryListFilter, u128>, ApiError>,
) -> Result<Response, ApiError> {
    let credential = state.tokens.credential(&bearer).await?;
    let mut request = request?;
    let included = IncludedDocuments::from(std::mem::take(&mut request.filter.include));
    let anime_ids = request.filter.anime_id.take();
    let filter = StoryFilter {
        anime_ids: anime_ids.map(|ids| ids.into_iter().collect()),
        status: request.filter.status,
        synced: request.filter.synced,
        ..StoryFilter::default()
    };
    let page = &request.page;
    let owner = request.filter.user_id.unwrap_or(credential.user_id);
    let access = Access::new(&credential, Action::ReadStory, owner);
    let (after, per_page) = (page.after, page.per_page);
    let stories = &state.stories;
    let rows = state.users.caller_and(&credential, owner);
    let ((caller, owners_row), found) = if stories.reads_list(owner, &filter) {
        (rows.await?, None)
    } else {
        let find = stories.list_rows(owner, filter.anime_ids.as_ref(), after, per_page);
        let (rows, found) = try_join!(rows, find)?;
        (rows, Some(found))
    };
    access.check_for(caller.as_ref(), owners_row.as_ref())?;
    // The deletion of a user takes a while. Stories that are not deleted yet are hidden.
    let Some(owners_row) = owners_row.filter(|row| row.deleted_at.is_none()) else {
        return Ok(request.respond("Stories found", Vec::<StoryDocument>::new(), None));
    };
    let linked = owners_row.linked;
    let found = if let Some(found) = found {
        found
    } else {
        let filter = StoryFilter {
            linked,
            with_sync_states: included.needs_sync_states(linked),
            ..filter
        };
        let list = stories.list(owner, &owners_row.list, filter, after, per_page);
        list.await?
    };
    let stories = state.load_documents(found.rows, linked, included).await?;
    Ok(request.respond("Stories found", stories, found.next.as_ref()))
}

query! {
    /// The parameters of a request for one story.
    struct StoryQuery {
        /// `anime` adds the anime to each story, and `details` the score, dates, repeats, notes and privacy
        #[param(
            value_type = Option<Vec<StoryInclude>>, style = Form, explode = false, min_items = 1,
            example = json!(["anime", "details"])
        )]
        include: Vec<StoryInclude>,
    }
}

/// Returns the story with this identifier.
#[utoipa::path(
    get,
    path = "/v1/user_story/{id}",
    tag = "user_story",
    security(("bearer" = [])),
    params(
        ("id" = u64, Path, minimum = 1, maximum = 9_007_199_254_740_991_u64, description = "Identifier of the story",
            example = 33_554_434),
        StoryQuery,
    ),
    responses(
        (status = 200, description = "The story", body = Envelope<StoryDocument>, headers(
            ("ETag" = String,
                description = "Tag of the story's state. Send it as `If-Match` when you update or delete the story, \
                    so that you do not overwrite a concurrent change"),
        )),
        NothingFound,
    ),
)]
pub(crate) async fn find_user_story(
    State(state): State<Arc<UserStoryState>>,
    bearer: Bearer,
    id: Result<PathId, ApiError>,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let credential = state.tokens.credential(&bearer).await?;
    let PathId(id) = id?;
    let StoryQuery { include } = QueryString::parse(query.as_deref())?;
    let (story, linked) = Box::pin(find_readable_story(&state, &credential, id)).await?;
    let tag = etag_header(&story);
    let documents = state.load_documents(vec![(&story).into()], linked, include.into());
    let stories = documents.await?;
    Ok((tag, private("Story found", stories.first())).into_response())
}

/// Returns a story that the caller may read, and its owner's linked accounts.
pub(crate) async fn find_readable_story(
    state: &UserStoryState,
    credential: &Credential,
    id: u64,
) -> Result<(Story, LinkedAccounts), ApiError> {
    let Some(id) = StoryId::new(id) else {
        return Err(not_found_error(state, credential, Action::ReadStory).await?);
    };
    let access = Access::new(credential, Action::ReadStory, id.user());
    let ((caller, owners_row), found) = try_join!(
        state.users.caller_and(credential, id.user()),
        state.stories.get(id),
    )?;
    access.check_for(caller.as_ref(), owners_row.as_ref())?;
    let owners_row = owners_row.filter(|row| row.deleted_at.is_none());
    let found = found.zip(owners_row);
    let (story, owners_row) = found.ok_or(Error::NotFound(Missing::Story))?;
    Ok((story, owners_row.linked))
}

/// Returns the error for an identifier that no story can have: usually 404, but 401 if the token is no longer valid.
async fn not_found_error(
    state: &UserStoryState,
    credential: &Credential,
    action: Action,
) -> Result<ApiError, ApiError> {
    let access = Access::new(credential, action, credential.user_id);
    access.check(state.users.caller(credential).await?.as_ref())?;
    Ok(Error::NotFound(Missing::Story).into())
}

body! {
    /// A new story.
    struct CreateUserStory {
        /// Identifier of the user: the caller, or for moderators and administrators another user.
        #[schema(value_type = u64, minimum = 1, maximum = 268_435_455, example = 1)]
        user_id: UserId,
        /// Identifier of the anime.
        #[schema(value_type = u64, minimum = 1, maximum = 33_554_431, example = 160)]
        anime_id: AnimeId,
        /// Watch status. 1 (PLANNING) sets `current_episode` to 0, and 2 (COMPLETED) sets it to the anime's
        /// `episodes_count`.
        #[schema(example = 0)]
        status: WatchStatus,
        /// Number of the current episode, at most the anime's `episodes_count`. Ignored with status 1 (PLANNING)
        /// and 2 (COMPLETED). Default: 0.
        #[schema(value_type = Option<u64>, maximum = 4_294_967_295_u64, example = 1)]
        current_episode: Option<u32>,
        /// Watching time of the current episode, in milliseconds. Default: 0.
        #[schema(maximum = 9_007_199_254_740_991_u64, example = 754_000)]
        current_episode_ticks: Option<u64>,
        /// Details of the story.
        details: Option<StoryDetailsChange>,
    }
}

/// Creates a story.
///
/// A user has at most one story for each anime: if it already exists, the response is 409. Moderators can create
/// stories for basic users, and administrators for all users.
#[utoipa::path(
    put,
    path = "/v1/user_story",
    tag = "user_story",
    security(("bearer" = [])),
    request_body = CreateUserStory,
    responses(
        (status = 200, description = "The story", body = Envelope<UserStory>, headers(
            ("ETag" = String, description = "Tag of the story's new state, for `If-Match`"),
        )),
        NothingFound,
        StoryExists,
        TooMany,
    ),
)]
pub(crate) async fn create_user_story(
    State(state): State<Arc<UserStoryState>>,
    bearer: Bearer,
    fields: Result<Fields, ApiError>,
) -> Result<Response, ApiError> {
    let credential = state.tokens.credential(&bearer).await?;
    let mut fields = fields?;
    fields.refuse_misplaced::<StoryDetailsChange>("details");
    let body: CreateUserStory = fields.body()?;
    let id = StoryId::of(body.user_id, body.anime_id);
    let change = StoryChange {
        status: body.status,
        current_episode: body.current_episode.unwrap_or(0),
        watched_episodes: None,
        current_episode_ticks: body.current_episode_ticks.unwrap_or(0),
        details: body.details.map(Into::into).unwrap_or_default(),
    };
    let now = state.clock.now_ms();
    let access = Access::new(&credential, Action::WriteStory, id.user());
    match state.stories.create(&access, id, &change, now).await {
        Ok(story) => Ok(respond_with_etag("Story created", story)),
        Err(Error::Conflict(field_errors)) => {
            respond_already_exists(&state, id, field_errors).await
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns the response to a request to create a story that already exists. The response has the story's address and
/// `ETag`, unless the story was deleted in the meantime.
async fn respond_already_exists(
    state: &UserStoryState,
    id: StoryId,
    field_errors: FieldErrors,
) -> Result<Response, ApiError> {
    let story = state.stories.get(id).await?;
    let mut headers = story.as_ref().map(etag_header).unwrap_or_default();
    let address = HeaderValue::try_from(format!("/v1/user_story/{}", id.get())).ok();
    let address = address.filter(|_| story.is_some());
    headers.extend(address.map(|address| (header::LOCATION, address)));
    Ok((headers, ApiError::from(Error::Conflict(field_errors))).into_response())
}

body! {
    /// The new state of a story.
    struct UpdateUserStory {
        /// Identifier of the story. It must be that of `user_id` and `anime_id`, for example 33554434 for user 1
        /// and anime 2.
        #[schema(value_type = u64, minimum = 1, maximum = 9_007_199_254_740_991_u64, example = 33_554_434)]
        id: NonZeroU64,
        /// Identifier of the story's user. Cannot be changed.
        #[schema(value_type = u64, minimum = 1, maximum = 268_435_455, example = 1)]
        user_id: UserId,
        /// Identifier of the story's anime. Cannot be changed.
        #[schema(value_type = u64, minimum = 1, maximum = 33_554_431, example = 2)]
        anime_id: AnimeId,
        /// Watch status. Does not change `current_episode`.
        #[schema(example = 0)]
        status: WatchStatus,
        /// Number of the current episode, at most the anime's `episodes_count`.
        #[schema(value_type = u64, maximum = 4_294_967_295_u64, example = 4)]
        current_episode: u32,
        /// Watching time of the current episode, in milliseconds.
        #[schema(maximum = 9_007_199_254_740_991_u64, example = 12_000)]
        current_episode_ticks: u64,
        /// Details of the story. Those that are absent keep their values.
        details: Option<StoryDetailsChange>,
    }
}

impl UpdateUserStory {
    fn read(mut fields: Fields) -> Result<(StoryId, StoryChange)> {
        fields.refuse_misplaced::<StoryDetailsChange>("details");
        let read = <Self as Body>::read(&mut fields).map(|body| {
            let id = StoryId::of(body.user_id, body.anime_id);
            if id.get() != body.id.get() {
                fields.fail("id", "must be the story of this user_id and anime_id");
            }
            let change = StoryChange {
                status: body.status,
                current_episode: body.current_episode,
                watched_episodes: None,
                current_episode_ticks: body.current_episode_ticks,
                details: body.details.map(Into::into).unwrap_or_default(),
            };
            (id, change)
        });
        fields.finish(read)
    }
}

/// Updates a story.
///
/// All fields are required. Without `If-Match`, the last of two concurrent updates wins. Moderators can
/// update the stories of basic users, and administrators those of all users.
#[utoipa::path(
    post,
    path = "/v1/user_story",
    tag = "user_story",
    security(("bearer" = [])),
    params(("If-Match" = Option<String>, Header, nullable = false,
        pattern = r#"^(\*|"[0-9A-Za-z_-]+"(, ?"[0-9A-Za-z_-]+"){0,19})$"#, example = "\"0-3-754000-_mGYIfTb3hA\"",
        description = "`ETag` of the story as you read it, up to 20 tags separated by commas, or `*`. If the story \
            has changed since, nothing is written and the response is 412")),
    request_body = UpdateUserStory,
    responses(
        (status = 200, description = "The story", body = Envelope<UserStory>, headers(
            ("ETag" = String, description = "Tag of the story's new state, for `If-Match`"),
        )),
        NothingFound,
        TooMany,
    ),
)]
pub(crate) async fn update_user_story(
    State(state): State<Arc<UserStoryState>>,
    bearer: Bearer,
    headers: HeaderMap,
    fields: Result<Fields, ApiError>,
) -> Result<Response, ApiError> {
    let credential = state.tokens.credential(&bearer).await?;
    let (id, change) = UpdateUserStory::read(fields?)?;
    let access = Access::new(&credential, Action::WriteStory, id.user());
    let expected_tags = read_expected_tags(&state, &access, id.user(), &headers).await?;
    let now = state.clock.now_ms();
    let (stories, read) = (&state.stories, state.stories.get(id).await?);
    let update = stories.update(&access, id, read, &change, &expected_tags, now);
    Ok(respond_with_etag("Story updated", update.await?))
}

/// Deletes a story.
///
/// If a linked tracker still has an entry for the anime, the next synchronization creates the story again.
/// Moderators can delete the stories of basic users, and administrators those of all users.
#[utoipa::path(
    delete,
    path = "/v1/user_story/{id}",
    tag = "user_story",
    security(("bearer" = [])),
    params(
        ("id" = u64, Path, minimum = 1, maximum = 9_007_199_254_740_991_u64, description = "Identifier of the story",
            example = 33_554_434),
        ("If-Match" = Option<String>, Header, nullable = false,
            pattern = r#"^(\*|"[0-9A-Za-z_-]+"(, ?"[0-9A-Za-z_-]+"){0,19})$"#, example = "\"0-3-754000-_mGYIfTb3hA\"",
            description = "`ETag` of the story as you read it, up to 20 tags separated by commas, or `*`. If the \
                story has changed since, it is not deleted and the response is 412"),
    ),
    responses(
        (status = 200, description = "The story was deleted; `data` is empty", body = Envelope<String>),
        NothingFound,
        TooMany,
    ),
)]
pub(crate) async fn delete_user_story(
    State(state): State<Arc<UserStoryState>>,
    bearer: Bearer,
    headers: HeaderMap,
    id: Result<PathId, ApiError>,
) -> Result<Response, ApiError> {
    let credential = state.tokens.credential(&bearer).await?;
    let PathId(id) = id?;
    let Some(id) = StoryId::new(id) else {
        return Err(not_found_error(&state, &credential, Action::WriteStory).await?);
    };
    let access = Access::new(&credential, Action::WriteStory, id.user());
    let expected_tags = read_expected_tags(&state, &access, id.user(), &headers).await?;
    let now = state.clock.now_ms();
    let read = state.stories.get(id).await?;
    let delete = state.stories.delete(&access, id, read, &expected_tags, now);
    delete.await?;
    Ok(private("Story deleted", ""))
}

/// Reads `If-Match`; an empty list allows any state. An error in this header is returned only to callers with access.
/// Other callers get the error that the write itself would return to them, such as 401 or 403.
async fn read_expected_tags(
    state: &UserStoryState,
    access: &Access,
    owner: UserId,
    headers: &HeaderMap,
) -> Result<Vec<String>> {
    let read = read_if_match(headers);
    if read.is_err() {
        let rows = state.users.caller_and(&access.credential, owner).await?;
        access.check_for(rows.0.as_ref(), rows.1.as_ref())?;
    }
    Ok(read?.unwrap_or_default())
}

fn respond_with_etag(message: &'static str, story: Story) -> Response {
    let tag = etag_header(&story);
    (tag, private(message, UserStory::from(story))).into_response()
}

fn etag_header(story: &Story) -> HeaderMap {
    let tag = HeaderValue::from_str(&entity_tag(&story.state)).ok();
    tag.map(|tag| (header::ETAG, tag)).into_iter().collect()
}
