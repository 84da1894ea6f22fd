//! Compares the anime endpoints with the same ones over PostgreSQL, side by side in one run: the same rows,
//! the same documents, one client that sends each request to both services in turn. Then measures the
//! throughput of a list at 64 connections, and the processor time of requests in the Lambda function.
//!
//! `KIROKU_BENCH_ANIME` sets the path of an anime-offline-database file. Without it, the catalogue is
//! generated. With `KIROKU_BENCH_ASSERT`, the benchmark fails if a target is missed. Needs PostgreSQL with
//! the extension `pg_trgm`, and `setpriv` of util-linux; without PostgreSQL, it measures nothing.
//!
//! Without `--bench`, which `cargo bench` passes, the figures mean nothing: the run only checks that both
//! services return the same for every query.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a benchmark must stop at an unexpected result"
)]

mod client;
mod cluster;
mod function;
mod peer;

use std::fs::File;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::Method;
use axum::serve::ListenerExt;
use bytes::Bytes;
use client::{Connection, load, thread_cpu};
use cluster::Cluster;
use function::Function;
use peer::Peer;
use runtime::Environment;
use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde_json::{Value, json};
use shared::clock::Clock;
use shared::http::layers;
use shared::models::{Anime, Season};
use tests::service::{Service, call, request};
use tests::{engine, loaded};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::watch;

/// Environment variable that makes the benchmark fail if a target is missed.
const ASSERT: &str = "KIROKU_BENCH_ASSERT";

/// Greatest ratio of Kiroku's time to PostgreSQL's for queries that match many rows.
const BROAD: f64 = 0.1;
/// The same for queries that match some rows.
const NARROW: f64 = 0.5;
/// The same for queries that match few rows, where HTTP is most of the cost.
const SMALL: f64 = 0.8;

/// The number of connections in the measurement of throughput.
const CONNECTIONS: u32 = 64;
/// Least number of lists of 20 per second.
const LISTS_PER_SECOND: f64 = 8000.0;

/// Greatest processor time of an empty list in the function.
const EMPTY_LIST: Duration = Duration::from_micros(60);
/// Greatest processor time of a list of 100 in the function.
const LIST_OF_100: Duration = Duration::from_micros(400);

/// A request to both services.
struct Query {
    name: String,
    path: String,
    /// Greatest ratio of Kiroku's time to PostgreSQL's.
    target: f64,
}

/// The numbers of requests of a run.
struct Amounts {
    rounds: usize,
    lists: u32,
    calls: u32,
}

impl Amounts {
    fn read() -> Self {
        if std::env::args().any(|argument| argument == "--bench") {
            Self {
                rounds: 300,
                lists: 20_000,
                calls: 2000,
            }
        } else {
            Self {
                rounds: 2,
                lists: 128,
                calls: 2,
            }
        }
    }
}

/// Measurements that missed their target.
#[derive(Default)]
struct Missed(Vec<String>);

impl Missed {
    fn check(&mut self, name: &str, is_met: bool) {
        if !is_met {
            self.0.push(name.to_owned());
        }
    }
}

