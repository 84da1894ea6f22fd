//! Measures how well episodes are found by name over a real catalogue: the right, missed and wrong matches of the
//! names that media servers and files have.
//!
//! Needs a catalogue: `KIROKU_BENCH_ANIME` (the anime-offline-database), `KIROKU_BENCH_TITLES` (a title dump of
//! `AniDB`), `KIROKU_BENCH_IDS` (the mapping of anime-lists) and `KIROKU_BENCH_SEASONS` (`anime-list-master.xml`). Each
//! of these sets of cases is measured if its variable is set. They are JSON Lines:
//! - `KIROKU_BENCH_SERVERS`: `{"series_name": "...", "season": 1, "episode": 2, "kind": "plain", "mal_id": 1,
//!   "anime_episode": 2}`, without a season for movies.
//! - `KIROKU_BENCH_FILES`: `{"file": "...", "kind": "episode", "mal_id": 1, "anime_episode": 2}`; a file that is not an
//!   episode has no number.
//! - `KIROKU_BENCH_NAMES` and `KIROKU_BENCH_REPORTED`: `{"style": "...", "language": "rj", "message": {"title": "...",
//!   "season": 1, "episode": 3}, "mal_id": 1, "episode": 3}`, or with the name of a file: `{"file": "..."}`.
//! - `KIROKU_BENCH_OTHERS`: `{"title": "...", "year": 2008}`, series that are not anime. They are sent with and without
//!   the year.
//!
//! Fails if fewer than 97 % of the made-up names, 95 % of the reported names and the names of servers, or 90 % of the
//! names of files are right, or if more than 0.5 %, 1 %, 1 % and 4 % of them are wrong.

#![expect(
    clippy::expect_used,
    reason = "a benchmark must stop at an unexpected result"
)]

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use catalogue::AnimeMapping;
use catalogue::identify::{EpisodeName, Evidence, NameSearches};
use catalogue::import::{IdMapping, SeasonList};
use catalogue::index::AnimeIndex;
use catalogue::rows::CatalogueStore;
use catalogue::seasons::{AnimeEpisode, AnimeSeasons};
use cli::import::{self, Progress};
use player_messages::file_name::FileName;
use serde_json::Value;
use shared::models::{Anime, AnimeFormat};
use tests::loaded::files;
use tests::service::Service;

/// The numbers of right, missed and wrong matches.
type Counts = [u32; 3];

/// Reads a case: returns the name of its group, and the evidence.
type ReadCase = fn(&Value) -> (String, Evidence);

