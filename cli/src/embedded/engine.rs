//! The embedded DynamoDB of a command: the engine with its data folder.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use aws_sdk_dynamodb::Client;
use dynamo::Item;
use dynoxide::ImportOptions;
use shared::clock::Clock;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::sleep;

use crate::embedded::access_key::AccessKey;
use crate::embedded::connection::EngineConnection;
use crate::embedded::database::{CallType, SharedDatabase};
use crate::embedded::dynamodb;
use crate::http::{self, SHUTDOWN_TIMEOUT};
use crate::private_file;

/// Interval of three tasks: deleting expired rows, which the embedded engine does not do; deleting the remaining data
/// of deleted users and OAuth clients; and publishing corrections.
pub const TASK_INTERVAL: Duration = Duration::from_mins(1);

/// The file of the engine in a data folder.
const DATABASE_FILE: &str = "dynamodb.sqlite";

/// The files of `SQLite` beside [`DATABASE_FILE`].
const LOG_FILES: [&str; 2] = ["dynamodb.sqlite-wal", "dynamodb.sqlite-shm"];

/// The copy of [`DATABASE_FILE`] from before its tables were created or upgraded. It exists only during that change, or
/// after an interruption. The engine does not create or change a table in one step, so a process that is killed in
/// between leaves a database that cannot be used.
const COPY_FILE: &str = "dynamodb.before-upgrade.sqlite";

/// The socket of a running engine in its data folder. Only the user of the process can connect to it.
const SOCKET_FILE: &str = "dynamodb.sock";

/// A file that is written to find out whether the disk is full, and deleted.
const PROBE_FILE: &str = "dynamodb.probe";

/// Size of [`PROBE_FILE`], in bytes: about as much as the data of a new service takes.
const PROBE_BYTES: usize = 4 << 20;

/// Length of the pause after a deletion of expired rows, in durations of the deletion. The deletion reads all rows of
/// the tables with a time to live, 10 seconds or more for a million stories.
const SWEEP_PAUSE: u32 = 50;

/// Number of connections to the socket that wait until they are accepted.
#[cfg(unix)]
const SOCKET_BACKLOG: u32 = 128;

/// The running engine.
pub struct Engine {
    database: SharedDatabase,
    folder: Option<DataFolder>,
    stopping: watch::Sender<bool>,
    servers: Vec<JoinHandle<()>>,
    /// The task that deletes expired rows.
    expiry: Option<JoinHandle<()>>,
}

impl Engine {
    /// Opens the data folder, or memory without one. The folder is created if it is missing, and its files are closed
    /// to other users. If an upgrade of its data was interrupted, the copy from before the upgrade takes the place of
    /// the data.
    ///
    /// # Errors
    /// When the folder cannot be used, or another process uses it. The message names the folder.
    pub fn start(folder: Option<&Path>) -> anyhow::Result<Self> {
        let folder = folder.map(DataFolder::lock).transpose()?;
        let database = match &folder {
            Some(folder) => folder
                .open_database()
                .map_err(|error| folder.explain(error))?,
            None => dynoxide::Database::memory().map_err(|error| anyhow!("{error}"))?,
        };
        Ok(Self {
            database: database.into(),
            folder,
            stopping: watch::Sender::new(false),
            servers: Vec::new(),
            expiry: None,
        })
    }

    /// Returns a client for this process.
    pub fn client(&self) -> Client {
        EngineConnection::Router(dynamodb::router(self.database.clone())).client()
    }

    /// Opens the connections for reading the database. Must be called once the tables are up to date.
    pub async fn open_readers(&self) -> anyhow::Result<()> {
        let opened = self.database.open_readers().await;
        opened.map_err(|error| anyhow!("cannot open the database once more: {error}"))
    }

    /// Serves the DynamoDB API on the socket of the data folder from now on, for the other commands. If the folder's
    /// file system has no sockets, or its path is too long for a socket, a warning is logged, because the service
    /// itself needs none.
    #[cfg(unix)]
    pub fn serve_socket(&mut self) {
        let Some(folder) = &self.folder else {
            return;
        };
        match folder.listen() {
            Ok(listener) => {
                let router = dynamodb::router(self.database.clone());
                let server = http::serve(listener, router, self.stopping.subscribe());
                self.servers.push(tokio::spawn(server));
            }
            Err(error) => {
                let path = folder.path.join(SOCKET_FILE);
                let path = path.display();
                tracing::warn!(%path, %error, "other commands cannot reach this service; --dynamodb-port can help");
            }
        }
    }

    /// Does nothing, because this system has no sockets in folders.
    #[cfg(not(unix))]
    pub fn serve_socket(&mut self) {}

