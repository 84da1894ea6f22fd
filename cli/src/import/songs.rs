//! Import of songs from a file in which each song names its anime by a tracker id.

use std::collections::{HashMap, HashSet};

use catalogue::import::{
    EntryReader, NO_TITLE, OTHER_TYPE, Skip, SongFacts, TWO_ANIME, check_lengths, non_blank,
    parse_entry,
};
use catalogue::rows::CatalogueRow;
use serde::Deserialize;
use shared::models::{Anime, AnimeId, Season, Song, SongId, SongType, WireEnum};

const NO_TRACKER_ID: &str = "it has no tracker id of its anime";
const NO_ANIME: &str = "its anime is not in the catalogue";
const OTHER_SEASON: &str = "its season has no counterpart in the API";
const TOO_MANY: &str = "its anime already has 1,024 songs";
const DUPLICATE: &str = "an earlier line is for the same song";

/// A line of the file. The import ignores all other fields.
#[derive(Deserialize)]
struct SongLine {
    tracker_a_id: Option<u32>,
    tracker_b_id: Option<u32>,
    #[serde(default)]
    title: String,
    artist: Option<String>,
    album: Option<String>,
    year: Option<u16>,
    season: Option<EnumValue>,
    /// The duration, in milliseconds.
    duration: Option<u32>,
    preview_url: Option<String>,
    open_player_url: Option<String>,
    local_player_url: Option<String>,
    #[serde(rename = "type")]
    song_type: EnumValue,
}

/// A value of an enumeration, as its integer or its name (docs/api.md, "Enumerations").
#[derive(Deserialize)]
#[serde(untagged)]
enum EnumValue {
    Number(u64),
    Name(String),
}

/// The identity of a song: its anime, its type and its title.
type SongKey = (AnimeId, SongType, String);

fn identity_of(song: &Song) -> SongKey {
    (song.anime_id, song.song_type, song.title.clone())
}

/// An anime in the catalogue.
#[derive(Clone, Copy, Debug)]
struct AnimeRelease {
    id: AnimeId,
    year: Option<u16>,
    season: Season,
}

/// A song that is already a row of the table Song, or becomes one by an earlier line of this file.
#[derive(Clone, Copy, Debug)]
struct KnownSong {
    id: SongId,
    has_year: bool,
    has_season: bool,
}

/// The state of an import of songs: the rows of the tables Anime and Song, and the lines read so far.
#[derive(Debug, Default)]
pub struct SongImport {
    by_tracker_a: HashMap<u32, AnimeRelease>,
    by_tracker_b: HashMap<u32, AnimeRelease>,
    known: HashMap<SongKey, KnownSong>,
    /// The songs of the lines that have been read so far.
    seen: HashSet<SongId>,
    /// The slot after the last song of each anime. A free slot before the last song is not filled, because
    /// the id may have belonged to a deleted song.
    next_slots: HashMap<AnimeId, u16>,
}

impl SongImport {
    /// Records a row of the table Anime.
    pub fn add_known_anime(&mut self, anime: &Anime) {
        let known = AnimeRelease {
            id: anime.id,
            year: anime.season_year,
            season: anime.season_period,
        };
        if let Some(tracker_id) = anime.tracker_a_id {
            self.by_tracker_a.insert(tracker_id, known);
        }
        if let Some(tracker_id) = anime.tracker_b_id {
            self.by_tracker_b.insert(tracker_id, known);
        }
    }

    /// Records a row of the table Song under two identities: as the sources state it, and with its corrections. A file
    /// can have the song under the title of the sources or under the corrected title.
    ///
    /// # Errors
    /// [`Error::Internal`](shared::Error::Internal) if the row has a correction that the document cannot have.
    pub fn add_known_song(&mut self, row: &CatalogueRow<Song>) -> Result<(), shared::Error> {
        let stated = row.without_corrections()?.document;
        let known = KnownSong {
            id: stated.id,
            has_year: stated.year > 0,
            has_season: stated.season != Season::Unknown,
        };
        self.record_song(identity_of(&stated), known);
        let corrected = identity_of(&row.document);
        self.known.entry(corrected).or_insert(known);
        Ok(())
    }

