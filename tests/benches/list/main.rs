//! Measures the cost of requests about the list of a user: for lists of 500 to 20,000 entries, with histories of 3 and
//! of 50 changes, at the first visit of a new process and again, over HTTP and the embedded engine. A thin server over
//! PostgreSQL gets the same requests for pages of the list and changes of an entry, in turns. Then measures how many
//! pages of eight users with 500 entries each service sends in a second.
//!
//! Prints a Markdown table. A cell of Kiroku has the request units, then milliseconds (median / 90 % of the requests),
//! then milliseconds of processor time (median), with those of the client and the engine. A cell of PostgreSQL has no
//! units. Without PostgreSQL and `setpriv` of util-linux, its rows are missing.
//!
//! Without `--bench`, which `cargo bench` passes, the lists are small: the run only checks that the benchmark works.

#![expect(
    clippy::expect_used,
    reason = "a benchmark must stop at an unexpected result"
)]

mod peer;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use axum::http::Method;
use futures_util::{StreamExt, stream};
use peer::Peer;
use serde_json::{Value, json};
use shared::models::{Anime, AnimeStatus};
use tests::browser::{PageClient, hidden, query};
use tests::made_up;
use tests::measured::{self, Connection, Response, Samples, is_measured, request};
use tests::people::Person;
use tests::postgres::Cluster;
use tests::service::Service;
use tests::units::{Meter, metered};
use tokio::runtime::Runtime;
use tokio::sync::watch;

/// The lengths of the histories of entries.
const HISTORIES: [u32; 2] = [3, 50];

/// The number of users whose pages are read at the same time. Their lists have the smallest size.
const READERS: u32 = 8;

/// A kind of request.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// The same request, repeated.
    Repeated,
    /// The same request, each time after another process has changed an entry.
    AfterChange,
    /// The changes since the last poll, each time after another process has changed an entry.
    Poll,
    /// The form "next episode", as the script sends it.
    Next,
    /// A file with the whole list.
    File,
}

use Kind::{AfterChange, File, Next, Poll, Repeated};

/// The requests. The paths have `{id}` in place of the user's identifier. PostgreSQL has those that begin with `/list`.
const CASES: [(Kind, &str); 16] = [
    (Repeated, "/list?sort=title"),
    (Repeated, "/list?sort=score"),
    (Repeated, "/list?search=star&genre=Action"),
    (Repeated, "/list?page=2"),
    (AfterChange, "/list?sort=title"),
    (Repeated, "/"),
    (AfterChange, "/"),
    (Repeated, "/calendar"),
    (Next, NEXT),
    (Poll, "/v1/user_story/changes"),
    (AfterChange, "/v1/user_story?status=0"),
    (Repeated, "/v1/user_story?include=anime"),
    (AfterChange, "/v1/user/{id}/suggestions"),
    (AfterChange, "/v1/user/{id}/statistics"),
    (File, "/v1/user_story/export"),
    (File, "/v1/auth/me/data"),
];

/// The path of the form "next episode".
const NEXT: &str = "/list/next";

/// The size of a run.
struct Amounts {
    sizes: &'static [u32],
    anime: u32,
    /// The number of new processes for each request.
    processes: usize,
    /// The number of requests of each kind in the last of these processes.
    rounds: usize,
    /// The duration of the measurement of throughput.
    time: Duration,
}

impl Amounts {
    fn read() -> Self {
        if is_measured() {
            Self {
                sizes: &[500, 2000, 10_000, 20_000],
                anime: 40_000,
                processes: 5,
                rounds: 30,
                time: Duration::from_secs(10),
            }
        } else {
            Self {
                sizes: &[60, 120],
                anime: 200,
                processes: 1,
                rounds: 2,
                time: Duration::from_millis(50),
            }
        }
    }
}

/// A user whose list is measured.
struct User {
    /// The identifier in PostgreSQL.
    number: i64,
    entries: u32,
    person: Person,
    cookies: String,
    /// The token of the forms.
    csrf: String,
    /// The numbers of entries that the page shows.
    counts: String,
    /// The key of the entry whose next episode is watched.
    entry: String,
    /// The cursor of the change feed.
    cursor: String,
    /// The number of changes so far.
    changes: u32,
}

