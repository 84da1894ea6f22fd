//! The catalogue of tracker A: its types, and reading its pages.

use serde::{Deserialize, Deserializer};
use shared::models::{AnimeFormat, Season};

use super::response::read_data;
use crate::lenient::{api_enum, null_as_default, read_named, read_season, without_nulls};

/// The number of anime in a page: the maximum that the API allows.
pub(super) const PER_PAGE: u32 = 50;

pub(super) const QUERY: &str = "query($page:Int!,$perPage:Int!,$sort:[MediaSort]){\
Page(page:$page,perPage:$perPage){pageInfo{currentPage hasNextPage perPage} \
media(type:ANIME,sort:$sort){\
id idMal title{romaji english native} synonyms genres format status(version:2) season seasonYear \
startDate{year month day} endDate{year month day} episodes duration \
nextAiringEpisode{airingAt episode} averageScore popularity isAdult updatedAt \
coverImage{extraLarge color} bannerImage trailer{id site} \
relations{edges{relationType(version:2) node{id type}}} \
recommendations(sort:[RATING_DESC]){nodes{rating mediaRecommendation{id}}} description}}}";

/// A page of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaPage {
    /// The anime, in the order that the request asked for.
    pub media: Vec<Media>,
    /// True if another page follows.
    pub has_next_page: bool,
}

/// An anime in tracker A's catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Media {
    /// Its identifier at tracker A.
    pub id: u32,
    /// The anime's identifier at tracker B, as tracker A states it. It can be the wrong anime.
    pub id_mal: Option<u32>,
    /// Titles.
    #[serde(default, deserialize_with = "null_as_default")]
    pub title: Titles,
    /// Other titles.
    #[serde(default, deserialize_with = "without_nulls")]
    pub synonyms: Vec<String>,
    /// Genres.
    #[serde(default, deserialize_with = "without_nulls")]
    pub genres: Vec<String>,
    /// Format of the release; `None` if it is unknown or not that of an anime.
    #[serde(default, deserialize_with = "read_named")]
    pub format: Option<AnimeFormat>,
    /// Status of the release.
    pub status: Option<MediaStatus>,
    /// Season of release.
    #[serde(default, deserialize_with = "read_season")]
    pub season: Option<Season>,
    /// Year of the season of release.
    pub season_year: Option<u16>,
    /// First day of release.
    #[serde(default, deserialize_with = "null_as_default")]
    pub start_date: FuzzyDate,
    /// Last day of release.
    #[serde(default, deserialize_with = "null_as_default")]
    pub end_date: FuzzyDate,
    /// The number of planned episodes. It may be unknown until the anime has ended.
    pub episodes: Option<u32>,
    /// Duration of an episode, in minutes.
    pub duration: Option<u32>,
    /// The episode that airs next.
    pub next_airing_episode: Option<Airing>,
    /// Average score, from 0 to 100.
    pub average_score: Option<u8>,
    /// The number of users who have the anime on their list.
    pub popularity: Option<u32>,
    /// True for adult content.
    pub is_adult: Option<bool>,
    /// Time of the last change, in seconds since the Unix epoch.
    pub updated_at: Option<u64>,
    /// Cover image.
    #[serde(default, deserialize_with = "null_as_default")]
    pub cover_image: Cover,
    /// URL of the banner image.
    pub banner_image: Option<String>,
    /// Trailer.
    pub trailer: Option<Trailer>,
    /// Related works.
    #[serde(default, deserialize_with = "read_relations")]
    pub relations: Vec<Relation>,
    /// Similar anime, the most recommended first.
    #[serde(default, deserialize_with = "read_recommendations")]
    pub recommendations: Vec<Recommendation>,
    /// Description, which may contain HTML.
    pub description: Option<String>,
}

/// The titles of an anime.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Titles {
    /// The title in Latin script.
    pub romaji: Option<String>,
    /// The title in English.
    pub english: Option<String>,
    /// The title in its original script.
    pub native: Option<String>,
}

/// A date whose parts may be unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct FuzzyDate {
    /// Year.
    pub year: Option<u16>,
    /// Month, from 1.
    pub month: Option<u8>,
    /// Day of the month, from 1.
    pub day: Option<u8>,
}

