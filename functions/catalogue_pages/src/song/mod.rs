//! The pages of songs: `/song` and `/song/{id}`.

pub(crate) mod query;
pub(crate) mod view;

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use catalogue::index::{IndexedRow, ListIndex, Matches};
use catalogue::{SharedCatalogue, parse_documents};
use futures_util::try_join;
use page_parts::StoryPagesState;
use pages::error::PageResult;
use pages::sessions::Visitor;
use shared::http::ApiError;
use shared::http::response::PathId;
use shared::models::{Anime, Song, SongId};
use shared::{Error, Missing, Result};

use self::query::SongQuery;
use self::view::{SongDetails, SongList, SongOfAnime};

/// `GET /song`: the songs that a search finds, or those of an artist.
pub(crate) async fn list_page(
    State(state): State<Arc<StoryPagesState>>,
    State(songs): State<SharedCatalogue<Song>>,
    visitor: Visitor,
    RawQuery(query): RawQuery,
) -> PageResult {
    let query = SongQuery::read(query.as_deref().unwrap_or_default());
    let found = if query.field_errors.is_empty() {
        let page = query.page_request();
        songs.list(&query.filter, page).await?
    } else {
        Matches::default()
    };
    let find_session = async { Ok(state.sessions.find_if_readable(&visitor).await) };
    let (signed_in, songs) = try_join!(find_session, read_songs(&state, &songs, &found.rows))?;
    let l10n = visitor.localizer(signed_in.as_ref());
    let list = SongList {
        query: &query,
        total: found.total,
        songs: &songs,
    };
    Ok(view::list_page(&l10n, signed_in.as_ref(), &list))
}

/// `GET /song/{id}`
pub(crate) async fn page(
    State(state): State<Arc<StoryPagesState>>,
    State(songs): State<SharedCatalogue<Song>>,
    visitor: Visitor,
    id: Result<PathId, ApiError>,
) -> PageResult {
    let unknown = || Error::NotFound(Missing::Song);
    let id = id.ok().and_then(|PathId(id)| SongId::new(id));
    let anime = id.and_then(SongId::anime);
    let (id, anime) = id.zip(anime).ok_or_else(unknown)?;
    let find_session = async { Ok(state.sessions.find_if_readable(&visitor).await) };
    let (signed_in, song, anime) = try_join!(
        find_session,
        songs.find(id.get()),
        state.catalogue.find(anime.get()),
    )?;
    let details = SongDetails {
        signed_in,
        song: parse_documents(song.as_slice())?
            .pop()
            .ok_or_else(unknown)?,
        anime: parse_documents(anime.as_slice())?.pop(),
    };
    Ok(view::page(&state, &visitor, &details))
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
