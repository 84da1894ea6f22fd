//! Conditional downloads of files that other projects publish (docs/trackers.md, "Files").

mod folder;
mod release;
mod version;

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use http_client::{SetupError, client_builder};
use reqwest::header::{CONTENT_LENGTH, CONTENT_RANGE, HeaderMap, IF_RANGE, RANGE};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url};
use shared::clock::Clock;
use shared::digest;

use self::folder::{DownloadFiles, PartialFile, digest_of, file_name};
use self::release::Releases;
pub use self::version::{FileInfo, FileVersion};
use super::config::{Timeouts, has_credentials, parse_url};
use super::error::{Cause, Detail, TrackerError, TrackerResult};
use super::pace::Waiter;
use super::transport::{cause_of, has_html_type};

/// The default maximum size of a file, in bytes: 64 MiB. The largest of the known files has about 60 MB without
/// compression. Lambda's `/tmp` has 512 MB.
pub const MAX_DOWNLOAD: u64 = 64 * 1024 * 1024;

/// The maximum number of redirects that a download follows. Files of a release at GitHub need one.
const MAX_REDIRECTS: usize = 5;

/// The maximum time to wait for the next piece of a file.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// The maximum number of further requests for the rest of a file that is kept in a folder, after the connection was
/// closed.
const MAX_CONTINUATIONS: u32 = 3;

/// The time before each of these requests for the rest of a file.
const CONTINUATION_DELAY: Duration = Duration::from_secs(1);

/// The maximum time for a file that is kept in a folder: 6 hours. The next run continues from the bytes that have
/// arrived, so a slow connection may take long.
const KEPT_TIMEOUT: Duration = Duration::from_hours(6);

/// A file at one of several addresses, which are tried in order, or on this machine.
#[derive(Debug)]
pub struct RemoteFile {
    name: &'static str,
    origin: DownloadSource,
    max_size: u64,
    client: Client,
    clock: Clock,
    timeouts: Timeouts,
    /// The folder that keeps the file. Without one, a download is a temporary file, and starts from the beginning after
    /// a failure.
    folder: Option<PathBuf>,
    waiter: Waiter,
    releases: Releases,
}

#[derive(Debug)]
enum DownloadSource {
    Urls(Vec<Url>),
    Path(PathBuf),
}

/// The result of a download.
#[derive(Debug)]
pub enum Download {
    /// The file has not changed since the known version.
    Unchanged,
    /// The file, positioned at its start. Unless it is kept in a folder, the file has no name, so the operating system
    /// deletes it when it is closed, even if the process ends early.
    Changed(File, FileInfo),
}

/// An event during a download.
#[derive(Debug)]
pub enum DownloadEvent<'e> {
    /// This number of bytes has arrived. `length` is the number of bytes of the file, if the server states it.
    Progress {
        /// The number of bytes that have arrived.
        position: u64,
        /// The number of bytes of the file.
        length: Option<u64>,
    },
    /// The file cannot be downloaded from this host. The next address is tried, if there is one.
    Failed {
        /// The host.
        host: &'e str,
        /// The reason.
        error: &'e TrackerError,
    },
}

impl RemoteFile {
    /// Describes the file at these URLs, which are separated by spaces and tried in order. `name` is used in errors.
    /// `max_size` is in bytes.
    ///
    /// # Errors
    /// [`SetupError`] if a URL is not `https:`, or no HTTP client can be created. Plain `http:` is allowed for
    /// loopback addresses.
    pub fn new(
        name: &'static str,
        urls: &str,
        max_size: u64,
        clock: Clock,
    ) -> Result<Self, SetupError> {
        let urls = urls.split_ascii_whitespace();
        let urls: Vec<Url> = urls
            .map(|url| parse_url(name, url))
            .collect::<Result<_, _>>()?;
        if urls.is_empty() {
            return Err(SetupError::Address(name));
        }
        Self::create(name, DownloadSource::Urls(urls), max_size, clock)
    }

