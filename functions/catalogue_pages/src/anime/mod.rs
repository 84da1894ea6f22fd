//! The pages of the catalogue: `/anime` and `/anime/{id}`.

mod aside;
pub(crate) mod details;
mod details_view;
mod hero;
mod query;
mod related;
mod view;
mod watch_order;

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use catalogue::index::Matches;
use catalogue::{SharedCatalogue, parse_documents};
use futures_util::try_join;
use page_parts::StoryPagesState;
use page_parts::anime::read_anime_and_stories;
use pages::anime_card::path_of;
use pages::error::PageResult;
use pages::paths::ANIME;
use pages::response::see_other;
use pages::season::season_at;
use pages::sessions::Visitor;
use shared::input::{PageRequest, PageStart};
use shared::models::{Anime, Song};

use self::query::BrowseQuery;
use crate::song::read_songs;
use crate::song::view::FoundSongs;

/// The songs below the anime that a search finds.
const TEN_SONGS: PageRequest = PageRequest {
    per_page: 10,
    start: PageStart::First,
};

/// `GET /anime`
pub(crate) async fn page(
    State(state): State<Arc<StoryPagesState>>,
    State(songs): State<SharedCatalogue<Song>>,
    visitor: Visitor,
    RawQuery(query): RawQuery,
) -> PageResult {
    let query = BrowseQuery::read(query.as_deref().unwrap_or_default());
    let find = async {
        if query.field_errors.is_empty() {
            let page = query.page_request();
            state.catalogue.list(&query.filter, page).await
        } else {
            Ok(Matches::default())
        }
    };
    let find_songs = async {
        match query.song_filter() {
            Some(filter) => songs.list(&filter, TEN_SONGS).await,
            None => Ok(Matches::default()),
        }
    };
    let (found, found_songs) = try_join!(find, find_songs)?;
    let anime = Box::pin(read_anime_and_stories(&state, &visitor, &found.rows));
    let songs = Box::pin(read_songs(&state, &songs, &found_songs.rows));
    let ((signed_in, anime, stories), songs) = try_join!(anime, songs)?;
    let l10n = visitor.localizer(signed_in.as_ref());
    let results = view::BrowseResults {
        query: &query,
        total: found.total,
        anime: &anime,
        stories: &stories,
        songs: FoundSongs {
            search: &query.search,
            total: found_songs.total,
            songs: &songs,
            with_adult: !query.filter.exclude_nsfw,
        },
        season: season_at(state.clock.now_s()),
    };
    Ok(view::page(&state, &l10n, signed_in.as_ref(), &results))
}

/// `GET /anime/random`: redirects to a random anime, or to the list if none is found.
pub(crate) async fn redirect_to_random(State(state): State<Arc<StoryPagesState>>) -> PageResult {
    // Several anime are read, because some may not be safe for work.
    let anime: Vec<Anime> = parse_documents(&state.catalogue.random(8).await?)?;
    let chosen = anime.iter().find(|anime| !anime.nsfw);
    see_other(
        &state.sessions,
        &chosen.map_or_else(|| ANIME.to_owned(), path_of),
    )
}
