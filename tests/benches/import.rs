//! Measures imports of 3,000 entries of MyAnimeList XML over the embedded engine: into an empty history, again, and
//! with another score and episode for each entry. Prints a Markdown table with the time until the report is read, and
//! `DynamoDB` calls and request units.
//!
//! Without `--bench`, which `cargo bench` passes, the list is small: the run only checks that the benchmark works.

#![expect(
    clippy::expect_used,
    reason = "a benchmark must stop at an unexpected result"
)]

use std::time::{Duration, Instant};

use axum::http::Method;
use serde_json::Value;
use tests::made_up;
use tests::people::Person;
use tests::service::Service;
use tests::units::metered;

/// The number of imports of each kind, each by another user. The table has the median time.
const ROUNDS: usize = 5;

/// Returns a list with an entry for each anime. The identifiers at `MyAnimeList` begin with 1.
fn list(entries: u32, episode: u32, score: u32) -> String {
    let entries = (1..=entries).map(|id| {
        format!(
            "<anime><series_animedb_id>{id}</series_animedb_id><series_title><![CDATA[Anime {id}]]></series_title>\
             <my_watched_episodes>{episode}</my_watched_episodes><my_start_date>2016-08-26</my_start_date>\
             <my_finish_date>0000-00-00</my_finish_date><my_score>{score}</my_score><my_status>Watching</my_status>\
             <my_comments><![CDATA[]]></my_comments><my_times_watched>0</my_times_watched></anime>\n"
        )
    });
    let entries: String = entries.collect();
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\n<myanimelist>{entries}</myanimelist>\n")
}

async fn import(service: &Service, person: &Person, file: String, count: &str) {
    let authorization = format!("Bearer {}", person.token);
    let headers = [("authorization", authorization.as_str())];
    let path = "/v1/user_story/import?mode=replace";
    let answer = service.send_body(Method::POST, path, &headers, file).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let counts: Value = answer.data()["counts"].take();
    assert_eq!(counts[count], counts["entries"], "{counts}");
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let is_measured = std::env::args().any(|argument| argument == "--bench");
    let (entries, rounds) = if is_measured { (3000, ROUNDS) } else { (60, 1) };
    let mut anime = made_up::anime(entries, 1);
    for (id, one) in (1..).zip(&mut anime) {
        one.tracker_b_id = Some(id);
        one.episodes_count = 12;
    }
    let service = Service::with_catalogue(&anime, &[]).await;
    let (client, meter) = metered();
    let service = service.with_functions_client(client);
    // The first import loads the index of anime.
    let first = service.person("hoshi").await;
    import(&service, &first, list(1, 1, 1), "added").await;

    let (old, new) = (list(entries, 3, 7), list(entries, 5, 8));
    let kinds = [("added", &old), ("unchanged", &old), ("changed", &new)];
    let mut results = kinds.map(|_| (Vec::new(), 0, 0.0));
    for round in 0..rounds {
        let person = service.person(&format!("taki{round}")).await;
        for ((count, file), (times, calls, units)) in kinds.iter().zip(&mut results) {
            service.clock.advance(Duration::from_mins(1));
            let _ = meter.take();
            let began = Instant::now();
            import(&service, &person, (*file).clone(), count).await;
            times.push(began.elapsed().as_millis());
            let cost = meter.take();
            (*calls, *units) = (cost.calls, cost.units);
        }
    }
    println!("| entries | result | ms | calls | units |\n|---:|---|---:|---:|---:|");
    for ((count, _), (mut times, calls, units)) in kinds.iter().zip(results) {
        times.sort_unstable();
        let median = times.get(times.len() / 2).expect("a time");
        println!("| {entries} | {count} | {median} | {calls} | {units} |");
    }
}
