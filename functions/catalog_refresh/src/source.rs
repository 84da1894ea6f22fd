//! The common interface of the sources, and the code that all of them share in a run.

use std::fs::File;
use std::io;

use catalogue::import::{AnimeIds, IdMapping, MergeReport};
use catalogue::refresh::FileRead;
use catalogue::snapshots::SourceState;
use shared::{Error, Result};
use trackers::{Cause, Download, DownloadEvent, FileInfo, FileVersion, RemoteFile, TrackerError};

use crate::context::{RefreshContext, RefreshProgress, RefreshScope, StageUnit};
use crate::report::{SourceFailure, SourceName};
use crate::writer::AnimeWriter;

/// Maximum number of attempts for a request.
const MAX_ATTEMPTS: u32 = 3;

/// A request for a file is conditional only if the last whole download is at most this old, in seconds: 7 days. After
/// that, the file is downloaded even if it has not changed, so that a server that always responds with 304 is noticed.
const MAX_DOWNLOAD_AGE_S: u64 = 7 * 24 * 60 * 60;

pub trait RefreshSource {
    const NAME: SourceName;

    /// Returns the file of the source; `None` if the source is not a file.
    fn file(&self) -> Option<&RemoteFile> {
        None
    }

    /// Reads the changes at the source since the last run, or in a full refresh everything, and writes them.
    /// Everything that was written before an error stays.
    async fn read(&self, run: &mut SourceRun<'_>) -> Result<Complete, SourceError>;
}

/// One source's part of a run.
pub struct SourceRun<'r> {
    pub context: &'r RefreshContext<'r>,
    /// The known anime, including those that were added in this run.
    pub ids: &'r mut AnimeIds,
    /// The mapping of identifiers, if its file was read in this run.
    pub mapping: &'r mut Option<IdMapping>,
    /// The state of the source before the run.
    pub state: SourceState,
    /// The end of this part, in milliseconds since the Unix epoch.
    pub until: u64,
    /// False if too little time has passed since the last request. In that case, a file that is kept on this machine is
    /// read.
    pub may_ask: bool,
    pub counts: MergeReport,
}

/// The result of a complete read.
pub enum Complete {
    /// Everything that has changed was read.
    Read,
    /// The file has not changed.
    Unchanged,
    /// The whole file was read.
    File(ReadFile),
}

/// A file that was read completely.
pub struct ReadFile {
    pub info: FileInfo,
    pub entries: u64,
    /// The time of the data that the content of the file states, in seconds since the Unix epoch.
    pub stated_at: Option<u64>,
}

impl ReadFile {
    pub fn new(info: FileInfo, entries: u64, stated_at: Option<u64>) -> Self {
        Self {
            info,
            entries,
            stated_at,
        }
    }

    /// Returns the record of this read by a run that began at `at`. If the content does not state the time of its data,
    /// the time of the file's last change is used, or else the time at which this content was first read. So a file
    /// that no longer changes is noticed. A stated time in the future is ignored.
    pub fn record(&self, before: &SourceState, at: u64) -> Result<FileRead> {
        let is_same = before.file_digest.as_ref() == Some(&self.info.digest);
        let is_past = |time: &u64| *time <= at;
        let modified_at = self.info.modified_at.filter(is_past);
        let known = before.data_at.filter(|_| is_same).filter(is_past);
        let stated = self.stated_at.filter(is_past);
        // A copy with the same content is not newer.
        let data_at = stated.or_else(|| modified_at.into_iter().chain(known).min());
        Ok(FileRead {
            version: serde_json::to_string(&self.info.version).map_err(Error::internal)?,
            entries: self.entries,
            digest: self.info.digest.clone(),
            data_at: data_at.unwrap_or(at),
        })
    }
}

