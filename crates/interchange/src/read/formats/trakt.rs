//! Trakt: the archive of its raw export, each of its JSON files alone, and its CSV.
//!
//! Trakt has no status. Each watched episode and movie is read on its own. Entries of the watchlist become PLANNING,
//! and series that are hidden from the progress become DROPPED.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use serde_json::value::RawValue;

use super::prelude::*;
use super::work_facts::WorkFacts;
use crate::values::visible_text;

pub const ZIP: Format = Format::Archive(
    ListFormat::Mixed("Trakt export"),
    |archive| {
        let is_known = |member: &ArchiveMember| {
            let starts = [
                "watched-history",
                "watched-shows",
                "watched-movies",
                "user-profile",
            ];
            let name = member.name().strip_suffix(".json");
            name.is_some_and(|name| {
                starts.iter().any(|start| name.starts_with(start)) || member.folder() == "watched"
            })
        };
        archive.members().iter().any(is_known)
    },
    read_archive,
);

pub const JSON: Format = Format::Json(
    ListFormat::Mixed("Trakt JSON"),
    |json| part_of(json).is_some(),
    |json, collector| {
        let part = part_of(json).ok_or_else(wrong_shape)?;
        let mut shows = TraktShows::default();
        shows.read(part, &json.array("")?, collector)?;
        shows.finish(collector)
    },
);

pub const CSV: Format = Format::Table(
    ListFormat::Mixed("Trakt CSV"),
    |table| {
        let times = ["watched_at", "date_watched", "listed_at", "rated_at"];
        table.has_any(&times) && table.has_any(&["trakt", "trakt_id", "ShowTraktId"])
    },
    |table, collector| {
        collector.scale = HighestScore::OfFormat(10.0);
        let mut shows = TraktShows::default();
        table.for_each(collector, |row, collector| shows.add_row(row, collector))?;
        shows.finish(collector)
    },
);

#[derive(Clone, Copy)]
enum TraktFile {
    /// Each watched episode and movie, with its time.
    History,
    /// The watched series or movies, with the numbers of viewings.
    Watched,
    Watchlist,
    /// The series that are hidden from the progress, because they were dropped.
    Dropped,
    Ratings,
    Notes,
}

/// The parts, each with the names of its files, without the numbers of pages.
const PARTS: [(TraktFile, &[&str]); 6] = [
    (TraktFile::History, &["watched-history"]),
    (TraktFile::Watched, &["watched-shows", "watched-movies"]),
    (TraktFile::Watchlist, &["lists-watchlist"]),
    (
        TraktFile::Dropped,
        &["hidden-progress-watched", "hidden-dropped"],
    ),
    (
        TraktFile::Ratings,
        &["ratings-shows", "ratings-seasons", "ratings-movies"],
    ),
    (
        TraktFile::Notes,
        &["notes-shows", "notes-seasons", "notes-movies"],
    ),
];

/// Returns the part of an export that a single file has.
fn part_of(json: &Json) -> Option<TraktFile> {
    let has_work = |entry: &Object| {
        ["show", "movie"]
            .iter()
            .any(|name| at(entry, &format!("{name}.ids")).is_some())
    };
    let mut signatures = [
        (TraktFile::History, ["watched_at", "action"]),
        (TraktFile::Watched, ["plays", "last_watched_at"]),
        (TraktFile::Ratings, ["rated_at", "rating"]),
        (TraktFile::Watchlist, ["listed_at", "type"]),
        (TraktFile::Dropped, ["hidden_at", "type"]),
    ]
    .into_iter();
    let found = signatures.find(|(_, names)| {
        let has_names = |entry: &Object| names.iter().all(|name| entry.contains_key(*name));
        json.any_element(|entry| has_names(entry) && has_work(entry))
    });
    found.map(|(part, _)| part)
}

