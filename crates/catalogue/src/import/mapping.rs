//! Identifiers of anime at several databases, from a mapping in the anime-lists format: an array of
//! `{"anidb_id": 1, "anilist_id": 1, "mal_id": 1, "themoviedb_id": {"tv": 30991}}`.
//!
//! The format has changed several times. An identifier is a number, a text with numbers, or an array of them. If
//! there are several numbers, the first one identifies the anime itself, and the others identify its parts. Missing
//! values, null, `"unknown"`, values of other types and other fields are ignored.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufRead};
use std::str::FromStr;

use serde::Deserializer;
use serde::de::{Error, SeqAccess, Unexpected, Visitor};
use serde_json::Value;
use serde_json::error::Category;
use shared::models::{AnimeFormat, PerTracker, TrackerIds};

use super::input::{Input, PieceLimit, explain, invalid};
use crate::identifiers::{IdSource, Identifier, MappingEntry, parse_imdb};

/// The maximum number of identifiers of an anime at one source. Further values are ignored.
const MAX_IDS_AT_SOURCE: usize = 20;

/// The contents of a mapping: ids at The Movie Database by id at a tracker, ids at the trackers by id at `AniDB`,
/// and the ids of each anime at all sources.
#[derive(Clone, Debug, Default)]
pub struct IdMapping {
    database_ids: PerTracker<HashMap<u32, DatabaseIds>>,
    anidb: PerTracker<Pairs>,
    /// The entries with a tracker id.
    entries: Vec<MappingEntry>,
}

/// Ids at The Movie Database, which numbers series and movies separately. An anime can have both: a movie may
/// also be listed as an episode of its series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DatabaseIds {
    tv: Option<u32>,
    movie: Option<u32>,
}

/// Pairs of ids at `AniDB` and at a tracker. `None` stands for several different ids.
#[derive(Clone, Debug, Default)]
struct Pairs {
    tracker_ids: HashMap<u32, Option<u32>>,
    anidb_ids: HashMap<u32, Option<u32>>,
}

impl IdMapping {
    /// Reads a mapping, plain or compressed with gzip or Zstandard. If several entries have different ids at
    /// The Movie Database for one tracker id, the first counts.
    ///
    /// # Errors
    /// If reading fails, or the file is incomplete, is not a JSON array, has no entry with a tracker id, or exceeds a
    /// limit: 64 MiB when decompressed, and 100 KB for an entry. The message says what is wrong with the file, and does
    /// not name it.
    pub fn read(file: impl BufRead + Send) -> io::Result<Self> {
        let mut mapping = Self::default();
        mapping.fill(file).map_err(explain)?;
        if mapping.entries.is_empty() {
            let message = "no entry of it has an id at AniList or MyAnimeList";
            return Err(invalid(message));
        }
        Ok(mapping)
    }

    fn fill(&mut self, file: impl BufRead + Send) -> io::Result<()> {
        let input = Input::open(file)?;
        let visitor = EntryVisitor {
            piece_limit: input.piece_limit(),
            mapping: self,
        };
        let mut parser = serde_json::Deserializer::from_reader(input);
        let parsed = parser.deserialize_any(visitor).and_then(|()| parser.end());
        parsed.map_err(|error| match error.classify() {
            Category::Io | Category::Eof => error.into(),
            Category::Syntax | Category::Data => invalid(format!(
                "it is not a mapping in the anime-lists format: {error}"
            )),
        })
    }

    fn add(&mut self, entry: &Value) {
        let anidb_id = parse_numbers(&entry["anidb_id"]).first().copied();
        let database_ids = read_database_ids(&entry["themoviedb_id"]);
        let tracker_ids = PerTracker {
            a: parse_numbers(&entry["anilist_id"]),
            b: parse_numbers(&entry["mal_id"]),
        };
        let first_ids = TrackerIds::from_fn(|tracker| tracker_ids[tracker].first().copied());
        if first_ids.a.is_some() || first_ids.b.is_some() {
            self.entries.push(MappingEntry {
                trackers: first_ids,
                elsewhere: read_identifiers(entry),
            });
        }
        for (tracker, tracker_ids) in tracker_ids.iter() {
            let Some(first_id) = tracker_ids.first() else {
                continue;
            };
            if let Some(anidb_id) = anidb_id {
                self.anidb[tracker].add(anidb_id, *first_id);
            }
            if let Some(database_ids) = database_ids {
                for tracker_id in tracker_ids {
                    let known = self.database_ids[tracker].entry(*tracker_id);
                    known.or_insert(database_ids);
                }
            }
        }
    }