    /// Serves the DynamoDB API on a port from now on, to requests that are signed with this key.
    pub fn serve_port(&mut self, listener: TcpListener, key: AccessKey) {
        let router = dynamodb::signed_router(self.database.clone(), key, Clock::system());
        let server = http::serve(listener, router, self.stopping.subscribe());
        self.servers.push(tokio::spawn(server));
    }

    /// Deletes expired rows about once a minute from now on. On AWS, DynamoDB's time to live does that.
    pub fn delete_expired_rows(&mut self) {
        self.expiry = Some(tokio::spawn(delete_expired_rows(self.database.clone())));
    }

    /// Keeps a copy of the data, to which the next start returns unless [`Engine::finish_upgrade`] is called before.
    ///
    /// # Errors
    /// When the copy cannot be written, for example because the disk is full. The data is unchanged.
    pub fn begin_upgrade(&self) -> anyhow::Result<()> {
        let folder = self.folder.as_ref();
        folder.map_or(Ok(()), |folder| folder.keep_copy(self.database.writer()))
    }

    /// Deletes the copy of [`Engine::begin_upgrade`].
    pub fn finish_upgrade(&self) -> anyhow::Result<()> {
        let folder = self.folder.as_ref();
        folder.map_or(Ok(()), DataFolder::remove_copy)
    }

    /// Writes rows to a table in one transaction, several times faster than by the DynamoDB API. A row replaces an
    /// existing row with the same key.
    ///
    /// # Errors
    /// When a row cannot be written, for example because the disk is full. In that case, no row has been written.
    pub async fn write_rows(&self, table: String, rows: Vec<Item>) -> anyhow::Result<()> {
        let convert = move || {
            let mut items = Vec::new();
            for row in rows {
                let row = serde_dynamo::Item::from(row);
                items.push(serde_json::from_value(serde_json::to_value(row)?)?);
            }
            anyhow::Ok(items)
        };
        let items = spawn_blocking(convert).await??;
        let write = move |database: &dynoxide::Database| {
            database.import_items(&table, items, ImportOptions::default())
        };
        let written = self.database.run(CallType::Write, write).await;
        written.map(drop).map_err(|error| anyhow!("{error}"))
    }

    /// Returns the cause of an error if it is a full disk, and otherwise the error. The errors of the engine do not
    /// always show that, because a repeated call can fail in another way.
    pub fn explain(&self, error: anyhow::Error) -> anyhow::Error {
        match &self.folder {
            Some(folder) => folder.explain(error),
            None => error,
        }
    }

    /// Returns the location of the data, for the operator.
    pub fn location(&self) -> String {
        match &self.folder {
            Some(folder) => format!("in {}", folder.path.display()),
            None => "in memory".to_owned(),
        }
    }

    /// Stops the engine after its running requests, at the latest after [`SHUTDOWN_TIMEOUT`]. Nothing needs to be
    /// saved, because acknowledged writes are already in the data folder.
    pub async fn stop(self) {
        if let Some(expiry) = self.expiry {
            expiry.abort();
        }
        self.stopping.send_replace(true);
        let servers = async {
            for server in self.servers {
                let _ = server.await;
            }
        };
        // An open connection without a running request must not keep the process alive.
        let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, servers).await;
        if let Some(folder) = self.folder {
            // A socket without a process is harmless, and replaced at the next start.
            let _ = remove_if_exists(&folder.path.join(SOCKET_FILE));
        }
    }
}

/// Returns a client of the running service that uses a data folder; `None` if no service uses it.
pub fn client_of_running(folder: &Path) -> Option<Client> {
    let socket = folder.join(SOCKET_FILE);
    // The socket of a process that was killed is still there, and refuses connections.
    #[cfg(unix)]
    std::os::unix::net::UnixStream::connect(&socket).ok()?;
    socket
        .exists()
        .then(|| EngineConnection::Socket(socket).client())
}

/// A data folder that no other process can use until this value is dropped.
struct DataFolder {
    path: PathBuf,
    _lock: File,
}

impl DataFolder {
    fn lock(path: &Path) -> anyhow::Result<Self> {
        let lock = lock_folder(path);
        Ok(Self {
            _lock: lock.with_context(|| {
                format!("cannot use the data folder {} (--data-dir)", path.display())
            })?,
            path: path.to_owned(),
        })
    }

    /// Opens the database, after restoring the copy of an interrupted upgrade.
    fn open_database(&self) -> anyhow::Result<dynoxide::Database> {
        let context = || format!("cannot open the database in {}", self.path.display());
        self.return_to_copy().with_context(context)?;
        let file = self.path.join(DATABASE_FILE);
        let file = file.to_str().context("its path is not valid UTF-8");
        let file = file.with_context(context)?;
        // SQLite gives its other files the mode of the database.
        private_file::open(Path::new(file)).with_context(context)?;
        for log in LOG_FILES.map(|name| self.path.join(name)) {
            if log.try_exists().with_context(context)? {
                private_file::close_to_others(&log);
            }
        }
        dynoxide::Database::new(file)
            .map_err(|error| anyhow!("{error}"))
            .with_context(context)
    }

