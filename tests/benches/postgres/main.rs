//! Compares lists of anime with the same ones over PostgreSQL, side by side in one run: the same rows, the same
//! documents, one client that sends each request to both services in turn. Then measures how many lists of eight
//! clients each service answers in a second.
//!
//! `KIROKU_BENCH_ANIME` sets the path of an anime-offline-database file. Without it, the catalogue is generated. Needs
//! PostgreSQL with the extension `pg_trgm`, and `setpriv` of util-linux; without PostgreSQL, it measures nothing.
//!
//! Without `--bench`, which `cargo bench` passes, the figures mean nothing: the run only checks that both services
//! return the same for every query.

#![expect(
    clippy::expect_used,
    reason = "a benchmark must stop at an unexpected result"
)]

mod peer;

use std::fs::File;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use peer::Peer;
use serde_json::{Value, json};
use shared::clock::Clock;
use shared::models::{Anime, Season};
use tests::loaded;
use tests::measured::{self, Connection, Samples, is_measured};
use tests::postgres::Cluster;
use tests::service::Service;
use tokio::runtime::Runtime;

/// Clients in the measurement of throughput.
const CLIENTS: usize = 8;

fn main() {
    let (rounds, time) = if is_measured() {
        (300, Duration::from_secs(10))
    } else {
        (2, Duration::from_millis(50))
    };
    // Each service has its own threads, as it would in a process of its own.
    let [kiroku, postgres] = [(); 2].map(|()| Runtime::new().expect("a runtime"));
    let Some(cluster) = postgres.block_on(Cluster::start()) else {
        println!("PostgreSQL is not installed: there is nothing to compare with.");
        return;
    };
    // Writes the log as the service does, but not into the output.
    let sink = File::options().write(true).open("/dev/null");
    let log = runtime::observability::subscriber(Arc::new(sink.expect("a file")));
    tracing::subscriber::set_global_default(log).expect("no other subscriber");

    let service = kiroku.block_on(published());
    let anime = kiroku.block_on(loaded::anime(&service));
    let peer = postgres
        .block_on(Peer::load(&cluster, &anime))
        .expect("the rows in PostgreSQL");
    println!("{} anime\n", anime.len());
    let router = cli::http::with_gateway_checks(service.router.clone());
    let (ours, _running) = kiroku.block_on(measured::serve(router));
    let (theirs, _peer_running) = postgres.block_on(measured::serve(peer.router()));
    compare([ours, theirs], &queries(&anime), rounds);
    let requests = vec![vec![get("/v1/anime?per_page=20")]; CLIENTS];
    let [ours, theirs] = [ours, theirs].map(|at| measured::throughput(at, &requests, time));
    println!("| lists of 20 in a second | | {ours:.0} | {theirs:.0} | |");
}

/// Returns a service with the catalogue, published, and with the clock of the system, as in `kiroku serve`.
async fn published() -> Service {
    let service = loaded::service().await;
    service.publish().await;
    let mut environment = service.environment.clone();
    environment.database.clock = Clock::system();
    service.with_environment(environment)
}

fn get(path: &str) -> Vec<u8> {
    measured::request(path, &[], None)
}

/// Returns the names and paths of the queries.
fn queries(anime: &[Anime]) -> Vec<(&'static str, String)> {
    let [many, some, year] = match std::env::var_os(loaded::FILE) {
        Some(_) => ["no", "gundam", "2025"],
        None => ["a", "zero", "1999"],
    };
    let (id, last) = (anime[anime.len() / 2].id, anime.len().div_ceil(20));
    let season = json!(Season::Spring);
    let list = |filters: String| format!("/v1/anime?per_page=20{filters}");
    vec![
        ("one anime by id", format!("/v1/anime/{}", id.get())),
        ("no filter", list(String::new())),
        ("no filter, last page", list(format!("&page={last}"))),
        ("title that many have", list(format!("&title={many}"))),
        ("title that some have", list(format!("&title={some}"))),
        (
            "genres, year and season",
            list(format!("&genres=Action,Sci-Fi&year={year}&season={season}")),
        ),
    ]
}

/// Sends each query to both services in turn, and prints a table of the medians.
fn compare(addresses: [SocketAddr; 2], queries: &[(&str, String)], rounds: usize) {
    println!("| query | rows found | Kiroku, µs | PostgreSQL, µs | ratio |");
    println!("|---|---:|---:|---:|---:|");
    for (name, path) in queries {
        let mut connections = addresses.map(Connection::open);
        let request = get(path);
        let [ours, theirs] = connections.each_mut().map(|one| one.send(&request));
        let [our_data, their_data] = [&ours, &theirs]
            .map(|answer| -> Value { serde_json::from_slice(&answer.body).expect("JSON") });
        assert!(our_data == their_data, "{path}: other documents");
        let total = ours.header("x-total-count");
        assert_eq!(total, theirs.header("x-total-count"), "{path}");
        let mut samples: [Samples; 2] = Default::default();
        // The first rounds fill caches.
        for round in 0..rounds + rounds.div_ceil(10) {
            // Each service is first in every second round.
            for turn in [round % 2, (round + 1) % 2] {
                let (_, sample) = connections[turn].measure(&request, || Duration::ZERO);
                if round >= rounds.div_ceil(10) {
                    samples[turn].add(sample);
                }
            }
        }
        let [ours, theirs] = samples.map(|samples| samples.time(50));
        let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
        let (ours, theirs) = (ours.as_micros(), theirs.as_micros());
        println!("| {name} | {total} | {ours} | {theirs} | {ratio:.2} |");
    }
}
