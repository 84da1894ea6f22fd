//! Measures how well list files of other services are imported over a real catalogue: each file is imported over HTTP,
//! and the stories are compared with the expected ones.
//!
//! Needs five files or folders: `KIROKU_BENCH_ANIME` (the anime-offline-database), `KIROKU_BENCH_TITLES` (a title dump
//! of `AniDB`), `KIROKU_BENCH_IDS` (the mapping of anime-lists), `KIROKU_BENCH_SEASONS` (`anime-list-master.xml`) and
//! `KIROKU_BENCH_LISTS`: a folder with list files and `expected.jsonl`, JSON Lines of `{"file": "...", "expect":
//! "import", "mal_id": 1, "status": "COMPLETED", "progress": 12, "score": 80, "started_on": null, ...}`. `expect` is
//! `import`, `leave_out` or `refuse_file`. A value of null means that the file does not state it. `accept`,
//! `accept_status` and the fields that end with `_may_be` state other results that also count as right.
//!
//! Fails if fewer than 95 % of the entries with identifiers are right, or if any story is about another anime.

#![expect(
    clippy::expect_used,
    reason = "a benchmark must stop at an unexpected result"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use axum::http::Method;
use catalogue::rows::CatalogueStore;
use cli::import::{self, Progress};
use serde_json::{Value, json};
use shared::models::{Anime, WatchStatus, WireEnum, name_in};
use tests::people::Person;
use tests::service::Service;

/// The beginnings of the names of the files that have no identifiers of anime, series or movies.
const BY_TITLE: [&str; 8] = [
    "anime-planet.",
    "bangumi.",
    "excel-",
    "letterboxd.",
    "malsync_",
    "netflix.",
    "notion-",
    "taiga.",
];

/// The numbers of entries by result.
#[derive(Clone, Copy, Default)]
struct Counts {
    /// Entries that should become stories.
    expected: u32,
    /// Entries whose story is about the right anime.
    found: u32,
    /// Entries whose story also has the right values.
    right: u32,
    /// Entries that are proposed instead of becoming stories.
    proposed: u32,
    /// Entries whose story is about the right anime after all certain proposals were accepted.
    accepted: u32,
    /// Entries that are neither a story nor proposed.
    missing: u32,
    /// Stories about anime that the file does not have.
    wrong: u32,
    /// The same after all certain proposals were accepted.
    wrong_accepted: u32,
    /// Entries that should be left out, and files that should be refused.
    to_leave_out: u32,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.expected += other.expected;
        self.found += other.found;
        self.right += other.right;
        self.proposed += other.proposed;
        self.accepted += other.accepted;
        self.missing += other.missing;
        self.wrong += other.wrong;
        self.wrong_accepted += other.wrong_accepted;
        self.to_leave_out += other.to_leave_out;
    }

    fn print(&self, name: &str) {
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            self.expected,
            self.found,
            self.right,
            self.proposed,
            self.accepted,
            self.missing,
            self.wrong,
            self.wrong_accepted,
            self.to_leave_out,
        );
    }
}

fn main() {
    let file = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let (Some(anime), Some(titles), Some(ids), Some(seasons), Some(lists)) = (
        file("KIROKU_BENCH_ANIME"),
        file("KIROKU_BENCH_TITLES"),
        file("KIROKU_BENCH_IDS"),
        file("KIROKU_BENCH_SEASONS"),
        file("KIROKU_BENCH_LISTS"),
    ) else {
        println!(
            "Skipped: set KIROKU_BENCH_ANIME, _TITLES, _IDS, _SEASONS and _LISTS to the files."
        );
        return;
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let bench = Bench::new(&anime, &titles, &ids, &seasons).await;
        bench.run(&lists).await;
    });
}

struct Bench {
    service: Service,
    /// The identifier at MyAnimeList of each anime.
    mal_ids: BTreeMap<u64, u64>,
}