    fn keep_copy(&self, database: &dynoxide::Database) -> anyhow::Result<()> {
        // A copy counts only under its final name, so that an incomplete copy is never taken for the data.
        let unfinished = self.path.join(COPY_FILE).with_extension("part");
        let copy = || -> anyhow::Result<()> {
            remove_if_exists(&unfinished)?;
            // SQLite writes to an empty file, whose mode stays.
            private_file::open(&unfinished)?;
            let path = unfinished.to_str().context("its path is not valid UTF-8")?;
            database
                .vacuum_into(path)
                .map_err(|error| anyhow!("{error}"))?;
            File::open(&unfinished)?.sync_all()?;
            fs::rename(&unfinished, self.path.join(COPY_FILE))?;
            Ok(())
        };
        copy().map_err(|error| {
            // The space of an incomplete copy is freed, if possible. The copy's own error says what is wrong.
            let _ = remove_if_exists(&unfinished);
            error.context(format!(
                "cannot copy the data in {} before its upgrade",
                self.path.display()
            ))
        })
    }

    /// Takes back what an interrupted upgrade has done.
    fn return_to_copy(&self) -> io::Result<()> {
        let copy = self.path.join(COPY_FILE);
        if !copy.try_exists()? {
            return Ok(());
        }
        // SQLite would apply the log of the interrupted upgrade to the copy.
        for log in LOG_FILES {
            remove_if_exists(&self.path.join(log))?;
        }
        fs::rename(copy, self.path.join(DATABASE_FILE))
    }

    /// Listens on the socket. Another process cannot, because the folder is locked.
    #[cfg(unix)]
    fn listen(&self) -> io::Result<tokio::net::UnixListener> {
        let path = self.path.join(SOCKET_FILE);
        remove_if_exists(&path)?;
        let socket = tokio::net::UnixSocket::new_stream()?;
        socket.bind(&path)?;
        // The file is closed to other users before the first connection can be made.
        private_file::close_to_others(&path);
        socket.listen(SOCKET_BACKLOG)
    }

    fn explain(&self, error: anyhow::Error) -> anyhow::Error {
        let probe = self.path.join(PROBE_FILE);
        let written = private_file::write(&probe, &vec![0; PROBE_BYTES]);
        // The error of the write above says whether the disk is full, so an error of the deletion does not matter.
        let _ = remove_if_exists(&probe);
        let kind = written.err().map(|error| error.kind());
        let is_full = matches!(
            kind,
            Some(
                io::ErrorKind::StorageFull
                    | io::ErrorKind::QuotaExceeded
                    | io::ErrorKind::FileTooLarge
            )
        );
        if is_full || format!("{error:#}").contains("database or disk is full") {
            return anyhow!(
                "the disk with the data folder {} is full: free some space, or use another folder with --data-dir",
                self.path.display()
            );
        }
        error
    }

    fn remove_copy(&self) -> anyhow::Result<()> {
        let copy = self.path.join(COPY_FILE);
        remove_if_exists(&copy).with_context(|| format!("cannot delete {}", copy.display()))
    }
}

/// Creates a folder if it is missing, and locks it. Closes it to other users, unless it also has files that are not the
/// service's.
fn lock_folder(folder: &Path) -> anyhow::Result<File> {
    private_file::create_folder(folder)?;
    // Others may need a folder with other files, such as a home folder. The files of the service are always closed to
    // other users.
    if has_only_own_files(folder)? {
        private_file::close_to_others(folder);
    }
    let lock = private_file::open(&folder.join("lock"))?;
    lock.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => anyhow!("another `kiroku serve` is using it"),
        TryLockError::Error(error) => anyhow!("cannot lock it: {error}"),
    })?;
    Ok(lock)
}

/// Returns true if a folder contains only files of the service, so its permissions can be changed.
fn has_only_own_files(folder: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        if !name.starts_with("dynamodb.") && !["lock", "keys.json", "mail"].contains(&&*name) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn remove_if_exists(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

async fn delete_expired_rows(database: SharedDatabase) {
    let mut pause = TASK_INTERVAL;
    loop {
        sleep(pause).await;
        let (database, started) = (database.clone(), Instant::now());
        match spawn_blocking(move || database.writer().sweep_ttl()).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::warn!(%error, "cannot delete expired rows"),
            // The task panicked, or the process is stopping.
            Err(_) => return,
        }
        pause = TASK_INTERVAL.max(started.elapsed() * SWEEP_PAUSE);
    }
}
