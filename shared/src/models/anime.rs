//! The resource `Anime` (docs/api.md, "Anime").

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::{AnimeFormat, AnimeId, AnimeStatus, Score, Season, Weekday};

/// Texts by localization code, such as `rj` (romaji), `en`, `jp` or `fr`.
pub type Localized = BTreeMap<String, String>;

/// An anime.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Anime {
    /// Unique identifier.
    pub id: AnimeId,
    /// Identifier at the first external tracker.
    #[schema(required = true, minimum = 1, example = 1)]
    pub tracker_a_id: Option<u32>,
    /// Identifier at the second external tracker.
    #[schema(required = true, minimum = 1, example = 1)]
    pub tracker_b_id: Option<u32>,
    /// Identifier at the movie database.
    #[schema(required = true, minimum = 1, example = 30991)]
    pub database_id: Option<u32>,
    /// Release format.
    pub format: AnimeFormat,
    /// Global release status.
    pub status: AnimeStatus,
    /// Titles by localization code.
    #[schema(value_type = BTreeMap<String, String>, example = json!({"rj": "Cowboy Bebop", "jp": "カウボーイビバップ"}))]
    pub titles: Localized,
    /// Descriptions by localization code.
    #[schema(value_type = BTreeMap<String, String>,
        example = json!({"en": "A crew of bounty hunters drifts through the solar system."}))]
    pub descriptions: Localized,
    /// Global release date.
    #[serde(with = "time::serde::rfc3339::option", default)]
    #[schema(required = true, value_type = Option<String>, format = DateTime, example = "1998-04-03T00:00:00Z")]
    pub start_date: Option<OffsetDateTime>,
    /// Known global end date.
    #[serde(with = "time::serde::rfc3339::option", default)]
    #[schema(required = true, value_type = Option<String>, format = DateTime, example = "1999-04-24T00:00:00Z")]
    pub end_date: Option<OffsetDateTime>,
    /// Day of the week on which it airs.
    #[schema(required = true)]
    pub weekly_airing_day: Option<Weekday>,
    /// Season of release.
    pub season_period: Season,
    /// Year of release.
    #[schema(required = true, example = 1998)]
    pub season_year: Option<u16>,
    /// Number of episodes released.
    #[schema(example = 26)]
    pub episodes_count: u32,
    /// Average duration of an episode, in minutes.
    #[schema(required = true, example = 24)]
    pub episode_duration: Option<u32>,
    /// External link to a trailer.
    #[schema(
        required = true,
        example = "https://www.youtube.com/watch?v=qig4KOK2R2g"
    )]
    pub trailer_url: Option<String>,
    /// Address of the cover image; empty when there is none.
    #[schema(example = "https://example.com/covers/1.png")]
    pub cover_image: String,
    /// True if a cover image exists.
    pub has_cover_image: bool,
    /// Main color of the cover, in hexadecimal format.
    #[schema(required = true, example = "#f1785d")]
    pub cover_color: Option<String>,
    /// Address of the banner image.
    #[schema(required = true, example = "https://example.com/banners/1.png")]
    pub banner_image: Option<String>,
    /// Names of its genres.
    #[schema(example = json!(["Action", "Sci-Fi"]))]
    pub genres: Vec<String>,
    /// Story arcs of the anime.
    #[schema(required = true)]
    pub sagas: Option<Vec<Saga>>,
    /// Identifier of the preceding anime in the story line.
    #[schema(required = true, value_type = Option<u64>, minimum = 1, maximum = 33_554_431, example = 2)]
    pub sequel: Option<AnimeId>,
    /// Identifier of the following anime in the story line.
    #[schema(required = true, value_type = Option<u64>, minimum = 1, maximum = 33_554_431, example = 10)]
    pub prequel: Option<AnimeId>,
    /// Global score.
    pub score: Score,
    /// True if the anime is not safe for work.
    pub nsfw: bool,
    /// Identifiers of similar anime, the best rated first.
    #[schema(required = true, value_type = Option<Vec<AnimeId>>, example = json!([410, 842]))]
    pub recommendations: Option<Vec<AnimeId>>,
    /// Names of the studios that made it.
    #[serde(default)]
    #[schema(required = true, example = json!(["Sunrise"]))]
    pub studios: Vec<String>,
    /// Keywords of public databases, in lower case. They are finer than genres.
    #[serde(default)]
    #[schema(required = true, example = json!(["bounty hunters", "space"]))]
    pub tags: Vec<String>,
    /// Other titles: for example abbreviations, and titles in languages that `titles` does not have.
    #[serde(default)]
    #[schema(required = true, example = json!(["Cowboy Bebop TV"]))]
    pub synonyms: Vec<String>,
}

impl Anime {
    /// Returns an anime with only an identity and a format. Its status is FINISHED.
    pub fn new(id: AnimeId, format: AnimeFormat) -> Self {
        Self {
            id,
            tracker_a_id: None,
            tracker_b_id: None,
            database_id: None,
            format,
            status: AnimeStatus::Finished,
            titles: Localized::new(),
            descriptions: Localized::new(),
            start_date: None,
            end_date: None,
            weekly_airing_day: None,
            season_period: Season::Unknown,
            season_year: None,
            episodes_count: 0,
            episode_duration: None,
            trailer_url: None,
            cover_image: String::new(),
            has_cover_image: false,
            cover_color: None,
            banner_image: None,
            genres: Vec::new(),
            sagas: None,
            sequel: None,
            prequel: None,
            score: Score::default(),
            nsfw: false,
            recommendations: None,
            studios: Vec::new(),
            tags: Vec::new(),
            synonyms: Vec::new(),
        }
    }
}

/// A story arc of an anime.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Saga {
    /// Titles by localization code.
    #[schema(value_type = BTreeMap<String, String>, example = json!({"en": "East Blue"}))]
    pub titles: Localized,
    /// Descriptions by localization code.
    #[schema(value_type = BTreeMap<String, String>, example = json!({"en": "The crew comes together."}))]
    pub descriptions: Localized,
    /// Number of its first episode.
    #[schema(example = 1)]
    pub episode_from: u32,
    /// Number of its last episode.
    #[schema(example = 61)]
    pub episode_to: u32,
    /// Number of its episodes.
    #[schema(example = 61)]
    pub episodes_count: u32,
}