impl Bench {
    async fn new(anime: &Path, titles: &Path, ids: &Path, seasons: &Path) -> Self {
        let service = Service::empty().await;
        let (database, quiet) = (service.database(), Progress::hidden());
        let done = import::import_anime(anime, Some(ids), &database, &quiet).await;
        done.expect("an import of anime");
        let done = import::import_titles(titles, ids, &database, &quiet).await;
        done.expect("an import of titles");
        let done = import::publish_mapping_file(ids, &database).await;
        done.expect("a mapping");
        let done = import::import_seasons(seasons, &database).await;
        done.expect("a season map");
        service.publish().await;
        // The service ignores times of watching in the future, and its clock begins in 2023.
        service.clock.advance(Duration::from_hours(4 * 365 * 24));
        let items = CatalogueStore::<Anime>::new(&database).list_items().await;
        let items = items.expect("the list").into_iter();
        let mal_ids =
            items.filter_map(|item| Some((item.id()?.get(), u64::from(item.tracker_b_id?))));
        Self {
            mal_ids: mal_ids.collect(),
            service,
        }
    }

    async fn run(&self, folder: &Path) {
        let text = std::fs::read_to_string(folder.join("expected.jsonl")).expect("expected.jsonl");
        let mut files: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for line in text.lines() {
            let row: Value = serde_json::from_str(line).expect("JSON Lines");
            let file = row["file"].as_str().expect("a file").to_owned();
            files.entry(file).or_default().push(row);
        }
        let mut results = Vec::new();
        for (number, (file, rows)) in files.iter().enumerate() {
            let content = std::fs::read(folder.join(file)).expect("a list");
            let person = self.service.person(&format!("user{number}")).await;
            results.push((file, self.measure(&person, file, content, rows).await));
        }
        println!(
            "| file | entries | right anime | with right values | proposed | right anime after one press | missing | \
             other anime | other anime after one press | to leave out |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
        );
        let (mut by_id, mut by_title) = (Counts::default(), Counts::default());
        for (file, [with_ids, titled]) in &results {
            by_id.add(with_ids);
            by_title.add(titled);
            let mut all = *with_ids;
            all.add(titled);
            all.print(file);
        }
        by_id.print("all with identifiers");
        by_title.print("all by title");
        let percent = 100.0 * f64::from(by_id.found) / f64::from(by_id.expected);
        println!("{percent:.1} % of the entries with identifiers are right");
        assert!(percent >= 95.0, "too few entries with identifiers");
        assert_eq!(by_id.wrong + by_title.wrong, 0, "stories about other anime");
    }

