//! TV Time, a service that ended in July 2026: the archive of its data (GDPR), its last export, each of their files
//! alone, and the CSV of the program TV Time Liberator.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;

use super::prelude::*;
use super::work_facts::WorkFacts;

pub const ZIP: Format = Format::Archive(
    ListFormat::Mixed("TV Time export"),
    |archive| {
        let mut members = archive.members().iter();
        RECORDS.iter().any(|(_, name)| archive.has(name))
            || members.any(|member| member.name().starts_with("tvtime-series"))
    },
    read_archive,
);

pub const CSV: Format = Format::Table(
    ListFormat::Mixed("TV Time CSV"),
    |table| kind_of(table).is_some(),
    |table, collector| {
        let kind = kind_of(table).ok_or_else(wrong_shape)?;
        let mut shows = TvTimeShows::default();
        shows.read_table(kind, table, collector)?;
        shows.finish(collector)
    },
);

pub const JSON: Format = Format::Json(
    ListFormat::Mixed("TV Time JSON"),
    |json| {
        json.any_element(|element| {
            at(element, "id.tvdb").is_some()
                && (element.contains_key("seasons") || element.contains_key("is_watched"))
        })
    },
    |json, collector| {
        let mut shows = TvTimeShows::default();
        shows.read_json(json, collector)?;
        shows.finish(collector)
    },
);

/// The tables of watched episodes. The newest records come first, because older ones have the same episodes without
/// identifiers.
const RECORDS: [(TvTimeFile, &str); 3] = [
    (TvTimeFile::RecordsV2, "tracking-prod-records-v2.csv"),
    (TvTimeFile::RecordsV1, "tracking-prod-records.csv"),
    (TvTimeFile::SeenEpisodes, "seen_episode.csv"),
];

const OTHER_TABLES: [(TvTimeFile, &str); 2] = [
    (TvTimeFile::Followed, "followed_tv_show.csv"),
    (TvTimeFile::Votes, "ratings-live-votes.csv"),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum TvTimeFile {
    /// `tracking-prod-records-v2.csv`: watched episodes, and the series that the user follows.
    RecordsV2,
    /// `tracking-prod-records.csv`: movies, and older episodes.
    RecordsV1,
    /// `seen_episode.csv`: older episodes.
    SeenEpisodes,
    /// `followed_tv_show.csv`.
    Followed,
    /// `ratings-live-votes.csv`. Votes about emotions have the same columns.
    Votes,
    Episodes,
    Series,
    Movies,
    Liberator,
}

fn kind_of(table: &TextTable) -> Option<TvTimeFile> {
    let kinds: [(TvTimeFile, &[&str]); 8] = [
        (TvTimeFile::RecordsV2, &["is_unitary", "s_id"]),
        (TvTimeFile::RecordsV1, &["type-uuid-n"]),
        (TvTimeFile::Liberator, &["is_watchlisted", "is_watched"]),
        (TvTimeFile::Episodes, &["series_tvdb_id"]),
        (TvTimeFile::Movies, &["uuid", "tvdb_id", "is_watched"]),
        (TvTimeFile::Series, &["uuid", "tvdb_id", "status"]),
        (
            TvTimeFile::SeenEpisodes,
            &["tv_show_name", "episode_season_number"],
        ),
        (TvTimeFile::Followed, &["tv_show_id", "archived"]),
    ];
    let kind = kinds.iter().find(|(_, names)| table.has(names));
    kind.map(|(kind, _)| *kind)
}

fn read_archive(archive: &Archive, collector: &mut EntryCollector) -> ReadResult {
    let mut shows = TvTimeShows::default();
    for (kind, name) in RECORDS.into_iter().chain(OTHER_TABLES) {
        if let Some(member) = archive.member(name) {
            let text = archive.text(member)?;
            shows.read_table(kind, &TextTable::read(&text)?, collector)?;
        }
    }
    // The last export has CSV and JSON with the same content, so only one of them is read.
    for (starts, field) in [
        (&["tvtime-series-episodes", "tvtime-series"][..], "seasons"),
        (&["tvtime-movies"][..], "is_watched"),
    ] {
        let members = |extension| {
            let starts = starts.iter();
            starts.filter_map(move |start| newest(archive, start, extension))
        };
        let mut is_read = false;
        for member in members("json") {
            let text = archive.text(member)?;
            let json = Json::read(&text)?;
            if json.elements_have(&["id", field]) {
                shows.read_json(&json, collector)?;
                is_read = true;
            }
        }
        if is_read {
            continue;
        }
        for member in members("csv") {
            let text = archive.text(member)?;
            let table = TextTable::read(&text)?;
            if let Some(kind) = kind_of(&table) {
                shows.read_table(kind, &table, collector)?;
            }
        }
    }
    shows.finish(collector)
}

/// Returns the member with the newest date in its name, such as `tvtime-series-2026-07-10.json`.
fn newest<'a>(archive: &'a Archive, start: &str, extension: &str) -> Option<&'a ArchiveMember> {
    let is_dated = |member: &&ArchiveMember| {
        let name = member.name().strip_prefix(start);
        let date = name.and_then(|name| name.strip_suffix(extension)?.strip_suffix('.'));
        let is_part = |byte: u8| byte == b'-' || byte.is_ascii_digit();
        date.is_some_and(|date| date.bytes().all(is_part))
    };
    let members = archive.members().iter().filter(is_dated);
    members.max_by(|one, other| one.name().cmp(other.name()))
}

