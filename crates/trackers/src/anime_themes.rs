//! The adapter to AnimeThemes, a public API with the opening and ending songs of anime
//! (api-docs.animethemes.moe; docs/trackers.md, "AnimeThemes"). The API needs neither a client nor a token.
//!
//! Pages are requested by number. The URL of the next page in a response is not followed. It only shows that
//! another page follows.

use std::time::Duration;

use http_client::SetupError;
use reqwest::{Method, Url};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use shared::clock::Clock;
use shared::models::{Season, SongType, WireEnum};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::config::{Limits, Timeouts, parse_url};
use super::error::TrackerResult;
use super::pace::{CallKind, Waiter};
use super::transport::{Call, Transport, parse};

/// The maximum number of identifiers in a request, and the maximum number of rows in a page.
pub const PER_PAGE: usize = 100;

/// The maximum number of pages that [`AnimeThemes::find_by_tracker_a`] reads. One identifier can have several anime
/// at AnimeThemes, so the anime of [`PER_PAGE`] identifiers can need more than one page. More than 5 are taken as
/// an error.
const MAX_PAGES: u32 = 5;

/// The name of tracker A in this API.
const TRACKER_A: &str = "AniList";

/// The related records that a response includes with each anime.
const INCLUDED: &str = "resources,animethemes.song.artists";

/// The adapter to AnimeThemes.
#[derive(Debug)]
pub struct AnimeThemes {
    api: Url,
    transport: Transport,
}

/// An anime of AnimeThemes, with its songs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThemedAnime {
    /// The anime's identifiers at tracker A. There are several if tracker A lists parts of the anime as separate anime.
    pub tracker_a_ids: Vec<u32>,
    /// Year of release.
    pub year: Option<u16>,
    /// Season of release.
    pub season: Option<Season>,
    /// Its songs. A song that has several versions is listed several times.
    pub themes: Vec<Theme>,
}

/// A song of an anime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theme {
    /// The use of the song in the anime.
    pub song_type: SongType,
    /// The title, if known.
    pub title: Option<String>,
    /// The names of the artists, joined with commas; empty if unknown.
    pub artist: String,
}

/// The changes of a page of songs, most recently changed first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedPage {
    /// For each song: the time of its last change, in seconds since the Unix epoch, and the identifier of its
    /// anime at AnimeThemes, if the song belongs to an anime.
    pub changes: Vec<(u64, Option<u64>)>,
    /// True if another page follows.
    pub has_next_page: bool,
}

#[derive(Deserialize)]
struct Links {
    next: Option<String>,
}

#[derive(Default, Deserialize)]
struct Meta {
    current_page: Option<u32>,
}

#[derive(Deserialize)]
struct RowsPage<T> {
    #[serde(alias = "anime", alias = "animethemes")]
    rows: Vec<T>,
    links: Links,
    #[serde(default)]
    meta: Meta,
}

#[derive(Deserialize)]
struct AnimeThemesRow {
    id: u64,
    year: Option<u16>,
    season: Option<String>,
    resources: Option<Vec<ExternalResource>>,
    animethemes: Option<Vec<ThemeRow>>,
}

#[derive(Deserialize)]
struct ExternalResource {
    external_id: Option<u64>,
    site: Option<String>,
}

#[derive(Deserialize)]
struct ThemeRow {
    #[serde(rename = "type")]
    kind: Option<String>,
    song: Option<SongRow>,
}

#[derive(Deserialize)]
struct SongRow {
    title: Option<String>,
    artists: Option<Vec<Artist>>,
}

#[derive(Deserialize)]
struct Artist {
    name: String,
}

#[derive(Deserialize)]
struct ChangedRow {
    updated_at: String,
    anime: Option<AnimeReference>,
}

#[derive(Deserialize)]
struct AnimeReference {
    id: u64,
}

impl AnimeThemes {
    /// URL of the public instance.
    pub const PUBLIC: &str = "https://api.animethemes.moe";

    /// Builds the adapter to the API at this URL. The adapter makes fewer than 90 calls a minute, the limit of the API.
    ///
    /// # Errors
    /// [`SetupError`] if the URL is invalid or no HTTP client can be created.
    pub fn new(api: &str, clock: Clock, waiter: Waiter) -> Result<Self, SetupError> {
        let limits = Limits {
            calls_a_minute: 90,
            between_writes: Duration::ZERO,
        };
        let timeouts = Timeouts {
            connect: Duration::from_secs(5),
            total: Duration::from_secs(30),
        };
        Ok(Self {
            api: parse_url("the API of AnimeThemes", api)?,
            transport: Transport::new(limits, timeouts, clock, waiter)?,
        })
    }

    /// Returns the anime with these identifiers at tracker A. `ids` has at most [`PER_PAGE`] identifiers. Anime
    /// that AnimeThemes does not have are left out.
    ///
    /// # Errors
    /// If any of the anime could not be read.
    pub async fn find_by_tracker_a(
        &self,
        ids: &[u32],
        deadline: u64,
    ) -> TrackerResult<Vec<ThemedAnime>> {
        let call = Call::new(CallKind::Read, "anime_themes by_tracker_a", deadline);
        let ids = join_with_commas(ids);
        let filter = [
            ("filter[has]", "resources"),
            ("filter[site]", TRACKER_A),
            ("filter[external_id]", &ids),
            ("include", INCLUDED),
        ];
        let mut anime = Vec::new();
        for number in 1..=MAX_PAGES {
            let page = self.page::<AnimeThemesRow>(call, "anime", &filter, number);
            let page = page.await?;
            anime.extend(page.rows.into_iter().map(ThemedAnime::from));
            if page.links.next.is_none() {
                return Ok(anime);
            }
        }
        Err(call.malformed("more pages than are read for one request"))
    }