    fn record_song(&mut self, identity: SongKey, known: KnownSong) {
        let next = self.next_slots.entry(identity.0).or_default();
        *next = (*next).max(known.id.slot() + 1);
        self.known.insert(identity, known);
    }

    fn anime_of(&self, line: &SongLine) -> Result<AnimeRelease, &'static str> {
        if line.tracker_a_id.is_none() && line.tracker_b_id.is_none() {
            return Err(NO_TRACKER_ID);
        }
        let by_a = line.tracker_a_id.and_then(|id| self.by_tracker_a.get(&id));
        let by_b = line.tracker_b_id.and_then(|id| self.by_tracker_b.get(&id));
        match (by_a, by_b) {
            (Some(a), Some(b)) if a.id != b.id => Err(TWO_ANIME),
            (Some(anime), _) | (None, Some(anime)) => Ok(*anime),
            (None, None) => Err(NO_ANIME),
        }
    }

    fn new_id(&self, anime: AnimeId) -> Result<SongId, &'static str> {
        let slot = self.next_slots.get(&anime).copied().unwrap_or_default();
        SongId::of_anime(anime, slot).ok_or(TOO_MANY)
    }

    fn map_line(&self, line: SongLine) -> Result<SongFacts, &'static str> {
        let title = line.title.trim();
        if title.is_empty() {
            return Err(NO_TITLE);
        }
        let song_type = line.song_type.read().ok_or(OTHER_TYPE)?;
        let anime = self.anime_of(&line)?;
        let known = self.known.get(&(anime.id, song_type, title.to_owned()));
        let id = match known {
            Some(known) if self.seen.contains(&known.id) => return Err(DUPLICATE),
            Some(known) => known.id,
            None => self.new_id(anime.id)?,
        };
        let (year, season) = read_release(&line, anime, known)?;
        let facts = SongFacts {
            id,
            anime_id: anime.id,
            song_type,
            title: title.to_owned(),
            artist: non_blank(line.artist),
            album: non_blank(line.album),
            year,
            season,
            duration: line.duration.filter(|duration| *duration > 0),
            preview_url: non_blank(line.preview_url),
            open_player_url: non_blank(line.open_player_url),
            local_player_url: non_blank(line.local_player_url),
        };
        check_lengths(facts.texts())?;
        Ok(facts)
    }
}

impl EntryReader for SongImport {
    type Facts = SongFacts;

    fn read_entry(&mut self, text: &[u8]) -> Result<SongFacts, Skip> {
        let line: SongLine = parse_entry(text)?;
        let title = line.title.clone();
        let facts = self.map_line(line);
        let facts = facts.map_err(|reason| Skip::new(reason, title))?;
        let identity = (facts.anime_id, facts.song_type, facts.title.clone());
        let known = KnownSong {
            id: facts.id,
            has_year: facts.year.is_some(),
            has_season: facts.season.is_some(),
        };
        self.seen.insert(facts.id);
        self.record_song(identity, known);
        Ok(facts)
    }
}

/// Returns the song's year and season. They are those of the line. A value that the line lacks is taken from the anime,
/// if the song has no such value yet. The anime's season is not taken if the line has another year than the anime.
fn read_release(
    line: &SongLine,
    anime: AnimeRelease,
    known: Option<&KnownSong>,
) -> Result<(Option<u16>, Option<Season>), &'static str> {
    let line_year = line.year.filter(|year| *year > 0);
    let line_season = match &line.season {
        Some(season) => Some(season.read().ok_or(OTHER_SEASON)?),
        None => None,
    };
    let line_season = line_season.filter(|season| *season != Season::Unknown);
    let needs_year = known.is_none_or(|known| !known.has_year);
    let year = line_year.or(anime.year.filter(|_| needs_year));
    let needs_season = known.is_none_or(|known| !known.has_season);
    let is_same_year = line_year.is_none_or(|year| anime.year == Some(year));
    let anime_season = Some(anime.season).filter(|_| needs_season && is_same_year);
    let season = line_season.or(anime_season.filter(|season| *season != Season::Unknown));
    Ok((year, season))
}

