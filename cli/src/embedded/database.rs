//! The connections to the embedded database: one that writes, and some that only read.
//!
//! A call of the engine keeps its thread busy, so it runs on a thread for blocking work and stops no other request. A
//! connection runs one call at a time. Reads therefore have connections of their own, and wait neither for writes nor
//! for the deletion of expired rows. A read that begins after the response to a write shows the write, because `SQLite`
//! begins a transaction for each read (`SQLite` documentation, "Write-Ahead Logging").

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dynoxide::{Database, DynoxideError};
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;

/// The maximum number of connections that read. Each has up to 2 MB of the database in memory.
const MAX_READERS: usize = 4;

/// The maximum number of long reads at the same time. It is smaller than [`MAX_READERS`], so that short reads need not
/// wait for long ones.
const MAX_LONG_READS: usize = 3;

/// The kinds of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallType {
    /// Reads a few rows by their keys.
    ShortRead,
    /// Reads up to a page of rows, or counts rows.
    LongRead,
    /// Writes rows, or reads several rows in one consistent state.
    Write,
    /// Creates, changes or deletes a table.
    TableChange,
}

/// An embedded database that several tasks use at the same time. A clone shares the connections.
#[derive(Clone)]
pub struct SharedDatabase(Arc<DatabaseConnections>);

struct DatabaseConnections {
    writer: Database,
    write_turn: Arc<Semaphore>,
    /// `None` for a database in memory, which has only one connection.
    readers: Option<Readers>,
}

struct Readers {
    file: String,
    /// The connections that no call uses. After a change of a table, new connections are opened when they are needed.
    idle: Mutex<Vec<ReadConnection>>,
    turns: Arc<Semaphore>,
    long_turns: Arc<Semaphore>,
    /// The number of changes of tables in this process.
    table_changes: AtomicU64,
}

/// A connection that reads. It remembers the definitions of tables, so it is used only until a table changes.
struct ReadConnection {
    database: Database,
    /// [`Readers::table_changes`] before the connection was opened.
    opened_after: u64,
}

/// Counts a change of tables when it ends, even by a panic.
struct TableChange<'c>(&'c AtomicU64);

impl Drop for TableChange<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl fmt::Debug for SharedDatabase {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SharedDatabase")
    }
}

impl From<Database> for SharedDatabase {
    fn from(writer: Database) -> Self {
        let file = writer.db_path().ok().flatten();
        Self(Arc::new(DatabaseConnections {
            writer,
            write_turn: Arc::new(Semaphore::new(1)),
            readers: file.map(Readers::new),
        }))
    }
}

impl SharedDatabase {
    /// Returns the connection that writes, for work that itself takes turns with other writes. It must not be used on a
    /// thread that runs tasks.
    pub fn writer(&self) -> &Database {
        &self.0.writer
    }

    /// Opens the connections that read. Opening a connection waits until no transaction writes. Without this call, the
    /// first reads could wait for a long write.
    pub async fn open_readers(&self) -> Result<(), DynoxideError> {
        let connections = Arc::clone(&self.0);
        let open = move || match &connections.readers {
            Some(readers) => readers.open_all(),
            None => Ok(()),
        };
        on_blocking_thread(open).await
    }

    /// Waits for a connection for this type of call, and runs the call with it on a thread for blocking work. The call
    /// ends even if the caller stops waiting for it.
    ///
    /// # Errors
    /// When the call fails or panics.
    pub async fn run<T: Send + 'static>(
        &self,
        call_type: CallType,
        call: impl FnOnce(&Database) -> Result<T, DynoxideError> + Send + 'static,
    ) -> Result<T, DynoxideError> {
        let readers = match call_type {
            CallType::ShortRead | CallType::LongRead => self.0.readers.as_ref(),
            CallType::Write | CallType::TableChange => None,
        };
        let Some(readers) = readers else {
            return self.write(call_type, call).await;
        };
        let turns = readers.wait(call_type == CallType::LongRead).await?;
        let connections = Arc::clone(&self.0);
        on_blocking_thread(move || {
            let result = connections.read(call);
            drop(turns);
            result
        })
        .await
    }

    async fn write<T: Send + 'static>(
        &self,
        call_type: CallType,
        call: impl FnOnce(&Database) -> Result<T, DynoxideError> + Send + 'static,
    ) -> Result<T, DynoxideError> {
        let connections = Arc::clone(&self.0);
        let turn = acquire(&self.0.write_turn).await?;
        on_blocking_thread(move || {
            let readers = connections.readers.as_ref();
            let change = readers.filter(|_| call_type == CallType::TableChange);
            let change = change.map(|readers| TableChange(&readers.table_changes));
            let result = call(&connections.writer);
            drop(change);
            drop(turn);
            result
        })
        .await
    }
}

