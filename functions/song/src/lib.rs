//! The song endpoints (contract, "Song endpoints").

use axum::extract::State;
use axum::response::Response;
use catalogue::SharedCatalogue;
use catalogue::index::SongFilter;
use shared::Error;
use shared::http::openapi::{
    Fault, InvalidParameters, NotModified, NothingFound, OutOfReach, PageParameters,
};
use shared::http::response::{ListRequest, PathCount, PathId, cached, uncached};
use shared::http::routing::ApiRouter;
use shared::http::{ApiError, Envelope};
use shared::models::{Season, Song, SongType};
use utoipa::OpenApi;

/// The endpoints over a catalogue.
pub fn router(catalogue: SharedCatalogue<Song>) -> ApiRouter {
    ApiRouter::new()
        .get("/v1/song", list)
        .get("/v1/song/{id}", find)
        .get("/v1/random/song/{count}", random)
        .with_state(catalogue)
}

/// What the reference says of the endpoints.
#[derive(Debug, OpenApi)]
#[openapi(paths(list, find, random))]
pub struct Reference;

/// A page of the songs that pass the filters, latest year first, then latest season; ties by id.
#[utoipa::path(
    get,
    path = "/v1/song",
    tag = "song",
    operation_id = "list_songs",
    params(
        ("anime_id" = Option<u64>, Query, minimum = 1, description = "Identifier of the anime", example = 2),
        ("title" = Option<String>, Query, description = "Case-insensitive pattern on the title: a literal substring, folded", example = "tank"),
        ("artist" = Option<String>, Query, description = "Case-insensitive pattern on the artist: a literal substring, folded", example = "seatbelts"),
        ("year" = Option<u16>, Query, minimum = 0, maximum = 9999, description = "Year of release", example = 1998),
        ("season" = Option<Season>, Query, description = "Season of release", example = 1),
        ("type" = Option<SongType>, Query, description = "What it is to its anime", example = 0),
        PageParameters,
    ),
    responses(
        (status = 200, description = "A page of the list, which may be empty", body = Envelope<Vec<Song>>, headers(
            ("X-Total-Count" = u64, description = "How many rows pass the filters, over all pages"),
            ("Link" = String, description = "The next page, as `<...>; rel=\"next\"`, while there is one"),
            ("ETag" = String, description = "For If-None-Match, which is answered with 304"),
        )),
        NotModified,
        InvalidParameters,
        Fault,
        OutOfReach,
    ),
)]
async fn list(
    State(songs): State<SharedCatalogue<Song>>,
    request: ListRequest<SongFilter>,
) -> Result<Response, ApiError> {
    let page = songs.list(&request.filter, request.page).await?;
    Ok(request.answer("Songs found", page.documents, page.total, page.next))
}

/// The song with this identifier.
#[utoipa::path(
    get,
    path = "/v1/song/{id}",
    tag = "song",
    operation_id = "find_song",
    params(("id" = u64, Path, minimum = 1, description = "Identifier", example = 2048)),
    responses(
        (status = 200, description = "The song", body = Envelope<Song>, headers(
            ("ETag" = String, description = "For If-None-Match, which is answered with 304"),
        )),
        NotModified,
        InvalidParameters,
        NothingFound,
        Fault,
        OutOfReach,
    ),
)]
async fn find(
    State(songs): State<SharedCatalogue<Song>>,
    PathId(id): PathId,
) -> Result<Response, ApiError> {
    let found = songs.find(id).await?;
    let song = found.ok_or(Error::NotFound("Song not found"))?;
    Ok(cached("Song found", song))
}

/// A random list of that many songs.
#[utoipa::path(
    get,
    path = "/v1/random/song/{count}",
    tag = "song",
    operation_id = "random_song_count",
    params(("count" = u64, Path, minimum = 1, maximum = 50, description = "How many", example = 5)),
    responses(
        (status = 200, description = "As many songs at random, fewer only when there are fewer", body = Envelope<Vec<Song>>),
        InvalidParameters,
        Fault,
        OutOfReach,
    ),
)]
async fn random(
    State(songs): State<SharedCatalogue<Song>>,
    PathCount(count): PathCount,
) -> Result<Response, ApiError> {
    Ok(uncached("Songs picked", songs.random(count).await?))
}