/// The series and movies of an export.
#[derive(Default)]
struct TvTimeShows {
    /// The facts by two values: true for a movie, and the key.
    facts: IndexMap<(bool, String), WorkFacts>,
    /// The series and movies that were watched, wholly or in part.
    watched: BTreeSet<(bool, String)>,
    /// The watched episodes, by the titles of their series in lower case.
    episodes: BTreeSet<(String, u16, u32)>,
    /// The movies, by TV Time's own identifiers.
    movies: BTreeMap<String, WatchedRow>,
    /// The identifiers of series at `TheTVDB`, by their titles, in the Liberator's list.
    series_ids: BTreeMap<String, Option<u32>>,
}

impl TvTimeShows {
    fn read_table(
        &mut self,
        kind: TvTimeFile,
        table: &TextTable,
        collector: &mut EntryCollector,
    ) -> ReadResult {
        if kind == TvTimeFile::Liberator {
            table.for_each(collector, |row, _| {
                self.record_series(row);
                Ok(())
            })?;
        }
        table.for_each(collector, |row, collector| {
            match kind {
                TvTimeFile::RecordsV2 => self.add_record(row, collector)?,
                TvTimeFile::RecordsV1 => self.add_old_record(row, collector)?,
                TvTimeFile::SeenEpisodes => self.add_seen(row, collector)?,
                TvTimeFile::Followed => self.add_followed(row),
                TvTimeFile::Votes => self.add_vote(row),
                TvTimeFile::Episodes => self.add_exported_episode(row, collector)?,
                TvTimeFile::Series => self.add_exported_series(row),
                TvTimeFile::Movies => self.add_exported_movie(row, collector)?,
                TvTimeFile::Liberator => self.add_activity(row, collector)?,
            }
            Ok(())
        })
    }

    /// Adds a watched episode, unless it is a special.
    fn add_episode(
        &mut self,
        row: WatchedRow,
        is_special: bool,
        collector: &mut EntryCollector,
    ) -> ReadResult {
        let (Some(season), Some(episode)) = (row.season, row.episode) else {
            return collector.skip(row.title.as_deref(), "has no episode");
        };
        if is_special || season == 0 {
            return collector.leave_out(kinds::SPECIALS);
        }
        self.watched.insert((false, key_of(&row)));
        let title = row.title.as_deref().unwrap_or_default().to_lowercase();
        self.watched.insert((false, title.clone()));
        self.episodes.insert((title, season, episode));
        collector.add_watched(row)
    }

    /// Returns true if a newer record has this episode.
    fn has(&self, row: &WatchedRow) -> bool {
        let title = row.title.as_deref().unwrap_or_default().to_lowercase();
        let episode = row.season.zip(row.episode);
        episode.is_some_and(|(season, episode)| self.episodes.contains(&(title, season, episode)))
    }

    fn add_movie(&mut self, row: WatchedRow, collector: &mut EntryCollector) -> ReadResult {
        self.watched.insert((true, key_of(&row)));
        collector.add_watched(row)
    }

    fn facts_of(&mut self, row: WatchedRow) -> &mut WorkFacts {
        let key = (row.is_movie, key_of(&row));
        self.facts.entry(key).or_insert_with(|| WorkFacts::of(row))
    }

