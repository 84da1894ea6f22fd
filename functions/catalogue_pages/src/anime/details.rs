//! The page `/anime/{id}`.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use catalogue::index::ListIndex;
use catalogue::{SharedCatalogue, parse_documents};
use futures_util::try_join;
use page_parts::StoryPagesState;
use page_parts::anime::read_songs;
use page_parts::story::StoryFormOutcome;
use pages::error::PageResult;
use pages::sessions::Visitor;
use shared::http::ApiError;
use shared::http::response::PathId;
use shared::models::{Anime, AnimeId, Song, StoryId};
use shared::{Error, Missing, Result};
use stories::lists::Story;

use super::details_view::{self, AnimeDetails};

/// The maximum number of recommendations that the page shows.
const MAX_RECOMMENDATIONS: usize = 12;

/// `GET /anime/{id}`
pub(crate) async fn page(
    State(state): State<Arc<StoryPagesState>>,
    State(songs): State<SharedCatalogue<Song>>,
    visitor: Visitor,
    id: Result<PathId, ApiError>,
    RawQuery(query): RawQuery,
) -> PageResult {
    let unknown = || Error::NotFound(Missing::Anime);
    let id = id.ok().and_then(|PathId(id)| AnimeId::new(id));
    let id = id.ok_or_else(unknown)?;
    let details = Box::pin(read_details(&state, &songs, &visitor, id)).await?;
    let details = details.ok_or_else(unknown)?;
    let done = StoryFormOutcome::read(query.as_deref().unwrap_or_default()).map(|(done, _)| done);
    Ok(details_view::page(&state, &visitor, &details, done))
}

/// Reads in one round: the visitor's session and account, the anime, its songs and the visitor's story. The
/// documents of related anime are read afterwards, because only the anime's document names them. Cached documents
/// are not read again.
async fn read_details(
    state: &StoryPagesState,
    songs: &SharedCatalogue<Song>,
    visitor: &Visitor,
    id: AnimeId,
) -> Result<Option<AnimeDetails>> {
    let find_session = async { Ok(state.sessions.find_if_readable(visitor).await) };
    let (signed_in, index, found, songs, story) = try_join!(
        find_session,
        state.catalogue.index(),
        state.catalogue.find(id.get()),
        read_songs(songs, id.get()),
        find_own_story(state, visitor, id),
    )?;
    let Some(anime) = parse_documents(found.as_slice())?.pop() else {
        return Ok(None);
    };
    let mut related: Vec<_> = related_ids(&anime)
        .filter_map(|id| index.find(id))
        .collect();
    related.sort_unstable_by_key(|row| row.list_key);
    related.dedup();
    let related = parse_documents(&state.catalogue.documents(&related).await?)?;
    Ok(Some(AnimeDetails {
        // The cookie names the owner of the story, so the story counts only if the session is valid.
        story: story.filter(|_| signed_in.is_some()),
        signed_in,
        related,
        anime,
        songs,
    }))
}

/// Returns the identifiers of the other anime that the page shows.
fn related_ids(anime: &Anime) -> impl Iterator<Item = u64> {
    let in_story_line = [anime.sequel, anime.prequel].into_iter().flatten();
    let similar = anime.recommendations.iter().flatten().copied();
    let all = in_story_line.chain(similar.take(MAX_RECOMMENDATIONS));
    all.map(AnimeId::get)
}

async fn find_own_story(
    state: &StoryPagesState,
    visitor: &Visitor,
    id: AnimeId,
) -> Result<Option<Story>> {
    match state.sessions.named_user(visitor).await? {
        Some(user) => state.stories.get(StoryId::of(user, id)).await,
        None => Ok(None),
    }
}
