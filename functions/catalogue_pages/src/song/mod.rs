//! The pages of songs: `/song` and `/song/{id}`.

pub(crate) mod query;
pub(crate) mod view;

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use catalogue::index::{AnimeFilter, EXACT_POINTS, IndexedRow, ListIndex, Matches, SongFilter};
use catalogue::{SharedCatalogue, parse_documents};
use futures_util::try_join;
use maud::html;
use page_parts::StoryPagesState;
use page_parts::anime::read_anime_and_stories;
use page_parts::story::{ReturnPage, find_notice, quick_form};
use pages::anime_card::AnimeRenderer;
use pages::error::PageResult;
use pages::paths::song_path;
use pages::sessions::Visitor;
use shared::http::ApiError;
use shared::http::response::PathId;
use shared::input::{FilterId, PageRequest, PageStart};
use shared::models::{Anime, Song, SongId};
use shared::{Error, Missing, Result};

use self::query::SongQuery;
pub(crate) use self::query::path_of_search;
use self::view::{SongDetails, SongList, SongOfAnime, SongPageUser};

/// The points of an anime whose name has all words of a search, even if it has others, too.
const NAMED_POINTS: u16 = EXACT_POINTS - 100;

/// The maximum number of anime whose names a search has, and whose songs are shown.
const MAX_NAMED: usize = 10;

/// The maximum number of songs on a page, so that it stays small.
const MAX_LINES: usize = 54;

/// The songs of the anime whose names a search has.
const TWENTY_SONGS: PageRequest = PageRequest {
    per_page: 20,
    start: PageStart::First,
};

/// `GET /song`: the songs that a search finds, or those of an artist.
pub(crate) async fn list_page(
    State(state): State<Arc<StoryPagesState>>,
    State(songs): State<SharedCatalogue<Song>>,
    visitor: Visitor,
    RawQuery(query): RawQuery,
) -> PageResult {
    let query = SongQuery::read(query.as_deref().unwrap_or_default());
    let ((page, found), of_named) = try_join!(
        find_songs(&songs, &query),
        find_songs_of_named(&state, &songs, &query)
    )?;
    let of_named: Vec<IndexedRow> = of_named
        .into_iter()
        .filter(|row| !found.rows.contains(row))
        .take(MAX_LINES - found.rows.len())
        .collect();
    let find_session = async { Ok(state.sessions.find_if_readable(&visitor).await) };
    let (signed_in, songs, of_named) = try_join!(
        find_session,
        read_songs(&state, &songs, &found.rows),
        read_songs(&state, &songs, &of_named),
    )?;
    let l10n = visitor.localizer(signed_in.as_ref());
    let list = SongList {
        query: &query,
        total: found.total,
        page,
        songs: &songs,
        of_named: &of_named,
    };
    let renderer = AnimeRenderer::new(state.has_images, &l10n);
    let public_url = state.sessions.public_url();
    Ok(view::list_page(
        renderer,
        public_url,
        signed_in.as_ref(),
        &list,
    ))
}

/// Returns the number of the page that the visitor wants, and its songs. The last page takes the place of a page after
/// it.
async fn find_songs(songs: &SharedCatalogue<Song>, query: &SongQuery) -> Result<(usize, Matches)> {
    let page = SongQuery::page_request(query.page);
    let found = songs.list(&query.filter, page).await?;
    let last = SongQuery::last_page(found.total);
    if query.page <= last {
        return Ok((query.page, found));
    }
    let page = SongQuery::page_request(last);
    Ok((last, songs.list(&query.filter, page).await?))
}