impl DatabaseConnections {
    /// Runs a call with a reading connection, or with the writing connection if no other can be opened.
    fn read<T>(
        &self,
        call: impl FnOnce(&Database) -> Result<T, DynoxideError>,
    ) -> Result<T, DynoxideError> {
        let Some(readers) = &self.readers else {
            return call(&self.writer);
        };
        match readers.take() {
            Ok(reader) => {
                let result = call(&reader.database);
                readers.lock_idle().push(reader);
                result
            }
            Err(error) => {
                tracing::warn!(%error, "cannot open another connection to the database");
                call(&self.writer)
            }
        }
    }
}

impl Readers {
    fn new(file: String) -> Self {
        Self {
            file,
            idle: Mutex::default(),
            turns: Arc::new(Semaphore::new(MAX_READERS)),
            long_turns: Arc::new(Semaphore::new(MAX_LONG_READS)),
            table_changes: AtomicU64::new(0),
        }
    }

    /// Waits until one more read may run. Long reads wait for each other first.
    async fn wait(
        &self,
        is_long: bool,
    ) -> Result<(Option<OwnedSemaphorePermit>, OwnedSemaphorePermit), DynoxideError> {
        let long_turn = if is_long {
            Some(acquire(&self.long_turns).await?)
        } else {
            None
        };
        Ok((long_turn, acquire(&self.turns).await?))
    }

    /// Takes an idle connection, or opens one.
    fn take(&self) -> Result<ReadConnection, DynoxideError> {
        let opened_after = {
            let (changes, mut idle) = self.lock_current();
            if let Some(reader) = idle.pop() {
                return Ok(reader);
            }
            changes
        };
        self.open(opened_after)
    }

    /// Closes the idle connections from before a change of a table. Returns the number of changes so far, and the
    /// remaining idle connections.
    fn lock_current(&self) -> (u64, MutexGuard<'_, Vec<ReadConnection>>) {
        let changes = self.table_changes.load(Ordering::SeqCst);
        let mut idle = self.lock_idle();
        idle.retain(|reader| reader.opened_after == changes);
        (changes, idle)
    }

    fn open(&self, opened_after: u64) -> Result<ReadConnection, DynoxideError> {
        Ok(ReadConnection {
            database: Database::new(&self.file)?,
            opened_after,
        })
    }

    /// Opens connections until there are [`MAX_READERS`] idle ones.
    fn open_all(&self) -> Result<(), DynoxideError> {
        let (opened_after, mut idle) = self.lock_current();
        while idle.len() < MAX_READERS {
            idle.push(self.open(opened_after)?);
        }
        Ok(())
    }

    fn lock_idle(&self) -> MutexGuard<'_, Vec<ReadConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn acquire(turns: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, DynoxideError> {
    let closed = |error: AcquireError| DynoxideError::InternalServerError(error.to_string());
    Arc::clone(turns).acquire_owned().await.map_err(closed)
}

