//! Suggestions of what to watch next (docs/api.md, "Suggestions").

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use catalogue::CachedDocument;
use futures_util::try_join;
use serde::Serialize;
use shared::auth::{Access, Action, Bearer};
use shared::http::openapi::NothingFound;
use shared::http::response::{PathId, private};
use shared::http::{ApiError, Envelope};
use shared::models::{Anime, AnimeId, UserId};
use shared::{Error, Missing};
use stories::suggestions::{Suggestion, SuggestionReason, find_suggestions};
use utoipa::ToSchema;

use crate::UserStoryState;

const MAX_SUGGESTIONS: usize = 24;

/// An anime that the user may want to watch next.
#[derive(Serialize, ToSchema)]
#[schema(as = Suggestion)]
struct SuggestionDocument {
    #[schema(value_type = Anime)]
    anime: CachedDocument,
    /// `sequel`: it follows `because`. `airing`: the user plans to watch it, and it airs. `recommendation`: it is
    /// similar to `because`.
    reason: SuggestionReason,
    /// Identifier of the anime that the user has completed, and that led to the suggestion; null for `airing`.
    #[schema(required = true, value_type = Option<u64>, minimum = 1, maximum = 33_554_431, example = 2)]
    because: Option<AnimeId>,
}

impl From<Suggestion> for SuggestionDocument {
    fn from(suggestion: Suggestion) -> Self {
        let because = suggestion.because.map(|anime| anime.version().0);
        Self {
            anime: suggestion.anime,
            reason: suggestion.reason,
            because: because.and_then(AnimeId::new),
        }
    }
}

/// Suggests what the caller can watch next.
///
/// The suggestions are computed from the caller's stories: sequels of completed anime, planned anime that air, and
/// anime that completed ones recommend, weighted by the caller's scores. There are at most 24, the best first. Callers
/// can only read their own.
#[utoipa::path(
    get,
    path = "/v1/user/{id}/suggestions",
    tag = "user_suggestions",
    security(("bearer" = [])),
    params(("id" = u64, Path, minimum = 1, maximum = 9_007_199_254_740_991_u64,
        description = "Identifier of the caller", example = 1)),
    responses(
        (status = 200, description = "The suggestions; an empty array if there are none",
            body = Envelope<Vec<SuggestionDocument>>),
        NothingFound,
    ),
)]
pub(crate) async fn list_user_suggestions(
    State(state): State<Arc<UserStoryState>>,
    bearer: Bearer,
    id: Result<PathId, ApiError>,
) -> Result<Response, ApiError> {
    let credential = state.tokens.credential(&bearer).await?;
    let PathId(id) = id?;
    let owner = UserId::new(id);
    let access = Access::new(
        &credential,
        Action::ReadSuggestions,
        owner.unwrap_or(credential.user_id),
    );
    let own = owner.filter(|owner| *owner == credential.user_id);
    let caller = state.users.caller(&credential).await?;
    access.check(caller.as_ref())?;
    let own = own.zip(caller);
    // `own` is missing if no user can have this identifier.
    let (owner, row) = own.ok_or(Error::NotFound(Missing::User))?;
    let list = state.stories.current_list(owner, &row.list);
    let (list, index) = try_join!(list, state.catalogue.index())?;
    let list = state.stories.join(list, index);
    let found = find_suggestions(&state.catalogue, &list, MAX_SUGGESTIONS).await?;
    let found = found.into_iter().map(SuggestionDocument::from);
    Ok(private("Suggestions found", found.collect::<Vec<_>>()))
}