fn read_archive(archive: &Archive, collector: &mut EntryCollector) -> ReadResult {
    let mut shows = TraktShows::default();
    for (part, stems) in PARTS {
        for stem in stems {
            // Older exports have folders: `watched/history-1.json` instead of `watched-history-1.json`.
            let (folder, older) = stem.split_once('-').unwrap_or_default();
            let mut older = archive.pages(older);
            older.retain(|member| member.folder() == folder);
            for member in archive.pages(stem).into_iter().chain(older) {
                let text = archive.text(member)?;
                match Json::read(&text) {
                    Ok(json) => shows.read(part, &json.array("")?, collector)?,
                    Err(error) => collector.remark(member.unread(&error).to_string()),
                }
            }
        }
    }
    if let Some(errors) = archive.member("_errors.json") {
        let errors = archive.text(errors)?;
        if Json::read(&errors).is_ok_and(|errors| !errors.is_empty_array()) {
            collector
                .remark("The export is incomplete: Trakt reports errors in its file _errors.json.");
        }
    }
    shows.finish(collector)
}

/// The maximum length of an identifier or a title in a key, in characters. Each watched episode has a copy of its key.
const MAX_KEY_CHARACTERS: usize = 300;

/// The key of a series, a season or a movie: its kind, Trakt's identifier or the title, and the season.
type TraktKey = (bool, String, Option<u16>);

/// The series and movies of an export.
#[derive(Default)]
struct TraktShows {
    facts: IndexMap<TraktKey, WorkFacts>,
    episodes: BTreeSet<(String, u16, u32)>,
    movies: BTreeMap<String, u64>,
    /// The series that were watched, wholly or in part.
    watched: BTreeSet<String>,
}

impl TraktShows {
    /// Reads a file of the export. A history must be read before the other parts.
    fn read(
        &mut self,
        part: TraktFile,
        elements: &[&RawValue],
        collector: &mut EntryCollector,
    ) -> ReadResult {
        collector.scale = HighestScore::OfFormat(10.0);
        add_each(collector, elements, |collector, element| match part {
            TraktFile::History => self.add_history(element, collector),
            TraktFile::Watched => self.add_watched(element, collector),
            TraktFile::Watchlist | TraktFile::Dropped | TraktFile::Ratings | TraktFile::Notes => {
                self.add_facts(part, element);
                Ok(())
            }
        })
    }

    fn add_history(&mut self, element: &Object, collector: &mut EntryCollector) -> ReadResult {
        let at_ms = time(element, "watched_at");
        if let Some(movie) = object_at(element, "movie") {
            *self.movies.entry(key_of(movie)).or_default() += 1;
            return collector.add_watched(WatchedRow {
                at_ms,
                ..row_of(movie, true)
            });
        }
        let show = object_at(element, "show");
        let season = number(element, "episode.season");
        let episode = number(element, "episode.number");
        let (Some(show), Some(season), Some(episode)) = (show, season, episode) else {
            let title = text(element, "show.title");
            return collector.skip(title.as_deref(), "has no episode");
        };
        self.add_episode(show, (season, episode), at_ms, collector)
    }

    fn add_episode(
        &mut self,
        show: &Object,
        (season, episode): (u16, u32),
        at_ms: Option<u64>,
        collector: &mut EntryCollector,
    ) -> ReadResult {
        if season == 0 {
            return collector.leave_out(kinds::SPECIALS);
        }
        let key = key_of(show);
        self.watched.insert(key.clone());
        self.episodes.insert((key, season, episode));
        collector.add_watched(WatchedRow {
            season: Some(season),
            episode: Some(episode),
            at_ms,
            ..row_of(show, false)
        })
    }

