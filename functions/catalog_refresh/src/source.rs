//! The common interface of the sources, and the code that all of them share in a run.

use std::fs::File;
use std::io;

use catalogue::FileRelations;
use catalogue::import::{AnimeIds, IdMapping, MergeReport};
use shared::Error;
use store::SourceState;
use trackers::{Cause, Download, FileVersion, RemoteFile, TrackerError};

use crate::context::{RefreshContext, RefreshScope};
use crate::report::{Failure, SourceName};
use crate::writer::AnimeWriter;

/// Maximum number of attempts for a request.
const MAX_ATTEMPTS: u32 = 3;

/// A request for a file is conditional only if the last whole download is at most this old, in seconds: 7 days. After
/// that, the file is downloaded even if it has not changed, so that a server that always answers 304 is noticed.
const MAX_DOWNLOAD_AGE_S: u64 = 7 * 24 * 60 * 60;

/// A source of the catalogue.
pub trait RefreshSource {
    /// The name of the source.
    const NAME: SourceName;

    /// Reads the changes at the source since the last run, or in a full refresh everything, and writes them.
    /// Everything that was written before an error stays.
    async fn read(&self, run: &mut SourceRun<'_>) -> Result<Complete, ReadError>;
}

/// One source's part of a run.
pub struct SourceRun<'r> {
    pub context: &'r RefreshContext<'r>,
    /// The known anime, including those that were added in this run.
    pub ids: &'r mut AnimeIds,
    /// The mapping of identifiers, if its file was read in this run.
    pub mapping: &'r mut Option<IdMapping>,
    /// The relations of the anime-offline-database, if its file was read in this run.
    pub relations: &'r mut Option<FileRelations>,
    /// The state of the source before the run.
    pub state: SourceState,
    /// The end of this part, in milliseconds since the Unix epoch.
    pub until: u64,
    pub counts: MergeReport,
}

/// The result of a complete read.
pub enum Complete {
    /// Everything that has changed was read.
    Read,
    /// The file has not changed.
    Unchanged,
    /// The whole file was read: its version, and the number of its entries.
    File(FileVersion, u64),
}

/// The reason why a source was not read completely.
pub enum ReadError {
    /// The source failed. Other sources can still be read.
    Source(Failure),
    /// The database failed.
    Store(Error),
}

impl From<TrackerError> for ReadError {
    fn from(error: TrackerError) -> Self {
        Self::Source(Failure::Request(error))
    }
}

impl From<Failure> for ReadError {
    fn from(failure: Failure) -> Self {
        Self::Source(failure)
    }
}

/// Reading a downloaded file has failed.
impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Source(Failure::File(error.to_string()))
    }
}

impl From<Error> for ReadError {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

impl SourceRun<'_> {
    /// Returns a writer for the facts of this source. `requests_songs` is true if the songs of the written anime must
    /// be requested.
    pub fn writer(&mut self, requests_songs: bool) -> AnimeWriter<'_> {
        AnimeWriter::new(self.context, self.ids, &mut self.counts, requests_songs)
    }

    /// Downloads a file, unless the server says that the file has not changed since the last run that read it. A full
    /// refresh downloads the file in any case, and so does a run after [`MAX_DOWNLOAD_AGE_S`].
    pub async fn download(
        &self,
        file: &RemoteFile,
    ) -> Result<Option<(File, FileVersion)>, ReadError> {
        match file
            .download(self.known_version().as_ref(), self.until)
            .await?
        {
            Download::Changed(file, version) => Ok(Some((file, version))),
            Download::Unchanged => Ok(None),
        }
    }

    fn known_version(&self) -> Option<FileVersion> {
        let now = self.context.began_s;
        let downloaded_at = self.state.downloaded_at?;
        let is_trusted = now < downloaded_at.saturating_add(MAX_DOWNLOAD_AGE_S);
        let version = self.state.file_version.as_deref();
        let version =
            version.filter(|_| is_trusted && self.context.scope == RefreshScope::Changed)?;
        // A version that an earlier release of this service wrote in another format counts as unknown.
        serde_json::from_str(version).ok()
    }

    /// Checks the number of entries in a file. A file of lines that was cut off between two lines looks complete, but
    /// no source loses half of its entries from one version to the next. A full refresh accepts a smaller file.
    pub fn check_entries(&self, entries: u64) -> Result<(), Failure> {
        let before = self.state.entries.unwrap_or_default();
        match entries {
            0 => Err(Failure::Empty),
            _ if self.context.scope == RefreshScope::Changed && entries < before.div_ceil(2) => {
                Err(Failure::Shrunk { entries, before })
            }
            _ => Ok(()),
        }
    }

    /// Checks that the time of this part is not over.
    pub fn check_time(&self) -> Result<(), Failure> {
        let now = self.context.environment.database.clock.now_ms();
        if now < self.until {
            Ok(())
        } else {
            Err(Failure::Time)
        }
    }
}

/// Sends a request, and repeats it immediately if the error may be temporary, up to [`MAX_ATTEMPTS`] attempts.
/// `call` is a call of an adapter, which itself waits for the source's rate limit.
pub async fn call_with_retries<T>(
    call: impl AsyncFn() -> Result<T, TrackerError>,
) -> Result<T, TrackerError> {
    let mut answer = call().await;
    for _ in 1..MAX_ATTEMPTS {
        match &answer {
            Err(error) if can_retry(error) => answer = call().await,
            _ => break,
        }
    }
    answer
}

/// Returns true if an immediate retry is allowed and can help. A retry is not allowed if the source asks to wait. A
/// 429 is an exception, because the adapter itself waits before the next call. A retry cannot help if no call is
/// possible before the deadline, or if the source refuses the operator's client.
fn can_retry(error: &TrackerError) -> bool {
    match error {
        TrackerError::Later { after, detail } => match detail.cause() {
            Cause::NoTurn | Cause::Deadline | Cause::ClientRefused => false,
            Cause::Status(429) => true,
            _ => after.is_none(),
        },
        TrackerError::Final(_) | TrackerError::Reconnect(_) => false,
    }
}
