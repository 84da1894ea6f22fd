//! Measures the quality and the speed of the search over a real catalogue: how many queries find their anime
//! first and among the first three, and how long a search takes, also with ten times as many rows. Also measures
//! queries that are made to take long.
//!
//! Needs four files: `KIROKU_BENCH_ANIME` (the anime-offline-database), `KIROKU_BENCH_TITLES` (a title dump of
//! `AniDB`), `KIROKU_BENCH_IDS` (the mapping of anime-lists) and `KIROKU_BENCH_QUERIES` (JSON Lines of
//! `{"query": "...", "kind": "typo", "anilist_ids": [1], "mal_ids": [1]}`). Fails if fewer than 95 % of the
//! queries find their anime first, or fewer than 99 % among the first three, or if a query takes more than 40 times as
//! long as nine of ten queries do.

#![expect(
    clippy::expect_used,
    reason = "a benchmark must stop at an unexpected result"
)]

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use catalogue::index::{AnimeFilter, AnimeIndex, ListIndex, SearchQuery};
use catalogue::rows::{AnimeListItem, CatalogueStore};
use cli::import::{self, Progress};
use dynamo::{pack_value, unpack_value};
use serde_json::Value;
use shared::input::{PageRequest, PageStart};
use shared::models::{ANIME_ID_BITS, Anime, TrackerIds};
use tests::loaded::files;
use tests::service::Service;

/// The page of results that is read.
const FIRST: PageRequest = PageRequest {
    per_page: 3,
    start: PageStart::First,
};

/// The number of times that each query is measured. Its duration is the median.
const REPEATS: usize = 15;

fn main() {
    let Some([anime, titles, ids, queries]) = files(["ANIME", "TITLES", "IDS", "QUERIES"]) else {
        return;
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let items = runtime.block_on(async {
        let service = Service::empty().await;
        let (database, quiet) = (&service.database(), Progress::hidden());
        let done = import::import_anime(&anime, Some(&ids), database, &quiet).await;
        done.expect("an import of anime");
        let done = import::import_titles(&titles, &ids, database, &quiet).await;
        done.expect("an import of titles");
        let store = CatalogueStore::<Anime>::new(database);
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
    let p90 = speed(&index, queries);
    let hostile = hostile(items);
    let (slowest, query) = slowest(&index, &hostile);
    let ratio = slowest.as_secs_f64() / p90.as_secs_f64();
    println!("slowest hostile query: {slowest:?}, {ratio:.0} times the p90: {query}");
    assert!(ratio <= 40.0, "a query takes too long");
    assert!(all[1] * 100 >= all[0] * 95, "too few are first");
    assert!(
        all[2] * 100 >= all[0] * 99,
        "too few are among the first three"
    );
}

/// Returns the duration of a search: the median of several.
fn duration(index: &AnimeIndex, filter: &AnimeFilter) -> Duration {
    let mut taken: Vec<Duration> = (0..REPEATS)
        .map(|_| {
            let begun = Instant::now();
            std::hint::black_box(index.search(filter, FIRST));
            begun.elapsed()
        })
        .collect();
    taken.sort_unstable();
    taken[REPEATS / 2]
}

/// Returns the slowest query and its duration.
fn slowest<'q>(index: &AnimeIndex, queries: &'q [String]) -> (Duration, &'q str) {
    let durations = queries.iter().map(|query| {
        let filter = AnimeFilter {
            search: SearchQuery::new(query),
            ..AnimeFilter::default()
        };
        (duration(index, &filter), query.as_str())
    });
    durations.max().expect("a query")
}

/// Returns queries that take much work: single letters, and 24 words that are frequent, are misspelled, can be joined,
/// or are parts of many words. Some queries mix such words.
fn hostile(items: &[AnimeListItem]) -> Vec<String> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut letters: HashMap<String, usize> = HashMap::new();
    for title in items.iter().flat_map(|item| item.titles.values()) {
        for word in title.to_lowercase().split(|c: char| !c.is_alphanumeric()) {
            *counts.entry(word.to_owned()).or_default() += 1;
        }
        for letter in title.chars().filter(|c| matches!(c, 'ァ'..='ヺ')) {
            *letters.entry(letter.to_string()).or_default() += 1;
        }
    }
    let words: Vec<String> = most_frequent(&counts)
        .filter(|word| !word.is_empty() && word.bytes().all(|c| c.is_ascii_lowercase()))
        .collect();
    let kana: Vec<String> = most_frequent(&letters).take(24).collect();
    let misspelled = |lengths: std::ops::Range<usize>| {
        let fitting = words.iter().filter(|word| lengths.contains(&word.len()));
        let typos = fitting.map(|word| [&word[..2], &word[3..4], &word[2..3], &word[4..]].concat());
        let unknown = typos.filter(|word| !counts.contains_key(word));
        unknown.take(24).collect::<Vec<_>>()
    };
    let mut joinable = vec!["no".to_owned()];
    while let Some(last) = joinable.last().filter(|_| joinable.len() < 24) {
        let can_follow = |next: &&String| {
            counts.contains_key(&format!("{last}{next}")) && !joinable.contains(next)
        };
        let next = words.iter().filter(|word| word.len() < 4).find(can_follow);
        joinable.push(next.unwrap_or(&words[joinable.len()]).clone());
    }
    let joined = |start: usize| {
        (start..start + 6)
            .map(|at| words[at % 24].as_str())
            .collect()
    };
    let joined: Vec<String> = (0..24).map(joined).collect();
    let lists = [
        kana,
        joinable,
        joined,
        misspelled(4..6),
        misspelled(6..7),
        misspelled(7..9),
        words[..24].to_vec(),
    ];
    let mixed = lists
        .iter()
        .flat_map(|list| lists.iter().map(move |other| (list, other)));
    let mixed = mixed.flat_map(|(list, other)| {
        [12, 20].map(|at| [&list[..at], &other[at..]].concat().join(" "))
    });
    mixed.chain(('a'..='z').map(String::from)).collect()
}

/// Returns the keys with the highest counts first.
fn most_frequent(counts: &HashMap<String, usize>) -> impl Iterator<Item = String> {
    let mut keys: Vec<(&String, &usize)> = counts.iter().collect();
    keys.sort_unstable_by_key(|(key, count)| (std::cmp::Reverse(**count), *key));
    keys.into_iter().map(|(key, _)| key.clone())
}

/// Prints the distribution of the durations of the queries, each the median of several searches. Returns the duration
/// that 90 % of the queries do not exceed.
fn speed(index: &AnimeIndex, queries: &[Value]) -> Duration {
    // An index from a snapshot loads its texts at the first search.
    let (index_bytes, texts) = (pack_value(index), index.texts().to_bytes());
    let (index_bytes, texts) = (index_bytes.expect("bytes"), texts.expect("texts"));
    let loaded: AnimeIndex = unpack_value(&index_bytes).expect("an index");
    let begun = Instant::now();
    assert!(loaded.texts().load(&texts, loaded.len()));
    let opened = begun.elapsed();
    let mut durations: Vec<Duration> = queries
        .iter()
        .map(|query| duration(index, &filter(query)))
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
    at(90)
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