    /// Adds a watched movie or the watched episodes of a series, if the history lacks them.
    fn add_watched(&mut self, element: &Object, collector: &mut EntryCollector) -> ReadResult {
        let last = time(element, "last_watched_at");
        if let Some(movie) = object_at(element, "movie") {
            // A higher number is an error of the file.
            let plays: u64 = number(element, "plays").unwrap_or(1).clamp(1, 100);
            let known = self.movies.get(&key_of(movie)).copied().unwrap_or(0);
            for play in known..plays {
                collector.add_watched(WatchedRow {
                    // Only the last time is known.
                    at_ms: last.filter(|_| play == known),
                    ..row_of(movie, true)
                })?;
            }
            return Ok(());
        }
        let Some(show) = object_at(element, "show") else {
            return collector.skip(None, "has neither a series nor a movie");
        };
        let key = key_of(show);
        for season in objects(element, "seasons") {
            for episode in objects(season, "episodes") {
                let place = number(season, "number").zip(number(episode, "number"));
                let Some(place) = place else { continue };
                let known = (key.clone(), place.0, place.1);
                if !self.episodes.contains(&known) {
                    let last = time(episode, "last_watched_at");
                    self.add_episode(show, place, last, collector)?;
                }
            }
        }
        Ok(())
    }

    fn add_facts(&mut self, part: TraktFile, element: &Object) {
        let kind = text(element, "type");
        let [movie, show] = ["movie", "show"].map(|name| object_at(element, name));
        // Ratings and lists of episodes or persons say nothing about an anime.
        let season = match (kind.as_deref(), movie, show) {
            (Some("movie") | None, Some(_), _) | (Some("show") | None, None, Some(_)) => None,
            (Some("season"), None, Some(_)) => match number(element, "season.number") {
                Some(season) => Some(season),
                None => return,
            },
            _ => return,
        };
        let Some(work) = movie.or(show) else {
            return;
        };
        let row = WatchedRow {
            season,
            ..row_of(work, movie.is_some())
        };
        let facts = self.facts_of(key_of(work), row);
        match part {
            TraktFile::Watchlist => facts.is_planned = true,
            TraktFile::Dropped => facts.is_dropped = true,
            TraktFile::Ratings => facts.score = text(element, "rating"),
            _ => {}
        }
        let notes = ["notes", "note.notes"];
        let mut notes = notes.iter().filter_map(|path| text(element, path));
        if let Some(notes) = notes.find(|notes| !notes.trim().is_empty()) {
            facts.notes.get_or_insert(notes);
        }
    }

    fn facts_of(&mut self, id: String, work: WatchedRow) -> &mut WorkFacts {
        let key = (work.is_movie, id, work.season);
        self.facts.entry(key).or_insert_with(|| WorkFacts::of(work))
    }

    fn add_row(&mut self, row: &TableRow, collector: &mut EntryCollector) -> ReadResult {
        let kind = row.cell("type").unwrap_or("episode").to_ascii_lowercase();
        let is_movie = kind == "movie";
        let ids = [
            (IdSource::Tvdb, ["tvdb", "tvdb_id", "ShowTvdbId"]),
            (IdSource::Database, ["tmdb", "tmdb_id", "ShowTmdbId"]),
            (IdSource::Imdb, ["imdb", "imdb_id", "ShowImdbId"]),
        ];
        let of_work = kind_of_ids(is_movie);
        let ids = ids.iter();
        let ids = ids.filter_map(|(source, names)| stated_id(*source, of_work, row.value(names)?));
        let title = row.value(&["show_title", "ShowTitle", "title"]);
        let work = WatchedRow {
            is_movie,
            title: title.and_then(title_of),
            year: row.value(&["year", "ShowYear"]).and_then(parse_year),
            ids: ids.collect(),
            ..WatchedRow::default()
        };
        let id = row.value(&["trakt", "trakt_id", "ShowTraktId"]);
        let key = id.or(work.title.as_deref()).unwrap_or_default().to_owned();
        let season: Option<u16> = row.number(&["season", "season_number"]);
        let episode: Option<u32> = row.number(&["episode", "episode_number"]);
        let times = ["watched_at", "date_watched"];
        if row.value(&times).is_some() {
            let at_ms = row.time(&times);
            return match (is_movie, season, episode) {
                (true, ..) => {
                    *self.movies.entry(key).or_default() += 1;
                    collector.add_watched(WatchedRow { at_ms, ..work })
                }
                (false, Some(0), Some(_)) => collector.leave_out(kinds::SPECIALS),
                (false, Some(_), Some(_)) => {
                    self.watched.insert(key);
                    collector.add_watched(WatchedRow {
                        season,
                        episode,
                        at_ms,
                        ..work
                    })
                }
                _ => collector.skip(work.title.as_deref(), "has no episode"),
            };
        }
        let season = match kind.as_str() {
            "movie" | "show" => None,
            "season" => season,
            _ => return Ok(()),
        };
        let facts = self.facts_of(key, WatchedRow { season, ..work });
        facts.is_planned |= row.value(&["listed_at"]).is_some();
        if let Some(rating) = row.value(&["rating"]) {
            facts.score = Some(rating.to_owned());
        }
        if let Some(notes) = row.value(&["notes"]) {
            facts.notes = Some(notes.to_owned());
        }
        Ok(())
    }

