//! The files for search engines: `/robots.txt` (RFC 9309), and the sitemap of the catalogue
//! (<https://www.sitemaps.org/protocol.html>).

use std::cmp::Reverse;
use std::fmt::Write;
use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use catalogue::SharedCatalogue;
use catalogue::index::{AnimeIndex, ListIndex, SongIndex};
use futures_util::try_join;
use page_parts::StoryPagesState;
use pages::error::PageResult;
use pages::paths::{
    ADMINISTRATION, ANIME, ANIME_RANDOM, ANIME_SUGGEST, DEVELOPER, FORGOT_PASSWORD, LIST,
    MODERATION, PROFILE, PROVE, REFERENCE, RESET_PASSWORD, SETTINGS, SIGN_IN, SIGN_OUT, SIGN_UP,
    SONG, START, STATISTICS, VERIFY_EMAIL, WELCOME,
};
use pages::season::season_path;
use shared::http::PublicUrl;
use shared::http::response::{CACHE_PUBLIC, NO_SNIFFING};
use shared::models::{AnimeId, Season, Song, SongId};
use shared::{Error, Missing, Result};

/// The path of the file with the rules for search engines.
pub(crate) const ROBOTS: &str = "/robots.txt";

/// The path of the index of the sitemap.
pub(crate) const SITEMAP: &str = "/sitemap.xml";

/// The maximum number of addresses in a file of the sitemap. Its files then have at most 1 MB.
const MAX_ADDRESSES: usize = 10_000;

const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const XML: HeaderValue = HeaderValue::from_static("application/xml");

/// The pages that every visitor can read, besides those of the catalogue.
const PAGES: [&str; 4] = [START, ANIME, SONG, REFERENCE];

/// The beginnings of paths that are no use to search engines: forms, pages that need a session, and the API.
const PRIVATE: [&str; 19] = [
    ADMINISTRATION,
    ANIME_RANDOM,
    ANIME_SUGGEST,
    DEVELOPER,
    FORGOT_PASSWORD,
    LIST,
    MODERATION,
    PROFILE,
    PROVE,
    RESET_PASSWORD,
    SETTINGS,
    SIGN_IN,
    SIGN_OUT,
    SIGN_UP,
    STATISTICS,
    VERIFY_EMAIL,
    WELCOME,
    // The feeds of users.
    "/calendar/",
    "/v1/",
];

/// `GET /robots.txt`
pub(crate) async fn robots(public_url: PublicUrl) -> Response {
    let base = public_url.base_path();
    let private = PRIVATE.map(|path| format!("Disallow: {base}{path}\n"));
    // Filters and searches can be combined in any number of ways. The longer rule wins, so seasons may be read.
    let text = format!(
        "User-agent: *\n{}Disallow: {base}{ANIME}?\nAllow: {base}{ANIME}?season=\nDisallow: {base}{SONG}?\n\n\
         Sitemap: {}{SITEMAP}\n",
        private.concat(),
        public_url.as_str(),
    );
    respond(TEXT, text)
}

/// `GET /sitemap.xml`: the index, with the addresses of the files.
pub(crate) async fn index(
    State(state): State<Arc<StoryPagesState>>,
    State(songs): State<SharedCatalogue<Song>>,
    public_url: PublicUrl,
) -> PageResult {
    let addresses = read_addresses(&state, &songs).await?;
    let files = 1..=addresses.len().div_ceil(MAX_ADDRESSES);
    let files = files.map(|number| format!("/sitemap/{number}.xml"));
    Ok(respond(
        XML,
        write_xml("sitemapindex", "sitemap", public_url.as_str(), files),
    ))
}

/// `GET /sitemap/{file}`: a file of the sitemap, such as `1.xml`.
pub(crate) async fn file(
    State(state): State<Arc<StoryPagesState>>,
    State(songs): State<SharedCatalogue<Song>>,
    public_url: PublicUrl,
    file: Result<Path<String>, PathRejection>,
) -> PageResult {
    let unknown = || Error::NotFound(Missing::Page);
    let number = file.ok().and_then(|Path(file)| number_of(&file));
    let number = number.ok_or_else(unknown)?;
    let addresses = read_addresses(&state, &songs).await?;
    let mut files = addresses.chunks(MAX_ADDRESSES);
    let addresses = files.nth(number - 1).ok_or_else(unknown)?;
    let paths = addresses.iter().copied().map(Address::path);
    Ok(respond(
        XML,
        write_xml("urlset", "url", public_url.as_str(), paths),
    ))
}