    /// Returns the id at The Movie Database of the anime with one of these tracker ids. If the anime has an
    /// id as a movie and one as a series, its format decides.
    pub fn database_id(&self, trackers: TrackerIds, format: AnimeFormat) -> Option<u32> {
        let by_a = trackers.a.and_then(|id| self.database_ids.a.get(&id));
        let by_b = || trackers.b.and_then(|id| self.database_ids.b.get(&id));
        let found = by_a.or_else(by_b)?;
        match format {
            AnimeFormat::Movie => found.movie.or(found.tv),
            _ => found.tv.or(found.movie),
        }
    }

    /// Returns the ids at the trackers of the anime with this id at `AniDB`. The id at a tracker is `None` if the
    /// mapping is ambiguous: if the anime has several ids at the tracker, or another anime of `AniDB` has the same
    /// one. An ambiguous id could give one anime the titles of another.
    pub fn trackers_of(&self, anidb_id: u32) -> TrackerIds {
        TrackerIds::from_fn(|tracker| self.anidb[tracker].find(anidb_id))
    }

    /// Returns the entries with an id at a tracker.
    pub fn entries(&self) -> &[MappingEntry] {
        &self.entries
    }

    /// Returns true if an entry has both an id at `AniDB` and one at a tracker.
    pub fn has_anidb_ids(&self) -> bool {
        let mut trackers = self.anidb.iter();
        trackers.any(|(_, pairs)| !pairs.tracker_ids.is_empty())
    }
}

impl Pairs {
    fn add(&mut self, anidb_id: u32, tracker_id: u32) {
        add_id(&mut self.tracker_ids, anidb_id, tracker_id);
        add_id(&mut self.anidb_ids, tracker_id, anidb_id);
    }

    fn find(&self, anidb_id: u32) -> Option<u32> {
        let tracker_id = self.tracker_ids.get(&anidb_id).copied().flatten()?;
        let is_unique = self.anidb_ids.get(&tracker_id) == Some(&Some(anidb_id));
        is_unique.then_some(tracker_id)
    }
}

/// Adds the id of a key. The id becomes `None` if the key already has a different id.
fn add_id(ids: &mut HashMap<u32, Option<u32>>, key: u32, id: u32) {
    let known = ids.entry(key).or_insert(Some(id));
    if *known != Some(id) {
        *known = None;
    }
}

/// Adds the entries of an array to a mapping, one at a time.
struct EntryVisitor<'m> {
    piece_limit: PieceLimit,
    mapping: &'m mut IdMapping,
}

impl<'de> Visitor<'de> for EntryVisitor<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<(), A::Error> {
        self.piece_limit.start_piece();
        while let Some(entry) = array.next_element()? {
            self.mapping.add(&entry);
            self.piece_limit.start_piece();
        }
        Ok(())
    }

    /// Rejects a string. The default method would quote the whole string in its message, and the string may be a
    /// whole file.
    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        Err(E::invalid_type(Unexpected::Other("string"), &self))
    }
}

/// Reads the ids at The Movie Database.
fn read_database_ids(value: &Value) -> Option<DatabaseIds> {
    let first = |value| parse_numbers(value).first().copied();
    let (tv, movie) = match value {
        Value::Object(_) => (first(&value["tv"]), first(&value["movie"])),
        // Older mappings do not separate series and movies.
        _ => (first(value), None),
    };
    (tv.is_some() || movie.is_some()).then_some(DatabaseIds { tv, movie })
}

/// Reads the ids of an entry at other sources than the trackers.
fn read_identifiers(entry: &Value) -> Vec<Identifier> {
    let season_at = |source: &str| {
        let season = entry["season"][source].as_u64();
        season.and_then(|season| u16::try_from(season).ok())
    };
    let all = |source: IdSource, numbers: Vec<u32>| {
        let numbers = numbers.into_iter().take(MAX_IDS_AT_SOURCE);
        numbers.map(move |id| Identifier::new(source, id))
    };
    let database = |value: &Value, is_movie| {
        let season = season_at("tmdb").filter(|_| is_movie != Some(true));
        all(IdSource::Database, parse_numbers(value)).map(move |known| Identifier {
            season,
            is_movie,
            ..known
        })
    };
    let tvdb = all(IdSource::Tvdb, parse_numbers(&entry["tvdb_id"]));
    // Until 2026, the field was called `thetvdb_id`.
    let tvdb = tvdb.chain(all(IdSource::Tvdb, parse_numbers(&entry["thetvdb_id"])));
    let imdb = split_texts(&entry["imdb_id"]).into_iter();
    let mut found: Vec<Identifier> = all(IdSource::Anidb, parse_numbers(&entry["anidb_id"]))
        .chain(all(IdSource::Imdb, imdb.filter_map(parse_imdb).collect()))
        .chain(all(IdSource::Kitsu, parse_numbers(&entry["kitsu_id"])))
        .chain(tvdb.map(|known| Identifier {
            season: season_at("tvdb"),
            ..known
        }))
        .collect();
    match &entry["themoviedb_id"] {
        ids @ Value::Object(_) => {
            found.extend(database(&ids["tv"], Some(false)));
            found.extend(database(&ids["movie"], Some(true)));
        }
        ids => found.extend(database(ids, None)),
    }
    found
}

