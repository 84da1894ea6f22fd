//! The song endpoints (docs/api.md, "Song endpoints").

use axum::extract::State;
use axum::response::Response;
use catalogue::index::SongFilter;
use catalogue::{SharedCatalogue, entity_tag};
use shared::http::openapi::{NotModified, NothingFound, PageParameters};
use shared::http::response::{CatalogueListRequest, PageLink, PathCount, PathId, cached, uncached};
use shared::http::routing::ApiRouter;
use shared::http::{ApiError, Envelope};
use shared::models::Song;
use shared::{Error, Missing, Result, endpoints};

/// Opens the connection to DynamoDB and loads the index, before the first request needs them.
pub async fn warm(songs: SharedCatalogue<Song>) -> Result<()> {
    songs.index().await.map(drop)
}

endpoints! {
    state: SharedCatalogue<Song>,
    handlers: [list_songs, find_song, random_song_count],
}

/// Routes requests to the song endpoints, which read from `catalogue`.
pub fn router(catalogue: SharedCatalogue<Song>) -> ApiRouter {
    endpoints().with_state(catalogue)
}

/// Lists songs, latest release first.
///
/// Songs are ordered by `year` and then by `season`, both descending, and then by `id`, ascending. Filters
/// combine with AND. Send either `page` or `cursor`, not both.
#[utoipa::path(
    get,
    path = "/v1/song",
    tag = "song",
    params(SongFilter, PageParameters),
    responses(
        (status = 200, description = "One page of results; an empty array if nothing matches",
            body = Envelope<Vec<Song>>),
        NotModified,
    ),
)]
async fn list_songs(
    State(songs): State<SharedCatalogue<Song>>,
    request: CatalogueListRequest<SongFilter>,
) -> Result<Response, ApiError> {
    let is_known = |tag: Option<&str>| request.known.contain(tag);
    let (filter, page) = (&request.filter, request.page);
    let page = songs.page(filter, page, is_known).await?;
    Ok(request.respond(
        "Songs found",
        page.documents,
        page.tag,
        page.total,
        page.next,
    ))
}

/// Returns the song with this identifier.
#[utoipa::path(
    get,
    path = "/v1/song/{id}",
    tag = "song",
    params(("id" = u64, Path, minimum = 1, maximum = 9_007_199_254_740_991_u64, description = "Identifier of the song",
        example = 2048)),
    responses(
        (status = 200, description = "The song", body = Envelope<Song>, headers(
            ("Link" = String,
                description = "Address of the page about the song, as `<...>; rel=\"alternate\"; type=\"text/html\"`"),
        )),
        NotModified,
        NothingFound,
    ),
)]
async fn find_song(
    State(songs): State<SharedCatalogue<Song>>,
    PathId(id): PathId,
    link: PageLink,
) -> Result<Response, ApiError> {
    let found = songs.find(id).await?;
    let song = found.ok_or(Error::NotFound(Missing::Song))?;
    let tag = entity_tag::<Song>([song.version()]);
    Ok(link.add_to(cached("Song found", song, tag)))
}

/// Returns random songs, as many as requested.
///
/// No song occurs twice. The list is shorter only if the catalogue has fewer songs.
#[utoipa::path(
    get,
    path = "/v1/random/song/{count}",
    tag = "song",
    params(("count" = u64, Path, minimum = 1, maximum = 50, description = "Number of songs, from 1 to 50",
        example = 5)),
    responses(
        (status = 200, description = "Random songs", body = Envelope<Vec<Song>>),
    ),
)]
async fn random_song_count(
    State(songs): State<SharedCatalogue<Song>>,
    PathCount(count): PathCount,
) -> Result<Response, ApiError> {
    Ok(uncached("Songs picked", songs.random(count).await?))
}
