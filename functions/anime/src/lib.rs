//! The anime endpoints (docs/api.md, "Anime endpoints").

mod mapping;

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::response::Response;
use catalogue::index::{AnimeFilter, GenrePattern, NameFilter, SongFilter};
use catalogue::{CachedDocument, SharedCatalogue, entity_tag};
use runtime::Environment;
use shared::http::openapi::{NotModified, NothingFound, PageParameters};
use shared::http::response::{
    CatalogueListRequest, PageLink, PathCount, PathId, RANDOM_COUNT, cached, uncached,
};
use shared::http::routing::ApiRouter;
use shared::http::{ApiError, Envelope};
use shared::input::{FilterId, MAX_PER_PAGE, PageRequest, PageStart, QueryString};
use shared::models::{Anime, Song};
use shared::{Error, Missing, Result, endpoints, named_values, query};
use utoipa::ToSchema;

/// The page of songs that is added to an anime: the first 100 in the order of the song list.
const FIRST_SONGS: PageRequest = PageRequest {
    per_page: MAX_PER_PAGE,
    start: PageStart::First,
};

/// State of the anime endpoints.
#[derive(Debug)]
pub struct AnimeState {
    /// The catalogue of anime.
    pub anime: SharedCatalogue<Anime>,
    /// The catalogue of songs, for responses that include them.
    pub songs: SharedCatalogue<Song>,
}

impl AnimeState {
    /// Creates the state from the settings of the environment.
    pub fn new(environment: &Environment) -> Result<Arc<Self>, lambda_http::Error> {
        Ok(Arc::new(Self {
            anime: environment.catalogue()?,
            songs: environment.catalogue()?,
        }))
    }
}

/// Opens the connection to DynamoDB and loads the index of anime, before the first request needs them.
pub async fn warm(state: Arc<AnimeState>) -> Result<()> {
    state.anime.index().await.map(drop)
}

endpoints! {
    state: Arc<AnimeState>,
    handlers: [list_anime, find_anime, random_anime, random_anime_count, mapping::map_ids],
    schemas: [AnimeInclude, GenrePattern, NameFilter, FilterId],
}

/// Routes requests to the anime endpoints.
pub fn router(state: Arc<AnimeState>) -> ApiRouter {
    endpoints().with_state(state)
}

/// Lists anime, highest score first.
///
/// Anime with the same score are ordered by `id`, ascending. Filters combine with AND. Send either `page` or
/// `cursor`, not both.
#[utoipa::path(
    get,
    path = "/v1/anime",
    tag = "anime",
    params(AnimeFilter, PageParameters),
    responses(
        (status = 200, description = "One page of results; an empty array if nothing matches",
            body = Envelope<Vec<Anime>>),
        NotModified,
    ),
)]
async fn list_anime(
    State(state): State<Arc<AnimeState>>,
    request: CatalogueListRequest<AnimeFilter>,
) -> Result<Response, ApiError> {
    let is_known = |tag: Option<&str>| request.known.contain(tag);
    let (filter, page) = (&request.filter, request.page);
    let page = state.anime.page(filter, page, is_known).await?;
    Ok(request.respond(
        "Anime found",
        page.documents,
        page.tag,
        page.total,
        page.next,
    ))
}

named_values! {
    /// The values of the parameter `include`, for the OpenAPI document.
    enum AnimeInclude {
        Songs = "songs",
    }
}

query! {
    /// The parameters of a request for one anime.
    struct AnimeQuery {
        /// `songs` adds the anime's songs
        #[param(
            value_type = Option<Vec<AnimeInclude>>, style = Form, explode = false, min_items = 1,
            example = json!(["songs"])
        )]
        include: Vec<AnimeInclude>,
    }
}

/// An anime, with its songs if the request has `include=songs`.
#[derive(ToSchema)]
#[expect(
    dead_code,
    reason = "a schema; responses are built from stored documents"
)]
struct AnimeWithSongs {
    #[serde(flatten)]
    anime: Anime,
    /// The songs, in the order of the song list: at most 100.
    songs: Option<Vec<Song>>,
}

/// Returns the anime with this identifier.
#[utoipa::path(
    get,
    path = "/v1/anime/{id}",
    tag = "anime",
    params(
        ("id" = u64, Path, minimum = 1, maximum = 9_007_199_254_740_991_u64, description = "Identifier of the anime",
            example = 2),
        AnimeQuery,
    ),
    responses(
        (status = 200, description = "The anime", body = Envelope<AnimeWithSongs>, headers(
            ("Link" = String,
                description = "Address of the page about the anime, as `<...>; rel=\"alternate\"; type=\"text/html\"`"),
        )),
        NotModified,
        NothingFound,
    ),
)]
async fn find_anime(
    State(state): State<Arc<AnimeState>>,
    PathId(id): PathId,
    link: PageLink,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let AnimeQuery { include } = QueryString::parse(query.as_deref())?;
    let found = state.anime.find(id).await?;
    let anime = found.ok_or(Error::NotFound(Missing::Anime))?;
    if include.is_empty() {
        let tag = entity_tag::<Anime>([anime.version()]);
        return Ok(link.add_to(cached("Anime found", anime, tag)));
    }
    let filter = SongFilter {
        anime_id: Some(vec![FilterId(id)]),
        ..SongFilter::default()
    };
    let page = state.songs.list(&filter, FIRST_SONGS).await?;
    let songs = state.songs.documents(&page.rows).await?;
    let versions = [&anime]
        .into_iter()
        .chain(&songs)
        .map(CachedDocument::version);
    let tag = entity_tag::<Anime>(versions);
    let anime = anime.json_with_list("songs", &songs)?;
    Ok(link.add_to(cached("Anime found", anime, tag)))
}

/// Returns 10 random anime.
///
/// No anime occurs twice. The list is shorter only if the catalogue has fewer anime.
#[utoipa::path(
    get,
    path = "/v1/random/anime",
    tag = "anime",
    responses((status = 200, description = "Random anime", body = Envelope<Vec<Anime>>)),
)]
async fn random_anime(State(state): State<Arc<AnimeState>>) -> Result<Response, ApiError> {
    Ok(uncached(
        "Anime picked",
        state.anime.random(RANDOM_COUNT).await?,
    ))
}

/// Returns random anime, as many as requested.
///
/// No anime occurs twice. The list is shorter only if the catalogue has fewer anime.
#[utoipa::path(
    get,
    path = "/v1/random/anime/{count}",
    tag = "anime",
    params(("count" = u64, Path, minimum = 1, maximum = 50, description = "Number of anime, from 1 to 50",
        example = 5)),
    responses(
        (status = 200, description = "Random anime", body = Envelope<Vec<Anime>>),
    ),
)]
async fn random_anime_count(
    State(state): State<Arc<AnimeState>>,
    PathCount(count): PathCount,
) -> Result<Response, ApiError> {
    Ok(uncached("Anime picked", state.anime.random(count).await?))
}
