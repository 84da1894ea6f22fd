//! The catalogue of tracker B: its types, and reading its responses. The catalogue is public and needs only the
//! client's identifier.

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use shared::models::{Season, Weekday};
use time::format_description::well_known::Iso8601;
use time::{Date, Time};

use super::response::{Paging, seconds_of};
use crate::lenient::{api_enum, null_as_default, read_named, read_season, without_nulls};
use crate::transport::parse;

/// The number of anime in a page: the maximum that the API allows.
pub(super) const PER_PAGE: &str = "500";

/// The fields of an anime that the API also returns in lists.
pub(super) const FIELDS: &str = "id,title,alternative_titles,start_date,end_date,synopsis,mean,nsfw,media_type,\
status,genres,num_episodes,start_season,broadcast,average_episode_duration,num_list_users,main_picture,updated_at";

/// The fields of an anime that show if it has changed.
pub(super) const CHANGE_FIELDS: &str = "id,updated_at";

/// The fields that the API returns only for a single anime.
pub(super) const RELATED_FIELDS: &str = "related_anime,recommendations";

/// An anime in tracker B's catalogue. In a response, fields without a value are missing.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct MalAnime {
    /// Its identifier at tracker B.
    pub id: u32,
    /// The main title, usually in Latin script.
    pub title: Option<String>,
    /// Other titles.
    #[serde(default, deserialize_with = "null_as_default")]
    pub alternative_titles: OtherTitles,
    /// First day of release, if its year, month and day are known.
    #[serde(default, deserialize_with = "read_complete_date")]
    pub start_date: Option<Date>,
    /// Last day of release, if its year, month and day are known.
    #[serde(default, deserialize_with = "read_complete_date")]
    pub end_date: Option<Date>,
    /// Description, as plain text.
    pub synopsis: Option<String>,
    /// Mean score, from 1 to 10.
    pub mean: Option<f64>,
    /// Suitability for all ages.
    pub nsfw: Option<Nsfw>,
    /// Format of the release.
    pub media_type: Option<MediaType>,
    /// Status of the release.
    pub status: Option<AiringStatus>,
    /// Genres, themes and demographics.
    #[serde(default, deserialize_with = "read_names")]
    pub genres: Vec<String>,
    /// The total number of episodes; 0 if it is unknown.
    pub num_episodes: Option<u32>,
    /// Season of release.
    pub start_season: Option<StartSeason>,
    /// Weekly air time.
    #[serde(default, deserialize_with = "null_as_default")]
    pub broadcast: Broadcast,
    /// Average duration of an episode, in seconds; 0 if it is unknown.
    pub average_episode_duration: Option<u32>,
    /// The number of users that have the anime in their list.
    pub num_list_users: Option<u32>,
    /// Cover image.
    #[serde(default, deserialize_with = "null_as_default")]
    pub main_picture: Picture,
    /// Time of the last change, in seconds since the Unix epoch.
    #[serde(default, deserialize_with = "read_seconds")]
    pub updated_at: Option<u64>,
    /// Related anime. Empty in lists.
    #[serde(default, deserialize_with = "without_nulls")]
    pub related_anime: Vec<RelatedAnime>,
    /// Similar anime. Empty in lists.
    #[serde(default, deserialize_with = "without_nulls")]
    pub recommendations: Vec<SimilarAnime>,
}

/// The titles of an anime besides the main one. A title may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct OtherTitles {
    /// The title in English.
    pub en: Option<String>,
    /// The title in Japanese script.
    pub ja: Option<String>,
    /// Other titles.
    #[serde(default, deserialize_with = "without_nulls")]
    pub synonyms: Vec<String>,
}

/// A season of release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct StartSeason {
    /// Year.
    pub year: u16,
    /// Season of the year; `None` if the API states no known season.
    #[serde(default, deserialize_with = "read_season")]
    pub season: Option<Season>,
}

/// A weekly air time, in Japan's time zone (UTC+9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Broadcast {
    /// Day of the week; `None` if it varies.
    #[serde(default, rename = "day_of_the_week", deserialize_with = "read_named")]
    pub day: Option<Weekday>,
    /// Time of the day.
    #[serde(default, rename = "start_time", deserialize_with = "read_time_of_day")]
    pub time: Option<Time>,
}

