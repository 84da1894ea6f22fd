//! The anime endpoints (docs/api.md, "Anime endpoints").

use axum::extract::State;
use axum::response::Response;
use catalogue::index::{AnimeFilter, GenrePattern, Listed};
use catalogue::{Document, SharedCatalogue, entity_tag};
use shared::Error;
use shared::http::openapi::{
    Fault, InvalidParameters, NotModified, NothingFound, PageParameters, Unavailable,
};
use shared::http::response::{ListRequest, PathCount, PathId, RANDOM_COUNT, cached, uncached};
use shared::http::routing::ApiRouter;
use shared::http::{ApiError, Envelope};
use shared::models::Anime;
use utoipa::OpenApi;

/// Routes requests to the anime endpoints, which read from `catalogue`.
pub fn router(catalogue: SharedCatalogue<Anime>) -> ApiRouter {
    ApiRouter::new()
        .get("/v1/anime", list)
        .get("/v1/anime/{id}", find)
        .get("/v1/random/anime", random)
        .get("/v1/random/anime/{count}", random_count)
        .with_state(catalogue)
}

/// The OpenAPI description of these endpoints.
#[derive(Debug, OpenApi)]
#[openapi(
    paths(list, find, random, random_count),
    components(schemas(GenrePattern))
)]
pub struct Reference;

/// Lists anime, highest score first.
///
/// Anime with the same score are ordered by `id`, ascending. Filters combine with AND. Send either `page` or
/// `cursor`, not both.
#[utoipa::path(
    get,
    path = "/v1/anime",
    tag = "anime",
    operation_id = "list_anime",
    params(AnimeFilter, PageParameters),
    responses(
        (status = 200, description = "One page of results; an empty array if nothing matches", body = Envelope<Vec<Anime>>, headers(
            ("X-Total-Count" = u64, description = "Number of results over all pages"),
            ("Link" = String, description = "Address of the next page, as `<...>; rel=\"next\"`. Absent on the last page"),
            ("ETag" = String, description = "Tag of this response. Send it as `If-None-Match` to get a 304 while the response is unchanged"),
        )),
        NotModified,
        InvalidParameters,
        Fault,
        Unavailable,
    ),
)]
async fn list(
    State(anime): State<SharedCatalogue<Anime>>,
    request: ListRequest<AnimeFilter>,
) -> Result<Response, ApiError> {
    let page = anime.list(&request.filter, request.page).await?;
    let tag = entity_tag::<Anime>(page.rows.iter().map(Listed::version));
    if request.known.contain(tag.as_deref()) {
        let nothing: Vec<Document> = Vec::new();
        return Ok(request.answer("Anime found", nothing, tag, page.total, page.next));
    }
    let documents = anime.documents(&page.rows).await?;
    // The rows may have changed since the index was built.
    let tag = entity_tag::<Anime>(documents.iter().map(Document::version));
    Ok(request.answer("Anime found", documents, tag, page.total, page.next))
}

/// Returns the anime with this identifier.
#[utoipa::path(
    get,
    path = "/v1/anime/{id}",
    tag = "anime",
    operation_id = "find_anime",
    params(("id" = u64, Path, minimum = 1, maximum = 9_007_199_254_740_991_u64, description = "Identifier of the anime", example = 2)),
    responses(
        (status = 200, description = "The anime", body = Envelope<Anime>, headers(
            ("ETag" = String, description = "Tag of this response. Send it as `If-None-Match` to get a 304 while the response is unchanged"),
        )),
        NotModified,
        InvalidParameters,
        NothingFound,
        Fault,
        Unavailable,
    ),
)]
async fn find(
    State(anime): State<SharedCatalogue<Anime>>,
    PathId(id): PathId,
) -> Result<Response, ApiError> {
    let found = anime.find(id).await?;
    let anime = found.ok_or(Error::NotFound("Anime not found"))?;
    let tag = entity_tag::<Anime>([anime.version()]);
    Ok(cached("Anime found", anime, tag))
}

/// Returns 10 random anime.
///
/// No anime occurs twice. The list is shorter only if the catalogue has fewer anime.
#[utoipa::path(
    get,
    path = "/v1/random/anime",
    tag = "anime",
    operation_id = "random_anime",
    responses((status = 200, description = "Random anime", body = Envelope<Vec<Anime>>), Fault, Unavailable),
)]
async fn random(State(anime): State<SharedCatalogue<Anime>>) -> Result<Response, ApiError> {
    Ok(uncached("Anime picked", anime.random(RANDOM_COUNT).await?))
}

/// Returns random anime, as many as requested.
///
/// No anime occurs twice. The list is shorter only if the catalogue has fewer anime.
#[utoipa::path(
    get,
    path = "/v1/random/anime/{count}",
    tag = "anime",
    operation_id = "random_anime_count",
    params(("count" = u64, Path, minimum = 1, maximum = 50, description = "Number of anime, from 1 to 50", example = 5)),
    responses(
        (status = 200, description = "Random anime", body = Envelope<Vec<Anime>>),
        InvalidParameters,
        Fault,
        Unavailable,
    ),
)]
async fn random_count(
    State(anime): State<SharedCatalogue<Anime>>,
    PathCount(count): PathCount,
) -> Result<Response, ApiError> {
    Ok(uncached("Anime picked", anime.random(count).await?))
}