fn split_texts(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(values) => values.iter().flat_map(split_texts).collect(),
        Value::String(text) => text.split(',').map(str::trim).collect(),
        _ => Vec::new(),
    }
}

fn parse_numbers(value: &Value) -> Vec<u32> {
    match value {
        Value::Array(values) => values.iter().flat_map(parse_numbers).collect(),
        Value::String(text) => text.split(',').filter_map(parse_number).collect(),
        Value::Number(number) => parse_number(&number.to_string()).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Reads a number, from 1.
pub(super) fn parse_number<N: FromStr + PartialOrd + Default>(text: &str) -> Option<N> {
    let number = text.trim().parse::<N>().ok();
    number.filter(|number| *number > N::default())
}

#[cfg(test)]
mod tests {
    use std::io::{self, BufReader, Read};

    use shared::models::AnimeFormat::{Movie, Tv};
    use shared::models::TrackerIds;

    use super::IdMapping;
    use crate::import::unpack::gzip;

    const INCOMPLETE: &str = "it is incomplete; download it again";

    const ONE: &[u8] = br#"[{"anidb_id": 3, "mal_id": 1, "themoviedb_id": {"tv": 5}}]"#;

    fn at(a: Option<u32>, b: Option<u32>) -> TrackerIds {
        TrackerIds { a, b }
    }

    fn ids(text: &str) -> IdMapping {
        IdMapping::read(text.as_bytes()).unwrap()
    }

    fn error(file: &[u8]) -> String {
        IdMapping::read(file).unwrap_err().to_string()
    }

    #[test]
    fn anime_is_found_by_either_tracker() {
        let ids = ids(r#"[{"anilist_id": 1, "mal_id": 11, "themoviedb_id": {"tv": 5}}]"#);
        assert_eq!(ids.database_id(at(Some(1), None), Tv), Some(5));
        assert_eq!(ids.database_id(at(None, Some(11)), Tv), Some(5));
        assert_eq!(ids.database_id(at(Some(2), Some(11)), Movie), Some(5));
        assert_eq!(ids.database_id(at(Some(11), Some(1)), Tv), None);
        assert_eq!(ids.database_id(at(None, None), Tv), None);
    }

    #[test]
    fn movie_prefers_the_id_as_a_movie() {
        let ids = ids(r#"[{"mal_id": 1, "themoviedb_id": {"tv": 5, "movie": [8, 9]}}]"#);
        assert_eq!(ids.database_id(at(None, Some(1)), Movie), Some(8));
        assert_eq!(ids.database_id(at(None, Some(1)), Tv), Some(5));
    }

    #[test]
    fn numbers_of_all_forms_are_read_and_other_values_ignored() {
        let ids = ids(r#"[
            {"mal_id": "1", "themoviedb_id": "7"},
            {"mal_id": [2, "3"], "themoviedb_id": [6, 7]},
            {"mal_id": "4,5", "themoviedb_id": {"movie": "9, 10"}},
            {"mal_id": 6, "themoviedb_id": "unknown"},
            {"mal_id": 7, "themoviedb_id": {"tv": null, "movie": -1}},
            {"mal_id": 8, "themoviedb_id": 1.5},
            {"mal_id": 9}, {"themoviedb_id": 1}, null, 5, "x", [[{}]], true
        ]"#);
        let found = |id| ids.database_id(at(None, Some(id)), Tv);
        assert_eq!([1, 2, 3, 4, 5].map(found), [7, 6, 6, 9, 9].map(Some));
        assert_eq!([6, 7, 8, 9].map(found), [None; 4]);
    }

    #[test]
    fn shapes_of_all_years_are_read() {
        let shapes = [
            // August 2021
            r#"{"thetvdb_id": 4, "imdb_id": "tt1", "themoviedb_id": 5, "type": "MOVIE"}"#,
            r#"{"imdb_id": "tt1,tt2", "themoviedb_id": "5,6", "notify.moe_id": "x"}"#,
            // January 2026
            r#"{"tvdb_id": 4, "season": {"tvdb": 1, "tmdb": 1}, "themoviedb_id": 5}"#,
            // May 2026
            r#"{"tvdb_id": 4, "season": {"tvdb": 0}, "themoviedb_id": {"movie": 5}}"#,
            r#"{"tvdb_id": 4, "themoviedb_id": {"tv": 5}}"#,
            // June 2026
            r#"{"imdb_id": ["tt1", "tt2"], "themoviedb_id": {"movie": [5, 6]}}"#,
            r#"{"themoviedb_id": {"tv": 5}, "episode_offset": {"tvdb": 11, "tmdb": 11}}"#,
        ];
        for shape in shapes {
            let start = r#"{"anidb_id": 3, "anilist_id": 1, "mal_id": 2, "#;
            let ids = ids(&format!("[{}]", shape.replacen('{', start, 1)));
            let database_id = ids.database_id(at(Some(1), None), Movie);
            assert_eq!(database_id, Some(5), "{shape}");
            assert_eq!(ids.trackers_of(3), at(Some(1), Some(2)), "{shape}");
        }
    }

    #[test]
    fn first_of_several_ids_is_the_anime_itself() {
        let ids = ids(r#"[
            {"anidb_id": "3, 4", "mal_id": [10, 11], "anilist_id": "20,21"},
            {"anidb_id": 4, "mal_id": 11},
            {"anidb_id": 5, "anilist_id": "unknown"},
            {"anidb_id": {"id": 6}, "mal_id": 12}
        ]"#);
        assert!(ids.has_anidb_ids());
        assert_eq!(ids.trackers_of(3), at(Some(20), Some(10)));
        assert_eq!(ids.trackers_of(4), at(None, Some(11)));
        assert_eq!([5, 6].map(|id| ids.trackers_of(id)), [at(None, None); 2]);
    }

    #[test]
    fn ambiguous_ids_are_missing() {
        let ids = ids(r#"[
            {"anidb_id": 1, "anilist_id": 10, "mal_id": 50},
            {"anidb_id": 1, "anilist_id": 11, "mal_id": 50},
            {"anidb_id": 2, "mal_id": 60, "anilist_id": 20},
            {"anidb_id": 3, "mal_id": 60},
            {"anidb_id": 4, "mal_id": 70},
            {"anidb_id": 4, "anilist_id": 40}
        ]"#);
        // Anime 1 has two ids at a tracker, and anime 2 and 3 have the same one.
        let expected = [
            (None, Some(50)),
            (Some(20), None),
            (None, None),
            (Some(40), Some(70)),
        ];
        let found = [1, 2, 3, 4].map(|id| ids.trackers_of(id));
        assert_eq!(found, expected.map(|(a, b)| at(a, b)));
    }

    #[test]
    fn mapping_can_be_compressed() {
        let zstd = zstd::encode_all(ONE, 1).unwrap();
        for file in [zstd, gzip(ONE)] {
            let ids = IdMapping::read(file.as_slice()).unwrap();
            assert_eq!(ids.trackers_of(3), at(None, Some(1)));
            let half = &file[..file.len() / 2];
            assert_eq!(error(half), INCOMPLETE);
        }
    }

    #[test]
    fn files_of_another_format_are_errors() {
        for (file, message) in [
            (&b"{}"[..], "invalid type: map, expected an array"),
            (b"\"secret\"", "invalid type: string, expected an array"),
            (b"<!DOCTYPE html>", "expected value"),
            (b"[{\"mal_id\": 1}]]", "trailing characters"),
            (b"[{\"mal_id\": 1,}]", "trailing comma"),
        ] {
            let start =
                format!("it is not a mapping in the anime-lists format: {message} at line 1 ");
            assert!(error(file).starts_with(&start), "{}", error(file));
        }
        let nothing = "no entry of it has an id at AniList or MyAnimeList";
        for unusable in [&b"[]"[..], br#"[{"anidb_id": 1, "themoviedb_id": 1}]"#] {
            assert_eq!(error(unusable), nothing);
        }
    }

    #[test]
    fn incomplete_mapping_is_an_error() {
        for end in 0..ONE.len() {
            assert_eq!(error(&ONE[..end]), INCOMPLETE, "{end}");
        }
    }

    #[test]
    fn endless_entry_is_an_error() {
        for start in ["[[", "[\"", "[{\"mal_id\": ", " "] {
            let file = BufReader::new(start.as_bytes().chain(io::repeat(b'1')));
            let error = IdMapping::read(file).unwrap_err().to_string();
            assert!(error.contains("100 KB"), "{start}: {error}");
        }
        let spaces = BufReader::new(io::repeat(b' '));
        let error = IdMapping::read(spaces).unwrap_err().to_string();
        assert!(error.contains("100 KB"), "{error}");
    }
}
