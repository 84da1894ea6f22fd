//! Measures the page `/list` of a user with 2,000 entries over the embedded engine. Prints a Markdown table with the
//! time until the whole page is read, its size, and DynamoDB calls and request units. A row "first" is the first
//! request of a process that has loaded the index, so no document is in its cache.
//!
//! Without `--bench`, which `cargo bench` passes, the list is small: the run only checks that the benchmark works.

#![expect(
    clippy::expect_used,
    reason = "a benchmark must stop at an unexpected result"
)]

use std::time::Instant;

use axum::http::Method;
use serde_json::{Value, json};
use tests::browser::Browser;
use tests::made_up;
use tests::people::Person;
use tests::service::Service;
use tests::units::metered;

/// Requests of each kind. The table has the median time.
const ROUNDS: usize = 9;

/// The requests: label and query.
const QUERIES: [(&str, &str); 7] = [
    ("last change", ""),
    ("last change, page 40", "?page=40"),
    ("status", "?status=0"),
    ("by score", "?sort=score"),
    ("by progress", "?sort=progress"),
    ("by title", "?sort=title"),
    ("text and genre", "?search=gundam&genre=Action"),
];

async fn create_stories(service: &Service, person: &Person, count: u32) {
    let numbers: Vec<u32> = (1..=count).collect();
    for numbers in numbers.chunks(100) {
        // Each story has a history.
        for round in 0..8 {
            let change = |number: &u32| {
                let notes = format!("Notes number {number} of round {round}.");
                let details = json!({
                    "score": f64::from((number * 7 + round) % 1000) / 10.0, "started_on": "2016-08-26",
                    "notes": if number.is_multiple_of(4) { notes } else { String::new() }
                });
                json!({"op": "put", "anime_id": number, "status": (number + round) % 6, "details": details})
            };
            let changes: Vec<Value> = numbers.iter().map(change).collect();
            let body = json!({ "changes": changes });
            let (path, token) = ("/v1/user_story/batch", Some(person.token.as_str()));
            let answer = service.json(Method::POST, path, token, &body).await;
            assert_eq!(answer.status, 200, "{answer:?}");
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let is_measured = std::env::args().any(|argument| argument == "--bench");
    let (entries, anime) = if is_measured {
        (2000, 20_000)
    } else {
        (120, 200)
    };
    let service = Service::with_catalogue(&made_up::anime(anime, 1), &[]).await;
    let (client, meter) = metered();
    let mut environment = service.environment.clone();
    environment.database.client = client;
    let person = service.person("taki").await;
    create_stories(&service, &person, entries).await;
    let cookies = Browser::signed_in(&service, &person).await.cookies;
    println!("| request | ms | KB | calls | units |\n|---|---:|---:|---:|---:|");
    let mut service = service;
    for (label, query) in QUERIES {
        // A new process, so that the first request finds no document in the cache.
        service = service.with_environment(environment.clone());
        let index = service.get("/v1/anime?search=star&per_page=1").await;
        assert_eq!(index.status, 200, "{index:?}");
        let mut browser = Browser::new(&service);
        browser.cookies.clone_from(&cookies);
        let mut times = Vec::new();
        for round in 0..=ROUNDS {
            let _ = meter.take();
            let began = Instant::now();
            let page = browser.get(&format!("/list{query}")).await;
            let time = began.elapsed().as_millis();
            assert_eq!(page.status, 200, "{}", page.text());
            let (cost, kilobytes) = (meter.take(), page.body.len() / 1000);
            let (calls, units) = (cost.calls, cost.units);
            if round == 0 {
                println!("| {label}, first | {time} | {kilobytes} | {calls} | {units} |");
                continue;
            }
            times.push(time);
            if round == ROUNDS {
                times.sort_unstable();
                let median = times.get(ROUNDS / 2).expect("a time");
                println!("| {label} | {median} | {kilobytes} | {calls} | {units} |");
            }
        }
    }
}
