//! The pages of the catalogue: `/anime` and `/anime/{id}`.

mod aside;
pub(crate) mod details;
mod details_view;
mod filters;
mod find;
mod hero;
mod query;
mod related;
mod trailer;
mod view;
mod watch_order;

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use catalogue::index::Matches;
use catalogue::{SharedCatalogue, parse_documents};
use futures_util::try_join;
use page_parts::StoryPagesState;
use page_parts::anime::read_anime_and_stories;
use page_parts::story::{ReturnPage, find_notice};
use pages::anime_card::{AnimeRenderer, path_of};
use pages::error::PageResult;
use pages::paths::ANIME;
use pages::response::see_other;
use pages::season::season_at;
use pages::sessions::Visitor;
use shared::Result;
use shared::input::{PageRequest, PageStart};
use shared::models::{Anime, Song};

use self::find::{FoundAnime, OwnList, find_anime};
use self::query::BrowseQuery;
use self::view::{BrowseResults, Owner};
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
    let text = query.unwrap_or_default();
    let query = BrowseQuery::read(&text);
    let find = Box::pin(find_with_own_list(&state, &visitor, &query));
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
    let renderer = AnimeRenderer::new(state.has_images, &l10n);
    let back = ReturnPage::read(&format!("{ANIME}{}", query.query_of_page(found.page)));
    let owner = match &signed_in {
        Some(user) => {
            let csrf = state.sessions.csrf(&visitor).token;
            let id = user.account.user.id;
            let notice = find_notice(&state, renderer, &csrf, id, &back, &text).await?;
            Some(Owner {
                name: user.username(),
                csrf,
                notice,
            })
        }
        None => None,
    };
    let results = BrowseResults {
        query: &query,
        found: &found,
        anime: &anime,
        stories: &stories,
        songs: FoundSongs {
            search: &query.search,
            total: found_songs.total,
            songs: &songs,
            with_adult: !query.filter.exclude_nsfw,
        },
        season: season_at(state.clock.now_s()),
        owner: owner.as_ref(),
        back: &back,
    };
    Ok(view::page(renderer, state.sessions.public_url(), &results))
}

/// Finds the anime. Reads the visitor's session and list before only if the query depends on them.
async fn find_with_own_list(
    state: &StoryPagesState,
    visitor: &Visitor,
    query: &BrowseQuery,
) -> Result<FoundAnime> {
    let signed_in = if query.needs_visitor() {
        state.sessions.find_if_readable(visitor).await
    } else {
        None
    };
    let own = match &signed_in {
        Some(user) if query.needs_list() => {
            let stories = state.stories.peek_list(user.account.user.id).await?;
            stories.into_iter().collect()
        }
        _ => OwnList::default(),
    };
    let l10n = visitor.localizer(signed_in.as_ref());
    find_anime(state, query, &l10n, &own).await
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