    fn add_record(&mut self, row: &TableRow, collector: &mut EntryCollector) -> ReadResult {
        let key = row.cell("key").unwrap_or_default();
        let series = series(row.cell("series_name"), row.cell("s_id"), None);
        if key.starts_with("watch-episode") {
            let special = row.is_true("is_special");
            let row = WatchedRow {
                season: row.number(&["s_no", "season_number"]),
                episode: row.number(&["ep_no", "episode_number"]),
                at_ms: row.time(&["created_at"]),
                ..series
            };
            return self.add_episode(row, special, collector);
        }
        if key.starts_with("user-series") {
            let facts = self.facts_of(series);
            facts.is_planned |= row.is_true("is_for_later") || row.is_true("is_followed");
            facts.is_dropped |= row.is_true("is_archived");
        }
        Ok(())
    }

    fn add_old_record(&mut self, row: &TableRow, collector: &mut EntryCollector) -> ReadResult {
        let kind = row.cell("type").unwrap_or_default();
        let date = row.cell("watch_date_range_key");
        let date = date.and_then(|date| watched_at(date.strip_prefix("watch-date-")?));
        let at_ms = date.or_else(|| row.time(&["created_at"]));
        let is_watched = matches!(kind, "watch" | "rewatch");
        if row.cell("entity_type") == Some("movie") {
            let (title, date) = (row.cell("movie_name"), row.cell("release_date"));
            let movie = WatchedRow {
                at_ms,
                ..movie(title, date, [None, None])
            };
            if let Some(uuid) = row.value(&["uuid"]) {
                self.movies.insert(uuid.to_owned(), movie.clone());
            }
            if is_watched {
                return self.add_movie(movie, collector);
            }
            if kind == "towatch" && movie.title.is_some() {
                self.facts_of(movie).is_planned = true;
            }
            return Ok(());
        }
        if !is_watched || row.cell("entity_type") != Some("episode") {
            return Ok(());
        }
        let episode = WatchedRow {
            season: row.number(&["season_number"]),
            episode: row.number(&["episode_number"]),
            at_ms,
            ..series(row.cell("series_name"), row.cell("s_id"), None)
        };
        if self.has(&episode) {
            return Ok(());
        }
        self.add_episode(episode, false, collector)
    }

    fn add_seen(&mut self, row: &TableRow, collector: &mut EntryCollector) -> ReadResult {
        let episode = WatchedRow {
            season: row.number(&["episode_season_number", "season_number"]),
            episode: row.number(&["episode_number"]),
            at_ms: row.time(&["created_at", "updated_at"]),
            ..series(row.cell("tv_show_name"), row.cell("tv_show_id"), None)
        };
        if self.has(&episode) {
            return Ok(());
        }
        self.add_episode(episode, false, collector)
    }

    fn add_followed(&mut self, row: &TableRow) {
        let series = series(row.cell("tv_show_name"), row.cell("tv_show_id"), None);
        let key = (false, key_of(&series));
        // The newer records also show which series are followed.
        if !self.facts.contains_key(&key) {
            let facts = self.facts_of(series);
            facts.is_dropped = row.is_true("archived");
            facts.is_planned = !facts.is_dropped;
        }
    }

    /// Adds a vote about a movie. The five votes have the numbers 1, 27, 28, 29 and 3, from the worst to the best.
    fn add_vote(&mut self, row: &TableRow) {
        let vote = row.cell("vote_key").and_then(|key| key.rsplit('-').next());
        let score = match vote {
            Some("1") => "2",
            Some("27") => "4",
            Some("28") => "6",
            Some("29") => "8",
            Some("3") => "10",
            _ => return,
        };
        let known = row.cell("uuid").and_then(|uuid| self.movies.get(uuid));
        if let Some(movie) = known.cloned() {
            self.facts_of(movie).score = Some(score.to_owned());
        }
    }

    fn add_exported_episode(
        &mut self,
        row: &TableRow,
        collector: &mut EntryCollector,
    ) -> ReadResult {
        if !row.is_true("is_watched") {
            return collector.leave_out(kinds::NOT_WATCHED);
        }
        let title = row.value(&["series_title", "title"]);
        let [tvdb, imdb] = ["series_tvdb_id", "series_imdb_id"].map(|name| row.cell(name));
        let episode = WatchedRow {
            season: row.number(&["season"]),
            episode: row.number(&["episode", "number"]),
            at_ms: row.time(&["watched_at"]),
            ..series(title, tvdb, imdb)
        };
        self.add_episode(episode, row.is_true("special"), collector)
    }

