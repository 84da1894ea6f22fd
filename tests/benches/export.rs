//! Measures exports of watch histories of 3,000 and 20,000 stories, and the file with everything about their user, over
//! the embedded engine. Prints a Markdown table with the time until the whole response is read, the processor time of
//! the process, which includes the engine, the size of the response, and DynamoDB calls and request units. The first
//! row of each size is the first request of a process.
//!
//! Without `--bench`, which `cargo bench` passes, the histories are small: the run only checks that the benchmark
//! works.

#![expect(
    clippy::expect_used,
    reason = "a benchmark must stop at an unexpected result"
)]

use std::collections::HashMap;
use std::time::Instant;

use aws_sdk_dynamodb::types::AttributeValue;
use axum::http::Method;
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use tests::made_up;
use tests::people::Person;
use tests::service::Service;
use tests::units::metered;

/// Requests for each row. The table has the median time and the mean processor time.
const ROUNDS: u32 = 5;

/// The label of the last row. A file that would be too large is refused.
const WITH_HISTORIES: &str = "everything, 50 changes";

/// Returns the processor time of this process so far, in milliseconds. Linux counts it in steps of 10 ms.
fn processor_ms() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("the statistics of the process");
    let (_, fields) = stat.rsplit_once(')').expect("fields after the name");
    let fields = fields.split_whitespace().skip(11).take(2);
    fields
        .filter_map(|ticks| ticks.parse::<u64>().ok())
        .sum::<u64>()
        * 10
}

async fn create_stories(service: &Service, person: &Person, from: u32, to: u32) {
    let numbers: Vec<u32> = (from..=to).collect();
    for numbers in numbers.chunks(100) {
        let change = |number: &u32| {
            let notes = format!(
                "Notes number {number}: watch it again in {}.",
                2000 + number % 30
            );
            let details = json!({
                "score": f64::from(number % 1000) / 10.0, "started_on": "2016-08-26",
                "finished_on": "2016-09", "repeats": number % 3,
                "notes": if number.is_multiple_of(4) { notes } else { String::new() }
            });
            json!({"op": "put", "anime_id": number, "status": number % 6, "details": details})
        };
        let changes: Vec<Value> = numbers.iter().map(change).collect();
        let body = json!({ "changes": changes });
        let (path, token) = ("/v1/user_story/batch", Some(person.token.as_str()));
        let answer = service.json(Method::POST, path, token, &body).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
}

/// Gives each story a history of 50 changes, as "next episode" makes them.
async fn add_histories(service: &Service, stories: u32) {
    let revision = |number: u32| {
        let of = |number: u32| AttributeValue::N(number.to_string());
        let mut revision = HashMap::from([
            ("at".to_owned(), of(1_472_212_800 + 86_413 * number)),
            ("by".to_owned(), AttributeValue::S("owner".to_owned())),
        ]);
        if number > 0 {
            revision.insert("ep".to_owned(), of(number - 1));
        }
        AttributeValue::M(revision)
    };
    let history = AttributeValue::L((0..50).map(revision).collect());
    let updates = (1..=stories).map(|anime| {
        let request = service.client.update_item();
        let request = request
            .table_name(service.tables.of("UserStory"))
            .key("user_id", AttributeValue::N("1".to_owned()))
            .key("anime_id", AttributeValue::N(anime.to_string()))
            .update_expression("SET history = :history")
            .expression_attribute_values(":history", history.clone());
        request.send()
    });
    let mut updates = stream::iter(updates).buffer_unordered(8);
    while let Some(updated) = updates.next().await {
        updated.expect("an update");
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let is_measured = std::env::args().any(|argument| argument == "--bench");
    let sizes = if is_measured {
        [3000, 20_000]
    } else {
        [30, 200]
    };
    let service = Service::with_catalogue(&made_up::anime(sizes[1], 1), &[]).await;
    let (client, meter) = metered();
    let mut service = service.with_functions_client(client);
    let person = service.person("taki").await;
    let bearer = format!("Bearer {}", person.token);
    let headers = [("authorization", &*bearer), ("accept-encoding", "gzip")];
    println!("| stories | file | ms | processor ms | KB | calls | units |");
    println!("|---:|---|---:|---:|---:|---:|---:|");
    let mut created = 0;
    for stories in sizes {
        create_stories(&service, &person, created + 1, stories).await;
        created = stories;
        let environment = service.environment.clone();
        service = service.with_environment(environment);
        for (name, path, rounds) in [
            (
                "json, first request",
                "/v1/user_story/export?format=json",
                1,
            ),
            ("json", "/v1/user_story/export?format=json", ROUNDS),
            ("csv", "/v1/user_story/export?format=csv", ROUNDS),
            ("mal_xml", "/v1/user_story/export?format=mal_xml", ROUNDS),
            ("everything", "/v1/auth/me/data", ROUNDS),
            (WITH_HISTORIES, "/v1/auth/me/data", 1),
        ] {
            if name == WITH_HISTORIES {
                add_histories(&service, stories).await;
            }
            let mut times = Vec::new();
            let mut size = 0;
            let processor = processor_ms();
            for _ in 0..rounds {
                let _ = meter.take();
                let began = Instant::now();
                let answer = service.get_with(path, &headers).await;
                times.push(began.elapsed().as_millis());
                let is_too_large = name == WITH_HISTORIES && answer.status == 400;
                assert!(answer.status == 200 || is_too_large, "{answer:?}");
                size = answer.body.len();
            }
            times.sort_unstable();
            let median = times.get(times.len() / 2).expect("a time");
            let processor = (processor_ms() - processor) / u64::from(rounds);
            let cost = meter.take();
            let (kilobytes, calls, units) = (size / 1000, cost.calls, cost.units);
            println!(
                "| {stories} | {name} | {median} | {processor} | {kilobytes} | {calls} | {units} |"
            );
        }
    }
}
