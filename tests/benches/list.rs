//! Measures the pages of users with 500 to 20,000 entries over the embedded engine. Prints a Markdown table with the
//! time until the whole page is read: at the first request of a process that has loaded the index, again, and after a
//! change of one entry by another process. Also prints the size of the page, and DynamoDB request units of the
//! second and the last.
//!
//! Without `--bench`, which `cargo bench` passes, the lists are small: the run only checks that the benchmark works.

#![expect(
    clippy::expect_used,
    reason = "a benchmark must stop at an unexpected result"
)]

use std::time::{Duration, Instant};

use axum::http::Method;
use serde_json::{Value, json};
use tests::browser::Browser;
use tests::made_up;
use tests::people::Person;
use tests::service::Service;
use tests::units::metered;

/// Requests of each kind. The table has the median time.
const ROUNDS: usize = 9;

/// The pages, which have `{last}` in place of the number of the last page.
const PAGES: [&str; 9] = [
    "/list",
    "/list?page={last}",
    "/list?status=0",
    "/list?sort=score",
    "/list?sort=progress",
    "/list?sort=title",
    "/list?search=gundam&genre=Action",
    "/",
    "/calendar",
];

/// Makes the same change of these anime in one batch for each hundred.
async fn change(service: &Service, person: &Person, numbers: &[u32], round: u32) {
    for numbers in numbers.chunks(100) {
        let change = |number: &u32| {
            let notes = format!("Notes number {number} of round {round}.");
            let details = json!({
                "score": f64::from((number * 7 + round) % 1000 + 1) / 10.0, "started_on": "2016-08-26",
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

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    let median = times.get(times.len() / 2).expect("a time");
    median.as_secs_f64() * 1000.0
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let is_measured = std::env::args().any(|argument| argument == "--bench");
    let (sizes, anime): (&[u32], u32) = if is_measured {
        (&[500, 2000, 10_000, 20_000], 40_000)
    } else {
        (&[60, 120], 200)
    };
    let writer = Service::with_catalogue(&made_up::anime(anime, 1), &[]).await;
    let (client, meter) = metered();
    println!(
        "| page | entries | ms first | ms | ms after a change | KB | units | after a change |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    for size in sizes {
        let person = writer.person(&format!("user{size}")).await;
        let numbers: Vec<u32> = (1..=*size).collect();
        for round in 0..3 {
            change(&writer, &person, &numbers, round).await;
        }
        let cookies = Browser::signed_in(&writer, &person).await.cookies;
        for page in PAGES {
            let page = page.replace("{last}", &size.div_ceil(50).to_string());
            // A new process, so that the first request finds nothing in memory.
            let reader = writer.another(writer.clock.clone());
            let reader = reader.with_functions_client(client.clone());
            let index = reader.get("/v1/anime?search=star&per_page=1").await;
            assert_eq!(index.status, 200, "{index:?}");
            let mut browser = Browser::new(&reader);
            browser.cookies.clone_from(&cookies);
            let mut kilobytes = 0;
            let mut get = async || {
                let _ = meter.take();
                let began = Instant::now();
                let answer = browser.get(&page).await;
                let time = began.elapsed();
                assert_eq!(answer.status, 200, "{}", answer.text());
                kilobytes = answer.body.len() / 1000;
                (time, meter.take().units)
            };
            let (first, _) = get().await;
            let (mut again, mut changed, mut units) = (Vec::new(), Vec::new(), (0.0, 0.0));
            for round in 0..ROUNDS {
                let (time, consumed) = get().await;
                again.push(time);
                units.0 = consumed;
                let round = u32::try_from(round).expect("a small number");
                change(&writer, &person, &[size / 2], round).await;
                let (time, consumed) = get().await;
                changed.push(time);
                units.1 = consumed;
            }
            let (first, again, changed) = (median(vec![first]), median(again), median(changed));
            println!(
                "| `{page}` | {size} | {first:.1} | {again:.1} | {changed:.1} | {kilobytes} | {} | {} |",
                units.0, units.1
            );
        }
    }
}