/// The URLs of a picture in its two sizes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Picture {
    /// The URL of the large picture.
    pub large: Option<String>,
    /// The URL of the medium picture.
    pub medium: Option<String>,
}

/// A related anime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct RelatedAnime {
    /// The other anime.
    pub node: AnimeNode,
    /// The relation of the other anime to this one: a sequel is an anime that follows this one.
    #[serde(rename = "relation_type")]
    pub relation: Relation,
}

/// A similar anime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct SimilarAnime {
    /// The other anime.
    pub node: AnimeNode,
    /// The number of users that recommend it.
    #[serde(default, rename = "num_recommendations")]
    pub count: u32,
}

/// The other anime of a relation or recommendation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct AnimeNode {
    /// The identifier at tracker B.
    pub id: u32,
}

api_enum! {
    /// Suitability for all ages: white is suitable, black is not, and gray may be either.
    #[serde(rename_all = "snake_case")]
    Nsfw { White, Gray, Black }
}

api_enum! {
    /// Format of a release.
    #[serde(rename_all = "snake_case")]
    MediaType { Tv, TvSpecial, Ova, Movie, Special, Ona, Music }
}

api_enum! {
    /// Status of a release.
    #[serde(rename_all = "snake_case")]
    AiringStatus { FinishedAiring, CurrentlyAiring, NotYetAired }
}

api_enum! {
    /// Relation of another anime to an anime.
    #[serde(rename_all = "snake_case")]
    Relation { Sequel, Prequel }
}

#[derive(Deserialize)]
struct AnimeListPage {
    data: Vec<PageItem>,
    paging: Paging,
}

/// An item of a page. A malformed item must not make the other items unreadable.
#[derive(Deserialize)]
#[serde(untagged)]
enum PageItem {
    Anime { node: Box<MalAnime> },
    Malformed(IgnoredAny),
}

#[derive(Deserialize)]
struct NamedItem {
    name: String,
}

/// Reads a page of the catalogue. Returns its anime, except for malformed ones, and the URL of the next page.
///
/// # Errors
/// The reason why the page is malformed, also if more than half of its anime are malformed.
pub(super) fn read_page(body: &[u8]) -> Result<(Vec<MalAnime>, Option<String>), &'static str> {
    let AnimeListPage { data, paging } = parse(body)?;
    if data.is_empty() && paging.next.is_some() {
        return Err("an empty page before the last");
    }
    let count = data.len();
    let anime = data.into_iter().filter_map(|item| match item {
        PageItem::Anime { node } => Some(*node),
        PageItem::Malformed(_) => None,
    });
    let anime: Vec<MalAnime> = anime.collect();
    if anime.len() < count.div_ceil(2) {
        return Err("most rows are malformed");
    }
    Ok((anime, paging.next))
}

/// Reads the response to a request for the anime with the identifier `id`.
///
/// # Errors
/// The reason why the response is malformed or has another anime.
pub(super) fn read_anime(body: &[u8], id: u32) -> Result<MalAnime, &'static str> {
    let anime: MalAnime = parse(body)?;
    if anime.id == id {
        Ok(anime)
    } else {
        Err("another anime than the requested one")
    }
}

/// Reads a text and converts it. `null` and a text that cannot be converted are both read as `None`.
fn read_converted<'de, D, T>(
    deserializer: D,
    convert: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
{
    let text: Option<String> = Option::deserialize(deserializer)?;
    Ok(text.and_then(|text| convert(&text)))
}

/// Reads a date. The API can also state only `YYYY` or `YYYY-MM`. This is read as `None`, because any day would be a
/// guess.
fn read_complete_date<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Date>, D::Error> {
    read_converted(deserializer, |text| Date::parse(text, &Iso8601::DATE).ok())
}

/// Reads a time of the day, `HH:MM`.
fn read_time_of_day<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Time>, D::Error> {
    read_converted(deserializer, |text| {
        let (hour, minute) = text.split_once(':')?;
        Time::from_hms(hour.parse().ok()?, minute.get(..2)?.parse().ok()?, 0).ok()
    })
}

fn read_seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    read_converted(deserializer, seconds_of)
}

fn read_names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let all: Vec<NamedItem> = without_nulls(deserializer)?;
    Ok(all.into_iter().map(|named| named.name).collect())
}