    /// Returns the anime with these identifiers at AnimeThemes. `ids` has at most [`PER_PAGE`] identifiers. Anime
    /// that AnimeThemes does not have are left out.
    ///
    /// # Errors
    /// If any of the anime could not be read.
    pub async fn find_by_ids(&self, ids: &[u64], deadline: u64) -> TrackerResult<Vec<ThemedAnime>> {
        let call = Call::new(CallKind::Read, "anime_themes by_ids", deadline);
        let filter = [
            // Without `[anime]`, the filter would apply to songs and other included records as well.
            ("filter[anime][id]", join_with_commas(ids)),
            ("include", INCLUDED.to_owned()),
        ];
        let filter = filter
            .each_ref()
            .map(|(name, value)| (*name, value.as_str()));
        let page = self
            .page::<AnimeThemesRow>(call, "anime", &filter, 1)
            .await?;
        // The API ignores a filter that it does not understand, and then returns all anime.
        if page.rows.iter().any(|row| !ids.contains(&row.id)) {
            return Err(call.malformed("an anime that was not asked for"));
        }
        Ok(page.rows.into_iter().map(ThemedAnime::from).collect())
    }

    /// Returns a page of songs, most recently changed first. Pages count from 1. Songs can move between pages
    /// while they are read.
    pub async fn list_changes(&self, page: u32, deadline: u64) -> TrackerResult<ChangedPage> {
        let call = Call::new(CallKind::Read, "anime_themes changed", deadline);
        let order = [
            ("fields[animetheme]", "id,updated_at"),
            ("fields[anime]", "id"),
            ("include", "anime"),
            ("sort", "-updated_at"),
        ];
        let page = self.page::<ChangedRow>(call, "animetheme", &order, page);
        let page = page.await?;
        let changes = page.rows.iter().map(ChangedRow::read).collect();
        Ok(ChangedPage {
            changes: call.check(changes)?,
            has_next_page: page.links.next.is_some(),
        })
    }

    async fn page<T: DeserializeOwned>(
        &self,
        call: Call,
        path: &str,
        query: &[(&str, &str)],
        number: u32,
    ) -> TrackerResult<RowsPage<T>> {
        let mut url = self.api.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().push(path);
        }
        url.query_pairs_mut()
            .extend_pairs(query)
            .append_pair("page[size]", &PER_PAGE.to_string())
            .append_pair("page[number]", &number.to_string());
        let request = self.transport.request(Method::GET, url);
        let response = self.transport.send(call, request).await?;
        let response = self.transport.check_status(call, response)?;
        let page: RowsPage<T> = call.check(parse(&response.body))?;
        if page.meta.current_page.is_some_and(|read| read != number) {
            return Err(call.malformed("a page with another number"));
        }
        if page.rows.is_empty() && page.links.next.is_some() {
            return Err(call.malformed("an empty page before the last"));
        }
        Ok(page)
    }
}

fn join_with_commas<T: ToString>(numbers: &[T]) -> String {
    let numbers: Vec<String> = numbers.iter().map(T::to_string).collect();
    numbers.join(",")
}

impl From<AnimeThemesRow> for ThemedAnime {
    fn from(row: AnimeThemesRow) -> Self {
        let resources = row.resources.into_iter().flatten();
        let at_tracker_a = resources.filter(|resource| resource.site.as_deref() == Some(TRACKER_A));
        let ids = at_tracker_a.filter_map(|resource| resource.external_id);
        let season = row.season.map(|name| name.to_uppercase());
        let season = season.and_then(|name| Season::from_name(&name));
        let themes = row.animethemes.into_iter().flatten();
        Self {
            tracker_a_ids: ids.filter_map(|id| id.try_into().ok()).collect(),
            year: row.year,
            season: season.filter(|season| *season != Season::Unknown),
            themes: themes.map(Theme::from).collect(),
        }
    }
}

impl From<ThemeRow> for Theme {
    fn from(row: ThemeRow) -> Self {
        let song_type = match row.kind.as_deref() {
            Some("OP") => SongType::Opening,
            Some("ED") => SongType::Ending,
            _ => SongType::None,
        };
        let (title, artists) = row.song.map(|song| (song.title, song.artists)).unzip();
        let artists = artists.flatten().unwrap_or_default();
        let names: Vec<&str> = artists.iter().map(|artist| artist.name.trim()).collect();
        Self {
            song_type,
            title: title.flatten(),
            artist: names.join(", "),
        }
    }
}

impl ChangedRow {
    fn read(&self) -> Result<(u64, Option<u64>), &'static str> {
        let at = OffsetDateTime::parse(&self.updated_at, &Rfc3339);
        let at = at.map_err(|_| "an invalid time")?.unix_timestamp();
        let at = u64::try_from(at).map_err(|_| "a time before 1970")?;
        Ok((at, self.anime.as_ref().map(|anime| anime.id)))
    }
}