async fn on_blocking_thread<T: Send + 'static>(
    call: impl FnOnce() -> Result<T, DynoxideError> + Send + 'static,
) -> Result<T, DynoxideError> {
    let ended = spawn_blocking(call).await;
    ended.unwrap_or_else(|error| Err(DynoxideError::InternalServerError(error.to_string())))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use dynoxide::Database;
    use serde_json::{Value, from_value, json, to_value};
    use tempfile::TempDir;

    use super::{CallType, SharedDatabase};

    /// Returns a database in a folder, with a table whose key is the attribute `id`.
    async fn database_with_table() -> (TempDir, SharedDatabase) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("dynamodb.sqlite");
        let database: SharedDatabase = Database::new(file.to_str().unwrap()).unwrap().into();
        create_table(&database, "id").await;
        (folder, database)
    }

    /// Creates a table whose key is an attribute with this name.
    async fn create_table(database: &SharedDatabase, key: &str) {
        let request = json!({
            "TableName": "Rows",
            "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": key, "KeyType": "HASH"}],
        });
        let request = from_value(request).unwrap();
        let run = database.run(CallType::TableChange, |database| {
            database.create_table(request)
        });
        run.await.unwrap();
    }

    async fn put(database: &SharedDatabase, value: usize) {
        let item = json!({"id": {"S": "a"}, "value": {"N": value.to_string()}});
        let request = from_value(json!({"TableName": "Rows", "Item": item})).unwrap();
        let run = database.run(CallType::Write, |database| database.put_item(request));
        run.await.unwrap();
    }

    /// Returns the value of the row with the key `a`.
    async fn get(database: &SharedDatabase, key: &str) -> Value {
        let request =
            json!({"TableName": "Rows", "Key": {key: {"S": "a"}}, "ConsistentRead": true});
        let request = from_value(request).unwrap();
        let run = database.run(CallType::ShortRead, |database| database.get_item(request));
        to_value(run.await.unwrap()).unwrap()["Item"]["value"]["N"].clone()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn read_shows_every_acknowledged_write() {
        let (_folder, database) = database_with_table().await;
        for value in 0..300 {
            put(&database, value).await;
            let reads = [0; 3].map(|_| {
                let database = database.clone();
                tokio::spawn(async move { get(&database, "id").await })
            });
            for read in reads {
                assert_eq!(read.await.unwrap(), value.to_string());
            }
        }
    }

    /// A connection remembers the keys of tables, and would reject the key of the new table.
    #[tokio::test]
    async fn read_after_a_change_of_a_table_knows_the_change() {
        let (_folder, database) = database_with_table().await;
        put(&database, 1).await;
        assert_eq!(get(&database, "id").await, "1");
        let request = from_value(json!({"TableName": "Rows"})).unwrap();
        let run = database.run(CallType::TableChange, |database| {
            database.delete_table(request)
        });
        run.await.unwrap();
        create_table(&database, "name").await;
        assert_eq!(get(&database, "name").await, Value::Null);
    }

    /// A failed change of a table may have changed it in part.
    #[tokio::test]
    async fn connections_are_closed_after_a_change_of_a_table_that_panics() {
        let (_folder, database) = database_with_table().await;
        database.open_readers().await.unwrap();
        let readers = database.0.readers.as_ref().unwrap();
        assert_eq!(readers.lock_idle().len(), 4);
        let change = |database: &Database| -> Result<(), _> {
            let request = from_value(json!({"TableName": "Rows"})).unwrap();
            database.delete_table(request).unwrap();
            panic!("after a change of a table")
        };
        let changed = database.run(CallType::TableChange, change).await;
        changed.unwrap_err();
        create_table(&database, "name").await;
        assert_eq!(get(&database, "name").await, Value::Null);
        assert_eq!(readers.lock_idle().len(), 1);
    }

    #[tokio::test]
    async fn reads_wait_neither_for_a_write_nor_for_long_reads() {
        let (_folder, database) = database_with_table().await;
        put(&database, 1).await;
        let mut senders = Vec::new();
        let mut blocked = Vec::new();
        let call_types = [CallType::Write].into_iter().chain([CallType::LongRead; 6]);
        for call_type in call_types {
            let (sender, receiver) = mpsc::channel::<()>();
            senders.push(sender);
            let database = database.clone();
            blocked.push(tokio::spawn(async move {
                let wait = move |_: &Database| {
                    // It ends when the sender is dropped.
                    let _ = receiver.recv();
                    Ok(())
                };
                database.run(call_type, wait).await
            }));
        }
        let read = tokio::time::timeout(Duration::from_secs(20), get(&database, "id"));
        assert_eq!(read.await.unwrap(), "1");
        drop(senders);
        for blocked in blocked {
            blocked.await.unwrap().unwrap();
        }
    }

    #[tokio::test]
    async fn database_in_memory_has_one_connection() {
        let database = SharedDatabase::from(Database::memory().unwrap());
        assert!(database.0.readers.is_none());
        create_table(&database, "id").await;
        put(&database, 1).await;
        assert_eq!(get(&database, "id").await, "1");
    }

    #[tokio::test]
    async fn panic_in_a_call_is_an_error_and_its_turn_ends() {
        let (_folder, database) = database_with_table().await;
        for _ in 0..5 {
            let call = |_: &Database| -> Result<(), _> { panic!("in a call") };
            database.run(CallType::LongRead, call).await.unwrap_err();
        }
        put(&database, 1).await;
        assert_eq!(get(&database, "id").await, "1");
    }
}
