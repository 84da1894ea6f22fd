//! The pages of the catalogue: `/anime` and `/anime/{id}`.

pub(crate) mod card;
pub(crate) mod details;
mod details_view;
mod query;
mod read;
mod view;

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::response::Response;
use catalogue::index::Matches;
use catalogue::parse_documents;
use pages::error::PageError;
use pages::paths::ANIME;
use pages::response::see_other;
use pages::sessions::Visitor;
use shared::models::Anime;

use self::query::BrowseQuery;
use crate::state::CatalogueState;

pub(crate) use query::season_at;
pub(crate) use read::{StoriesByAnime, read_anime_and_stories};
pub(crate) use view::season_path;

/// `GET /anime`
pub(crate) async fn page(
    State(state): State<Arc<CatalogueState>>,
    visitor: Visitor,
    RawQuery(query): RawQuery,
) -> Result<Response, PageError> {
    let query = BrowseQuery::read(query.as_deref().unwrap_or_default());
    let found = if query.field_errors.is_empty() {
        state
            .catalogue
            .list(&query.filter, query.page_request())
            .await?
    } else {
        Matches::default()
    };
    let (signed_in, anime, stories) =
        Box::pin(read_anime_and_stories(&state, &visitor, &found.rows)).await?;
    let l10n = visitor.localizer(signed_in.as_ref());
    let results = view::BrowseResults {
        query: &query,
        total: found.total,
        anime: &anime,
        stories: &stories,
        season: season_at(state.clock.now_s()),
    };
    Ok(view::page(&state, &l10n, signed_in.as_ref(), &results))
}

/// `GET /anime/random`: redirects to a random anime, or to the list if none is found.
pub(crate) async fn redirect_to_random(
    State(state): State<Arc<CatalogueState>>,
) -> Result<Response, PageError> {
    // Several anime are read, because some may not be safe for work.
    let anime: Vec<Anime> = parse_documents(&state.catalogue.random(8).await?)?;
    let chosen = anime.iter().find(|anime| !anime.nsfw);
    see_other(
        &state.sessions,
        &chosen.map_or_else(|| ANIME.to_owned(), card::path_of),
    )
}