    fn finish(self, collector: &mut EntryCollector) -> ReadResult {
        for ((is_movie, id, _), facts) in self.facts {
            let is_watched = if is_movie {
                self.movies.contains_key(&id)
            } else {
                self.watched.contains(&id)
            };
            let status = match (facts.is_dropped, facts.is_planned && !is_watched) {
                (true, _) => Some(WatchStatus::Dropped),
                (false, true) => Some(WatchStatus::Planning),
                (false, false) => None,
            };
            facts.add_to(collector, status)?;
        }
        Ok(())
    }
}

/// Returns Trakt's identifier of a series or a movie, or its title.
fn key_of(work: &Object) -> String {
    let id = text(work, "ids.trakt").or_else(|| text(work, "title"));
    let id = id.unwrap_or_default();
    visible_text(&id, MAX_KEY_CHARACTERS)
}

fn kind_of_ids(is_movie: bool) -> IdKind {
    if is_movie {
        IdKind::Movie
    } else {
        IdKind::Series
    }
}

fn row_of(work: &Object, is_movie: bool) -> WatchedRow {
    let kind = kind_of_ids(is_movie);
    let ids = [
        (IdSource::Tvdb, "ids.tvdb"),
        (IdSource::Database, "ids.tmdb"),
        (IdSource::Imdb, "ids.imdb"),
    ];
    let ids = ids.iter();
    let ids = ids.filter_map(|(source, path)| stated_id(*source, kind, &text(work, path)?));
    WatchedRow {
        is_movie,
        title: text(work, "title").and_then(|title| title_of(&title)),
        year: number(work, "year"),
        ids: ids.collect(),
        ..WatchedRow::default()
    }
}

#[cfg(test)]
mod tests {
    use crate::read::formats::tests::{list, zip_of};