fn main() -> ExitCode {
    if function::is_function() {
        return function::run();
    }
    let amounts = Amounts::read();
    // Each service has its own threads, as it would in a process of its own.
    let [kiroku, postgres] = [(); 2].map(|()| Runtime::new().expect("a runtime"));
    let Some(cluster) = postgres.block_on(Cluster::start()) else {
        println!("PostgreSQL is not installed: there is nothing to compare with.");
        return ExitCode::SUCCESS;
    };
    // Writes the log as the service does, but not into the output.
    let sink = File::options()
        .write(true)
        .open("/dev/null")
        .expect("a file");
    let log = runtime::observability::subscriber(Arc::new(sink));
    tracing::subscriber::set_global_default(log).expect("no other subscriber");

    let service = kiroku.block_on(published());
    let anime = kiroku.block_on(loaded::anime(&service));
    let peer = postgres
        .block_on(Peer::load(&cluster, &anime))
        .expect("the rows in PostgreSQL");
    println!("{} anime, PostgreSQL {}\n", anime.len(), peer.version);
    let queries = queries(&anime);
    let (_stopping, stopped) = watch::channel(false);
    let addresses = [
        kiroku.block_on(serve_kiroku(&service, stopped)),
        postgres.block_on(serve_peer(peer.router())),
    ];
    let mut missed = Missed::default();
    let all_cores = sched_getaffinity(None).expect("the cores");
    run_on(one_of(&all_cores), &cluster);
    compare(addresses, &queries, amounts.rounds, &mut missed);
    run_on(all_cores, &cluster);
    throughput(addresses, amounts.lists, &mut missed);
    let environment = Environment {
        // The client's connections belong to the runtime that calls it first.
        database: service.database_with(engine::client(
            kiroku.block_on(async { engine::endpoint() }),
        )),
        ..service.environment.clone()
    };
    processor_time(&kiroku, &environment, amounts.calls, &mut missed);
    match missed.0.join(", ").as_str() {
        "" => println!("\nAll targets are met."),
        missed => {
            println!("\nMissed targets: {missed}.");
            if std::env::var_os(ASSERT).is_some() {
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

/// Moves all threads of both services, of the client and of PostgreSQL to these cores.
///
/// The parts of a request run one after the other, so one core is enough for a single connection. On several
/// cores, the scheduler may let client and service share a core or not. Waking a thread on another core
/// of a virtual machine takes up to 100 µs, so chance would decide the ratio for short requests.
fn run_on(cores: CpuSet, cluster: &Cluster) {
    let threads = std::fs::read_dir("/proc/self/task").expect("the threads");
    let threads = threads.map(|thread| {
        let name = thread.expect("a thread").file_name();
        let name = name.to_str().and_then(|name| name.parse().ok());
        name.and_then(Pid::from_raw).expect("a number")
    });
    for thread in threads.chain(cluster.processes()) {
        // A thread of the blocking pool may have ended.
        let _ = sched_setaffinity(Some(thread), &cores);
    }
}

/// Returns the first of these cores.
fn one_of(cores: &CpuSet) -> CpuSet {
    let first = (0..CpuSet::MAX_CPU).find(|core| cores.is_set(*core));
    let mut one = CpuSet::new();
    one.set(first.expect("a core"));
    one
}

/// Returns a service with the catalogue, published, and with the clock of the system, as in `kiroku serve`.
async fn published() -> Service {
    let service = loaded::service().await;
    service.publish().await;
    let mut environment = service.environment.clone();
    environment.database.clock = Clock::system();
    service.with_environment(environment)
}

/// Starts the service in the way that `kiroku serve` does.
async fn serve_kiroku(service: &Service, stopped: watch::Receiver<bool>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let router = cli::http::with_gateway_checks(service.router.clone());
    tokio::spawn(cli::http::serve(listener, router, stopped));
    address
}

async fn serve_peer(router: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    // Large responses must not wait for acknowledgements.
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).expect("an open connection"));
    tokio::spawn(async { axum::serve(listener, router).await });
    address
}

fn queries(anime: &[Anime]) -> Vec<Query> {
    let [many, some, year] = match std::env::var_os(loaded::FILE) {
        Some(_) => ["no", "gundam", "2025"],
        None => ["a", "zero", "1999"],
    };
    let middle = &anime[anime.len() / 2..];
    let tracked = middle.iter().find_map(|anime| anime.tracker_b_id);
    let tracked = tracked.expect("an anime with an id at tracker B");
    let id = middle[0].id.get();
    let season = json!(Season::Spring);
    let lists = [
        ("no filter", BROAD, String::new()),
        ("title that many have", BROAD, format!("&title={many}")),
        ("title that some have", NARROW, format!("&title={some}")),
        (
            "title that no anime has",
            SMALL,
            "&title=nothing%20like%20it".to_owned(),
        ),
        (
            "both flags",
            BROAD,
            "&nsfw=true&with_episodes=true".to_owned(),
        ),
        (
            "genres, year and season",
            SMALL,
            format!("&genres=Action,Sci-Fi&year={year}&season={season}"),
        ),
        (
            "identifier at a tracker",
            SMALL,
            format!("&tracker_b_id={tracked}"),
        ),
    ];
    let mut queries = vec![Query {
        name: "one anime by id".to_owned(),
        path: format!("/v1/anime/{id}"),
        target: SMALL,
    }];
    for per_page in [20, 100] {
        let last = anime.len().div_ceil(per_page);
        let last = ("no filter, last page", BROAD, format!("&page={last}"));
        queries.extend(
            lists
                .iter()
                .chain([&last])
                .map(|(name, target, filters)| Query {
                    name: format!("{name}, {per_page}"),
                    path: format!("/v1/anime?per_page={per_page}{filters}"),
                    target: *target,
                }),
        );
    }
    queries
}

/// Sends each query to both services in turn, and prints a table of the medians.
fn compare(addresses: [SocketAddr; 2], queries: &[Query], rounds: usize, missed: &mut Missed) {
    let mut connections = addresses.map(Connection::open);
    let totals: Vec<String> = queries
        .iter()
        .map(|query| {
            let [kiroku, peer] = connections
                .each_mut()
                .map(|connection| connection.get(&query.path).1);
            let [ours, theirs] = [&kiroku, &peer]
                .map(|answer| -> Value { serde_json::from_slice(&answer.body).expect("JSON") });
            assert_eq!(ids(&ours), ids(&theirs), "{}", query.path);
            assert!(ours == theirs, "{}: other documents", query.path);
            let total = kiroku.header("x-total-count");
            assert_eq!(total, peer.header("x-total-count"), "{}", query.path);
            total.to_owned()
        })
        .collect();
    let mut times = vec![[const { Vec::new() }; 2]; queries.len()];
    for (query, times) in queries.iter().zip(&mut times) {
        // The first rounds fill caches.
        for round in 0..rounds + rounds.div_ceil(10) {
            // Each service is first in every second round.
            for turn in [round % 2, (round + 1) % 2] {
                let (time, _) = connections[turn].get(&query.path);
                if round >= rounds.div_ceil(10) {
                    times[turn].push(time);
                }
            }
        }
    }
    println!("p50 of {rounds} requests over one connection, on one core, in microseconds\n");
    println!("| query | rows found | Kiroku | PostgreSQL | ratio | target |");
    println!("|---|---:|---:|---:|---:|---:|");
    for ((query, total), times) in queries.iter().zip(totals).zip(times) {
        let [ours, theirs] = times.map(median);
        let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
        let Query { name, target, .. } = query;
        println!(
            "| {name} | {total} | {} | {} | {ratio:.2} | {target} |",
            ours.as_micros(),
            theirs.as_micros()
        );
        missed.check(name, ratio <= *target);
    }
}

/// Returns the ids in a response.
fn ids(envelope: &Value) -> Vec<&Value> {
    match &envelope["data"] {
        Value::Array(rows) => rows.iter().map(|row| &row["id"]).collect(),
        row => vec![&row["id"]],
    }
}

/// Returns the median.
fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Measures the throughput of lists of 20 without a filter, and prints a table. The client needs processor
/// time too, on the same cores.
fn throughput(addresses: [SocketAddr; 2], lists: u32, missed: &mut Missed) {
    println!("\nlists of 20 over {CONNECTIONS} connections\n");
    println!(
        "| service | lists per second | target | µs of processor per list | µs of the client's |"
    );
    println!("|---|---:|---:|---:|---:|");
    let each = |time: Duration| time.as_secs_f64() * 1e6 / f64::from(lists);
    for (name, address) in ["Kiroku", "PostgreSQL"].into_iter().zip(addresses) {
        load(address, "/v1/anime?per_page=20", CONNECTIONS, 1);
        let load = load(
            address,
            "/v1/anime?per_page=20",
            CONNECTIONS,
            lists / CONNECTIONS,
        );
        let per_second = f64::from(lists) / load.time.as_secs_f64();
        let (own, other) = (each(load.own_cpu), each(load.other_cpu));
        let target = if name == "Kiroku" {
            missed.check("lists per second", per_second >= LISTS_PER_SECOND);
            LISTS_PER_SECOND.to_string()
        } else {
            String::new()
        };
        println!("| {name} | {per_second:.0} | {target} | {other:.0} | {own:.1} |");
    }
}

/// Measures the processor time of requests in the function `anime`, and prints a table: in its router, with
/// the layers and the log, and in its process, with Lambda's runtime and the conversion of events.
fn processor_time(kiroku: &Runtime, environment: &Environment, calls: u32, missed: &mut Missed) {
    // All of the router runs on this thread, and the database on others.
    let this_thread = tokio::runtime::Builder::new_current_thread();
    let this_thread = { this_thread }.enable_all().build().expect("a runtime");
    let router = layers::service(
        anime::router(anime::AnimeState::new(environment).expect("a catalogue")),
        environment.edge(),
    );
    let function = kiroku.block_on(Function::start(environment));
    println!("\nprocessor time in the function, in microseconds\n");
    println!("| request | router | target | process |");
    println!("|---|---:|---:|---:|");
    let requests = [
        ("empty list", "title=nothing%20like%20it", EMPTY_LIST),
        ("list of 100", "per_page=100", LIST_OF_100),
    ];
    for (name, query, target) in requests {
        let path = format!("/v1/anime?{query}");
        let in_router = each(calls, thread_cpu, || {
            let request = request(Method::GET, &path, &[], "");
            let answer = this_thread.block_on(call(&router, request));
            assert_eq!(answer.status, 200);
        });
        let event = tests::event::request("GET", "/v1/anime", query).to_string();
        let event = Bytes::from(event);
        let in_process = each(
            calls,
            || function.cpu(),
            || {
                let response = kiroku.block_on(function.invoke(&event));
                let response: Value = serde_json::from_slice(&response).expect("JSON");
                assert_eq!(response["statusCode"], 200);
            },
        );
        let [in_router_us, limit, in_process] =
            [in_router, target, in_process].map(|time| time.as_micros());
        println!("| {name} | {in_router_us} | {limit} | {in_process} |");
        missed.check(name, in_router <= target);
    }
}

/// Returns the increase of `cpu` for each call of `run`.
fn each(calls: u32, cpu: impl Fn() -> Duration, mut run: impl FnMut()) -> Duration {
    // The first calls build the service and load the index.
    for _ in 0..calls.div_ceil(10) {
        run();
    }
    let before = cpu();
    for _ in 0..calls {
        run();
    }
    cpu().saturating_sub(before) / calls
}
