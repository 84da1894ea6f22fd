//! The facts of a source about a song.

use shared::models::{AnimeId, Season, Song, SongId, SongType};

use super::write::DocumentFacts;
use crate::rows::document::CatalogueRow;

/// The facts of a source about a song. A field that is `None` keeps the value of the row.
#[derive(Clone, Debug, PartialEq)]
pub struct SongFacts {
    /// The identifier.
    pub id: SongId,
    /// The anime.
    pub anime_id: AnimeId,
    /// The use of the song: opening, ending or neither.
    pub song_type: SongType,
    /// The title.
    pub title: String,
    /// Name of the artist.
    pub artist: Option<String>,
    /// Name of the album.
    pub album: Option<String>,
    /// Year of release.
    pub year: Option<u16>,
    /// Season of release.
    pub season: Option<Season>,
    /// The duration, in milliseconds.
    pub duration: Option<u32>,
    /// URL of a preview of about 30 seconds.
    pub preview_url: Option<String>,
    /// URL of a web player.
    pub open_player_url: Option<String>,
    /// URL that opens a local player.
    pub local_player_url: Option<String>,
}

/// Returns a text without surrounding white space; `None` if nothing is left.
pub fn non_blank(text: Option<String>) -> Option<String> {
    let text = text?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}

impl SongFacts {
    /// Returns all texts.
    pub fn texts(&self) -> impl Iterator<Item = &String> {
        let urls = [
            &self.preview_url,
            &self.open_player_url,
            &self.local_player_url,
        ];
        let texts = [&self.artist, &self.album].into_iter().chain(urls);
        texts.flatten().chain([&self.title])
    }
}

impl DocumentFacts for SongFacts {
    type Document = Song;

    fn id(&self) -> u64 {
        self.id.get()
    }

    fn is_about(&self, known: &Song) -> bool {
        (self.anime_id, self.song_type, &self.title)
            == (known.anime_id, known.song_type, &known.title)
    }

    fn merge_into(self, known: Option<CatalogueRow<Song>>) -> Option<CatalogueRow<Song>> {
        let mut song = known.map_or_else(|| new_song(&self), |row| row.document);
        macro_rules! set {
            ($($field:ident)+) => {
                $(song.$field = self.$field.unwrap_or(song.$field);)+
            };
        }
        set!(artist album year season duration preview_url open_player_url local_player_url);
        Some(song.into())
    }
}

/// Returns a song with the identity of these facts. Its other fields are empty.
fn new_song(facts: &SongFacts) -> Song {
    Song {
        id: facts.id,
        anime_id: facts.anime_id,
        title: facts.title.clone(),
        artist: String::new(),
        album: String::new(),
        year: 0,
        season: Season::Unknown,
        duration: 0,
        preview_url: String::new(),
        open_player_url: String::new(),
        local_player_url: String::new(),
        song_type: facts.song_type,
    }
}
