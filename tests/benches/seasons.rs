//! Measures how many episodes of media servers find their anime and episode by the identifier of their series, and
//! how long a lookup takes, over a real catalogue.
//!
//! Needs four files: `KIROKU_BENCH_ANIME` (the anime-offline-database), `KIROKU_BENCH_IDS` (the mapping of
//! anime-lists), `KIROKU_BENCH_SEASONS` (`anime-list-master.xml` of anime-lists) and `KIROKU_BENCH_CASES` (JSON Lines
//! of `{"source": "tvdb", "series_id": 1, "season": 1, "episode": 2, "kind": "plain", "anilist_id": 1, "mal_id": 1,
//! "anime_episode": 2}`; the source is `tvdb`, `tmdb` or `tmdb_movie`). Fails if fewer than 97 % of the cases are
//! right, or more than 1 % of those that are matched are wrong.

#![expect(
    clippy::expect_used,
    reason = "a benchmark must stop at an unexpected result"
)]

use std::collections::{BTreeMap, HashMap};
use std::hint::black_box;
use std::time::Instant;

use catalogue::identifiers::IdSource;
use catalogue::seasons::{AnimeEpisode, AnimeSeasons, Candidates, Series};
use catalogue::{Catalogue, publish};
use cli::import::{self, Progress};
use dynamo::{pack_value, unpack_value};
use serde_json::Value;
use shared::models::{Anime, AnimeId, TrackerIds};
use tests::loaded::files;
use tests::service::Service;

/// The number of times that each lookup is measured.
const REPEATS: u32 = 100;

/// The results of cases.
#[derive(Clone, Copy, Default)]
struct Counts {
    right: usize,
    missed: usize,
    wrong: usize,
}

fn main() {
    let Some([anime, ids, list, cases]) = files(["ANIME", "IDS", "SEASONS", "CASES"]) else {
        return;
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let seasons = runtime.block_on(async {
        let service = Service::empty().await;
        let (database, quiet) = (&service.database(), Progress::hidden());
        let done = import::import_anime(&anime, Some(&ids), database, &quiet).await;
        done.expect("an import of anime");
        publish::<Anime>(database).await.expect("an index");
        let report = import::import_seasons(&list, database).await;
        println!("{}", report.expect("an import of seasons"));
        let catalogue: Catalogue<Anime> = Catalogue::new(database, 0);
        catalogue.seasons().await.expect("the seasons")
    });
    let cases = std::fs::read_to_string(cases).expect("the cases");
    let cases: Vec<Value> = cases
        .lines()
        .map(|line| serde_json::from_str(line).expect("a case"))
        .collect();
    speed(&seasons, &cases);
    quality(&seasons, &cases);
}

fn find(seasons: &AnimeSeasons, case: &Value) -> Candidates<AnimeEpisode> {
    let number = |name: &str| {
        let number = case[name].as_u64();
        u32::try_from(number.expect(name)).expect(name)
    };
    let id = number("series_id");
    let source = match case["source"].as_str() {
        Some("tvdb") => IdSource::Tvdb,
        Some("tmdb") => IdSource::Database,
        Some("tmdb_movie") => return seasons.find_movie(IdSource::Database, id),
        other => unreachable!("{other:?}"),
    };
    let season = u16::try_from(number("season")).expect("a season");
    seasons.find(Series { source, id }, season, number("episode"))
}

fn quality(seasons: &AnimeSeasons, cases: &[Value]) {
    let tracked = seasons.index.tracked_anime();
    let trackers: HashMap<AnimeId, TrackerIds> =
        tracked.map(|anime| (anime.id, anime.trackers)).collect();
    let mut kinds: BTreeMap<&str, Counts> = BTreeMap::new();
    for case in cases {
        let is =
            |name: &str, id: Option<u32>| id.is_some() && case[name].as_u64() == id.map(u64::from);
        let found = find(seasons, case);
        let counts = kinds.entry(case["kind"].as_str().unwrap_or("all"));
        let counts = counts.or_default();
        let Some(episode) = found.certain() else {
            counts.missed += 1;
            println!("missed: {case}: {:?}", found.episodes);
            continue;
        };
        let ids = trackers[&episode.anime];
        let is_anime = is("anilist_id", ids.a) || is("mal_id", ids.b);
        if is_anime && is("anime_episode", Some(episode.episode)) {
            counts.right += 1;
        } else {
            counts.wrong += 1;
            println!("wrong: {case}: {episode:?} {ids:?}");
        }
    }
    println!("| kind | cases | right | missed | wrong |\n|---|---:|---:|---:|---:|");
    let mut all = Counts::default();
    for (kind, counts) in &kinds {
        print_row(kind, *counts);
        all.right += counts.right;
        all.missed += counts.missed;
        all.wrong += counts.wrong;
    }
    print_row("all", all);
    let matched = all.right + all.wrong;
    assert!(all.right * 100 >= cases.len() * 97, "too few are right");
    assert!(all.wrong * 100 <= matched, "too many are wrong");
}

fn print_row(kind: &str, counts: Counts) {
    let Counts {
        right,
        missed,
        wrong,
    } = counts;
    let cases = right + missed + wrong;
    println!("| {kind} | {cases} | {right} | {missed} | {wrong} |");
}

fn speed(seasons: &AnimeSeasons, cases: &[Value]) {
    let bytes = pack_value(&*seasons.map).expect("bytes");
    let begun = Instant::now();
    let loaded = unpack_value(&bytes);
    let opened = begun.elapsed();
    assert_eq!(loaded.as_ref(), Some(&*seasons.map));
    let mut durations: Vec<_> = cases
        .iter()
        .map(|case| {
            let begun = Instant::now();
            for _ in 0..REPEATS {
                black_box(find(seasons, case));
            }
            begun.elapsed() / REPEATS
        })
        .collect();
    durations.sort_unstable();
    let at = |percent: usize| durations[(durations.len() - 1) * percent / 100];
    println!(
        "{} places: a snapshot of {} bytes loads in {opened:?}; lookups take p50 {:?}, maximum {:?}",
        seasons.map.len(),
        bytes.len(),
        at(50),
        at(100),
    );
}