impl User {
    /// Creates a user with this number of entries.
    async fn new(writer: &Service, number: u32, entries: u32) -> Self {
        let person = writer.person(&format!("user{number}")).await;
        let mut user = Self {
            number: number.into(),
            entries,
            person,
            cookies: String::new(),
            csrf: String::new(),
            counts: String::new(),
            entry: String::new(),
            cursor: String::new(),
            changes: 0,
        };
        let others: Vec<u32> = (2..=entries).collect();
        for _ in 0..HISTORIES[0] {
            user.change(writer, &others).await;
        }
        // The first anime has so many episodes that there is always a next one.
        let first = json!({"op": "put", "anime_id": 1, "status": 0, "current_episode": 1});
        user.send(writer, vec![first]).await;
        let mut browser = PageClient::signed_in(writer, &user.person).await;
        let page = browser.get("/list?status=0&sort=changed").await;
        let cookies = browser.cookies.iter();
        let cookies: Vec<String> = cookies
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        user.cookies = cookies.join("; ");
        user.csrf = hidden(&page, "csrf").expect("a token");
        user.counts = after(&page.text(), "data-counts=\"").expect("numbers");
        user.entry = entry_key(&page.text()).expect("the first anime");
        user
    }

    /// Changes the stories about these anime.
    async fn change(&mut self, writer: &Service, anime: &[u32]) {
        self.changes += 1;
        let round = self.changes;
        let change = |number: &u32| {
            let notes = format!("Notes number {number} of round {round}.");
            let details = json!({
                "score": f64::from((number * 7 + round) % 1000 + 1) / 10.0, "started_on": "2016-08-26",
                "notes": if number.is_multiple_of(4) { notes } else { String::new() }
            });
            json!({"op": "put", "anime_id": number, "status": (number + round) % 6, "details": details})
        };
        for anime in anime.chunks(100) {
            self.send(writer, anime.iter().map(change).collect()).await;
        }
    }

    /// Sends a batch of changes.
    async fn send(&self, writer: &Service, changes: Vec<Value>) {
        // A change in the same millisecond as the one before would need a second transaction.
        writer.clock.advance(Duration::from_millis(10));
        let (path, token) = ("/v1/user_story/batch", Some(self.person.token.as_str()));
        let body = json!({ "changes": changes });
        let answer = writer.json(Method::POST, path, token, &body).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }

    /// Reads the change feed up to its end.
    async fn follow_feed(&mut self, writer: &Service) {
        // The feed repeats the changes of the last seconds.
        writer.clock.advance(Duration::from_mins(1));
        loop {
            let path = format!("/v1/user_story/changes?since={}", self.cursor);
            let path = path.trim_end_matches("?since=");
            let answer = writer.with_token(Method::GET, path, &self.person.token);
            let feed = answer.await.data();
            feed["cursor"]
                .as_str()
                .expect("a cursor")
                .clone_into(&mut self.cursor);
            if feed["more"] == false {
                break;
            }
        }
    }

    /// Builds the next request of a kind.
    fn request(&self, kind: Kind, path: &str) -> Vec<u8> {
        let path = path.replace("{id}", &self.person.id.get().to_string());
        let bearer = format!("Bearer {}", self.person.token);
        let header = if path.starts_with("/v1/") {
            ("Authorization", bearer.as_str())
        } else {
            ("Cookie", self.cookies.as_str())
        };
        match kind {
            Next => {
                let form = query(&[
                    ("csrf", &self.csrf),
                    ("entry", &self.entry),
                    ("back", "/list?status=0&sort=changed"),
                    ("counts", &self.counts),
                ]);
                request(&path, &[header], Some(&form))
            }
            Poll => request(&format!("{path}?since={}", self.cursor), &[header], None),
            File => request(&path, &[header, ("Accept-Encoding", "gzip")], None),
            _ => request(&path, &[header], None),
        }
    }