    /// Describes a file on this machine.
    ///
    /// # Errors
    /// As [`RemoteFile::new`].
    pub fn on_this_machine(
        name: &'static str,
        path: PathBuf,
        max_size: u64,
        clock: Clock,
    ) -> Result<Self, SetupError> {
        Self::create(name, DownloadSource::Path(path), max_size, clock)
    }

    fn create(
        name: &'static str,
        origin: DownloadSource,
        max_size: u64,
        clock: Clock,
    ) -> Result<Self, SetupError> {
        let is_local = match &origin {
            DownloadSource::Urls(urls) => urls.iter().all(|url| url.scheme() == "http"),
            DownloadSource::Path(_) => false,
        };
        let timeouts = Timeouts {
            connect: Duration::from_secs(5),
            total: Duration::from_mins(5),
        };
        let client = client_builder(timeouts.connect)?
            .read_timeout(READ_TIMEOUT)
            .redirect(Policy::custom(move |attempt| {
                decide_redirect(attempt, is_local)
            }));
        Ok(Self {
            name,
            origin,
            max_size,
            client: client.build()?,
            clock,
            timeouts,
            folder: None,
            waiter: Waiter::Sleep,
            releases: Releases::default(),
        })
    }

    /// Keeps the file in a folder, which is created if it is missing. A download that was cut off then continues where
    /// it ended, in this process or a later one. `waiter` determines how this process waits before it continues.
    #[must_use]
    pub fn kept_in(mut self, folder: PathBuf, waiter: Waiter) -> Self {
        self.folder = Some(folder);
        self.waiter = waiter;
        self.timeouts.total = KEPT_TIMEOUT;
        self
    }

    /// Reads the digests of files of releases from another service with the API of GitHub. `site` is the beginning of
    /// the addresses of files, and `api` is the address of the API.
    #[must_use]
    pub fn with_releases_of(mut self, site: &str, api: &str) -> Self {
        self.releases = Releases::new(site, api);
        self
    }

    /// Returns true if the file is on this machine.
    pub fn is_on_this_machine(&self) -> bool {
        matches!(self.origin, DownloadSource::Path(_))
    }

    /// Returns the file that is kept in the folder, without a request; `None` if there is none.
    pub fn kept_file(&self) -> Option<(File, FileInfo)> {
        let mut kept_files = self.urls().iter().filter_map(|url| {
            let url_digest = digest(url.as_str());
            self.files(url)?.complete(&url_digest)
        });
        kept_files.next()
    }

    /// Returns true if the folder has a part of the file at the first address. The next download then continues it
    /// before any other request.
    pub fn is_interrupted(&self) -> bool {
        self.urls().first().is_some_and(|url| self.has_part(url))
    }

    fn has_part(&self, url: &Url) -> bool {
        let part = |files: DownloadFiles| files.part(&digest(url.as_str()));
        self.files(url).and_then(part).is_some()
    }

    fn urls(&self) -> &[Url] {
        match &self.origin {
            DownloadSource::Urls(urls) => urls,
            DownloadSource::Path(_) => &[],
        }
    }

    fn files(&self, url: &Url) -> Option<DownloadFiles> {
        let folder = self.folder.as_deref()?;
        let name = last_segment(url);
        // A name that could mean another folder, or that is empty, is replaced.
        let is_safe = !name.is_empty() && !name.starts_with('.') && name.chars().all(is_plain);
        if is_safe {
            return Some(DownloadFiles::new(folder, name));
        }
        // The end of the name determines the layout of a file, even when a later run reads the kept file.
        let name = format!("{}{}", self.name, extensions(name));
        Some(DownloadFiles::new(folder, &name))
    }

    /// Downloads the file unless it still has the known version. The caller must store the returned version only after
    /// it has processed the whole file, because a file with a stored version is not downloaded again.
    ///
    /// # Errors
    /// [`TrackerError::Final`] if there is no such file. The error is that of the first address. After an error, no
    /// part of the file is returned.
    pub async fn download(
        &self,
        known_version: Option<&FileVersion>,
        deadline: u64,
    ) -> TrackerResult<Download> {
        self.download_with(known_version, deadline, &|_| {}).await
    }