    /// Imports a file, and returns the counts of its entries with identifiers, and of its other entries.
    async fn measure(
        &self,
        person: &Person,
        file: &str,
        content: Vec<u8>,
        rows: &[Value],
    ) -> [Counts; 2] {
        let bearer = format!("Bearer {}", person.token);
        let headers = [("authorization", bearer.as_str())];
        let path = "/v1/user_story/import";
        let answer = self
            .service
            .send_body(Method::POST, path, &headers, content);
        let answer = answer.await;
        let mut counts = [Counts::default(); 2];
        if answer.status == 200 {
            let report = answer.data();
            println!("{file}: {}, {}", report["format"], report["counts"]);
            for one in report["skipped"].as_array().into_iter().flatten() {
                println!("  skipped {}: {}", one["title"], one["reason"]);
            }
            for one in report["proposals"].as_array().into_iter().flatten() {
                println!(
                    "  proposed {}: {} {}",
                    one["title"], one["reason"], one["candidates"]
                );
            }
        } else {
            println!("{file}: refused: {}", answer.json()["data"]);
        }
        let stories = self.stories(person).await;
        let proposals = "/v1/user_story/import/proposals";
        let token = &person.token;
        let proposed = self.service.with_token(Method::GET, proposals, token).await;
        let proposed = proposed.data();
        let proposed = proposed["proposals"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let proposed: BTreeSet<u64> = proposed
            .iter()
            .flat_map(|one| one["candidates"].as_array().cloned().unwrap_or_default())
            .filter_map(|one| self.mal_ids.get(&one["anime_id"].as_u64()?).copied())
            .collect();
        let accept = json!({"accept_certain": true});
        let accepted = self
            .service
            .json(Method::POST, proposals, Some(token), &accept);
        assert_eq!(accepted.await.status, 200);
        let after = self.stories(person).await;
        let mut known = BTreeSet::new();
        for row in rows {
            let counts = &mut counts[usize::from(is_by_title(file, row))];
            let accepts_nothing = row["accept"]
                .as_array()
                .is_some_and(|accepted| accepted.iter().any(|one| one == "leave_out"));
            if row["expect"] != "import" {
                counts.to_leave_out += 1;
                continue;
            }
            counts.expected += 1;
            let mal_id = row["mal_id"].as_u64().expect("an identifier");
            known.insert(mal_id);
            match stories.get(&mal_id) {
                Some(story) => {
                    counts.found += 1;
                    match difference(row, story) {
                        None => counts.right += 1,
                        Some(difference) => println!("  {}: {difference}", row["what"]),
                    }
                }
                None if accepts_nothing => {
                    counts.found += 1;
                    counts.right += 1;
                }
                None if proposed.contains(&mal_id) => counts.proposed += 1,
                None => {
                    println!("  {}: missing", row["what"]);
                    counts.missing += 1;
                }
            }
            counts.accepted += u32::from(accepts_nothing || after.contains_key(&mal_id));
        }
        let others = |stories: &BTreeMap<u64, Value>| {
            let others = stories.keys().filter(|mal_id| !known.contains(mal_id));
            u32::try_from(others.count()).expect("a number")
        };
        let by_title = usize::from(rows.iter().all(|row| is_by_title(file, row)));
        counts[by_title].wrong = others(&stories);
        counts[by_title].wrong_accepted = others(&after);
        for (mal_id, _) in after.iter().filter(|(mal_id, _)| !known.contains(mal_id)) {
            println!("  other anime: MyAnimeList {mal_id}");
        }
        counts
    }

    /// Returns the stories by the identifiers of their anime at MyAnimeList.
    async fn stories(&self, person: &Person) -> BTreeMap<u64, Value> {
        let path = "/v1/user_story?include=details&per_page=100";
        let page = self
            .service
            .with_token(Method::GET, path, &person.token)
            .await;
        let stories = page.data();
        let stories = stories.as_array().expect("stories").iter();
        let stories = stories.map(|story| {
            let anime = story["anime_id"].as_u64().expect("an anime");
            (
                self.mal_ids.get(&anime).copied().unwrap_or_default(),
                story.clone(),
            )
        });
        stories.collect()
    }
}

/// Returns true if the file has no identifier of an entry.
fn is_by_title(file: &str, row: &Value) -> bool {
    // The movies of TV Time have titles and years.
    let is_movie = |row: &str| row.starts_with("tracking-prod-records.csv");
    BY_TITLE.iter().any(|start| file.starts_with(start))
        || row["row"].as_str().is_some_and(is_movie)
}

/// Returns the first value of a story that is not as expected.
fn difference(row: &Value, story: &Value) -> Option<String> {
    let status = story["status"].as_u64().and_then(WatchStatus::from_wire);
    let status = status.map(|status| json!(name_in(WatchStatus::ALL, &status)));
    let details = &story["details"];
    let watched = details.get("watched_episodes");
    let values = [
        ("status", status.unwrap_or_default(), false),
        ("progress", watched.cloned().unwrap_or_default(), false),
        ("score", details["score"].clone(), true),
        ("started_on", details["started_on"].clone(), true),
        ("finished_on", details["finished_on"].clone(), true),
        ("repeats", details["repeats"].clone(), false),
        ("notes", details["notes"].clone(), false),
        ("private", details["private"].clone(), false),
    ];
    values.into_iter().find_map(|(name, value, may_be_null)| {
        let expected = &row[name];
        if expected.is_null() && !may_be_null {
            return None;
        }
        let others = [format!("{name}_may_be"), format!("accept_{name}")];
        let others = others
            .iter()
            .filter_map(|other| row[other.as_str()].as_array());
        let is_accepted = others.flatten().any(|other| is_same(other, &value));
        let is_right = is_same(expected, &value) || is_accepted;
        (!is_right).then(|| format!("{name} is {value}, not {expected}"))
    })
}

fn is_same(expected: &Value, value: &Value) -> bool {
    match (expected.as_f64(), value.as_f64()) {
        (Some(expected), Some(value)) => (expected - value).abs() < 0.01,
        _ => expected == value,
    }
}
