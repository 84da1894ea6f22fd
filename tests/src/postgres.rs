//! A temporary PostgreSQL server, on a Unix socket only, for the service that a benchmark compares Kiroku with.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, Error, NoTls, Row, Statement};

/// The user that the server runs as if the benchmark runs as root, because PostgreSQL refuses to run as
/// root. Debian's package creates it.
const SERVER_USER: &str = "postgres";

/// Settings of the server. All rows fit into its buffers, and each query is too short for compilation or a
/// second process to pay off. The plan of a prepared statement never depends on its parameters: planning
/// would take longer than most of the queries.
const SETTINGS: [&str; 9] = [
    "listen_addresses=",
    "shared_buffers=512MB",
    "work_mem=32MB",
    "effective_cache_size=1GB",
    "random_page_cost=1.1",
    "jit=off",
    "max_parallel_workers_per_gather=0",
    "plan_cache_mode=force_generic_plan",
    "fsync=off",
];

/// Connections of a pool: two for each core of the machines that the benchmarks are for.
const CONNECTIONS: usize = 4;

/// The number of inserts that are under way at a time.
const INSERTS: usize = 100;

/// A running PostgreSQL server with an empty database. Dropping it stops the server and deletes its files.
#[derive(Debug)]
pub struct Cluster {
    server: Child,
    folder: TempDir,
}

impl Cluster {
    /// Starts a server. Returns `None` if PostgreSQL is not installed.
    pub async fn start() -> Option<Self> {
        let programs = programs()?;
        let folder = TempDir::new().expect("a temporary folder");
        let is_root = rustix::process::geteuid().is_root();
        if is_root {
            let owned = Command::new("chown")
                .arg(SERVER_USER)
                .arg(folder.path())
                .status();
            assert!(owned.is_ok_and(|status| status.success()), "chown failed");
        }
        let run = |program: &str| {
            // The server stops together with the benchmark, even if the benchmark is killed.
            let mut command = Command::new("setpriv");
            command.args(["--pdeathsig", "INT"]);
            if is_root {
                command.args(["--reuid", SERVER_USER, "--regid", SERVER_USER]);
                command.arg("--clear-groups");
            }
            command.arg(programs.join(program)).arg("-D");
            command.arg(folder.path().join("data"));
            command.current_dir(folder.path()).stdin(Stdio::null());
            command
        };
        let created = run("initdb")
            .args(["--username", SERVER_USER, "--auth", "trust", "--no-sync"])
            .args(["--locale", "C.UTF-8", "--encoding", "UTF8"])
            .output()
            .expect("setpriv, of util-linux");
        let errors = String::from_utf8_lossy(&created.stderr);
        assert!(created.status.success(), "initdb: {errors}");
        let log = fs::File::create(folder.path().join("log")).expect("a log file");
        let server = run("postgres")
            .arg("-k")
            .arg(folder.path())
            .args(SETTINGS.iter().flat_map(|setting| ["-c", setting]))
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("a server");
        let cluster = Self { server, folder };
        cluster.wait_until_ready().await;
        Some(cluster)
    }

