//! Search for anime by their identifiers at other services (docs/api.md, "Mapping").

use std::collections::HashSet;
use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::response::Response;
use catalogue::identifiers::{IdSource, Identifier, format_imdb, parse_imdb};
use catalogue::{AnimeMapping, IdentifiedAnime};
use serde::Serialize;
use shared::http::openapi::NotModified;
use shared::http::response::cached;
use shared::http::{ApiError, Envelope};
use shared::input::{FilterId, MAX_IDS, Parameter, Params};
use shared::models::AnimeId;
use utoipa::{IntoParams, ToSchema};

use crate::AnimeState;

/// The parameters of a request, with their documentation in the OpenAPI document.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct MappingQuery {
    /// Service that the identifiers are from.
    #[param(value_type = IdSource, inline, example = "tvdb")]
    source: Option<IdSource>,
    /// Identifiers at the source, 1 to 100. Separate values with commas, or repeat the parameter. An identifier of
    /// `IMDb` is `tt` and 7 to 9 digits, with zeros in front only up to 7 digits; those of the other sources are
    /// numbers from 1 to 9007199254740991.
    #[param(rename = "id", value_type = Vec<String>, style = Form, explode = false, min_items = 1, max_items = 100,
        example = json!(["76885"]))]
    ids: Vec<RequestedId>,
    /// Season of the series, from 0 to 9999; 0 stands for specials. Leaves out movies, and anime that are known to be
    /// another season. Can only be combined with the sources `tvdb` and `database`.
    #[param(minimum = 0, maximum = 9999, example = 1)]
    season: Option<u16>,
}

/// An identifier in a request.
#[derive(Debug)]
struct RequestedId {
    text: String,
    /// `None` for an identifier above 2^32 - 1, which no anime has.
    number: Option<u32>,
}

impl MappingQuery {
    fn read(query: &str) -> Result<Self, ApiError> {
        let mut params = Params::parse(query);
        let source: Option<IdSource> = params.read("source");
        if source.is_none() {
            // `read` has already recorded the error of an invalid source. It stays, because `fail` keeps the first
            // error of a parameter.
            params.fail("source", "is required");
        }
        let ids = source.map_or_else(Vec::new, |source| read_ids(&mut params, source));
        let season: Option<u16> = params.read("season");
        if season.is_some() && source.is_some_and(|source| !source.has_seasons()) {
            params.fail("season", "can only be combined with tvdb and database");
        }
        params.finish()?;
        Ok(Self {
            source,
            ids,
            season,
        })
    }
}

/// Reads the identifiers, without repetitions.
fn read_ids(params: &mut Params, source: IdSource) -> Vec<RequestedId> {
    let ids: Vec<RequestedId> = if source == IdSource::Imdb {
        let ids: Vec<ImdbId> = params.read("id");
        ids.into_iter().map(|ImdbId(id)| id).collect()
    } else {
        let ids: Vec<FilterId> = params.read("id");
        let requested = |FilterId(id): FilterId| RequestedId {
            number: u32::try_from(id).ok(),
            text: id.to_string(),
        };
        ids.into_iter().map(requested).collect()
    };
    if ids.is_empty() {
        // `read` has already recorded the error of an invalid identifier. It stays, because `fail` keeps the first
        // error of a parameter.
        params.fail("id", "is required");
    }
    let mut seen = HashSet::new();
    let is_new = |id: &RequestedId| seen.insert(id.text.clone());
    ids.into_iter().filter(is_new).collect()
}

/// An identifier of `IMDb` in a request.
struct ImdbId(RequestedId);

impl Parameter for ImdbId {
    const MAX_VALUES: usize = MAX_IDS;

    fn parse(value: &str) -> Result<Option<Self>, String> {
        let id = parse_imdb(value).map(|number| RequestedId {
            text: value.to_owned(),
            number: Some(number),
        });
        let invalid = || "must be tt and 7 to 9 digits, such as tt0286390".to_owned();
        id.map(|id| Some(Self(id))).ok_or_else(invalid)
    }
}

/// An identifier of the request, with the anime that have it.
#[derive(Debug, Serialize, ToSchema)]
struct MappedId {
    /// The identifier, as text.
    #[schema(example = "76885")]
    id: String,
    /// The anime that have this identifier, highest score first. Empty if the identifier is unknown.
    #[schema(max_items = 100)]
    anime: Vec<MappedAnime>,
}

