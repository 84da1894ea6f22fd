//! The table Song: the songs of the catalogue's anime. Each write replaces the whole row:
//! `CatalogueStore::put_if_unchanged` and `put_many` for imports and the refresh, and `CorrectionDesk::correct` for
//! corrections (docs/data-model.md, "Song").

use std::collections::BTreeMap;

use dynamo::{Index, Projection, Table, Type};
use serde::{Deserialize, Serialize};
use shared::models::{AnimeId, SONG_ID_BITS, Season, Song, SongId, SongType};

use super::document::{CatalogueDocument, RowRevision};
use crate::corrections::correction::{CorrectedFields, Corrections};

/// The table.
pub const TABLE: Table = Table {
    name: "Song",
    key: &["id"],
    indexes: &[
        // The list index. It is read as a whole, as SongListItem, to build the index in memory.
        Index {
            name: "BySeason",
            key: &["list_shard", "list_order"],
            projection: Projection::Include(&[
                "anime_id", "title", "artist", "year", "season", "type", "revision",
            ]),
        },
        Index {
            name: "ByAnime",
            key: &["anime_id", "list_order"],
            projection: Projection::KeysOnly,
        },
    ],
    expires_at: None,
    attributes: &[
        ("id", Type::N),
        ("anime_id", Type::N),
        ("title", Type::S),
        ("artist", Type::S),
        ("album", Type::S),
        ("year", Type::N),
        ("season", Type::N),
        ("duration", Type::N),
        ("preview_url", Type::S),
        ("open_player_url", Type::S),
        ("local_player_url", Type::S),
        ("type", Type::N),
        // No response contains the following attributes, see SongNotes and `document::RowRevision`.
        ("corrections", Type::M),
        ("revision", Type::N),
        ("list_shard", Type::N),
        ("list_order", Type::N),
    ],
};

impl CatalogueDocument for Song {
    const TABLE: &'static Table = &TABLE;
    const LIST_INDEX: &'static str = "BySeason";
    const KIND: &'static str = "song";
    const NOTES: &'static [&'static str] = &["corrections"];
    type Notes = SongNotes;
    type ListItem = SongListItem;

    fn id(&self) -> u64 {
        self.id.get()
    }

    fn list_key(&self) -> u64 {
        song_list_order(self.year, self.season, self.id)
    }

    fn id_at(list_key: u64) -> u64 {
        list_key & ((1 << SONG_ID_BITS) - 1)
    }
}

/// Returns the list key of a song. Keys in ascending order give songs by descending year and season, then by ascending
/// identifier. It is below 2^53.
pub fn song_list_order(year: u16, season: Season, id: SongId) -> u64 {
    const SEASONS: u64 = 8;
    let year = u64::from(9999_u16.saturating_sub(year));
    let season = SEASONS - 1 - u64::from(u8::from(season));
    (year * SEASONS + season) << SONG_ID_BITS | id.get()
}

/// The part of a song's row that is not in the document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SongNotes {
    /// The corrections by moderators.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub corrections: Corrections,
}

impl CorrectedFields for SongNotes {
    fn corrections(&self) -> &Corrections {
        &self.corrections
    }

    fn corrections_mut(&mut self) -> &mut Corrections {
        &mut self.corrections
    }
}

/// The attributes of a song in the list index BySeason.
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of `Song`")]
pub struct SongListItem {
    /// The list key, see [`song_list_order`].
    pub list_order: u64,
    pub anime_id: AnimeId,
    pub title: String,
    pub artist: String,
    pub year: u16,
    pub season: Season,
    #[serde(rename = "type")]
    pub song_type: SongType,
    /// The revision of the row.
    pub revision: RowRevision,
}

impl From<&Song> for SongListItem {
    fn from(song: &Song) -> Self {
        Self {
            list_order: song_list_order(song.year, song.season, song.id),
            anime_id: song.anime_id,
            title: song.title.clone(),
            artist: song.artist.clone(),
            year: song.year,
            season: song.season,
            song_type: song.song_type,
            revision: None,
        }
    }
}
