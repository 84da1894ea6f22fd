//! The table Anime: the anime of the catalogue. Each write replaces the whole row:
//! `CatalogueStore::put_if_unchanged` and `put_many` for imports and the refresh, and `CorrectionDesk::correct` for
//! corrections (docs/data-model.md, "Anime").

use std::collections::BTreeMap;

use dynamo::{Index, Projection, Table, Type};
use serde::{Deserialize, Serialize};
use shared::models::{
    ANIME_ID_BITS, Anime, AnimeFormat, AnimeId, AnimeStatus, Localized, Score, Season, TrackerIds,
};

use super::document::{CatalogueDocument, RowRevision};
use crate::corrections::correction::{CorrectedFields, Corrections};

/// The maximum number of synonyms that a response has.
const MAX_OTHER_TITLES: usize = 30;

/// The maximum length of all synonyms that a response has, in bytes.
const MAX_OTHER_TITLE_BYTES: usize = 3_000;

/// The attributes in the list index. The list index of version 0.1 lacks the last two.
const LISTED: &[&str] = &[
    "titles",
    "format",
    "status",
    "season_year",
    "season_period",
    "genres",
    "nsfw",
    "episodes_count",
    "episode_duration",
    "tracker_a_id",
    "tracker_b_id",
    "database_id",
    "synonyms",
    "popularity",
    "revision",
    "studios",
    "tags",
];

/// The table. Attributes of [`Anime`] that are null are absent. Its field `synonyms` is not an attribute: it follows
/// from the attribute `synonyms` of [`AnimeNotes`].
pub const TABLE: Table = Table {
    name: "Anime",
    key: &["id"],
    indexes: &[
        // The list index. It is read as a whole, as AnimeListItem, to build the index in memory.
        Index {
            name: "ByRank",
            key: &["list_shard", "list_order"],
            projection: Projection::Include(LISTED),
        },
        // The list index of version 0.1. It is no longer read. CloudFormation cannot replace an index in one
        // deployment, so a later release deletes it (docs/operating.md, "Change an index").
        Index {
            name: "ByScore",
            key: &["list_shard", "list_order"],
            projection: Projection::Include(LISTED.split_at(15).0),
        },
    ],
    expires_at: None,
    attributes: &[
        ("id", Type::N),
        ("tracker_a_id", Type::N),
        ("tracker_b_id", Type::N),
        ("database_id", Type::N),
        ("format", Type::N),
        ("status", Type::N),
        ("titles", Type::M),
        ("descriptions", Type::M),
        ("start_date", Type::S),
        ("end_date", Type::S),
        ("weekly_airing_day", Type::N),
        ("season_period", Type::N),
        ("season_year", Type::N),
        ("episodes_count", Type::N),
        ("episode_duration", Type::N),
        ("trailer_url", Type::S),
        ("cover_image", Type::S),
        ("has_cover_image", Type::Bool),
        ("cover_color", Type::S),
        ("banner_image", Type::S),
        ("genres", Type::L),
        ("sagas", Type::L),
        ("sequel", Type::N),
        ("prequel", Type::N),
        ("score", Type::N),
        ("nsfw", Type::Bool),
        ("recommendations", Type::L),
        ("studios", Type::L),
        ("tags", Type::L),
        // No response contains the following attributes, see AnimeNotes and `document::RowRevision`.
        ("synonyms", Type::M),
        ("popularity", Type::N),
        ("sources", Type::M),
        ("corrections", Type::M),
        ("revision", Type::N),
        ("list_shard", Type::N),
        ("list_order", Type::N),
    ],
};

impl CatalogueDocument for Anime {
    const TABLE: &'static Table = &TABLE;
    const LIST_INDEX: &'static str = "ByRank";
    const KIND: &'static str = "anime";
    const NOTES: &'static [&'static str] = &["synonyms", "popularity", "sources", "corrections"];
    type Notes = AnimeNotes;
    type ListItem = AnimeListItem;

    fn id(&self) -> u64 {
        self.id.get()
    }

    fn list_key(&self) -> u64 {
        anime_list_order(self.score, self.id)
    }

    fn id_at(list_key: u64) -> u64 {
        list_key & ((1 << ANIME_ID_BITS) - 1)
    }

    fn derive_fields(&mut self) {
        self.has_cover_image = !self.cover_image.is_empty();
    }

    fn derive_from_notes(&mut self, notes: &AnimeNotes) {
        self.synonyms = notes.other_titles(&self.titles);
    }
}

/// Returns the list key of an anime. Keys in ascending order give anime by descending score, then by ascending
/// identifier. It is below 2^39.
pub fn anime_list_order(score: Score, id: AnimeId) -> u64 {
    let rank = u64::from(Score::MAX_HUNDREDTHS - score.hundredths());
    rank << shared::models::ANIME_ID_BITS | id.get()
}