    /// Builds the same request for the service over PostgreSQL.
    fn peer_request(&self, path: &str) -> Vec<u8> {
        let joint = if path.contains('?') { '&' } else { '?' };
        let form = (path == NEXT).then_some("");
        request(&format!("{path}{joint}user={}", self.number), &[], form)
    }

    /// Keeps the values of a response that the next request of the kind needs.
    fn read(&mut self, kind: Kind, response: &Response) {
        match kind {
            Next => {
                let next = entry_key(&response.text());
                self.entry = next.expect("the entry after the change");
            }
            Poll => {
                let feed: Value = serde_json::from_slice(&response.body).expect("JSON");
                let changes = feed["data"]["changes"].as_array().expect("changes");
                assert_eq!(changes.len(), 1, "{feed}");
                let cursor = feed["data"]["cursor"].as_str().expect("a cursor");
                cursor.clone_into(&mut self.cursor);
            }
            _ => {}
        }
    }
}

/// Returns the text between `start` and the next quotation mark.
fn after(text: &str, start: &str) -> Option<String> {
    let (_, after) = text.split_once(start)?;
    after.split('"').next().map(ToOwned::to_owned)
}

/// Returns the key of the story about the first anime in a page.
fn entry_key(page: &str) -> Option<String> {
    after(page, "name=\"entry\" value=\"1:").map(|state| format!("1:{state}"))
}

/// A process that serves requests until the value is dropped.
struct Process {
    connection: Connection,
    _running: watch::Sender<bool>,
}

/// The service over PostgreSQL.
struct PostgreSql {
    cluster: Cluster,
    peer: Arc<Peer>,
    address: SocketAddr,
    runtime: Runtime,
    _running: watch::Sender<bool>,
}

impl PostgreSql {
    /// Starts the service, if PostgreSQL is installed.
    fn start(anime: &[Anime]) -> Option<Self> {
        let runtime = Runtime::new().expect("a runtime");
        let cluster = runtime.block_on(Cluster::start())?;
        let peer = runtime.block_on(Peer::load(&cluster, anime));
        let peer = peer.expect("the rows in PostgreSQL");
        let router = Arc::clone(&peer).router();
        let (address, running) = runtime.block_on(measured::serve(router));
        Some(Self {
            cluster,
            peer,
            address,
            runtime,
            _running: running,
        })
    }

    /// Gives a user the same number of stories as in Kiroku.
    fn add_user(&self, user: &User) {
        let added = self.peer.add_stories(user.number, user.entries);
        self.runtime.block_on(added).expect("stories");
        self.add_histories(user, HISTORIES[0]);
    }

    fn add_histories(&self, user: &User, changes: u32) {
        let added = self.peer.add_histories(user.number, changes);
        self.runtime.block_on(added).expect("histories");
    }
}

/// The table of results, by request and by size.
#[derive(Default)]
struct Table {
    columns: Vec<String>,
    rows: Vec<(String, Vec<String>)>,
}

impl Table {
    /// Adds a cell to the row with this name.
    fn add(&mut self, row: String, cell: String) {
        match self.rows.iter_mut().find(|(name, _)| *name == row) {
            Some((_, cells)) => cells.push(cell),
            None => self.rows.push((row, vec![cell])),
        }
    }

    fn print(&self) {
        let columns = self.columns.join(" | ");
        println!("| entries / changes in each history | | {columns} |");
        println!("|---|---|{}", "---:|".repeat(self.columns.len()));
        for (row, cells) in &self.rows {
            println!("| {row} | {} |", cells.join(" | "));
        }
    }
}

struct Bench {
    amounts: Amounts,
    kiroku: Runtime,
    /// The process that makes the changes.
    writer: Service,
    /// The DynamoDB client of the processes that are measured.
    client: Client,
    meter: Meter,
    postgres: Option<PostgreSql>,
    table: Table,
}