    fn add_exported_series(&mut self, row: &TableRow) {
        let series = series(row.cell("title"), row.cell("tvdb_id"), row.cell("imdb_id"));
        self.add_status(series, row.cell("status"));
    }

    fn add_status(&mut self, series: WatchedRow, status: Option<&str>) {
        // The words continuing and up_to_date follow from the episodes.
        match status {
            Some("stopped") => self.facts_of(series).is_dropped = true,
            Some("not_started_yet" | "watch_later" | "for_later") => {
                self.facts_of(series).is_planned = true;
            }
            _ => {}
        }
    }

    fn add_exported_movie(&mut self, row: &TableRow, collector: &mut EntryCollector) -> ReadResult {
        let [title, year, tvdb, imdb] =
            ["title", "year", "tvdb_id", "imdb_id"].map(|name| row.cell(name));
        let work = WatchedRow {
            at_ms: row.time(&["watched_at"]),
            ..movie(title, year, [tvdb, imdb])
        };
        if !row.is_true("is_watched") {
            self.facts_of(work).is_planned = true;
            return Ok(());
        }
        let again: u32 = row.number(&["rewatch_count"]).unwrap_or(0);
        // Only one time is known.
        for _ in 0..again.min(100) {
            let again = WatchedRow {
                at_ms: None,
                ..work.clone()
            };
            self.add_movie(again, collector)?;
        }
        self.add_movie(work, collector)
    }

    fn read_json(&mut self, json: &Json, collector: &mut EntryCollector) -> ReadResult {
        add_each(collector, &json.array("")?, |collector, element| {
            if element.contains_key("seasons") {
                self.add_series_json(element, collector)
            } else {
                self.add_movie_json(element, collector)
            }
        })
    }

    fn add_series_json(&mut self, element: &Object, collector: &mut EntryCollector) -> ReadResult {
        let [title, tvdb, imdb] = ["title", "id.tvdb", "id.imdb"].map(|name| text(element, name));
        let series = series(title.as_deref(), tvdb.as_deref(), imdb.as_deref());
        for season in objects(element, "seasons") {
            for episode in objects(season, "episodes") {
                if !is_true(episode, "is_watched") {
                    collector.leave_out(kinds::NOT_WATCHED)?;
                    continue;
                }
                let row = WatchedRow {
                    season: number(season, "number"),
                    episode: number(episode, "number"),
                    at_ms: time(episode, "watched_at"),
                    ..series.clone()
                };
                self.add_episode(row, is_true(episode, "special"), collector)?;
            }
        }
        self.add_status(series, text(element, "status").as_deref());
        Ok(())
    }

    fn add_movie_json(&mut self, element: &Object, collector: &mut EntryCollector) -> ReadResult {
        let [title, year] = ["title", "year"].map(|name| text(element, name));
        let ids = ["id.tvdb", "id.imdb"].map(|name| text(element, name));
        let ids = [ids[0].as_deref(), ids[1].as_deref()];
        let work = WatchedRow {
            at_ms: time(element, "watched_at"),
            ..movie(title.as_deref(), year.as_deref(), ids)
        };
        if is_true(element, "is_watched") {
            return self.add_movie(work, collector);
        }
        self.facts_of(work).is_planned = true;
        Ok(())
    }

    /// Records the identifier of a series, which the Liberator's rows of its episodes lack.
    fn record_series(&mut self, row: &TableRow) {
        let id = row.cell("tvdb_id");
        let id = id.and_then(|id| stated_id(IdSource::Tvdb, IdKind::Series, id));
        if let (Some("show"), Some(title), Some(id)) = (row.cell("type"), row.cell("title"), id) {
            let known = self.series_ids.entry(title.to_lowercase());
            let known = known.or_insert(Some(id.id));
            // Two series with the same title cannot be distinguished by it.
            *known = known.filter(|known| *known == id.id);
        }
    }

