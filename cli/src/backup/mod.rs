//! `kiroku backup` and `kiroku restore`: every row of the service in one file, which fills an empty service on any
//! kind of DynamoDB.

mod file;
mod location;
mod pace;
mod read;
mod restore;
mod secrets;

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use dynamo::Database;
use shared::auth::KeyRings;
use shared::grouped;
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use self::file::BackupWriter;
use self::location::DataLocation;
pub use self::pace::UnitPace;
use self::read::{BackupRow, ROWS_AHEAD, RowReader, RowSender};
pub use self::restore::{CheckedBackup, Destination, RestoreArgs, fill, restore};
use self::secrets::remove_secrets;
use crate::data::restore_marker;
use crate::data::target::Source;
use crate::import::{Progress, StageLength};

/// Options of `backup`.
#[derive(Args, Clone, Debug)]
pub struct BackupArgs {
    /// File to write. An existing file is replaced once the backup is complete.
    pub file: PathBuf,

    /// Leave out keys, password hashes, tokens and sessions. Users of a restored service set a new password by mail.
    #[arg(long)]
    pub without_secrets: bool,

    /// The service.
    #[command(flatten)]
    pub location: DataLocation,
}

/// Runs `kiroku backup`. Returns a summary for the operator.
///
/// # Errors
/// When the data, the keys or the file cannot be read or written. In that case no file with this name is made.
pub async fn backup(args: &BackupArgs, progress: &Progress) -> anyhow::Result<String> {
    if let Source::Folder(folder) = args.location.target.source() {
        // Opening it would create it.
        anyhow::ensure!(
            folder.exists(),
            "there is no data folder {}: name it with --data-dir",
            folder.display()
        );
    }
    let location = args.location.open().await?;
    let write = async {
        let keys = if args.without_secrets {
            None
        } else {
            let keys = location.keys()?.read().await;
            Some(keys.context("use --keys-file, or --without-secrets for a backup without keys")?)
        };
        restore_marker::check_absent(&location.database).await?;
        let pace = UnitPace::new(args.location.units_per_second);
        write(&args.file, &location.database, keys, &pace, progress).await
    };
    let written = write.await;
    if let Some(engine) = location.engine {
        engine.stop().await;
    }
    let (rows, file) = (grouped(written?), args.file.display());
    Ok(format!("Wrote {rows} rows to {file}."))
}

/// Writes every row and the keys of a service to a file. Without keys, secrets are also left out of the rows. The rows
/// of each user are read in one consistent state. Returns the number of rows that were read.
///
/// # Errors
/// When a row cannot be read, or the file cannot be written. In that case no file with this name is made.
pub async fn write(
    file: &Path,
    database: &Database,
    keys: Option<KeyRings>,
    pace: &UnitPace,
    progress: &Progress,
) -> anyhow::Result<u64> {
    let written = write_unfinished(file, database, keys, pace, progress).await;
    if written.is_err() {
        file::discard_unfinished(file);
    }
    written
}

async fn write_unfinished(
    file: &Path,
    database: &Database,
    keys: Option<KeyRings>,
    pace: &UnitPace,
    progress: &Progress,
) -> anyhow::Result<u64> {
    let reader = RowReader::new(database, pace);
    let length = reader.count_rows().await?;
    let cannot_write = || format!("cannot write {}", file.display());
    let writer = BackupWriter::create(file, database.clock.now_ms(), keys.is_none());
    let writer = writer.with_context(cannot_write)?;
    progress.print_stage("Writing the backup.");
    let stage = progress.start(StageLength::Share(length));
    let (sender, receiver) = mpsc::channel(ROWS_AHEAD);
    let sender = RowSender::new(sender, stage);
    let read = async move {
        // The writer ends once the sender is dropped.
        let sender = sender;
        reader.send_all(&sender).await
    };
    let (read, written) = tokio::join!(read, write_rows(writer, keys, receiver));
    // If the file cannot be written, the reader also stops, and the error of the file says more.
    let writer = written.with_context(cannot_write)?;
    read?;
    let rows = spawn_blocking(move || writer.finish()).await?;
    rows.with_context(cannot_write)
}

/// Writes the rows on a thread of its own, because compressing takes time.
async fn write_rows(
    mut writer: BackupWriter,
    keys: Option<KeyRings>,
    mut rows: mpsc::Receiver<BackupRow>,
) -> anyhow::Result<BackupWriter> {
    let write = move || {
        while let Some(row) = rows.blocking_recv() {
            let row = if keys.is_some() {
                Some(row)
            } else {
                remove_secrets(row)
            };
            if let Some((table, item)) = row {
                writer.row(table, item)?;
            }
        }
        if let Some(keys) = &keys {
            writer.keys(keys)?;
        }
        anyhow::Ok(writer)
    };
    spawn_blocking(write).await?
}