impl Bench {
    fn new(amounts: Amounts) -> Self {
        let kiroku = Runtime::new().expect("a runtime");
        let mut anime = made_up::anime(amounts.anime, 1);
        let first = anime.first_mut().expect("an anime");
        first.status = AnimeStatus::Finished;
        first.episodes_count = 1_000_000;
        let writer = kiroku.block_on(Service::with_catalogue(&anime, &[]));
        let (client, meter) = kiroku.block_on(async { metered() });
        Self {
            amounts,
            kiroku,
            writer,
            client,
            meter,
            postgres: PostgreSql::start(&anime),
            table: Table::default(),
        }
    }

    /// Starts a process that has loaded the index of anime.
    fn start_process(&self) -> Process {
        let mut environment = self.writer.environment.clone();
        environment.database.client = self.client.clone();
        environment.overrides.catalogues = Some(Arc::default());
        // The embedded engine belongs to this runtime.
        let entered = self.kiroku.enter();
        let service = self.writer.another(self.writer.clock.clone());
        drop(entered);
        let service = service.with_environment(environment);
        let router = cli::http::with_gateway_checks(service.router);
        let (address, running) = self.kiroku.block_on(measured::serve(router));
        let mut connection = Connection::open(address);
        let index = request("/v1/anime?search=star&per_page=1", &[], None);
        assert_eq!(connection.send(&index).status, 200);
        Process {
            connection,
            _running: running,
        }
    }

    fn create_user(&self, number: u32, entries: u32) -> User {
        let user = User::new(&self.writer, number, entries);
        let user = self.kiroku.block_on(user);
        if let Some(postgres) = &self.postgres {
            postgres.add_user(&user);
        }
        user
    }

    /// Measures all requests about a list, and adds a column to the table.
    fn measure_list(&mut self, user: &mut User, history: u32) {
        let column = format!("{} / {history}", user.entries);
        self.table.columns.push(column);
        for (kind, path) in CASES {
            self.measure(user, kind, path);
        }
    }

    fn measure(&mut self, user: &mut User, kind: Kind, path: &str) {
        if kind == Poll {
            self.kiroku.block_on(user.follow_feed(&self.writer));
        }
        let (mut first, mut again) = (Measured::default(), Measured::default());
        let mut process = None;
        for _ in 0..self.amounts.processes {
            let started = process.insert(self.start_process());
            self.send(user, (kind, path), &mut started.connection, &mut first);
        }
        let connection = &mut process.as_mut().expect("a process").connection;
        let postgres = self.postgres.as_ref();
        let postgres = postgres.filter(|_| path.starts_with("/list"));
        let mut peer = postgres.map(|postgres| (postgres, Connection::open(postgres.address)));
        let mut peer_samples = Samples::default();
        let rounds = self.amounts.rounds / if kind == File { 6 } else { 1 };
        for _ in 0..rounds.max(1) {
            self.send(user, (kind, path), connection, &mut again);
            if let Some((postgres, connection)) = &mut peer {
                if kind == AfterChange {
                    assert_eq!(connection.send(&user.peer_request(NEXT)).status, 200);
                }
                let request = user.peer_request(path);
                let (response, sample) = connection.measure(&request, || postgres.cluster.cpu());
                assert_eq!(response.status, 200, "{}", response.text());
                peer_samples.add(sample);
            }
        }
        let has_peer = peer.is_some();
        let after = match kind {
            AfterChange | Poll => ", after a change",
            _ => "",
        };
        let name = format!("`{path}`{after}");
        self.table.add(format!("{name} | first"), first.cell());
        self.table.add(format!("{name} | again"), again.cell());
        if has_peer {
            let row = format!("{name} | PostgreSQL");
            self.table.add(row, times(&peer_samples));
        }
    }

    /// Sends a request of this kind, after the change that it needs.
    fn send(
        &self,
        user: &mut User,
        (kind, path): (Kind, &str),
        connection: &mut Connection,
        measured: &mut Measured,
    ) {
        // A change in the same millisecond as the one before would need a second transaction.
        self.writer.clock.advance(Duration::from_millis(10));
        if matches!(kind, AfterChange | Poll) {
            // The change is about another anime than the first, whose entry is in a form.
            let changed = [user.entries / 2];
            self.kiroku.block_on(user.change(&self.writer, &changed));
        }
        let request = user.request(kind, path);
        let _ = self.meter.take();
        let (response, sample) = connection.measure(&request, || Duration::ZERO);
        measured.units.push(self.meter.take().units);
        measured.samples.add(sample);
        if response.status == 200 {
            user.read(kind, &response);
            return;
        }
        // A file that is too large is refused.
        let is_refused = kind == File && matches!(response.status, 400 | 503);
        assert!(is_refused, "{path}: {} {}", response.head, response.text());
        measured.refused = Some(response.status);
    }