    fn add_activity(&mut self, row: &TableRow, collector: &mut EntryCollector) -> ReadResult {
        let title = row.cell("title");
        let [tvdb, imdb] = [row.cell("tvdb_id"), row.cell("imdb_id")];
        let at_ms = row.time(&["watched_at"]);
        let is_watched = row.is_true("is_watched");
        let work = match row.cell("type") {
            Some("movie") => WatchedRow {
                at_ms,
                ..movie(title, row.cell("year"), [tvdb, imdb])
            },
            Some("show") => series(title, tvdb, imdb),
            Some("episode") if is_watched => {
                // The row's own identifier is that of the episode.
                let key = title.unwrap_or_default().to_lowercase();
                let id = self.series_ids.get(&key).copied().flatten();
                let id = id.map(|id| id.to_string());
                let episode = WatchedRow {
                    season: row.number(&["season"]),
                    episode: row.number(&["episode"]),
                    at_ms,
                    ..series(title, id.as_deref(), None)
                };
                return self.add_episode(episode, row.is_true("is_special"), collector);
            }
            Some("episode") => return collector.leave_out(kinds::NOT_WATCHED),
            _ => return Ok(()),
        };
        if let Some(rating) = row.value(&["rating"]) {
            self.facts_of(work.clone()).score = Some(rating.to_owned());
        }
        if work.is_movie && is_watched {
            return self.add_movie(work, collector);
        }
        if row.is_true("is_watchlisted") {
            self.facts_of(work.clone()).is_planned = true;
        }
        if !work.is_movie {
            self.add_status(work, row.cell("status"));
        }
        Ok(())
    }

    fn finish(self, collector: &mut EntryCollector) -> ReadResult {
        collector.scale = HighestScore::OfFormat(10.0);
        for (key, facts) in self.facts {
            let is_watched = self.watched.contains(&key);
            let status = match (facts.is_dropped, facts.is_planned, is_watched) {
                (true, _, true) => Some(WatchStatus::Dropped),
                (false, true, false) => Some(WatchStatus::Planning),
                _ => None,
            };
            facts.add_to(collector, status)?;
        }
        Ok(())
    }
}

fn series(title: Option<&str>, tvdb: Option<&str>, imdb: Option<&str>) -> WatchedRow {
    let tvdb = tvdb.and_then(|id| stated_id(IdSource::Tvdb, IdKind::Series, id));
    let imdb = imdb.and_then(|id| stated_id(IdSource::Imdb, IdKind::Series, id));
    WatchedRow {
        title: title.and_then(title_of),
        ids: tvdb.into_iter().chain(imdb).collect(),
        ..WatchedRow::default()
    }
}

/// Returns a row about a movie. `ids` are those at `TheTVDB` and `IMDb`.
fn movie(title: Option<&str>, year: Option<&str>, [tvdb, imdb]: [Option<&str>; 2]) -> WatchedRow {
    let tvdb = tvdb.and_then(|id| stated_id(IdSource::Tvdb, IdKind::Movie, id));
    let imdb = imdb.and_then(|id| stated_id(IdSource::Imdb, IdKind::Movie, id));
    WatchedRow {
        is_movie: true,
        title: title.and_then(title_of),
        year: year.and_then(parse_year),
        ids: imdb.into_iter().chain(tvdb).collect(),
        ..WatchedRow::default()
    }
}

/// Returns a text by which a series or a movie is known: its first identifier, or its title and year.
fn key_of(row: &WatchedRow) -> String {
    if let Some(id) = row.ids.first() {
        return format!("{:?} {}", id.source, id.id);
    }
    let title = row.title.as_deref().unwrap_or_default().to_lowercase();
    match row.year {
        Some(year) => format!("{title} ({year})"),
        None => title,
    }
}

#[cfg(test)]
mod tests {
    use crate::read::formats::tests::{list, summary, watched, zip_of};

    const V2: &str = "created_at,key,s_id,is_for_later,is_followed,is_archived,is_unitary,is_special,series_name,\
        season_number,episode_number\n\
        2021-01-01 00:00:00,tracking-stats,,,,,,,,,\n\
        2020-05-01 19:00:00,watch-episode-1,11,,,,false,,Kumo,3,14\n\
        2020-05-02 19:00:00,watch-episode-2,11,,,,false,,Kumo,0,1\n\
        2020-05-02 19:00:00,user-series-1,11,false,true,true,,,Kumo,,\n\
        2020-05-02 19:00:00,user-series-2,21,true,true,false,,,Hoshi,,\n";

