//! The resource `Song` (docs/api.md, "Song").

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AnimeId, Season, SongId, SongType};

/// An opening or ending song of an anime.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Song {
    /// Unique identifier.
    pub id: SongId,
    /// Identifier of its anime.
    pub anime_id: AnimeId,
    /// Original title.
    #[schema(example = "Tank!")]
    pub title: String,
    /// Name of the artist; empty when unknown.
    #[schema(example = "The Seatbelts")]
    pub artist: String,
    /// Name of the album; empty when unknown.
    #[schema(example = "Cowboy Bebop")]
    pub album: String,
    /// Year of release; 0 when unknown.
    #[schema(example = 1998)]
    pub year: u16,
    /// Season of release.
    pub season: Season,
    /// Duration in milliseconds; 0 when unknown.
    #[schema(example = 210_000)]
    pub duration: u32,
    /// Address of a preview of about 30 seconds; empty when unknown.
    #[schema(example = "https://example.com/preview/1.mp3")]
    pub preview_url: String,
    /// Address of a web player; empty when unknown.
    #[schema(example = "https://example.com/track/1")]
    pub open_player_url: String,
    /// Address that opens the local player; empty when unknown.
    #[schema(example = "player:track:1")]
    pub local_player_url: String,
    /// Use of the song in its anime.
    #[serde(rename = "type")]
    pub song_type: SongType,
}
