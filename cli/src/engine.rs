//! The DynamoDB that a command works on when it brings its own: the embedded engine with its data folder.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use dynoxide::ImportOptions;
use store::Item;
use tokio::sync::watch;
use tokio::task::{JoinHandle, spawn_blocking};

use crate::http::SHUTDOWN_TIMEOUT;
use crate::tasks::TASK_INTERVAL;
use crate::{dynamodb, http};

/// The file of the engine in a data folder.
const DATABASE_FILE: &str = "dynamodb.sqlite";

/// The copy of [`DATABASE_FILE`] from before its tables were created or upgraded. It exists only meanwhile, or after an
/// interruption. The engine does not create or change a table in one step, so a process that is killed in between
/// leaves a database that cannot be used.
const COPY_FILE: &str = "dynamodb.before-upgrade.sqlite";

/// The running engine, which serves the DynamoDB API on a loopback port.
pub struct Engine {
    /// The address of the DynamoDB API.
    pub endpoint: String,
    database: dynoxide::Database,
    folder: Option<DataFolder>,
    stopping: watch::Sender<bool>,
    server: JoinHandle<()>,
    /// The task that deletes expired rows.
    expiry: Option<JoinHandle<()>>,
}

impl Engine {
    /// Opens the data folder, or memory without one, and serves it on this port; 0 for any free port. The folder is
    /// created if it is missing. If an upgrade of its data was interrupted, the copy from before the upgrade takes the
    /// place of the data.
    ///
    /// # Errors
    /// When the port or the folder cannot be used, or another process uses the folder. The message names the option or
    /// the folder.
    pub async fn start(folder: Option<&Path>, port: u16) -> anyhow::Result<Self> {
        let listener = http::bind(Ipv4Addr::LOCALHOST.into(), port, "--dynamodb-port").await?;
        let endpoint = format!("http://{}", listener.local_addr()?);
        let folder = folder.map(DataFolder::lock).transpose()?;
        let database = match &folder {
            Some(folder) => folder.open_database()?,
            None => dynoxide::Database::memory().map_err(|error| anyhow!("{error}"))?,
        };
        let (stopping, stopped) = watch::channel(false);
        let server = http::serve(listener, dynamodb::router(database.clone()), stopped);
        Ok(Self {
            endpoint,
            database,
            folder,
            stopping,
            server: tokio::spawn(server),
            expiry: None,
        })
    }

    /// Deletes expired rows once a minute from now on. On AWS, DynamoDB's time to live does that.
    pub fn delete_expired_rows(&mut self) {
        self.expiry = Some(tokio::spawn(delete_expired_rows(self.database.clone())));
    }

    /// Keeps a copy of the data, to which the next start returns unless [`Engine::finish_upgrade`] is called before.
    ///
    /// # Errors
    /// When the copy cannot be written, for example because the disk is full. The data is unchanged.
    pub fn begin_upgrade(&self) -> anyhow::Result<()> {
        match &self.folder {
            Some(folder) => folder.keep_copy(&self.database),
            None => Ok(()),
        }
    }

    /// Deletes the copy of [`Engine::begin_upgrade`].
    ///
    /// # Errors
    /// When it cannot be deleted.
    pub fn finish_upgrade(&self) -> anyhow::Result<()> {
        match &self.folder {
            Some(folder) => folder.remove_copy(),
            None => Ok(()),
        }
    }

    /// Writes rows to a table in one transaction, several times faster than by the DynamoDB API. A row replaces one
    /// that has the same key.
    ///
    /// # Errors
    /// When a row cannot be written, for example because the disk is full. No row has been written then.
    pub async fn write_rows(&self, table: String, rows: Vec<Item>) -> anyhow::Result<()> {
        let database = self.database.clone();
        let write = move || {
            let mut items = Vec::new();
            for row in rows {
                let row = serde_dynamo::Item::from(row);
                items.push(serde_json::from_value(serde_json::to_value(row)?)?);
            }
            let written = database.import_items(&table, items, ImportOptions::default());
            written.map_err(|error| anyhow!("{error}"))?;
            anyhow::Ok(())
        };
        spawn_blocking(write).await?
    }

    /// Returns the location of the data, for the operator.
    #[must_use]
    pub fn location(&self) -> String {
        match &self.folder {
            Some(folder) => format!("in {}", folder.path.display()),
            None => "in memory".to_owned(),
        }
    }

    /// Stops the engine after its running requests, at the latest after [`SHUTDOWN_TIMEOUT`]. Nothing needs to be
    /// saved, because the writes that were acknowledged are in the data folder already.
    pub async fn stop(self) {
        if let Some(expiry) = self.expiry {
            expiry.abort();
        }
        self.stopping.send_replace(true);
        // An open connection without a running request must not keep the process alive.
        let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, self.server).await;
    }
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

    /// Opens the database, after the return to the copy of an interrupted upgrade.
    fn open_database(&self) -> anyhow::Result<dynoxide::Database> {
        let context = || format!("cannot open the database in {}", self.path.display());
        self.return_to_copy().with_context(context)?;
        let file = self.path.join(DATABASE_FILE);
        let file = file.to_str().context("its path is not valid UTF-8");
        let database = dynoxide::Database::new(file.with_context(context)?);
        database
            .map_err(|error| anyhow!("{error}"))
            .with_context(context)
    }

    fn keep_copy(&self, database: &dynoxide::Database) -> anyhow::Result<()> {
        // A copy counts only under its last name, so that an incomplete one is never taken for the data.
        let unfinished = self.path.join(COPY_FILE).with_extension("part");
        let copy = || -> anyhow::Result<()> {
            remove_if_exists(&unfinished)?;
            let path = unfinished.to_str().context("its path is not valid UTF-8")?;
            database
                .vacuum_into(path)
                .map_err(|error| anyhow!("{error}"))?;
            File::open(&unfinished)?.sync_all()?;
            fs::rename(&unfinished, self.path.join(COPY_FILE))?;
            Ok(())
        };
        copy().map_err(|error| {
            // The space of an incomplete copy is freed, if possible. The error of the copy says what is wrong.
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
        for log in ["dynamodb.sqlite-wal", "dynamodb.sqlite-shm"] {
            remove_if_exists(&self.path.join(log))?;
        }
        fs::rename(copy, self.path.join(DATABASE_FILE))
    }

    fn remove_copy(&self) -> anyhow::Result<()> {
        let copy = self.path.join(COPY_FILE);
        remove_if_exists(&copy).with_context(|| format!("cannot delete {}", copy.display()))
    }
}

/// Creates a folder if it is missing, and locks it. On Unix, only the owner can open a new folder.
fn lock_folder(folder: &Path) -> anyhow::Result<File> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    let lock = File::create(folder.join("lock"))?;
    lock.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => anyhow!("another `kiroku serve` is using it"),
        TryLockError::Error(error) => anyhow!("cannot lock it: {error}"),
    })?;
    Ok(lock)
}

fn remove_if_exists(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

async fn delete_expired_rows(database: dynoxide::Database) {
    let mut turns = tokio::time::interval(TASK_INTERVAL);
    loop {
        turns.tick().await;
        let database = database.clone();
        match tokio::task::spawn_blocking(move || database.sweep_ttl()).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::warn!(%error, "cannot delete expired rows"),
            // The task panicked, or the process is stopping.
            Err(_) => return,
        }
    }
}
