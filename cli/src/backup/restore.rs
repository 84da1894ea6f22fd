//! `kiroku restore`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow};
use aws_sdk_dynamodb::types::{PutRequest, ReturnConsumedCapacity, WriteRequest};
use catalogue::snapshots::ServiceRow;
use clap::Args;
use dynamo::{CallError, Database, Item, Table};
use futures_util::{StreamExt, TryStreamExt, stream};
use sha2::{Digest, Sha256};
use shared::auth::KeyRings;
use shared::grouped;
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::file::{BackupReader, Record, canonical};
use super::location::{DataLocation, OpenLocation};
use super::pace::UnitPace;
use super::read::{BackupRow, ROWS_AHEAD, RowReader, expires_before};
use crate::data::restore_marker;
use crate::data::schema::TABLES;
use crate::data::tables::{self, FoundTables};
use crate::embedded::engine::Engine;
use crate::import::{Progress, StageLength, publish};

/// Maximum number of rows in one call of `BatchWriteItem` (`DynamoDB` API Reference).
const ROWS_PER_CALL: usize = 25;

/// Number of rows that the engine of this process writes in one transaction. Beginning a transaction takes longer than
/// writing a row.
const ROWS_PER_TRANSACTION: usize = 100;

/// Number of batches that are written at the same time.
const BATCHES_AT_ONCE: usize = 8;

/// Maximum number of attempts to write a batch of which `DynamoDB` leaves a part unprocessed.
const BATCH_ATTEMPTS: u32 = 10;

/// Pause before the second attempt. Each later pause is this much longer than the one before.
const PAUSE: Duration = Duration::from_millis(200);

/// Rows that expire within this time, in seconds, are written but not verified: `DynamoDB` may delete them meanwhile.
const VERIFIED_FOR_S: u64 = 24 * 60 * 60;

/// Options of `restore`.
#[derive(Args, Clone, Debug)]
pub struct RestoreArgs {
    /// Backup to restore.
    pub file: PathBuf,

    /// The service.
    #[command(flatten)]
    pub location: DataLocation,
}

/// The digests of the rows of each table. A digest does not depend on the order of the rows.
#[derive(Debug)]
struct Digests {
    of_tables: BTreeMap<&'static str, TableDigest>,
    /// Rows that expire before this time (Unix seconds) are left out.
    verified_from_s: u64,
}

/// The number of rows of a table, and the sum of their digests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct TableDigest {
    rows: u64,
    sum: u128,
}

impl Digests {
    fn new(verified_from_s: u64) -> Self {
        Self {
            of_tables: TABLES
                .map(|table| (table.name, TableDigest::default()))
                .into(),
            verified_from_s,
        }
    }

    fn add(&mut self, row: BackupRow) -> anyhow::Result<()> {
        if expires_before(&row, self.verified_from_s) {
            return Ok(());
        }
        let (table, item) = row;
        let hash = Sha256::digest(canonical(item)?.to_string());
        let (start, _) = hash.split_at(size_of::<u128>());
        let number = start
            .iter()
            .fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
        let digest = self.of_tables.entry(table).or_default();
        digest.rows += 1;
        digest.sum = digest.sum.wrapping_add(number);
        Ok(())
    }
}

/// Fills an empty service with the rows and keys of a backup, and publishes the catalogue. A restore that was
/// interrupted can be repeated. Returns a summary for the operator.
///
/// # Errors
/// When the file is not a complete backup (in that case nothing is written), the service already has rows, a row cannot
/// be written, or the rows of a table afterwards differ from those of the backup.
pub async fn restore(args: &RestoreArgs, progress: &Progress) -> anyhow::Result<String> {
    let context = || format!("cannot read {}", args.file.display());
    progress.print_stage("Checking the backup.");
    let (file, now_s) = (args.file.clone(), shared::clock::Clock::system().now_s());
    let checked = spawn_blocking(move || CheckedBackup::read(&file, now_s)).await?;
    let checked = checked.with_context(context)?;

    let mut location = args.location.clone();
    if location.target.is_unset() {
        location.target.data_dir = Some(".kiroku".into());
    }
    let location = location.open().await?;
    let pace = UnitPace::new(args.location.units_per_second);
    let result = restore_into(&args.file, &checked, &location, &pace, progress).await;
    if let Some(engine) = location.engine {
        engine.stop().await;
    }
    result?;
    Ok(format!(
        "Restored {} rows of version {}.{}",
        grouped(checked.rows),
        checked.version,
        if checked.keys.is_some() {
            ""
        } else {
            " The backup has no secrets: users set a new password by mail, and connect their trackers again."
        }
    ))
}