fn main() {
    let file = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let Some([anime, titles, ids, seasons]) = files(["ANIME", "TITLES", "IDS", "SEASONS"]) else {
        return;
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let index = runtime.block_on(import_index(&anime, &titles, &ids));
    let open = |path: &Path| BufReader::new(File::open(path).expect("a file"));
    let mapping = IdMapping::read(open(&ids)).expect("a mapping");
    let mapping = AnimeMapping::new(index.tracked_anime(), mapping.entries().to_vec());
    let list = SeasonList::read(open(&seasons)).expect("a list of seasons");
    let seasons = AnimeSeasons {
        map: Arc::new(list.map),
        mapping: Arc::new(mapping),
        index: Arc::new(index),
    };
    let measured = |variable: &str, read: ReadCase| {
        let cases = file(variable)?;
        println!("\n{variable}");
        Some(measure(&seasons, &read_cases(&cases), read))
    };
    let targets: [(&str, ReadCase, f64, f64); 4] = [
        ("KIROKU_BENCH_NAMES", made_name, 97.0, 0.5),
        ("KIROKU_BENCH_REPORTED", reported_name, 95.0, 1.0),
        ("KIROKU_BENCH_SERVERS", name_of_server, 95.0, 1.0),
        ("KIROKU_BENCH_FILES", name_of_file, 90.0, 4.0),
    ];
    measured("KIROKU_BENCH_OTHERS", other_series);
    measured("KIROKU_BENCH_OTHERS", other_series_with_year);
    for (variable, read, right, wrong) in targets {
        let Some(counts) = measured(variable, read) else {
            continue;
        };
        let all = counts.iter().sum();
        assert!(percent(counts[0], all) >= right, "too few are right");
        assert!(percent(counts[2], all) <= wrong, "too many are wrong");
    }
}

fn percent(count: u32, all: u32) -> f64 {
    100.0 * f64::from(count) / f64::from(all)
}

async fn import_index(anime: &Path, titles: &Path, ids: &Path) -> AnimeIndex {
    let service = Service::empty().await;
    let (database, quiet) = (&service.database(), Progress::hidden());
    let done = import::import_anime(anime, Some(ids), database, &quiet).await;
    done.expect("an import of anime");
    let done = import::import_titles(titles, ids, database, &quiet).await;
    done.expect("an import of titles");
    let items = CatalogueStore::<Anime>::new(database).list_items().await;
    items.expect("the list").into_iter().collect()
}

fn read_cases(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("the cases");
    let cases = text.lines().map(serde_json::from_str);
    cases.collect::<Result<_, _>>().expect("JSON Lines")
}

fn number<N: TryFrom<u64>>(value: &Value) -> Option<N> {
    value.as_u64().and_then(|number| N::try_from(number).ok())
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn made_name(case: &Value) -> (String, Evidence) {
    let group = format!("{} {}", text(&case["style"]), text(&case["language"]));
    (group, evidence_of(&case["message"]))
}

fn reported_name(case: &Value) -> (String, Evidence) {
    ("reported".to_owned(), evidence_of(case))
}

fn other_series(case: &Value) -> (String, Evidence) {
    let evidence = Evidence {
        titles: vec![text(&case["title"])],
        season: Some(1),
        episode: Some(3),
        ..Evidence::default()
    };
    ("title alone".to_owned(), evidence)
}

fn other_series_with_year(case: &Value) -> (String, Evidence) {
    let (_, evidence) = other_series(case);
    let year = number(&case["year"]);
    ("title and year".to_owned(), Evidence { year, ..evidence })
}

fn name_of_server(case: &Value) -> (String, Evidence) {
    let evidence = Evidence {
        titles: vec![text(&case["series_name"])],
        season: number(&case["season"]),
        episode: number(&case["episode"]),
        year: number(&case["year"]),
        format: case["season"].is_null().then_some(AnimeFormat::Movie),
        ..Evidence::default()
    };
    (text(&case["kind"]), evidence)
}

fn name_of_file(case: &Value) -> (String, Evidence) {
    (text(&case["kind"]), evidence_of(case))
}

/// Returns what a message of a player says.
fn evidence_of(message: &Value) -> Evidence {
    if let Some(file) = message["file"].as_str() {
        let read = FileName::read(file);
        return Evidence {
            ids: read.ids,
            readings: read.all.into_iter().map(reading).collect(),
            ..Evidence::default()
        };
    }
    Evidence {
        titles: vec![text(&message["title"])],
        season: number(&message["season"]),
        episode: number(&message["episode"]),
        ..Evidence::default()
    }
}

fn reading(name: FileName) -> EpisodeName {
    EpisodeName {
        title: name.title,
        season: name.season,
        episode: name.episode,
        year: name.year,
        format: name.format,
    }
}

/// Prints the counts of each group of cases, and every case that is not right. Returns the counts of all.
fn measure(seasons: &AnimeSeasons, cases: &[Value], read: ReadCase) -> Counts {
    let mut groups: BTreeMap<String, Counts> = BTreeMap::new();
    let begun = Instant::now();
    for case in cases {
        let (group, evidence) = read(case);
        let found = seasons.identify(&evidence, &mut NameSearches::default());
        let found = found.and_then(|found| found.certain());
        let episode = number(&case["anime_episode"]).or_else(|| number(&case["episode"]));
        let is_right = |found: AnimeEpisode| {
            let tracker_id = seasons.index.trackers(found.anime).and_then(|ids| ids.b);
            tracker_id == number(&case["mal_id"]) && episode == Some(found.episode)
        };
        let verdict = match found {
            Some(found) if is_right(found) => 0,
            Some(_) => 2,
            None if episode.is_none() => 0,
            None => 1,
        };
        if verdict > 0 {
            let tracker_id = found.and_then(|found| seasons.index.trackers(found.anime)?.b);
            let at = tracker_id.zip(found.map(|found| found.episode));
            println!("{}: {case} {at:?}", ["right", "missed", "wrong"][verdict]);
        }
        groups.entry(group).or_default()[verdict] += 1;
    }
    let taken = begun.elapsed() / u32::try_from(cases.len().max(1)).expect("a number");
    println!("| cases | number | right | missed | wrong |\n|---|---:|---:|---:|---:|");
    let mut all = Counts::default();
    for (group, counts) in &groups {
        print_row(group, *counts);
        all.iter_mut()
            .zip(counts)
            .for_each(|(sum, count)| *sum += count);
    }
    print_row("all", all);
    println!("{taken:?} for a name");
    all
}

fn print_row(group: &str, counts: Counts) {
    let number: u32 = counts.iter().sum();
    let [right, missed, wrong] = counts.map(|count| percent(count, number));
    println!("| {group} | {number} | {right:.1} % | {missed:.1} % | {wrong:.1} % |");
}
