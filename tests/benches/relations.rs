//! Measures how often the derived sequels and prequels are right, over a real catalogue, and how long the derivation
//! takes.
//!
//! Needs four files: `KIROKU_BENCH_ANIME` (the anime-offline-database), `KIROKU_BENCH_IDS` (the mapping of
//! anime-lists), `KIROKU_BENCH_SEASONS` (`anime-list-master.xml` of anime-lists) and `KIROKU_BENCH_RELATIONS` (JSON
//! Lines, plain or compressed with Zstandard, of `{"mal_id": 1, "relations": [{"type": "SEQUEL", "mal_id": 2}]}`, with
//! the types of AniList). Fails if the file with relations states fewer than 95 % of the derived relations.

#![expect(
    clippy::expect_used,
    reason = "a benchmark must stop at an unexpected result"
)]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::time::Instant;

use catalogue::derive_story_lines;
use catalogue::rows::{CatalogueStore, FactSource};
use cli::import::{self, Progress};
use serde_json::Value;
use shared::models::{Anime, AnimeId};
use tests::loaded::files;
use tests::service::Service;

/// The types of the relations between two anime, by their identifiers at tracker B.
type Stated = HashMap<(u32, u32), BTreeSet<String>>;

/// The maximum number of wrong successions that are shown.
const EXAMPLES: usize = 30;

fn main() {
    let Some([anime, ids, seasons, relations]) = files(["ANIME", "IDS", "SEASONS", "RELATIONS"])
    else {
        return;
    };
    let stated = read_relations(&relations);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let [alone, with_map] = runtime.block_on(async {
        let service = Service::empty().await;
        let (database, quiet) = (&service.database(), Progress::hidden());
        let began = Instant::now();
        let done = import::import_anime(&anime, Some(&ids), database, &quiet).await;
        done.expect("an import of anime");
        println!(
            "import of the anime: {:.1} s",
            began.elapsed().as_secs_f64()
        );
        let alone = rows(&service).await;
        let began = Instant::now();
        let done = import::import_seasons(&seasons, database).await;
        done.expect("an import of seasons");
        println!(
            "import of the seasons: {:.1} s",
            began.elapsed().as_secs_f64()
        );
        let began = Instant::now();
        let done = derive_story_lines(database, u64::MAX).await;
        done.expect("a derivation");
        println!(
            "repeated derivation: {:.1} s",
            began.elapsed().as_secs_f64()
        );
        [alone, rows(&service).await]
    });
    compare("without the season map", &alone, &stated);
    let share = compare("with the season map", &with_map, &stated);
    assert!(share >= 95.0, "too few are right");
}

async fn rows(service: &Service) -> BTreeMap<AnimeId, (Anime, bool)> {
    let mut rows = BTreeMap::new();
    let store = CatalogueStore::<Anime>::new(&service.database());
    let add = |row: catalogue::rows::CatalogueRow<Anime>| {
        let is_derived = row.notes.sources.get("prequel") == Some(&FactSource::Derived);
        rows.insert(row.document.id, (row.document, is_derived));
    };
    store.scan(add).await.expect("the rows");
    rows
}

fn read_relations(path: &PathBuf) -> Stated {
    let bytes = std::fs::read(path).expect("the relations");
    let text = zstd::decode_all(bytes.as_slice()).unwrap_or(bytes);
    let text = String::from_utf8(text).expect("UTF-8");
    let number = |value: &Value| value.as_u64().and_then(|number| u32::try_from(number).ok());
    let mut stated = Stated::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).expect("JSON Lines");
        let anime = number(&line["mal_id"]).expect("mal_id");
        for relation in line["relations"].as_array().expect("relations") {
            let other = number(&relation["mal_id"]).expect("mal_id");
            let kind = relation["type"].as_str().expect("type").to_owned();
            stated.entry((anime, other)).or_default().insert(kind);
        }
    }
    stated
}

/// Prints how many of the derived successions are stated. Returns the share of them, in percent.
fn compare(what: &str, rows: &BTreeMap<AnimeId, (Anime, bool)>, stated: &Stated) -> f64 {
    let has = |one: u32, other: u32, kind: &str| {
        let kinds = stated.get(&(one, other));
        kinds.is_some_and(|kinds| kinds.contains(kind))
    };
    let follows = |one, next| has(one, next, "SEQUEL") || has(next, one, "PREQUEL");
    let (mut right, mut wrong, mut unstated) = (0_u32, Vec::new(), 0_u32);
    let mut found = BTreeSet::new();
    for (anime, is_derived) in rows.values() {
        let next = anime.prequel.filter(|_| *is_derived);
        let Some((next, _)) = next.and_then(|next| rows.get(&next)) else {
            continue;
        };
        let (Some(one), Some(other)) = (anime.tracker_b_id, next.tracker_b_id) else {
            continue;
        };
        let kinds = stated.get(&(one, other)).or(stated.get(&(other, one)));
        if follows(one, other) {
            right += 1;
            found.insert(one);
        } else if let Some(kinds) = kinds {
            wrong.push((&anime.titles["rj"], &next.titles["rj"], kinds));
        } else {
            unstated += 1;
        }
    }
    let sequels = stated.iter().filter(|(_, kinds)| kinds.contains("SEQUEL"));
    let with_sequel: BTreeSet<u32> = sequels.map(|((one, _), _)| *one).collect();
    let missing = with_sequel.difference(&found).count();
    let wrong_count = u32::try_from(wrong.len()).expect("a number");
    let all = right + wrong_count + unstated;
    let percent = |part: u32, all: u32| 100.0 * f64::from(part) / f64::from(all.max(1));
    println!(
        "{what}: {all} successions: {right} right, {wrong_count} wrong, {unstated} not stated; {missing} of {} anime \
         with a sequel have none; right: {:.1} % of all, {:.1} % of those that are stated",
        with_sequel.len(),
        percent(right, all),
        percent(right, right + wrong_count),
    );
    for (one, next, kinds) in wrong.iter().take(EXAMPLES) {
        println!("    {one} - {next}: {kinds:?}");
    }
    percent(right, all)
}