/// A source of facts about anime, the highest rank first (docs/trackers.md, "Merging facts into the catalogue").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactSource {
    /// Tracker A.
    AniList,
    /// Tracker B.
    MyAnimeList,
    /// The titles of AniDB, and the identifiers of the mapping file.
    AniDb,
    /// The anime-offline-database.
    OfflineDatabase,
    /// A text that a source states as a synonym, not as the title in a language.
    Synonym,
    /// A synonym that the anime-offline-database states.
    OfflineDatabaseSynonym,
    /// This service, which derives sequels and prequels from several sources.
    Derived,
}

impl FactSource {
    /// Returns true if this source stands for texts that are not stated as titles.
    pub fn is_synonym(self) -> bool {
        matches!(self, Self::Synonym | Self::OfflineDatabaseSynonym)
    }
}

/// The part of an anime's row that is not in the document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AnimeNotes {
    /// All titles and synonyms that each source states. The search finds them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub synonyms: BTreeMap<FactSource, Vec<String>>,
    /// The number of users who have the anime on their list at tracker A or B.
    pub popularity: Option<u32>,
    /// The source of each field's value, by the name of the field. Each language of a field with several texts counts
    /// as a field of its own, such as `titles.en`. A field is absent if an earlier version of the service has written
    /// its value.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sources: BTreeMap<String, FactSource>,
    /// The corrections by moderators. For a corrected field, `sources` names the source of the value that the
    /// correction replaces.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub corrections: Corrections,
}

impl AnimeNotes {
    /// Returns the synonyms that a response has: those of the trackers and of the anime-offline-database that are not
    /// among the titles, each once. `AniDB`'s are for the search only, because most of them are abbreviations.
    fn other_titles(&self, titles: &Localized) -> Vec<String> {
        let mut others: Vec<String> = Vec::new();
        let mut length = 0;
        let sources = self.synonyms.iter();
        let sources = sources.filter(|(source, _)| **source != FactSource::AniDb);
        for text in sources.flat_map(|(_, texts)| texts) {
            let mut known = titles.values().chain(&others);
            if known.any(|known| known.eq_ignore_ascii_case(text)) {
                continue;
            }
            length += text.len();
            if others.len() == MAX_OTHER_TITLES || length > MAX_OTHER_TITLE_BYTES {
                break;
            }
            others.push(text.clone());
        }
        others
    }
}

impl CorrectedFields for AnimeNotes {
    fn corrections(&self) -> &Corrections {
        &self.corrections
    }

    fn corrections_mut(&mut self) -> &mut Corrections {
        &mut self.corrections
    }
}

/// The attributes of an anime in the list index `ByRank`.
#[derive(Clone, Debug, Deserialize)]
#[expect(
    missing_docs,
    reason = "the fields are those of `Anime` and `AnimeNotes`"
)]
pub struct AnimeListItem {
    /// The list key, see [`anime_list_order`].
    pub list_order: u64,
    pub tracker_a_id: Option<u32>,
    pub tracker_b_id: Option<u32>,
    pub database_id: Option<u32>,
    pub format: AnimeFormat,
    pub status: AnimeStatus,
    pub titles: Localized,
    pub season_period: Season,
    pub season_year: Option<u16>,
    pub episodes_count: u32,
    pub episode_duration: Option<u32>,
    pub genres: Vec<String>,
    #[serde(default)]
    pub studios: Vec<String>,
    #[serde(default)]
    pub tags: Vec<String>,
    pub nsfw: bool,
    #[serde(default)]
    pub synonyms: BTreeMap<FactSource, Vec<String>>,
    pub popularity: Option<u32>,
    /// The revision of the row.
    pub revision: RowRevision,
}

impl AnimeListItem {
    /// Returns the anime's identifier.
    pub fn id(&self) -> Option<AnimeId> {
        AnimeId::new(Anime::id_at(self.list_order))
    }

    /// Returns the anime's identifiers at the trackers.
    pub fn trackers(&self) -> TrackerIds {
        TrackerIds {
            a: self.tracker_a_id,
            b: self.tracker_b_id,
        }
    }
}

impl From<&Anime> for AnimeListItem {
    fn from(anime: &Anime) -> Self {
        Self {
            list_order: anime_list_order(anime.score, anime.id),
            tracker_a_id: anime.tracker_a_id,
            tracker_b_id: anime.tracker_b_id,
            database_id: anime.database_id,
            format: anime.format,
            status: anime.status,
            titles: anime.titles.clone(),
            season_period: anime.season_period,
            season_year: anime.season_year,
            episodes_count: anime.episodes_count,
            episode_duration: anime.episode_duration,
            genres: anime.genres.clone(),
            studios: anime.studios.clone(),
            tags: anime.tags.clone(),
            nsfw: anime.nsfw,
            synonyms: BTreeMap::new(),
            popularity: None,
            revision: None,
        }
    }
}
