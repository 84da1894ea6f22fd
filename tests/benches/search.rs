//! Measures the quality and the speed of the search over a real catalogue: how many queries find their anime
//! first and among the first three, and how long a search takes, also with ten times as many rows.
//!
//! Needs four files: `KIROKU_BENCH_ANIME` (the anime-offline-database), `KIROKU_BENCH_TITLES` (a title dump of
//! `AniDB`), `KIROKU_BENCH_IDS` (the mapping of anime-lists) and `KIROKU_BENCH_QUERIES` (JSON Lines of
//! `{"query": "...", "kind": "typo", "anilist_ids": [1], "mal_ids": [1]}`). Fails if fewer than 95 % of the
//! queries find their anime first, or fewer than 99 % among the first three.

#![expect(
    clippy::expect_used,
    reason = "a benchmark must stop at an unexpected result"
)]

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use catalogue::index::{AnimeFilter, AnimeIndex, ListIndex, SearchQuery};
use catalogue::{decode, encode};
use cli::import::{self, Progress};
use serde_json::Value;
use shared::input::{PageRequest, Start};
use shared::models::{ANIME_ID_BITS, Anime, TrackerIds};
use store::{AnimeListItem, CatalogueStore};
use tests::service::Service;

/// The first results that are read.
const FIRST: PageRequest = PageRequest {
    per_page: 3,
    start: Start::First,
};

/// The number of times that each query is measured. Its duration is the median.
const REPEATS: usize = 15;

fn main() {
    let file = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let (Some(anime), Some(titles), Some(ids), Some(queries)) = (
        file("KIROKU_BENCH_ANIME"),
        file("KIROKU_BENCH_TITLES"),
        file("KIROKU_BENCH_IDS"),
        file("KIROKU_BENCH_QUERIES"),
    ) else {
        println!("Skipped: set KIROKU_BENCH_ANIME, _TITLES, _IDS and _QUERIES to the files.");
        return;
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let items = runtime.block_on(async {
        let service = Service::empty().await;
        let (client, tables, quiet) = (&service.client, &service.tables, Progress::hidden());
        let done = import::anime(&anime, Some(&ids), client, tables, &quiet).await;
        done.expect("an import of anime");
        let done = import::titles(&titles, &ids, client, tables, &quiet).await;
        done.expect("an import of titles");
        let store = CatalogueStore::<Anime>::new(client.clone(), tables);
        store.list_items().await.expect("the list")
    });
    let queries = std::fs::read_to_string(queries).expect("the queries");
    let queries: Vec<Value> = queries
        .lines()
        .map(|line| serde_json::from_str(line).expect("a query"))
        .collect();
    quality(&items, &queries);
    let copies = (0..10).flat_map(|copy| items.iter().map(move |item| copied(item, copy)));
    speed(&copies.collect(), &queries);
}

fn filter(query: &Value) -> AnimeFilter {
    let text = query["query"].as_str().expect("a text");
    AnimeFilter {
        search: SearchQuery::new(text),
        ..AnimeFilter::default()
    }
}

fn quality(items: &[AnimeListItem], queries: &[Value]) {
    let trackers: HashMap<u64, TrackerIds> = items
        .iter()
        .filter_map(|item| Some((item.id()?.get(), item.trackers())))
        .collect();
    let index: AnimeIndex = items.iter().cloned().collect();
    let has = |list: &Value, id: Option<u32>| {
        let wanted = list.as_array().expect("a list").iter();
        id.is_some()
            && wanted
                .into_iter()
                .any(|wanted| wanted.as_u64() == id.map(u64::from))
    };
    let mut kinds: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for query in queries {
        let found = index.search(&filter(query), FIRST).expect("texts").rows;
        let is_wanted = |id: u64| {
            let ids = trackers[&id];
            has(&query["anilist_ids"], ids.a) || has(&query["mal_ids"], ids.b)
        };
        let place = found.iter().position(|row| is_wanted(row.id));
        let kind = kinds
            .entry(query["kind"].as_str().unwrap_or("all"))
            .or_default();
        kind[0] += 1;
        kind[1] += usize::from(place == Some(0));
        kind[2] += usize::from(place.is_some());
        if place != Some(0) {
            println!("not first: {}", query["query"]);
        }
    }
    println!("| kind | queries | first | first three |\n|---|---:|---:|---:|");
    let mut all = [0; 3];
    for (kind, counts) in &kinds {
        println!("| {kind} | {} | {} | {} |", counts[0], counts[1], counts[2]);
        all.iter_mut()
            .zip(counts)
            .for_each(|(sum, count)| *sum += count);
    }
    println!("| all | {} | {} | {} |", all[0], all[1], all[2]);
    speed(&index, queries);
    assert!(all[1] * 100 >= all[0] * 95, "too few are first");
    assert!(
        all[2] * 100 >= all[0] * 99,
        "too few are among the first three"
    );
}

/// Prints the distribution of the durations of the queries, each the median of several searches.
fn speed(index: &AnimeIndex, queries: &[Value]) {
    // An index from a snapshot loads its texts at the first search.
    let (index_bytes, texts) = (encode(index), index.texts().to_bytes());
    let (index_bytes, texts) = (index_bytes.expect("bytes"), texts.expect("texts"));
    let loaded: AnimeIndex = decode(&index_bytes).expect("an index");
    let begun = Instant::now();
    assert!(loaded.texts().load(&texts, loaded.len()));
    let opened = begun.elapsed();
    let mut durations: Vec<Duration> = queries
        .iter()
        .map(|query| {
            let filter = filter(query);
            let mut taken: Vec<Duration> = (0..REPEATS)
                .map(|_| {
                    let begun = Instant::now();
                    std::hint::black_box(index.search(&filter, FIRST));
                    begun.elapsed()
                })
                .collect();
            taken.sort_unstable();
            taken[REPEATS / 2]
        })
        .collect();
    durations.sort_unstable();
    let at = |percent: usize| durations[(durations.len() - 1) * percent / 100];
    println!(
        "{} rows: p50 {:?}, p90 {:?}, p99 {:?}, maximum {:?}; texts of {} bytes load in {opened:?}",
        index.len(),
        at(50),
        at(90),
        at(99),
        at(100),
        texts.len(),
    );
}

/// Returns a copy of a row with another identifier and slightly different titles.
fn copied(item: &AnimeListItem, copy: u64) -> AnimeListItem {
    let mut item = item.clone();
    // Identifiers of real anime are below 2^21.
    item.list_order += copy << (ANIME_ID_BITS - 4);
    if copy > 0 {
        let texts = item.synonyms.values_mut().flatten();
        for text in item.titles.values_mut().chain(texts) {
            *text = format!("{text} kopia{copy}");
        }
    }
    item
}
