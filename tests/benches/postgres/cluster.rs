//! A temporary PostgreSQL server, on a Unix socket only.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio_postgres::{Client, Config, NoTls};

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

/// A running PostgreSQL server with an empty database. Dropping it stops the server and deletes its files.
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

    /// Opens a connection.
    pub async fn connect(&self) -> Client {
        self.try_connect().await.expect("a connection")
    }

    /// Returns the processes of the server, one for each connection and some of its own.
    pub fn processes(&self) -> Vec<Pid> {
        let server = self.server.id();
        let path = format!("/proc/{server}/task/{server}/children");
        let children = fs::read_to_string(path).expect("a running server");
        let children = children.split_whitespace().map(str::parse);
        let children = children.filter_map(|child| Pid::from_raw(child.expect("a number")));
        children.chain([Pid::from_child(&self.server)]).collect()
    }

    async fn try_connect(&self) -> Result<Client, tokio_postgres::Error> {
        let (client, connection) = Config::new()
            .host_path(self.folder.path())
            .user(SERVER_USER)
            .connect(NoTls)
            .await?;
        // It fails when the server stops.
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