    async fn wait_until_ready(&self) {
        for _ in 0..300 {
            if self.try_connect().await.is_ok() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        panic!("PostgreSQL does not start:\n{log}");
    }

    /// Opens connections. They belong to the runtime of the caller.
    pub async fn pool(&self) -> Pool {
        let clients = stream::repeat(self).take(CONNECTIONS);
        let connections = clients.then(async |cluster| PooledConnection {
            client: cluster.try_connect().await.expect("a connection"),
            running: AtomicUsize::new(0),
            statements: Mutex::default(),
        });
        Pool(connections.collect().await)
    }

    /// Returns the processor time that the server has used: that of one process for each connection and of some of its
    /// own.
    pub fn cpu(&self) -> Duration {
        let server = self.server.id();
        let children = format!("/proc/{server}/task/{server}/children");
        let children = fs::read_to_string(children).expect("a running server");
        let used = children.split_whitespace().map(|process| {
            // A process of the server may have ended.
            let times = fs::read_to_string(format!("/proc/{process}/schedstat"));
            let times = times.unwrap_or_default();
            let used = times.split(' ').next().and_then(|used| used.parse().ok());
            Duration::from_nanos(used.unwrap_or_default())
        });
        used.sum()
    }

    async fn try_connect(&self) -> Result<Client, Error> {
        let (client, connection) = Config::new()
            .host_path(self.folder.path())
            .user(SERVER_USER)
            .connect(NoTls)
            .await?;
        // The connection fails when the server stops.
        tokio::spawn(connection);
        Ok(client)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // `SIGINT` is PostgreSQL's fast shutdown: it does not wait for clients.
        let stopping = kill_process(Pid::from_child(&self.server), Signal::INT);
        if let Err(error) = stopping
            .map_err(Into::into)
            .and_then(|()| self.server.wait())
        {
            eprintln!("cannot stop PostgreSQL: {error}");
        }
    }
}

/// The value of a parameter of a statement.
pub type Parameter = Box<dyn ToSql + Send + Sync>;

/// Open connections, each with the statements that it has prepared.
pub struct Pool(Vec<PooledConnection>);

struct PooledConnection {
    client: Client,
    /// The number of running queries.
    running: AtomicUsize,
    statements: Mutex<HashMap<String, Statement>>,
}

impl Pool {
    /// Runs statements one after the other, each in a transaction of its own.
    pub async fn execute(&self, statements: &str) -> Result<(), Error> {
        for statement in statements.split(';') {
            self.connection().client.batch_execute(statement).await?;
        }
        Ok(())
    }

    /// Inserts rows with these values of all columns into a table.
    pub async fn insert(
        &self,
        table: &str,
        rows: impl Iterator<Item = Vec<Parameter>>,
    ) -> Result<(), Error> {
        let mut rows = rows.peekable();
        let places = 1..=rows.peek().map_or(0, Vec::len);
        let places: Vec<String> = places.map(|place| format!("${place}")).collect();
        let client = &self.connection().client;
        let insert = format!("insert into {table} values ({})", places.join(", "));
        let insert = &client.prepare(&insert).await?;
        // Statements of a connection run one after the other, but need not wait for each other's response.
        let inserts = stream::iter(rows);
        let inserts = inserts.map(|row| async move { client.execute_raw(insert, row).await });
        let inserts = inserts.buffer_unordered(INSERTS);
        inserts.try_for_each(|_| async { Ok(()) }).await
    }

    /// Runs a statement, which each connection prepares once.
    pub async fn query(&self, sql: &str, parameters: &[Parameter]) -> Result<Vec<Row>, Error> {
        let connection = self.connection();
        connection.running.fetch_add(1, Ordering::Relaxed);
        let rows = connection.query(sql, parameters).await;
        connection.running.fetch_sub(1, Ordering::Relaxed);
        rows
    }

    /// Returns the first of the connections with the fewest running queries. A single client always gets the same
    /// connection, whose caches are warm.
    fn connection(&self) -> &PooledConnection {
        let running = |connection: &&PooledConnection| connection.running.load(Ordering::Relaxed);
        let connection = self.0.iter().min_by_key(running);
        connection.expect("a connection")
    }
}

impl PooledConnection {
    async fn query(&self, sql: &str, parameters: &[Parameter]) -> Result<Vec<Row>, Error> {
        let known = self.statements.lock().expect("a lock").get(sql).cloned();
        let statement = if let Some(statement) = known {
            statement
        } else {
            let statement = self.client.prepare(sql).await?;
            let mut statements = self.statements.lock().expect("a lock");
            statements.insert(sql.to_owned(), statement.clone());
            statement
        };
        let parameters = parameters
            .iter()
            .map(|value| &**value as &(dyn ToSql + Sync));
        let rows = self.client.query_raw(&statement, parameters).await?;
        rows.try_collect().await
    }
}

/// Returns the folder with PostgreSQL's programs: that of the newest version where Debian installs them, or
/// one of `PATH`.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let newest = versions
        .filter_map(|version| version.ok()?.file_name().to_str()?.parse::<u32>().ok())
        .max()
        .map(|version| PathBuf::from(format!("/usr/lib/postgresql/{version}/bin")));
    let path = std::env::var_os("PATH").unwrap_or_default();
    newest
        .into_iter()
        .chain(std::env::split_paths(&path))
        .find(|folder| Path::exists(&folder.join("initdb")))
}
