//! The reads of pages with anime: the documents, the visitor's session and stories, and the songs.

use std::collections::HashMap;

use accounts::sessions::SignedInUser;
use catalogue::index::{IndexedRow, SongFilter};
use catalogue::{CachedDocument, Catalogue, SharedCatalogue, parse_documents};
use futures_util::try_join;
use pages::sessions::Visitor;
use shared::Result;
use shared::input::{FilterId, MAX_PER_PAGE, PageRequest, PageStart};
use shared::models::{Anime, AnimeId, Song, UserId};
use stories::lists::ListedStory;

use crate::StoryPagesState;

/// The visitor's stories about the anime of a page. The keys are the anime.
pub type StoriesByAnime = HashMap<AnimeId, ListedStory>;

/// Reads in one round: the visitor's session and account, these anime, and the visitor's stories about them.
pub async fn read_anime_and_stories(
    state: &StoryPagesState,
    visitor: &Visitor,
    rows: &[IndexedRow],
) -> Result<(Option<SignedInUser>, Vec<Anime>, StoriesByAnime)> {
    let ids = rows.iter().filter_map(|row| AnimeId::new(row.id)).collect();
    let named_user = state.sessions.named_user(visitor).await?;
    let find_session = async { Ok(state.sessions.find_if_readable(visitor).await) };
    let (signed_in, documents, mut stories) = try_join!(
        find_session,
        state.catalogue.documents(rows),
        find_stories(state, named_user, ids),
    )?;
    // The cookie names the owner of the stories, so they count only if the session is valid.
    if signed_in.is_none() {
        stories.clear();
    }
    Ok((signed_in, parse_documents(&documents)?, stories))
}

/// Returns the stories of a user about these anime, at most 100. Without a user, returns none.
pub async fn find_stories(
    state: &StoryPagesState,
    user: Option<UserId>,
    anime_ids: Vec<AnimeId>,
) -> Result<StoriesByAnime> {
    let Some(user) = user.filter(|_| !anime_ids.is_empty()) else {
        return Ok(StoriesByAnime::new());
    };
    let found = state.stories.find_many(user, &anime_ids).await?;
    let stories = found.into_iter();
    Ok(stories
        .filter_map(|(anime, story)| Some((anime, (&story?).into())))
        .collect())
}

/// Returns an anime; `None` if it is unknown.
pub async fn find_anime(catalogue: &Catalogue<Anime>, id: AnimeId) -> Result<Option<Anime>> {
    let document = catalogue.find(id.get()).await?;
    document.as_ref().map(CachedDocument::parse).transpose()
}

/// Returns the songs of an anime, at most 100: the openings, the endings, and then the others.
pub async fn read_songs(songs: &SharedCatalogue<Song>, anime: u64) -> Result<Vec<Song>> {
    let filter = SongFilter {
        anime_id: Some(vec![FilterId(anime)]),
        ..SongFilter::default()
    };
    let all = PageRequest {
        per_page: MAX_PER_PAGE,
        start: PageStart::First,
    };
    let found = songs.list(&filter, all).await?;
    let mut found: Vec<Song> = parse_documents(&songs.documents(&found.rows).await?)?;
    found.sort_by_key(|song| u8::from(song.song_type));
    Ok(found)
}