/// Returns the number in the name of a file, from 1.
fn number_of(file: &str) -> Option<usize> {
    let digits = file.strip_suffix(".xml")?;
    let is_plain = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_plain)
}

fn respond(media_type: HeaderValue, text: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, media_type),
        (header::CACHE_CONTROL, CACHE_PUBLIC),
        (header::X_CONTENT_TYPE_OPTIONS, NO_SNIFFING),
    ];
    (headers, text).into_response()
}

/// Returns a document with an element for each path.
fn write_xml(
    root: &str,
    element: &str,
    public_url: &str,
    paths: impl Iterator<Item = String>,
) -> String {
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <{root} xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
    );
    for path in paths {
        let path = path.replace('&', "&amp;");
        // Writing to a string cannot fail.
        let _ = writeln!(xml, "<{element}><loc>{public_url}{path}</loc></{element}>");
    }
    let _ = writeln!(xml, "</{root}>");
    xml
}

/// A page of the sitemap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Address {
    Page(&'static str),
    Season(Season, u16),
    Anime(u64),
    Song(u64),
}

impl Address {
    fn path(self) -> String {
        match self {
            Self::Page(path) => path.to_owned(),
            Self::Season(season, year) => season_path(season, year),
            Self::Anime(id) => format!("{ANIME}/{id}"),
            Self::Song(id) => format!("{SONG}/{id}"),
        }
    }
}

/// Returns all pages of the sitemap from the indexes, without any anime for adults or songs of such anime. They are in
/// the order of their identifiers, so that changes of scores do not move them to other files.
async fn read_addresses(
    state: &StoryPagesState,
    songs: &SharedCatalogue<Song>,
) -> Result<Vec<Address>> {
    let (anime, songs) = try_join!(state.catalogue.index(), songs.index())?;
    let pages = PAGES.into_iter().map(Address::Page);
    let seasons = seasons(&anime).into_iter();
    let seasons = seasons.map(|(season, year)| Address::Season(season, year));
    let safe = safe_anime(&anime).into_iter().map(Address::Anime);
    let songs = safe_songs(&songs, &anime).into_iter().map(Address::Song);
    Ok(pages.chain(seasons).chain(safe).chain(songs).collect())
}

fn is_safe(index: &AnimeIndex, id: Option<AnimeId>) -> bool {
    id.is_some_and(|id| index.safe_anime(id).is_some())
}

fn safe_anime(index: &AnimeIndex) -> Vec<u64> {
    let rows = (0..index.len()).filter_map(|number| index.row(number));
    let ids = rows.map(|row| row.id);
    let mut ids: Vec<u64> = ids.filter(|id| is_safe(index, AnimeId::new(*id))).collect();
    ids.sort_unstable();
    ids
}

fn safe_songs(songs: &SongIndex, anime: &AnimeIndex) -> Vec<u64> {
    let rows = (0..songs.len()).filter_map(|number| songs.row(number));
    let ids = rows.map(|row| row.id);
    let anime_of = |id: u64| SongId::new(id).and_then(SongId::anime);
    let mut ids: Vec<u64> = ids.filter(|id| is_safe(anime, anime_of(*id))).collect();
    ids.sort_unstable();
    ids
}

/// Returns the seasons that have anime that are not for adults, the latest first.
fn seasons(index: &AnimeIndex) -> Vec<(Season, u16)> {
    let rows = (0..index.len()).filter_map(|number| index.row(number));
    let ids = rows.filter_map(|row| AnimeId::new(row.id));
    let seasons = ids.filter(|id| is_safe(index, Some(*id))).filter_map(|id| {
        let place = index.row_of(id)?;
        let season = index.season_at(place)?;
        let year = index.anime_at(place)?.year?;
        (season != Season::Unknown).then_some((season, year))
    });
    let mut seasons: Vec<(Season, u16)> = seasons.collect();
    seasons.sort_unstable_by_key(|(season, year)| Reverse((*year, u8::from(*season))));
    seasons.dedup();
    seasons
}

#[cfg(test)]
mod tests {
    use super::number_of;

    #[test]
    fn files_have_numbers_from_1() {
        assert_eq!(number_of("1.xml"), Some(1));
        assert_eq!(number_of("12.xml"), Some(12));
        for file in [
            "", "0.xml", "01.xml", "1", "+1.xml", "-1.xml", "x.xml", ".xml",
        ] {
            assert_eq!(number_of(file), None, "{file}");
        }
    }
}
