//! Ids at The Movie Database, from a mapping in the anime-lists format: an array of
//! `{"anilist_id": 1, "mal_id": 1, "themoviedb_id": {"tv": 30991}}`.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::Context;
use serde::Deserialize;
use serde_json::Value;
use shared::models::{AnimeFormat, TrackerIds};

/// A mapping from tracker ids to ids at The Movie Database.
#[derive(Debug, Default)]
pub struct DatabaseIds {
    by_tracker_a: HashMap<u32, DatabaseId>,
    by_tracker_b: HashMap<u32, DatabaseId>,
}

/// Ids at The Movie Database, which numbers series and movies separately. An anime can have both: a
/// movie may also be listed as an episode of its series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DatabaseId {
    tv: Option<u32>,
    movie: Option<u32>,
}

impl DatabaseIds {
    /// Reads a mapping.
    ///
    /// # Errors
    /// When the file cannot be read, or is not a JSON array. Entries without usable values are ignored.
    pub fn read(file: &Path) -> anyhow::Result<Self> {
        let unreadable = || format!("cannot read {}", file.display());
        let text = BufReader::new(File::open(file).with_context(unreadable)?);
        let entries: Vec<Mapping> = serde_json::from_reader(text).with_context(unreadable)?;
        Ok(entries.into_iter().collect())
    }

    /// Returns the id at The Movie Database of the anime with one of these tracker ids. If the anime has an
    /// id as a movie and one as a series, its format decides.
    pub fn find(&self, trackers: TrackerIds, format: AnimeFormat) -> Option<u32> {
        let by_a = trackers.a.and_then(|id| self.by_tracker_a.get(&id));
        let by_b = || trackers.b.and_then(|id| self.by_tracker_b.get(&id));
        let found = by_a.or_else(by_b)?;
        match format {
            AnimeFormat::Movie => found.movie.or(found.tv),
            _ => found.tv.or(found.movie),
        }
    }
}

impl FromIterator<Mapping> for DatabaseIds {
    fn from_iter<I: IntoIterator<Item = Mapping>>(entries: I) -> Self {
        let mut ids = Self::default();
        for entry in entries {
            let Some(id) = entry.database_id else {
                continue;
            };
            for tracker_id in entry.tracker_a_ids {
                ids.by_tracker_a.entry(tracker_id).or_insert(id);
            }
            for tracker_id in entry.tracker_b_ids {
                ids.by_tracker_b.entry(tracker_id).or_insert(id);
            }
        }
        ids
    }
}

/// An entry of the mapping. An identifier is a number, a string with numbers, or an array of them. Unknown
/// values are missing, null or `"unknown"`.
#[derive(Deserialize)]
#[serde(from = "Value")]
struct Mapping {
    tracker_a_ids: Vec<u32>,
    tracker_b_ids: Vec<u32>,
    database_id: Option<DatabaseId>,
}

impl From<Value> for Mapping {
    fn from(entry: Value) -> Self {
        Self {
            tracker_a_ids: numbers(&entry["anilist_id"]),
            tracker_b_ids: numbers(&entry["mal_id"]),
            database_id: database_id(&entry["themoviedb_id"]),
        }
    }
}

/// Reads the ids of an anime. Of several ids, the first is the anime's own, and the others are those of its
/// parts.
fn database_id(value: &Value) -> Option<DatabaseId> {
    let first = |value| numbers(value).first().copied();
    let (tv, movie) = match value {
        Value::Object(_) => (first(&value["tv"]), first(&value["movie"])),
        // Older mappings do not separate series and movies.
        _ => (first(value), None),
    };
    (tv.is_some() || movie.is_some()).then_some(DatabaseId { tv, movie })
}

fn numbers(value: &Value) -> Vec<u32> {
    match value {
        Value::Array(values) => values.iter().flat_map(numbers).collect(),
        Value::String(text) => text.split(',').filter_map(number).collect(),
        Value::Number(number) => self::number(&number.to_string()).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn number(text: &str) -> Option<u32> {
    text.trim().parse().ok().filter(|number| *number > 0)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use shared::models::AnimeFormat::{Movie, Tv};
    use shared::models::TrackerIds;

    use super::{DatabaseIds, Mapping};

    fn at(a: Option<u32>, b: Option<u32>) -> TrackerIds {
        TrackerIds { a, b }
    }

    fn ids(text: &str) -> DatabaseIds {
        let entries: Vec<Mapping> = serde_json::from_str(text).unwrap();
        entries.into_iter().collect()
    }

    #[test]
    fn anime_is_found_by_either_tracker() {
        let ids = ids(r#"[{"anilist_id": 1, "mal_id": 11, "themoviedb_id": {"tv": 5}}]"#);
        assert_eq!(ids.find(at(Some(1), None), Tv), Some(5));
        assert_eq!(ids.find(at(None, Some(11)), Tv), Some(5));
        assert_eq!(ids.find(at(Some(2), Some(11)), Movie), Some(5));
        assert_eq!(ids.find(at(Some(11), Some(1)), Tv), None);
        assert_eq!(ids.find(at(None, None), Tv), None);
    }

    #[test]
    fn movie_prefers_the_id_as_a_movie() {
        let ids = ids(r#"[{"mal_id": 1, "themoviedb_id": {"tv": 5, "movie": [8, 9]}}]"#);
        assert_eq!(ids.find(at(None, Some(1)), Movie), Some(8));
        assert_eq!(ids.find(at(None, Some(1)), Tv), Some(5));
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
            {"mal_id": 9}, {"themoviedb_id": 1}, null, 5, "x"
        ]"#);
        let found = [1, 2, 3, 4, 5].map(|id| ids.find(at(None, Some(id)), Tv));
        assert_eq!(found, [7, 6, 6, 9, 9].map(Some));
        assert_eq!(
            [6, 7, 8, 9].map(|id| ids.find(at(None, Some(id)), Tv)),
            [None; 4]
        );
    }

    #[test]
    fn invalid_mapping_file_is_an_error_with_the_file_name() {
        let message = |file: &Path| format!("{:#}", DatabaseIds::read(file).unwrap_err());
        assert!(message(Path::new("no/such.json")).starts_with("cannot read no/such.json: "));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ids.json");
        fs::write(&file, "{}").unwrap();
        assert!(message(&file).contains("ids.json: invalid type: map"));
    }
}