impl EnumValue {
    fn read<E: WireEnum>(&self) -> Option<E> {
        match self {
            Self::Number(number) => E::from_wire(*number),
            Self::Name(name) => E::from_name(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use catalogue::import::{BROKEN, DocumentFacts, EntryReader, Skip};
    use serde_json::{Value, json};
    use shared::models::{Anime, AnimeId, Season, Song, SongId, SongType};

    use super::{
        DUPLICATE, NO_ANIME, NO_TITLE, NO_TRACKER_ID, OTHER_SEASON, OTHER_TYPE, SongFacts,
        SongImport, TOO_MANY, TWO_ANIME,
    };

    /// Returns an anime of spring 2031.
    fn anime(id: u64, tracker_a_id: Option<u32>, tracker_b_id: Option<u32>) -> Anime {
        let anime = json!({
            "id": id, "tracker_a_id": tracker_a_id, "tracker_b_id": tracker_b_id,
            "format": 0, "status": 0, "titles": {"rj": "Hoshi"}, "descriptions": {},
            "season_period": 1, "season_year": 2031, "episodes_count": 1, "cover_image": "",
            "has_cover_image": false, "genres": [], "score": 0, "nsfw": false
        });
        serde_json::from_value(anime).unwrap()
    }

    /// Returns an import that knows anime 10 (tracker ids 5 and 6) and anime 20 (tracker A id 7).
    fn import_of(songs: &[Song]) -> SongImport {
        let mut import = SongImport::default();
        import.add_known_anime(&anime(10, Some(5), Some(6)));
        import.add_known_anime(&anime(20, Some(7), None));
        for song in songs {
            import.add_known_song(&song.clone().into()).unwrap();
        }
        import
    }

    fn line(changes: &Value) -> Value {
        let mut line = json!({"tracker_a_id": 5, "title": "Uta", "type": "OPENING"});
        let fields = line.as_object_mut().unwrap();
        fields.extend(changes.as_object().unwrap().clone());
        line
    }

    fn facts(import: &mut SongImport, line: &Value) -> Result<SongFacts, Skip> {
        import.read_entry(line.to_string().as_bytes())
    }

    fn add(import: &mut SongImport, line: &Value) -> Song {
        let facts = facts(import, line).unwrap();
        facts.merge_into(None).unwrap().document
    }

    fn added(changes: &Value) -> Song {
        add(&mut import_of(&[]), &line(changes))
    }

    /// Returns the song as changed by the import of a line.
    fn merged(known: &Song, changes: &Value) -> Song {
        let facts = facts(&mut import_of(std::slice::from_ref(known)), &line(changes)).unwrap();
        assert_eq!(facts.id, known.id);
        facts
            .merge_into(Some(known.clone().into()))
            .unwrap()
            .document
    }

    fn reason(changes: &Value) -> &'static str {
        facts(&mut import_of(&[]), &line(changes))
            .unwrap_err()
            .reason
    }

    fn complete() -> Value {
        json!({
            "tracker_b_id": 6, "artist": " Kashu ", "album": "Ban", "year": 2030, "season": "FALL",
            "duration": 90_000, "preview_url": "https://example.com/p", "slug": "OP1",
            "open_player_url": "https://example.com/o", "local_player_url": "player:1"
        })
    }

    #[test]
    fn complete_line_becomes_a_document() {
        let expected = Song {
            id: SongId::of_anime(AnimeId::new(10).unwrap(), 0).unwrap(),
            anime_id: AnimeId::new(10).unwrap(),
            title: "Uta".into(),
            artist: "Kashu".into(),
            album: "Ban".into(),
            year: 2030,
            season: Season::Fall,
            duration: 90_000,
            preview_url: "https://example.com/p".into(),
            open_player_url: "https://example.com/o".into(),
            local_player_url: "player:1".into(),
            song_type: SongType::Opening,
        };
        assert_eq!(added(&complete()), expected);
    }

    #[test]
    fn types_and_seasons_can_be_names_or_integers() {
        assert_eq!(added(&json!({"type": "NONE"})).song_type, SongType::None);
        assert_eq!(added(&json!({"type": 1})).song_type, SongType::Ending);
        assert_eq!(added(&json!({"season": 0})).season, Season::Winter);
    }

    #[test]
    fn missing_year_and_season_are_taken_from_the_anime() {
        let release = |changes: &Value| {
            let song = added(changes);
            (song.year, song.season)
        };
        assert_eq!(release(&json!({})), (2031, Season::Spring));
        assert_eq!(
            release(&json!({"year": 0, "season": 4})),
            (2031, Season::Spring)
        );
        assert_eq!(release(&json!({"year": 2031})), (2031, Season::Spring));
        assert_eq!(release(&json!({"year": 2035})), (2035, Season::Unknown));
        assert_eq!(release(&json!({"season": "FALL"})), (2031, Season::Fall));
    }

    #[test]
    fn known_year_is_not_replaced_by_the_year_of_the_anime() {
        let song = added(&json!({"year": 2035, "season": 2}));
        assert_eq!(merged(&song, &json!({})), song);
        let mut song = added(&json!({}));
        (song.year, song.season) = (0, Season::Unknown);
        let filled = merged(&song, &json!({}));
        assert_eq!((filled.year, filled.season), (2031, Season::Spring));
    }

    #[test]
    fn lines_that_the_api_cannot_represent_are_skipped() {
        assert_eq!(reason(&json!({"title": " "})), NO_TITLE);
        assert_eq!(reason(&json!({"type": "INSERT"})), OTHER_TYPE);
        assert_eq!(reason(&json!({"type": 3})), OTHER_TYPE);
        assert_eq!(reason(&json!({"season": "MONSOON"})), OTHER_SEASON);
        assert_eq!(reason(&json!({"tracker_a_id": null})), NO_TRACKER_ID);
        assert_eq!(reason(&json!({"tracker_a_id": 99})), NO_ANIME);
        assert_eq!(
            reason(&json!({"tracker_a_id": 7, "tracker_b_id": 6})),
            TWO_ANIME
        );
        assert_eq!(reason(&json!({"type": null})), BROKEN);
        assert_eq!(reason(&json!({"year": "2031"})), BROKEN);
    }

    #[test]
    fn repeated_song_keeps_its_id_and_is_unchanged() {
        let song = added(&complete());
        let mut import = import_of(std::slice::from_ref(&song));
        let first = facts(&mut import, &line(&complete())).unwrap();
        assert_eq!(
            first.merge_into(Some(song.clone().into())),
            Some(song.into())
        );
        let again = facts(&mut import, &line(&complete())).unwrap_err();
        assert_eq!(again.reason, DUPLICATE);
    }

    #[test]
    fn missing_values_delete_nothing() {
        let song = added(&complete());
        let silent = json!({"artist": "", "album": null, "duration": 0});
        assert_eq!(merged(&song, &silent), song);
        let mut expected = song.clone();
        expected.artist = "Betsu".into();
        assert_eq!(merged(&song, &json!({"artist": "Betsu"})), expected);
    }

    #[test]
    fn new_songs_get_the_next_slots_of_their_anime() {
        let mut import = import_of(&[added(&complete())]);
        let mut slot = |changes: Value| add(&mut import, &line(&changes)).id.slot();
        assert_eq!(slot(json!({"title": "Other"})), 1);
        assert_eq!(slot(json!({"type": "ENDING"})), 2);
        assert_eq!(slot(json!({"tracker_a_id": 7})), 0);
    }

    #[test]
    fn song_beyond_1024_of_an_anime_is_skipped() {
        let mut song = added(&complete());
        song.id = SongId::of_anime(song.anime_id, SongId::PER_ANIME - 1).unwrap();
        let skip = facts(&mut import_of(&[song]), &line(&json!({"title": "Another"})));
        assert_eq!(skip.unwrap_err().reason, TOO_MANY);
    }
}