/// The reason why a source was not read completely.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum SourceError {
    /// The source failed. Other sources can still be read.
    Source(#[from] SourceFailure),
    /// The database failed.
    Store(#[from] Error),
}

impl From<TrackerError> for SourceError {
    fn from(error: TrackerError) -> Self {
        Self::Source(SourceFailure::Request(error))
    }
}

/// Reading a downloaded file has failed.
impl From<io::Error> for SourceError {
    fn from(error: io::Error) -> Self {
        Self::Source(SourceFailure::File(error.to_string()))
    }
}

impl SourceRun<'_> {
    /// Returns a writer for the facts of this source. `requests_songs` is true if the songs of the written anime must
    /// be requested.
    pub fn writer(&mut self, requests_songs: bool) -> AnimeWriter<'_> {
        AnimeWriter::new(self.context, self.ids, &mut self.counts, requests_songs)
    }

    /// Downloads a file, unless the server says that the file has not changed since the last run that read it. A full
    /// refresh and a run after [`MAX_DOWNLOAD_AGE_S`] always download the file.
    pub async fn download(
        &self,
        file: &RemoteFile,
        name: SourceName,
    ) -> Result<Option<(File, FileInfo)>, SourceError> {
        if !self.may_ask {
            return Ok(file.kept_file());
        }
        let known = self.known_version();
        let show = |event: DownloadEvent<'_>| show_event(self.context, name, &event);
        match file
            .download_with(known.as_ref(), self.until, &show)
            .await?
        {
            Download::Changed(file, info) => Ok(Some((file, info))),
            Download::Unchanged => Ok(None),
        }
    }

    fn known_version(&self) -> Option<FileVersion> {
        if self.context.rereads_files {
            return None;
        }
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
    pub fn check_entries(&self, entries: u64) -> Result<(), SourceFailure> {
        let before = self.state.entries.unwrap_or_default();
        match entries {
            0 => Err(SourceFailure::Empty),
            _ if self.context.scope == RefreshScope::Changed && entries < before.div_ceil(2) => {
                Err(SourceFailure::Shrunk { entries, before })
            }
            _ => Ok(()),
        }
    }

    /// Checks that the data of a file is not older than the data that the catalogue has. One of several addresses can
    /// have an old file, such as an archive. A full refresh accepts older data.
    pub fn check_age(&self, stated_at: Option<u64>) -> Result<(), SourceFailure> {
        match (stated_at, self.state.data_at) {
            (Some(stated), Some(known))
                if stated < known && self.context.scope == RefreshScope::Changed =>
            {
                Err(SourceFailure::Older { stated, known })
            }
            _ => Ok(()),
        }
    }
}

/// Returns the URL of an image, if pages can load it.
pub fn https_url(url: &str) -> Option<String> {
    let is_usable = url.starts_with("https://") && !url.contains(char::is_whitespace);
    is_usable.then(|| url.to_owned())
}

/// Shows an event of a download: its progress to the operator, and a failure of an address in the log.
pub fn show_event(context: &RefreshContext<'_>, name: SourceName, event: &DownloadEvent<'_>) {
    match event {
        DownloadEvent::Progress { position, length } => (context.show)(RefreshProgress {
            stage: name.download_stage(),
            unit: StageUnit::Bytes,
            length: length.unwrap_or(*position),
            position: *position,
            entries: 0,
        }),
        DownloadEvent::Failed { host, error } => {
            tracing::warn!(source = name.key(), host, %error, "a file cannot be downloaded");
        }
    }
}

/// Sends a request, and repeats it immediately if the error may be temporary, up to [`MAX_ATTEMPTS`] attempts.
/// `call` is a call of an adapter, which itself waits for the source's rate limit.
pub async fn call_with_retries<T>(
    call: impl AsyncFn() -> Result<T, TrackerError>,
) -> Result<T, TrackerError> {
    let mut result = call().await;
    for _ in 1..MAX_ATTEMPTS {
        match &result {
            Err(error) if can_retry(error) => result = call().await,
            _ => break,
        }
    }
    result
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