    /// Gives all stories of a user a history of 50 changes, as "next episode" makes them.
    fn add_histories(&self, user: &User) {
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
        let history = AttributeValue::L((0..HISTORIES[1]).map(revision).collect());
        let owner = AttributeValue::N(user.person.id.get().to_string());
        let updates = (1..=user.entries).map(|anime| {
            let request = self.writer.client.update_item();
            let request = request
                .table_name(self.writer.tables.of("UserStory"))
                .key("user_id", owner.clone())
                .key("anime_id", AttributeValue::N(anime.to_string()))
                .update_expression("SET history = :history")
                .expression_attribute_values(":history", history.clone());
            request.send()
        });
        let updated = stream::iter(updates).buffer_unordered(8);
        let updated = updated.for_each(async |updated| {
            updated.expect("an update");
        });
        self.kiroku.block_on(updated);
        if let Some(postgres) = &self.postgres {
            postgres.add_histories(user, HISTORIES[1]);
        }
    }

    /// Prints the number of pages of lists in a second.
    fn measure_throughput(&self) {
        let entries = *self.amounts.sizes.first().expect("a size");
        let users = (1001..=1000 + READERS).map(|number| self.create_user(number, entries));
        let users: Vec<User> = users.collect();
        let router = cli::http::with_gateway_checks(self.writer.router.clone());
        let (address, _running) = self.kiroku.block_on(measured::serve(router));
        let print = |name, address, request: &dyn Fn(&User, &str) -> Vec<u8>| {
            let requests = |user: &User| {
                let lists = CASES.into_iter().filter(|(kind, _)| *kind == Repeated);
                let lists = lists.filter(|(_, path)| path.starts_with("/list"));
                lists.map(|(_, path)| request(user, path)).collect()
            };
            let requests: Vec<Vec<Vec<u8>>> = users.iter().map(requests).collect();
            let pages = measured::throughput(address, &requests, self.amounts.time);
            println!("{name}: {pages:.0} pages of lists in a second");
        };
        println!("\n{READERS} users with {entries} entries");
        print("Kiroku", address, &|user: &User, path: &str| {
            user.request(Repeated, path)
        });
        if let Some(postgres) = &self.postgres {
            print("PostgreSQL", postgres.address, &User::peer_request);
        }
    }
}

/// The measurements of the requests in a cell.
#[derive(Default)]
struct Measured {
    samples: Samples,
    units: Vec<f64>,
    /// The status of the last request that was refused.
    refused: Option<u16>,
}

impl Measured {
    fn cell(mut self) -> String {
        if let Some(status) = self.refused {
            return format!("status {status}");
        }
        self.units.sort_by(f64::total_cmp);
        let median = self.units.get(self.units.len() / 2).expect("a request");
        format!("{median}; {}", times(&self.samples))
    }
}

/// Returns the times of requests in milliseconds.
fn times(samples: &Samples) -> String {
    let [median, most, cpu] = [samples.time(50), samples.time(90), samples.cpu()]
        .map(|time| format!("{:.1}", time.as_secs_f64() * 1000.0));
    format!("{median} / {most}; {cpu}")
}

fn main() {
    let mut bench = Bench::new(Amounts::read());
    for (number, entries) in (1..).zip(bench.amounts.sizes) {
        let mut user = bench.create_user(number, *entries);
        bench.measure_list(&mut user, HISTORIES[0]);
        bench.add_histories(&user);
        bench.measure_list(&mut user, HISTORIES[1]);
    }
    bench.table.print();
    bench.measure_throughput();
}
