//! Measures how well episodes are found by name over a real catalogue: the right, missed and wrong matches of the
//! names that media servers and files have.
//!
//! Needs six files: `KIROKU_BENCH_ANIME` (the anime-offline-database), `KIROKU_BENCH_TITLES` (a title dump of
//! `AniDB`), `KIROKU_BENCH_IDS` (the mapping of anime-lists), `KIROKU_BENCH_SEASONS` (`anime-list-master.xml`),
//! `KIROKU_BENCH_SERVERS` (JSON Lines of `{"series_name": "...", "season": 1, "episode": 2, "kind": "plain",
//! "mal_id": 1, "anime_episode": 2}`, without a season for movies) and `KIROKU_BENCH_FILES` (JSON Lines of
//! `{"file": "...", "kind": "episode", "mal_id": 1, "anime_episode": 2}`; a file that is no episode has no number).
//! Fails if fewer than 95 % of the names of servers or fewer than 93 % of those of files are right, or if more than
//! 1 % of all matches are wrong.

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
use catalogue::import::{IdMapping, SeasonList};
use catalogue::index::AnimeIndex;
use catalogue::seasons::{AnimeEpisode, AnimeSeasons, EpisodeName, NameSearches};
use cli::import::{self, Progress};
use player_messages::file_name::FileName;
use serde_json::Value;
use shared::models::{Anime, AnimeFormat};
use tests::service::Service;

/// The numbers of right, missed and wrong matches.
type Counts = [u32; 3];

fn main() {
    let file = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let (Some(anime), Some(titles), Some(ids), Some(seasons), Some(servers), Some(files)) = (
        file("KIROKU_BENCH_ANIME"),
        file("KIROKU_BENCH_TITLES"),
        file("KIROKU_BENCH_IDS"),
        file("KIROKU_BENCH_SEASONS"),
        file("KIROKU_BENCH_SERVERS"),
        file("KIROKU_BENCH_FILES"),
    ) else {
        println!(
            "Skipped: set KIROKU_BENCH_ANIME, _TITLES, _IDS, _SEASONS, _SERVERS and _FILES to the \
             files."
        );
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
    let of_servers = measure(&seasons, "server", &read_cases(&servers), |case| {
        Some(name_of_server(case))
    });
    let of_files = measure(&seasons, "file", &read_cases(&files), name_of_file);
    let percent = |count: u32, all: u32| 100.0 * f64::from(count) / f64::from(all);
    let share = |counts: Counts| percent(counts[0], counts.iter().sum());
    let wrong = of_servers[2] + of_files[2];
    let matched = wrong + of_servers[0] + of_files[0];
    println!(
        "right: {:.1} % of servers, {:.1} % of files; wrong: {:.1} % of matches",
        share(of_servers),
        share(of_files),
        percent(wrong, matched)
    );
    assert!(share(of_servers) >= 95.0, "too few names of servers");
    assert!(share(of_files) >= 93.0, "too few names of files");
    assert!(percent(wrong, matched) <= 1.0, "too many wrong matches");
}

async fn import_index(anime: &Path, titles: &Path, ids: &Path) -> AnimeIndex {
    let service = Service::empty().await;
    let (database, quiet) = (&service.database(), Progress::hidden());
    let done = import::import_anime(anime, Some(ids), database, &quiet).await;
    done.expect("an import of anime");
    let done = import::import_titles(titles, ids, database, &quiet).await;
    done.expect("an import of titles");
    let items = database.documents::<Anime>().list_items().await;
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

fn name_of_server(case: &Value) -> EpisodeName {
    EpisodeName {
        title: case["series_name"].as_str().expect("a name").to_owned(),
        season: number(&case["season"]),
        episode: number(&case["episode"]),
        year: number(&case["year"]),
        format: case["season"].is_null().then_some(AnimeFormat::Movie),
    }
}

fn name_of_file(case: &Value) -> Option<EpisodeName> {
    let name = FileName::parse(case["file"].as_str().expect("a name"))?;
    Some(EpisodeName {
        title: name.title,
        season: name.season,
        episode: name.episode,
        year: name.year,
        format: name.format,
    })
}

/// Prints the counts of each kind of cases, and every case that is not right. Returns the counts of all.
fn measure(
    seasons: &AnimeSeasons,
    source: &str,
    cases: &[Value],
    name_of: impl Fn(&Value) -> Option<EpisodeName>,
) -> Counts {
    let mut kinds: BTreeMap<&str, Counts> = BTreeMap::new();
    let begun = Instant::now();
    for case in cases {
        let name = name_of(case);
        let found = name
            .as_ref()
            .and_then(|name| seasons.find_by_name(name, &mut NameSearches::default()));
        let found = found.and_then(|found| found.certain().copied());
        let is_right = |found: AnimeEpisode| {
            let tracker_id = seasons.index.trackers(found.anime).and_then(|ids| ids.b);
            tracker_id == number(&case["mal_id"])
                && number(&case["anime_episode"]) == Some(found.episode)
        };
        let verdict = match found {
            Some(found) if is_right(found) => 0,
            Some(_) => 2,
            None if case["anime_episode"].is_null() => 0,
            None => 1,
        };
        if verdict > 0 {
            println!("{}: {case}", ["right", "missed", "wrong"][verdict]);
        }
        kinds
            .entry(case["kind"].as_str().unwrap_or("all"))
            .or_default()[verdict] += 1;
    }
    let taken = begun.elapsed() / u32::try_from(cases.len().max(1)).expect("a number");
    println!("| {source} | right | missed | wrong |\n|---|---:|---:|---:|");
    let mut all = Counts::default();
    for (kind, counts) in &kinds {
        println!("| {kind} | {} | {} | {} |", counts[0], counts[1], counts[2]);
        all.iter_mut()
            .zip(counts)
            .for_each(|(sum, count)| *sum += count);
    }
    println!(
        "| all | {} | {} | {} |\n{taken:?} for a name",
        all[0], all[1], all[2]
    );
    all
}