    /// Downloads the file as [`RemoteFile::download`] does, and reports the progress to `show`.
    ///
    /// # Errors
    /// As [`RemoteFile::download`].
    pub async fn download_with(
        &self,
        known_version: Option<&FileVersion>,
        deadline: u64,
        show: &(dyn Fn(DownloadEvent<'_>) + Sync),
    ) -> TrackerResult<Download> {
        if let DownloadSource::Path(path) = &self.origin {
            return self.open(path, known_version);
        }
        let mut first_error = None;
        for url in self.urls() {
            match self.download_from(url, known_version, deadline, show).await {
                Ok(download) => return Ok(download),
                Err(error) => {
                    let host = url.host_str().unwrap_or_default();
                    show(DownloadEvent::Failed {
                        host,
                        error: &error,
                    });
                    first_error.get_or_insert(error);
                }
            }
        }
        Err(first_error.unwrap_or_else(|| self.error(Cause::NoTurn)))
    }

    /// Opens the file on this machine. Its version is the digest of its content.
    fn open(&self, path: &Path, known_version: Option<&FileVersion>) -> TrackerResult<Download> {
        let on_disk = |_: io::Error| self.error(Cause::Disk);
        let mut file = File::open(path).map_err(on_disk)?;
        let metadata = file.metadata().map_err(on_disk)?;
        if metadata.len() > self.max_size {
            return Err(self.error(Cause::TooLong));
        }
        let content_digest = digest_of(&mut file).map_err(on_disk)?;
        let version = FileVersion::of_content(&content_digest);
        if known_version == Some(&version) {
            return Ok(Download::Unchanged);
        }
        let info = FileInfo {
            version,
            digest: content_digest,
            name: file_name(path),
            modified_at: modified_at(&metadata),
        };
        Ok(Download::Changed(file, info))
    }

    /// Downloads the file from one address. If the file is kept in a folder, continues an interrupted download, and
    /// repeats a download whose digest is wrong once: a release can be replaced while it is being downloaded.
    async fn download_from(
        &self,
        url: &Url,
        known_version: Option<&FileVersion>,
        deadline: u64,
        show: &(dyn Fn(DownloadEvent<'_>) + Sync),
    ) -> TrackerResult<Download> {
        let mut continuations = 0;
        let mut has_wrong_digest = false;
        loop {
            let time_left = Duration::from_millis(deadline.saturating_sub(self.clock.now_ms()));
            if time_left.is_zero() {
                return Err(self.error(Cause::NoTurn));
            }
            let error = match self.request(url, known_version, time_left, show).await {
                Ok(Some(download)) => return Ok(download),
                Ok(None) => continue,
                Err(error) => error,
            };
            match error.detail().cause() {
                Cause::CutOff | Cause::Timeout | Cause::Connection
                    if continuations < MAX_CONTINUATIONS && self.has_part(url) =>
                {
                    continuations += 1;
                    self.waiter.wait(CONTINUATION_DELAY).await;
                }
                Cause::Digest if !has_wrong_digest => has_wrong_digest = true,
                _ => return Err(error),
            }
        }
    }

    /// Requests the file or the rest of it. Returns `None` if the server does not continue the part that has arrived:
    /// in that case the part is deleted, and the next request is for the whole file.
    async fn request(
        &self,
        url: &Url,
        known_version: Option<&FileVersion>,
        time_left: Duration,
        show: &(dyn Fn(DownloadEvent<'_>) + Sync),
    ) -> TrackerResult<Option<Download>> {
        let url_digest = digest(url.as_str());
        let files = self.files(url);
        let arrived = files.as_ref().and_then(|files| files.part(&url_digest));
        let known_version = known_version.filter(|version| version.is_of(&url_digest));
        // The rest of a part is requested even if an earlier version of the file is complete.
        let kept_file = files.as_ref().filter(|_| arrived.is_none());
        let kept_file = kept_file.and_then(|files| files.complete(&url_digest));
        let kept_version = kept_file.as_ref().map(|(_, info)| &info.version);
        let condition = kept_version.or(known_version).filter(|_| arrived.is_none());
        let condition = condition.and_then(FileVersion::condition);
        let mut request = self.client.get(url.clone());
        if let Some(arrived) = &arrived {
            request = request_rest(request, arrived);
        } else if let Some((name, value)) = condition.clone() {
            request = request.header(name, value);
        }
        let request = request.timeout(self.timeouts.total.min(time_left));
        let response = request.send().await;
        let response =
            response.map_err(|error| self.convert_error(time_left, &error, Cause::Connection))?;
        let status = response.status();
        let continued = match (status, arrived) {
            (StatusCode::OK, _) => None,
            (StatusCode::PARTIAL_CONTENT, Some(part))
                if range_start(response.headers()) == Some(part.size)
                    && part
                        .version
                        .may_be(&FileVersion::read(url, response.headers())) =>
            {
                Some(part)
            }
            (StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE, Some(_)) => {
                files.iter().for_each(DownloadFiles::discard_part);
                // If the part could not be deleted, every download would try to continue it.
                if self.has_part(url) {
                    return Err(self.error(Cause::Disk));
                }
                return Ok(None);
            }
            (StatusCode::NOT_MODIFIED, _) if condition.is_some() => {
                return Ok(Some(match kept_file {
                    Some((file, info)) if known_version != Some(&info.version) => {
                        Download::Changed(file, info)
                    }
                    _ => Download::Unchanged,
                }));
            }
            (StatusCode::NOT_MODIFIED, _) => {
                return Err(self.error(Cause::Malformed("status 304 without a condition")));
            }
            _ => return Err(self.error_for_status(status)),
        };
        let receive = self.receive(url, files, continued, response, time_left, show);
        receive.await.map(Some)
    }

    fn error_for_status(&self, status: StatusCode) -> TrackerError {
        let detail = Detail::new(self.name, Cause::Status(status.as_u16()));
        match status {
            StatusCode::NOT_FOUND | StatusCode::GONE => TrackerError::Final(detail),
            _ => TrackerError::later(self.name, detail.cause()),
        }
    }

    /// Stores the body of a response, after `continued`, the part that has already arrived.
    async fn receive(
        &self,
        url: &Url,
        files: Option<DownloadFiles>,
        continued: Option<PartialFile>,
        mut response: Response,
        time_left: Duration,
        show: &(dyn Fn(DownloadEvent<'_>) + Sync),
    ) -> TrackerResult<Download> {
        if has_html_type(&response) {
            return Err(self.error(Cause::Html(200)));
        }
        let before = continued.as_ref().map_or(0, |part| part.size);
        let length = response.headers().get(CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        let length = length.map(|length| length.saturating_add(before));
        if length.is_some_and(|length| length > self.max_size) {
            return Err(self.error(Cause::TooLong));
        }
        let on_disk = |_: io::Error| self.error(Cause::Disk);
        let version = FileVersion::read(url, response.headers());
        let modified_at = version.modified_at();
        let mut part = match (continued, &files) {
            (Some(part), _) => part,
            (None, Some(files)) => files.begin(&version).map_err(on_disk)?,
            (None, None) => PartialFile {
                file: tempfile::tempfile().map_err(on_disk)?,
                size: 0,
                version,
            },
        };
        loop {
            let chunk = response.chunk().await;
            let chunk =
                chunk.map_err(|error| self.convert_error(time_left, &error, Cause::CutOff))?;
            let Some(chunk) = chunk else { break };
            part.size += chunk.len() as u64;
            if part.size > self.max_size {
                files.iter().for_each(DownloadFiles::discard_part);
                return Err(self.error(Cause::TooLong));
            }
            // A chunk is small and goes to the page cache, so this does not block for long.
            part.file.write_all(&chunk).map_err(on_disk)?;
            show(DownloadEvent::Progress {
                position: part.size,
                length,
            });
        }
        let is_html = is_html(&mut part.file).map_err(on_disk)?;
        let digest = digest_of(&mut part.file).map_err(on_disk)?;
        let problem = if part.size == 0 {
            Some(Cause::Malformed("an empty file"))
        } else if is_html {
            Some(Cause::Html(200))
        } else {
            let published = self.releases.digest_of(&self.client, url).await;
            let is_other = published.is_some_and(|published| published != digest);
            is_other.then_some(Cause::Digest)
        };
        if let Some(problem) = problem {
            files.iter().for_each(DownloadFiles::discard_part);
            return Err(self.error(problem));
        }
        let info = FileInfo {
            version: part.version,
            digest,
            name: last_segment(url).to_owned(),
            modified_at,
        };
        if let Some(files) = files {
            files.complete_part(&info).map_err(on_disk)?;
        }
        Ok(Download::Changed(part.file, info))
    }

    fn error(&self, cause: Cause) -> TrackerError {
        TrackerError::later(self.name, cause)
    }

    /// Converts an error of the HTTP client ([`cause_of`]).
    fn convert_error(
        &self,
        time_left: Duration,
        error: &reqwest::Error,
        otherwise: Cause,
    ) -> TrackerError {
        self.error(cause_of(error, time_left, READ_TIMEOUT, otherwise))
    }
}

/// Returns the time of a file's last change in seconds since the Unix epoch, if the file system knows it.
fn modified_at(metadata: &Metadata) -> Option<u64> {
    let since_epoch = metadata
        .modified()
        .ok()?
        .duration_since(SystemTime::UNIX_EPOCH);
    Some(since_epoch.ok()?.as_secs())
}

/// Returns the last part of the URL's path, which usually is the name of the file.
fn last_segment(url: &Url) -> &str {
    let mut parts = url.path_segments().into_iter().flatten();
    parts.next_back().unwrap_or_default()
}

/// Returns true if a name can have this character in every file system.
fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '.' | '-' | '_')
}

/// Returns the extensions at the end of a name, such as `.jsonl.zst`.
fn extensions(name: &str) -> &str {
    let end = name
        .rsplit(|c: char| !is_plain(c))
        .next()
        .unwrap_or_default();
    end.find('.').map_or("", |dot| &end[dot..])
}

/// Requests the rest of a file, or the whole file if it is no longer the same.
fn request_rest(request: RequestBuilder, part: &PartialFile) -> RequestBuilder {
    let request = request.header(RANGE, format!("bytes={}-", part.size));
    match part.version.strong_validator() {
        Some(tag) => request.header(IF_RANGE, tag),
        None => request,
    }
}

/// Returns the position at which the body of a response begins.
fn range_start(headers: &HeaderMap) -> Option<u64> {
    let range = headers.get(CONTENT_RANGE)?.to_str().ok()?;
    let (start, _) = range.strip_prefix("bytes ")?.split_once('-')?;
    start.parse().ok()
}

/// Follows or refuses a redirect. A redirect to plain `http:` is followed only between loopback addresses.
/// Otherwise, a remote server could make this process call servers on its own machine.
fn decide_redirect(attempt: Attempt<'_>, is_local: bool) -> reqwest::redirect::Action {
    let url = attempt.url();
    let is_safe = if is_local {
        parse_url("redirect", url.as_str()).is_ok()
    } else {
        url.scheme() == "https" && !has_credentials(url)
    };
    if is_safe && attempt.previous().len() <= MAX_REDIRECTS {
        attempt.follow()
    } else {
        attempt.error("refused")
    }
}

/// Returns true if a file is a web page. A proxy or firewall can send such a page instead of the requested file.
/// Leaves the file positioned at its start.
fn is_html(file: &mut File) -> io::Result<bool> {
    let mut start = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    Read::by_ref(file).take(512).read_to_end(&mut start)?;
    file.seek(SeekFrom::Start(0))?;
    let start = start.trim_ascii_start().to_ascii_lowercase();
    Ok(start.starts_with(b"<!doctype html") || start.starts_with(b"<html"))
}