/// An anime with all known identifiers.
#[derive(Debug, Serialize, ToSchema)]
struct MappedAnime {
    /// Identifier of the anime.
    anime_id: AnimeId,
    /// Identifier at tracker A.
    #[schema(required, minimum = 1, example = 1)]
    tracker_a_id: Option<u32>,
    /// Identifier at tracker B.
    #[schema(required, minimum = 1, example = 1)]
    tracker_b_id: Option<u32>,
    /// Identifiers at `AniDB`.
    #[schema(example = json!([23]))]
    anidb_ids: Vec<u32>,
    /// Identifiers at the movie database.
    database_ids: Vec<DatabaseId>,
    /// Identifiers at `IMDb`.
    #[schema(example = json!(["tt0213338"]))]
    imdb_ids: Vec<String>,
    /// Identifiers at Kitsu.
    #[schema(example = json!([1]))]
    kitsu_ids: Vec<u32>,
    /// Identifiers at `TheTVDB`.
    tvdb_ids: Vec<TvdbId>,
}

/// An identifier at the movie database, which numbers series and movies separately.
#[derive(Debug, Serialize, ToSchema)]
struct DatabaseId {
    /// Identifier of the series or movie.
    #[schema(minimum = 1, example = 30991)]
    id: u32,
    /// Kind of the identifier; null if it is not known.
    #[schema(required)]
    kind: Option<DatabaseKind>,
    /// Season of the series; 0 stands for specials. Null for a movie, or if the season is not known.
    #[schema(required, example = 1)]
    season: Option<u16>,
}

/// Kinds of identifiers at the movie database.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum DatabaseKind {
    Series,
    Movie,
}

/// An identifier at `TheTVDB`.
#[derive(Debug, Serialize, ToSchema)]
struct TvdbId {
    /// Identifier of the series.
    #[schema(minimum = 1, example = 76885)]
    id: u32,
    /// Season of the series; 0 stands for specials. Null if the season is not known.
    #[schema(required, example = 1)]
    season: Option<u16>,
}

impl MappedAnime {
    fn new(anime: &IdentifiedAnime) -> Self {
        let at = |source: IdSource| {
            let ids = anime.identifiers.iter();
            ids.filter(move |known| known.source == source)
        };
        let first = |source| at(source).next().map(|known| known.id);
        let all = |source| at(source).map(|known| known.id).collect();
        Self {
            anime_id: anime.id,
            tracker_a_id: first(IdSource::TrackerA),
            tracker_b_id: first(IdSource::TrackerB),
            anidb_ids: all(IdSource::Anidb),
            database_ids: at(IdSource::Database).map(DatabaseId::new).collect(),
            imdb_ids: at(IdSource::Imdb)
                .map(|known| format_imdb(known.id))
                .collect(),
            kitsu_ids: all(IdSource::Kitsu),
            tvdb_ids: at(IdSource::Tvdb).map(TvdbId::new).collect(),
        }
    }
}

impl DatabaseId {
    fn new(known: &Identifier) -> Self {
        let kind = match known.is_movie {
            Some(true) => Some(DatabaseKind::Movie),
            Some(false) => Some(DatabaseKind::Series),
            None => None,
        };
        Self {
            id: known.id,
            kind,
            season: known.season,
        }
    }
}

impl TvdbId {
    fn new(known: &Identifier) -> Self {
        Self {
            id: known.id,
            season: known.season,
        }
    }
}

/// Finds anime by identifiers of other services, and returns all their known identifiers.
///
/// The response has one element for each identifier of the request, in its order. Repeated identifiers have one
/// element. Several anime can have the same identifier, for example the seasons of a series.
#[utoipa::path(
    get,
    path = "/v1/mapping",
    tag = "anime",
    params(MappingQuery),
    responses(
        (status = 200, description = "The anime of each identifier", body = Envelope<Vec<MappedId>>),
        NotModified,
    ),
)]
pub async fn map_ids(
    State(state): State<Arc<AnimeState>>,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let query = MappingQuery::read(query.as_deref().unwrap_or_default())?;
    let mapping = state.anime.mapping().await?;
    let ids = query.ids.into_iter();
    let found: Vec<MappedId> = ids
        .map(|id| MappedId {
            anime: anime_with(&mapping, query.source, id.number, query.season),
            id: id.text,
        })
        .collect();
    Ok(cached("Identifiers found", found, None))
}

fn anime_with(
    mapping: &AnimeMapping,
    source: Option<IdSource>,
    id: Option<u32>,
    season: Option<u16>,
) -> Vec<MappedAnime> {
    let (Some(source), Some(id)) = (source, id) else {
        return Vec::new();
    };
    let found = mapping.find(source, id, season);
    found.map(MappedAnime::new).collect()
}
