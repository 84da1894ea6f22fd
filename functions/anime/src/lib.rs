//! The anime endpoints (contract, "Anime endpoints").

use axum::extract::State;
use axum::response::Response;
use catalogue::SharedCatalogue;
use catalogue::index::AnimeFilter;
use shared::Error;
use shared::http::openapi::{
    Fault, InvalidParameters, NotModified, NothingFound, OutOfReach, PageParameters,
};
use shared::http::response::{ListRequest, PathCount, PathId, RANDOM_COUNT, cached, uncached};
use shared::http::routing::ApiRouter;
use shared::http::{ApiError, Envelope};
use shared::models::{Anime, AnimeFormat, AnimeStatus, Season};
use utoipa::OpenApi;

/// The endpoints over a catalogue.
pub fn router(catalogue: SharedCatalogue<Anime>) -> ApiRouter {
    ApiRouter::new()
        .get("/v1/anime", list)
        .get("/v1/anime/{id}", find)
        .get("/v1/random/anime", random)
        .get("/v1/random/anime/{count}", random_count)
        .with_state(catalogue)
}

/// What the reference says of the endpoints.
#[derive(Debug, OpenApi)]
#[openapi(paths(list, find, random, random_count))]
pub struct Reference;

/// A page of the anime that pass the filters, highest score first; ties by id.
#[utoipa::path(
    get,
    path = "/v1/anime",
    tag = "anime",
    operation_id = "list_anime",
    params(
        ("title" = Option<String>, Query, description = "Case-insensitive pattern on the values of titles: a literal substring, folded", example = "bebop"),
        ("tracker_a_id" = Option<u64>, Query, minimum = 1, description = "Exact filter on tracker_a_id", example = 1),
        ("tracker_b_id" = Option<u64>, Query, minimum = 1, description = "Exact filter on tracker_b_id", example = 1),
        ("database_id" = Option<u64>, Query, minimum = 1, description = "Exact filter on database_id", example = 30991),
        ("formats" = Option<Vec<AnimeFormat>>, Query, style = Form, explode = false, description = "Any of these formats: comma-separated, or the key repeated", example = json!([0, 2])),
        ("status" = Option<AnimeStatus>, Query, description = "Release status", example = 0),
        ("year" = Option<u16>, Query, minimum = 0, maximum = 9999, description = "Filter on season_year", example = 1998),
        ("season" = Option<Season>, Query, description = "Filter on season_period", example = 1),
        ("genres" = Option<Vec<String>>, Query, style = Form, explode = false, description = "Case-sensitive patterns on genres: any of these is a substring of one of the genres; comma-separated, or the key repeated", example = json!(["Sci-Fi"])),
        ("nsfw" = Option<bool>, Query, description = "true leaves out what is not safe for work", example = true),
        ("with_episodes" = Option<bool>, Query, description = "true leaves out what has no episode yet", example = true),
        PageParameters,
    ),
    responses(
        (status = 200, description = "A page of the list, which may be empty", body = Envelope<Vec<Anime>>, headers(
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
    State(anime): State<SharedCatalogue<Anime>>,
    request: ListRequest<AnimeFilter>,
) -> Result<Response, ApiError> {
    let page = anime.list(&request.filter, request.page).await?;
    Ok(request.answer("Anime found", page.documents, page.total, page.next))
}

/// The anime with this identifier.
#[utoipa::path(
    get,
    path = "/v1/anime/{id}",
    tag = "anime",
    operation_id = "find_anime",
    params(("id" = u64, Path, minimum = 1, description = "Identifier", example = 2)),
    responses(
        (status = 200, description = "The anime", body = Envelope<Anime>, headers(
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
    State(anime): State<SharedCatalogue<Anime>>,
    PathId(id): PathId,
) -> Result<Response, ApiError> {
    let found = anime.find(id).await?;
    let anime = found.ok_or(Error::NotFound("Anime not found"))?;
    Ok(cached("Anime found", anime))
}

/// A random list of anime: 10 of them.
#[utoipa::path(
    get,
    path = "/v1/random/anime",
    tag = "anime",
    operation_id = "random_anime",
    responses((status = 200, description = "10 anime at random", body = Envelope<Vec<Anime>>), Fault, OutOfReach),
)]
async fn random(State(anime): State<SharedCatalogue<Anime>>) -> Result<Response, ApiError> {
    Ok(uncached("Anime picked", anime.random(RANDOM_COUNT).await?))
}

/// A random list of that many anime.
#[utoipa::path(
    get,
    path = "/v1/random/anime/{count}",
    tag = "anime",
    operation_id = "random_anime_count",
    params(("count" = u64, Path, minimum = 1, maximum = 50, description = "How many", example = 5)),
    responses(
        (status = 200, description = "As many anime at random, fewer only when there are fewer", body = Envelope<Vec<Anime>>),
        InvalidParameters,
        Fault,
        OutOfReach,
    ),
)]
async fn random_count(
    State(anime): State<SharedCatalogue<Anime>>,
    PathCount(count): PathCount,
) -> Result<Response, ApiError> {
    Ok(uncached("Anime picked", anime.random(count).await?))
}