/// The tables that a restore fills.
#[derive(Clone, Copy)]
pub struct Destination<'a> {
    /// Its tables.
    pub database: &'a Database,
    /// The engine of the database; `None` if another process runs it.
    pub engine: Option<&'a Engine>,
    /// Limit on the calls. The engine of this process writes without calls.
    pub pace: &'a UnitPace,
}

/// The results of the first reading of a backup. The backup is complete and undamaged.
pub struct CheckedBackup {
    version: String,
    /// The number of rows.
    pub rows: u64,
    /// The keys of the service; `None` in a backup without secrets.
    pub keys: Option<KeyRings>,
    digests: Digests,
    /// The digest of the file.
    digest: String,
}

impl CheckedBackup {
    /// Reads a backup. `now_s` is the current time, in seconds since the Unix epoch.
    ///
    /// # Errors
    /// When the file cannot be read, or is not a complete and undamaged backup of a format that this version knows.
    pub fn read(file: &Path, now_s: u64) -> anyhow::Result<Self> {
        let mut reader = BackupReader::open(file)?;
        let mut checked = Self {
            version: reader.header.version.clone(),
            rows: 0,
            keys: None,
            digests: Digests::new(now_s + VERIFIED_FOR_S),
            digest: String::new(),
        };
        while let Some(record) = reader.next()? {
            match record {
                Record::Row(table, item) => {
                    checked.rows += 1;
                    checked.digests.add((table, item))?;
                }
                Record::Keys(keys) => checked.keys = Some(keys),
            }
        }
        checked.digest = reader.checksum.unwrap_or_default();
        Ok(checked)
    }
}

async fn restore_into(
    file: &Path,
    checked: &CheckedBackup,
    location: &OpenLocation,
    pace: &UnitPace,
    progress: &Progress,
) -> anyhow::Result<()> {
    let database = &location.database;
    // On AWS, CloudFormation creates the tables.
    if location.is_local {
        // An existing service is refused before its tables are changed.
        check_target(database, checked).await?;
        create_tables(location).await?;
    }
    let write_keys = async || match &checked.keys {
        Some(keys) => location.keys()?.write(keys).await,
        None => location.create_missing_keys(),
    };
    let destination = Destination {
        database,
        engine: location.engine.as_ref(),
        pace,
    };
    fill(file, checked, destination, write_keys, progress).await?;
    let published = publish(database).await;
    published.map(drop).context(
        "all rows are restored and verified, only the catalogue is not published: run `kiroku publish`",
    )
}

/// Creates missing tables. If this is interrupted or fails in a data folder, the next start reverts what was done.
async fn create_tables(location: &OpenLocation) -> anyhow::Result<()> {
    let (client, names) = (&location.database.client, &location.database.tables);
    if tables::find(client, names).await? == FoundTables::Current {
        return Ok(());
    }
    let engine = location.engine.as_ref();
    engine.map_or(Ok(()), Engine::begin_upgrade)?;
    tables::create_missing(client, names).await?;
    engine.map_or(Ok(()), Engine::finish_upgrade)
}

