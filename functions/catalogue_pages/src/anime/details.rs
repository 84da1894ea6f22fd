//! The page `/anime/{id}`.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use catalogue::SharedCatalogue;
use futures_util::try_join;
use page_parts::StoryPagesState;
use page_parts::anime::{find_stories, read_songs};
use page_parts::story::StoryFormOutcome;
use pages::error::PageResult;
use pages::sessions::Visitor;
use shared::http::ApiError;
use shared::http::response::PathId;
use shared::models::{AnimeId, Song, StoryId};
use shared::{Error, Missing, Result};

use super::details_view::{self, AnimeDetails};
use super::related::RelatedAnime;

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

/// Reads in one round: the visitor's session and account, the anime, its songs, the visitor's story, and the numbers of
/// users who have the anime. Only documents name other anime, so these anime and the visitor's stories about them are
/// read afterwards, unless the process has the documents in its memory.
async fn read_details(
    state: &StoryPagesState,
    songs: &SharedCatalogue<Song>,
    visitor: &Visitor,
    id: AnimeId,
) -> Result<Option<AnimeDetails>> {
    let user = state.sessions.named_user(visitor).await?;
    let find_session = async { Ok(state.sessions.find_if_readable(visitor).await) };
    let find_story = async {
        match user {
            Some(user) => state.stories.get(StoryId::of(user, id)).await,
            None => Ok(None),
        }
    };
    let find_anime = async {
        let (index, found) = try_join!(state.catalogue.index(), state.catalogue.find(id.get()))?;
        let Some(document) = found else {
            return Ok(None);
        };
        let anime = state.catalogue.parse(&document)?;
        let related = RelatedAnime::read(state, &index, &anime).await?;
        let stories = find_stories(state, user, related.ids().collect()).await?;
        Ok::<_, Error>(Some((anime, related, stories)))
    };
    let (signed_in, found, songs, story, community) = try_join!(
        find_session,
        find_anime,
        read_songs(songs, id.get()),
        find_story,
        state.catalogue.community(),
    )?;
    let Some((anime, related, mut stories)) = found else {
        return Ok(None);
    };
    // The cookie names the owner of the stories, so they count only if the session is valid.
    if signed_in.is_none() {
        stories.clear();
    }
    Ok(Some(AnimeDetails {
        story: story.filter(|_| signed_in.is_some()),
        community: community.get(id).copied(),
        signed_in,
        anime,
        related,
        stories,
        songs,
    }))
}