    const SHOW: &str = r#""show": {"title": "Kumo", "year": 2013,
        "ids": {"trakt": 1, "tvdb": 11, "imdb": "tt2560140", "tmdb": 12}}"#;
    const OTHER: &str =
        r#""show": {"title": "Hoshi", "year": 1998, "ids": {"trakt": 2, "tvdb": 21}}"#;
    const MOVIE: &str = r#""movie": {"title": "Mori", "year": 2001, "ids": {"trakt": 3, "imdb": null, "tmdb": 129}}"#;

    fn history(rows: &[(&str, &str)]) -> String {
        let rows = rows.iter().map(|(time, rest)| {
            format!(r#"{{"id": 1, "watched_at": "{time}", "action": "watch", {rest}}}"#)
        });
        format!("[{}]", rows.collect::<Vec<_>>().join(","))
    }

    #[test]
    fn archive_is_read() {
        let episode =
            r#""type": "episode", "episode": {"season": 3, "number": 14, "ids": {"tvdb": 99}}, "#;
        let special = r#""type": "episode", "episode": {"season": 0, "number": 1}, "#;
        let archive = zip_of(&[
            (
                "watched-history-10.json",
                &history(&[("2025-01-10T00:00:00Z", MOVIE)]),
            ),
            (
                "watched-history-2.json",
                &history(&[
                    ("2025-01-02T00:00:00.000Z", &format!("{episode}{SHOW}")),
                    ("2025-01-02T00:00:00.000Z", &format!("{special}{SHOW}")),
                ]),
            ),
            (
                "watched-shows.json",
                &format!(
                    r#"[{{"plays": 2, "last_watched_at": "2025-01-03T00:00:00Z", {SHOW}, "seasons": [{{"number": 3,
                        "episodes": [{{"number": 14}},
                            {{"number": 15, "last_watched_at": "2025-01-03T00:00:00Z"}}]}}]}}]"#
                ),
            ),
            (
                "watched-movies.json",
                &format!(r#"[{{"plays": 2, "last_watched_at": "2025-02-01T00:00:00Z", {MOVIE}}}]"#),
            ),
            (
                "lists-watchlist.json",
                &format!(
                    r#"[{{"listed_at": "2025-01-01T00:00:00Z", "type": "show", "notes": "Rain", {OTHER}}},
                        {{"listed_at": "2025-01-01T00:00:00Z", "type": "show", "notes": null, {SHOW}}}]"#
                ),
            ),
            (
                "ratings-shows.json",
                &format!(
                    r#"[{{"rated_at": "2025-01-01T00:00:00Z", "rating": 9, "type": "show", {SHOW}}}]"#
                ),
            ),
            (
                "hidden-progress-watched-reset.json",
                &format!(r#"[{{"hidden_at": "2025-01-01T00:00:00Z", "type": "show", {OTHER}}}]"#),
            ),
            ("_errors.json", r#"[{"endpoint": "sync/playback"}]"#),
        ]);
        let file = list(archive);
        assert_eq!(file.format.title(), "Trakt export");
        file.assert_watched(&[
            "tvdb series 11 database series 12 imdb series 2560140 \"Kumo\" (2013) S3E14 2025-01-02T00:00:00Z",
            "database movie 129 \"Mori\" (2001) movie 2025-01-10T00:00:00Z",
            "tvdb series 11 database series 12 imdb series 2560140 \"Kumo\" (2013) S3E15 2025-01-03T00:00:00Z",
            "database movie 129 \"Mori\" (2001) movie 2025-02-01T00:00:00Z",
        ]);
        file.assert_entries(&[
            "tvdb series 21 \"Hoshi\" (1998) PLANNING 0 \"Rain\"",
            "tvdb series 11 database series 12 imdb series 2560140 \"Kumo\" (2013) no status 90",
        ]);
        file.assert_remarks(&[
            "The export is incomplete: Trakt reports errors in its file _errors.json.",
            "Special episodes that were left out: 1.",
        ]);
    }

    #[test]
    fn older_archives_have_folders() {
        let archive = zip_of(&[
            (
                "hoshi/watched/history-1.json",
                &history(&[("unknown", MOVIE)]),
            ),
            (
                "hoshi/hidden/progress-watched.json",
                &format!(r#"[{{"hidden_at": "2025-01-01T00:00:00Z", "type": "show", {SHOW}}}]"#),
            ),
        ]);
        let file = list(archive);
        file.assert_watched(&["database movie 129 \"Mori\" (2001) movie"]);
        file.assert_entries(&[
            "tvdb series 11 database series 12 imdb series 2560140 \"Kumo\" (2013) DROPPED",
        ]);
    }

    #[test]
    fn csv_is_read() {
        let file = list(
            "watched_at,listed_at,rating,type,title,year,trakt,tmdb,season,episode\n\
             2026-04-02T20:00:00Z,,,episode,Kumo,2013,1,12,3,14\n\
             unknown,,,movie,Mori,2001,3,129,,\n\
             ,2026-01-01T00:00:00Z,,show,Hoshi,1998,2,22,,\n\
             ,,8,show,Kumo,2013,1,12,,\n",
        );
        assert_eq!(file.format.title(), "Trakt CSV");
        file.assert_watched(&[
            "database series 12 \"Kumo\" (2013) S3E14 2026-04-02T20:00:00Z",
            "database movie 129 \"Mori\" (2001) movie",
        ]);
        file.assert_entries(&[
            "database series 22 \"Hoshi\" (1998) PLANNING 0",
            "database series 12 \"Kumo\" (2013) no status 80",
        ]);
    }
}