/// An episode that has not aired yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Airing {
    /// Air time, in seconds since the Unix epoch.
    pub airing_at: u64,
    /// Episode number.
    pub episode: u32,
}

/// A cover image.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cover {
    /// URL of the image in the largest size.
    pub extra_large: Option<String>,
    /// Main color: `#` and six hexadecimal digits.
    pub color: Option<String>,
}

/// A trailer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Trailer {
    /// Its identifier on the site.
    pub id: Option<String>,
    /// The site, for example `youtube`.
    pub site: Option<String>,
}

/// A related work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relation {
    /// The relation of the other work to this anime. With `Sequel`, the other work follows this anime.
    pub kind: RelationKind,
    /// The other work's identifier at tracker A.
    pub id: u32,
    /// The kind of the other work.
    pub media: MediaKind,
}

/// A similar anime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recommendation {
    /// The other anime's identifier at tracker A.
    pub id: u32,
    /// Votes for the recommendation minus votes against it.
    pub rating: i64,
}

api_enum! {
    /// Status of a release.
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    MediaStatus { Finished, Releasing, NotYetReleased, Cancelled, Hiatus }
}

api_enum! {
    /// Relation of another work to an anime.
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    RelationKind { Prequel, Sequel }
}

api_enum! {
    /// Kind of a work.
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    MediaKind { Anime, Manga }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageContent {
    page_info: PageInfo,
    media: Vec<Media>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageInfo {
    current_page: u32,
    has_next_page: bool,
}

#[derive(Deserialize)]
struct Edges {
    #[serde(default, deserialize_with = "without_nulls")]
    edges: Vec<RelationEdge>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RelationEdge {
    relation_type: Option<RelationKind>,
    node: Option<RelatedMedia>,
}

#[derive(Deserialize)]
struct RelatedMedia {
    id: u32,
    #[serde(rename = "type")]
    media: Option<MediaKind>,
}

#[derive(Deserialize)]
struct Nodes {
    #[serde(default, deserialize_with = "without_nulls")]
    nodes: Vec<Recommended>,
}

/// A recommendation in a response. `media_recommendation` is `null` if the recommended anime was deleted.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Recommended {
    rating: Option<i64>,
    media_recommendation: Option<MediaReference>,
}

#[derive(Deserialize)]
struct MediaReference {
    id: u32,
}

/// Reads a page of the catalogue. `number` is the number of the requested page.
///
/// # Errors
/// The reason why the page is malformed or is not the requested page.
pub fn read_media_page(body: &[u8], number: u32) -> Result<MediaPage, &'static str> {
    let PageContent { page_info, media } = read_data(body, "Page")?;
    if page_info.current_page != number {
        return Err("a page with another number");
    }
    let has_next_page = page_info.has_next_page;
    if has_next_page && media.is_empty() {
        return Err("an empty page before the last");
    }
    Ok(MediaPage {
        media,
        has_next_page,
    })
}

fn read_relations<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Relation>, D::Error> {
    let edges: Option<Edges> = Option::deserialize(deserializer)?;
    let edges = edges.map(|edges| edges.edges).unwrap_or_default();
    let relation = |edge: RelationEdge| {
        let node = edge.node?;
        Some(Relation {
            kind: edge.relation_type?,
            id: node.id,
            media: node.media?,
        })
    };
    Ok(edges.into_iter().filter_map(relation).collect())
}

fn read_recommendations<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<Recommendation>, D::Error> {
    let nodes: Option<Nodes> = Option::deserialize(deserializer)?;
    let nodes = nodes.map(|nodes| nodes.nodes).unwrap_or_default();
    let recommendation = |node: Recommended| {
        Some(Recommendation {
            id: node.media_recommendation?.id,
            rating: node.rating.unwrap_or_default(),
        })
    };
    let mut sorted: Vec<_> = nodes.into_iter().filter_map(recommendation).collect();
    sorted.sort_by_key(|node| std::cmp::Reverse(node.rating));
    Ok(sorted)
}