    #[test]
    fn data_of_the_account_are_read() {
        let v1 = "type-uuid-n,uuid,type,entity_type,movie_name,series_name,release_date,watch_date_range_key,\
            season_number,episode_number,created_at\n\
            a,u1,watch,movie,Mori,,2001-07-20 00:00:00,watch-date-1577836800,,,2020-02-02 00:00:00\n\
            b,u2,towatch,movie,Umi,,0001-01-01 00:00:00,,,,2020-02-02 00:00:00\n\
            c,u3,watch,episode,,Kumo,,,3,14,2020-05-01 19:00:00\n\
            d,u4,watch,episode,,Kumo,,,3,15,2020-05-01 19:00:00\n";
        let votes = "uuid,vote_key\nu1,u1-0-3\n";
        let archive = zip_of(&[
            ("tracking-prod-records-v2.csv", V2),
            ("tracking-prod-records.csv", v1),
            ("ratings-live-votes.csv", votes),
            ("emotions-live-votes.csv", "uuid,vote_key\nu1,u1-0-1\n"),
        ]);
        let file = list(archive);
        assert_eq!(file.format.title(), "TV Time export");
        file.assert_watched(&[
            "tvdb series 11 \"Kumo\" S3E14 2020-05-01T19:00:00Z",
            "\"Mori\" (2001) movie 2020-01-01T00:00:00Z",
            "\"Kumo\" S3E15 2020-05-01T19:00:00Z",
        ]);
        file.assert_entries(&[
            "tvdb series 11 \"Kumo\" DROPPED",
            "tvdb series 21 \"Hoshi\" PLANNING 0",
            "\"Umi\" PLANNING 0",
            "\"Mori\" (2001) no status 100",
        ]);
        assert_eq!(summary(&list(V2)), summary(&file)[..2]);
    }

    #[test]
    fn last_export_is_read_once() {
        let json = r#"[{"id": {"tvdb": 11, "imdb": null}, "title": "Kumo", "status": "stopped",
            "seasons": [{"number": 3, "episodes": [
            {"number": 14, "is_watched": true, "watched_at": "2024-11-02T11:53:58Z"},
            {"number": 15, "is_watched": false, "watched_at": null}]}]},
            {"id": {"tvdb": 21, "imdb": null}, "title": "Hoshi", "status": "not_started_yet", "seasons": []}]"#;
        let movies = "uuid,tvdb_id,imdb_id,title,year,watched_at,is_watched,rewatch_count\n\
            u1,31,tt0245429,Mori,2001,2020-01-01T00:00:00Z,true,1\nu2,32,-1,Umi,2016,,false,\n";
        let archive = zip_of(&[
            ("tvtime-series-2026-07-10.json", json),
            (
                "tvtime-series-2026-07-10.csv",
                "uuid,tvdb_id,title,status\nu3,11,Kumo,stopped\n",
            ),
            ("tvtime-movies-2026-07-10.csv", movies),
        ]);
        let file = list(archive);
        file.assert_watched(&[
            "tvdb series 11 \"Kumo\" S3E14 2024-11-02T11:53:58Z",
            "imdb movie 245429 tvdb movie 31 \"Mori\" (2001) movie",
            "imdb movie 245429 tvdb movie 31 \"Mori\" (2001) movie 2020-01-01T00:00:00Z",
        ]);
        file.assert_entries(&[
            "tvdb series 11 \"Kumo\" DROPPED",
            "tvdb series 21 \"Hoshi\" PLANNING 0",
            "tvdb movie 32 \"Umi\" (2016) PLANNING 0",
        ]);
        assert_eq!(list(json).watched, file.watched[..1]);
        let episodes = "series_tvdb_id,series_imdb_id,title,season,episode,tvdb_id,is_watched,watched_at,special\n\
            11,,Kumo,3,14,99,true,2024-11-02T11:53:58Z,false\n11,,Kumo,3,15,98,false,,false\n";
        assert_eq!(watched(&list(episodes)), watched(&file)[..1]);
    }

    #[test]
    fn series_of_the_liberator_have_their_own_rows() {
        let file = list(
            "imdb_id,tvdb_id,type,title,season,episode,is_special,is_watched,watched_at,status,is_watchlisted,rating\n\
             tt0245429,31,movie,Mori,,,false,true,2020-01-01T00:00:00Z,,false,9\n\
             -1,500003,episode,Kumo,3,14,false,true,2024-11-02T11:53:58Z,continuing,false,\n\
             -1,11,show,Kumo,,,,,,continuing,true,\n\
             -1,21,show,Hoshi,,,,,,not_started_yet,true,\n",
        );
        file.assert_watched(&[
            "imdb movie 245429 tvdb movie 31 \"Mori\" movie 2020-01-01T00:00:00Z",
            "tvdb series 11 \"Kumo\" S3E14 2024-11-02T11:53:58Z",
        ]);
        file.assert_entries(&[
            "imdb movie 245429 tvdb movie 31 \"Mori\" no status 90",
            "tvdb series 21 \"Hoshi\" PLANNING 0",
        ]);
    }
}