/// Finds songs of the anime whose names a search has, for the first page of a search. Leaves out anime for adults.
async fn find_songs_of_named(
    state: &StoryPagesState,
    songs: &SharedCatalogue<Song>,
    query: &SongQuery,
) -> Result<Vec<IndexedRow>> {
    let search = query.filter.search.clone().filter(|_| query.page == 1);
    let Some(search) = search.filter(|_| query.artist.is_empty()) else {
        return Ok(Vec::new());
    };
    let filter = AnimeFilter {
        search: Some(search.clone()),
        ..AnimeFilter::default()
    };
    // The list loads the texts that the rating needs.
    let one = PageRequest {
        per_page: 1,
        start: PageStart::First,
    };
    state.catalogue.list(&filter, one).await?;
    let index = state.catalogue.index().await?;
    let Some((rated, _)) = index.rate(&search) else {
        return Ok(Vec::new());
    };
    let named = rated.into_iter();
    let named = named.filter(|(_, points)| *points >= NAMED_POINTS);
    let named = named.filter(|(id, _)| index.safe_anime(*id).is_some());
    let named: Vec<FilterId> = named
        .map(|(id, _)| FilterId(id.get()))
        .take(MAX_NAMED)
        .collect();
    if named.is_empty() {
        return Ok(Vec::new());
    }
    let filter = SongFilter {
        anime_id: Some(named),
        ..SongFilter::default()
    };
    Ok(songs.list(&filter, TWENTY_SONGS).await?.rows)
}

/// `GET /song/{id}`
pub(crate) async fn page(
    State(state): State<Arc<StoryPagesState>>,
    State(songs): State<SharedCatalogue<Song>>,
    visitor: Visitor,
    id: Result<PathId, ApiError>,
    RawQuery(query): RawQuery,
) -> PageResult {
    let unknown = || Error::NotFound(Missing::Song);
    let id = id.ok().and_then(|PathId(id)| SongId::new(id));
    let anime = id.and_then(SongId::anime);
    let (id, song_anime) = id.zip(anime).ok_or_else(unknown)?;
    let row = state.catalogue.index().await?.find(song_anime.get());
    let rows: Vec<IndexedRow> = row.into_iter().collect();
    let ((signed_in, mut anime, mut stories), song, others) = try_join!(
        Box::pin(read_anime_and_stories(&state, &visitor, &rows)),
        songs.find(id.get()),
        page_parts::anime::read_songs(&songs, song_anime.get()),
    )?;
    let song: Song = parse_documents(song.as_slice())?
        .pop()
        .ok_or_else(unknown)?;
    let l10n = visitor.localizer(signed_in.as_ref());
    let renderer = AnimeRenderer::new(state.has_images, &l10n);
    let owner = match &signed_in {
        Some(user) => {
            let back = ReturnPage::read(&song_path(&song));
            let csrf = state.sessions.csrf(&visitor).token;
            let text = query.unwrap_or_default();
            let id = user.account.user.id;
            let notice = find_notice(&state, renderer, &csrf, id, &back, &text).await?;
            Some(SongPageUser {
                user,
                form: html! { (notice) (quick_form(&csrf, &back)) },
            })
        }
        None => None,
    };
    let details = SongDetails {
        owner,
        song,
        story: stories.remove(&song_anime),
        anime: anime.pop(),
        others: others.into_iter().filter(|other| other.id != id).collect(),
    };
    Ok(view::page(renderer, state.sessions.public_url(), &details))
}

/// Reads these songs and their anime in one round: the identifier of a song has that of its anime.
pub(crate) async fn read_songs(
    state: &StoryPagesState,
    songs: &SharedCatalogue<Song>,
    rows: &[IndexedRow],
) -> Result<Vec<SongOfAnime>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let index = state.catalogue.index().await?;
    let ids = rows.iter().filter_map(|row| SongId::new(row.id)?.anime());
    let mut anime: Vec<IndexedRow> = ids.filter_map(|id| index.find(id.get())).collect();
    anime.sort_unstable_by_key(|row| row.list_key);
    anime.dedup();
    let (songs, anime) = try_join!(songs.documents(rows), state.catalogue.documents(&anime),)?;
    let anime: Vec<Anime> = parse_documents(&anime)?;
    let songs = parse_documents(&songs)?.into_iter().map(|song: Song| {
        let of_song = anime.iter().find(|anime| anime.id == song.anime_id);
        let of_song = of_song.cloned();
        (song, of_song)
    });
    Ok(songs.collect())
}