/// Fills empty tables with the rows of a backup, and verifies them. `write_keys` is called before any row is written.
///
/// # Errors
/// When the tables have other rows, a row cannot be written, or the rows afterwards differ from those of the backup.
pub async fn fill(
    file: &Path,
    checked: &CheckedBackup,
    destination: Destination<'_>,
    write_keys: impl AsyncFnOnce() -> anyhow::Result<()>,
    progress: &Progress,
) -> anyhow::Result<()> {
    let Destination {
        database,
        engine,
        pace,
    } = destination;
    check_target(database, checked).await?;
    restore_marker::put(database, &checked.digest).await?;
    // The keys come first: a function treats a row that it cannot decrypt as damaged.
    write_keys().await?;
    progress.print_stage("Writing the rows.");
    let stage = progress.start(StageLength::Share(checked.rows));
    let batch_rows = match engine {
        Some(_) => ROWS_PER_TRANSACTION,
        None => ROWS_PER_CALL,
    };
    let (sender, receiver) = mpsc::channel(ROWS_AHEAD / batch_rows);
    let file = file.to_owned();
    let read = spawn_blocking(move || send_batches(&file, batch_rows, &sender));
    let batches = stream::unfold(receiver, async |mut receiver| {
        let batch: (u64, &'static str, Vec<Item>) = receiver.recv().await?;
        Some((batch, receiver))
    });
    let written = batches
        .map(async |(number, table, items)| {
            match engine {
                Some(engine) => engine.write_rows(database.tables.of(table), items).await,
                None => write_batch(database, pace, table, items).await,
            }
            .with_context(|| format!("cannot write to the table {table}"))?;
            stage.advance(number, number);
            anyhow::Ok(())
        })
        .buffer_unordered(BATCHES_AT_ONCE)
        .try_collect::<()>()
        .await;
    // If a row cannot be written, the reader also stops, and the error of the row says more.
    written?;
    read.await??;
    drop(stage);
    progress.print_stage("Verifying the rows.");
    verify(database, pace, checked).await?;
    restore_marker::delete(database).await
}

/// Reads the rows of a backup in batches of this size: the number of the last row, the table, and the rows.
fn send_batches(
    file: &Path,
    batch_rows: usize,
    batches: &mpsc::Sender<(u64, &'static str, Vec<Item>)>,
) -> anyhow::Result<()> {
    let mut reader = BackupReader::open(file)?;
    let mut waiting: BTreeMap<&'static str, Vec<Item>> = BTreeMap::new();
    let mut number = 0;
    let send = |number, table, items| {
        let sent = batches.blocking_send((number, table, items));
        sent.context("the restore has stopped")
    };
    while let Some(record) = reader.next()? {
        let Record::Row(table, item) = record else {
            continue;
        };
        number += 1;
        let items = waiting.entry(table).or_default();
        items.push(item);
        if items.len() == batch_rows {
            send(number, table, std::mem::take(items))?;
        }
    }
    for (table, items) in waiting {
        if !items.is_empty() {
            send(number, table, items)?;
        }
    }
    Ok(())
}

/// Checks that the service is empty, or has only rows from an interrupted restore of the same backup. Tables that do
/// not exist yet are empty.
async fn check_target(database: &Database, checked: &CheckedBackup) -> anyhow::Result<()> {
    if restore_marker::read(database).await?.as_ref() == Some(&checked.digest) {
        return Ok(());
    }
    for table in TABLES {
        let name = database.tables.of(table.name);
        if !tables::exists(&database.client, &name).await? {
            continue;
        }
        let request = database.client.scan().table_name(name);
        let rows = request.limit(1).consistent_read(true).send().await;
        let rows = rows.map_err(CallError::new);
        let rows = rows.with_context(|| format!("cannot read the table {}", table.name))?;
        anyhow::ensure!(
            rows.count == 0,
            "a backup can only be restored into an empty service, but the table {} has rows: use another data folder \
             or table prefix",
            table.name
        );
    }
    Ok(())
}

/// Writes up to [`ROWS_PER_CALL`] rows by the API of DynamoDB.
async fn write_batch(
    database: &Database,
    pace: &UnitPace,
    table: &'static str,
    items: Vec<Item>,
) -> anyhow::Result<()> {
    let mut writes = Vec::new();
    for item in items {
        let put = PutRequest::builder().set_item(Some(item)).build()?;
        writes.push(WriteRequest::builder().put_request(put).build());
    }
    let name = database.tables.of(table);
    for attempt in 0..BATCH_ATTEMPTS {
        sleep(PAUSE * attempt).await;
        pace.wait().await;
        let request = database.client.batch_write_item();
        let request = request.return_consumed_capacity(ReturnConsumedCapacity::Total);
        let response = request.request_items(&name, writes).send().await;
        let response = response.map_err(CallError::new)?;
        pace.count(response.consumed_capacity()).await;
        let unprocessed = response.unprocessed_items.unwrap_or_default();
        writes = unprocessed.into_values().flatten().collect();
        if writes.is_empty() {
            return Ok(());
        }
    }
    Err(anyhow!(
        "DynamoDB left a part of a batch unwritten in every attempt; run the command again"
    ))
}

/// Checks that the tables have exactly the rows of the backup.
async fn verify(
    database: &Database,
    pace: &UnitPace,
    checked: &CheckedBackup,
) -> anyhow::Result<()> {
    let (sender, mut rows) = mpsc::channel(ROWS_AHEAD);
    let mut digests = Digests::new(checked.digests.verified_from_s);
    // A digest takes about as long as reading its row, so both are done at the same time.
    let digests = spawn_blocking(move || {
        while let Some(row) = rows.blocking_recv() {
            digests.add(row)?;
        }
        anyhow::Ok(digests)
    });
    let reader = RowReader::new(database, pace);
    for table in TABLES {
        reader
            .scan(table, async |row: BackupRow| {
                if !ServiceRow::RESTORE.is(row.0, &row.1) {
                    let sent = sender.send(row).await;
                    sent.context("the verification has stopped")?;
                }
                Ok(())
            })
            .await?;
    }
    drop(sender);
    let found = digests.await??.of_tables;
    let expected = &checked.digests.of_tables;
    let differs = |table: &&Table| found.get(table.name) != expected.get(table.name);
    match TABLES.into_iter().find(|table| differs(table)) {
        None => Ok(()),
        Some(table) => Err(anyhow!(
            "the table {} does not have the rows of the backup: is another process writing to it?",
            table.name
        )),
    }
}
