//! The state of the sources of the catalogue's refresh (docs/trackers.md, "Refresh of the catalogue"), in the table
//! [`crate::snapshots::catalog_snapshot`].

use dynamo::{Database, Item, number, text, was_written};
use futures_util::future::try_join_all;
use shared::{Error, Result};

use crate::snapshots::catalog_snapshot::{FILE_SOURCES, SourceState};
use crate::snapshots::kind_rows::KindRows;

/// The store of the state of one source.
#[derive(Clone, Debug)]
pub struct SourceStore(KindRows);

/// A complete read of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompleteRead {
    /// Start of the run, in seconds since the Unix epoch.
    pub at: u64,
    /// The file, if a whole file was read.
    pub file: Option<FileRead>,
}

/// A file that was read completely.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileRead {
    /// The version, in a format that the caller chooses.
    pub version: String,
    /// The number of entries.
    pub entries: u64,
    /// The SHA-256 digest of the content.
    pub digest: String,
    /// The time of the data in the file, in seconds since the Unix epoch.
    pub data_at: u64,
}

impl SourceStore {
    /// Creates the store of the state of the source with this name.
    pub fn new(database: &Database, name: &str) -> Self {
        Self(KindRows::new(database, format!("source#{name}")))
    }

    /// Returns the times of the data of the sources that are files, in seconds since the Unix epoch, in the order of
    /// [`FILE_SOURCES`]. Sources that were never read are left out.
    pub async fn data_times(database: &Database) -> Result<Vec<(&'static str, u64)>> {
        let read = FILE_SOURCES.map(async |name| {
            let state = SourceStore::new(database, name).state().await?;
            Ok::<_, Error>(state.data_at.map(|at| (name, at)))
        });
        Ok(try_join_all(read).await?.into_iter().flatten().collect())
    }

    /// Returns the state, by a strongly consistent read.
    pub async fn state(&self) -> Result<SourceState> {
        Ok(self.0.state().await?.unwrap_or_default())
    }

    /// Records that a run makes requests to the source at `now`, in seconds since the Unix epoch. Returns false if less
    /// than `interval` seconds have passed since the last such run: then this run must not make requests. If several
    /// runs call it at the same time, only one gets true, unless the interval is 0.
    pub async fn claim_run(&self, now: u64, interval: u64) -> Result<bool> {
        // With an interval of 0, every run may make requests, even if a later run is already recorded. So any recorded
        // time is early enough.
        let latest = if interval == 0 {
            u64::MAX
        } else {
            now.saturating_sub(interval)
        };
        let request = self
            .0
            .update(
                "SET asked_at = :now, first_asked_at = if_not_exists(first_asked_at, :now), \
                 failing_since = if_not_exists(failing_since, :now)",
            )
            .condition_expression("attribute_not_exists(asked_at) OR asked_at <= :latest")
            .expression_attribute_values(":now", number(now))
            .expression_attribute_values(":latest", number(latest));
        was_written(request.send().await)
    }

    /// Records a complete read. Must be called after the last write of the run. Does nothing if a complete read by a
    /// run that started later has been recorded.
    pub async fn record_read(&self, complete: &CompleteRead) -> Result<()> {
        let mut sets = "read_at = :at".to_owned();
        let mut values = Item::from([(":at".to_owned(), number(complete.at))]);
        if let Some(file) = &complete.file {
            sets.push_str(
                ", downloaded_at = :at, file_version = :version, entries = :entries, \
                 file_digest = :digest, data_at = :data_at",
            );
            let of_file = [
                (":version", text(&file.version)),
                (":entries", number(file.entries)),
                (":digest", text(&file.digest)),
                (":data_at", number(file.data_at)),
            ];
            values.extend(of_file.map(|(name, value)| (name.to_owned(), value)));
        }
        let request = self
            .0
            .update(format!("SET {sets} REMOVE failing_since"))
            .condition_expression("attribute_not_exists(read_at) OR read_at <= :at")
            .set_expression_attribute_values(Some(values));
        was_written(request.send().await).map(|_| ())
    }

    /// Records the time of the data of a file that was imported by a command, in seconds since the Unix epoch. Does
    /// nothing if the data of the catalogue is newer.
    pub async fn record_data(&self, data_at: u64) -> Result<()> {
        self.0.raise("data_at", data_at).await
    }

    /// Moves the watermark forward to a time in seconds since the Unix epoch. Does nothing if it is already at that
    /// time or later.
    pub async fn move_watermark(&self, to: u64) -> Result<()> {
        let request = self
            .0
            .update("SET watermark = :to REMOVE failing_since")
            .condition_expression("attribute_not_exists(watermark) OR watermark < :to")
            .expression_attribute_values(":to", number(to));
        was_written(request.send().await).map(|_| ())
    }
}
