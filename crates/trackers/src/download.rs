//! Conditional downloads of files that other projects publish (docs/trackers.md, "Files").

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::time::Duration;

use reqwest::header::{
    CONTENT_LENGTH, ETAG, HeaderMap, HeaderName, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, Response, StatusCode, Url};
use serde::{Deserialize, Serialize};
use shared::clock::Clock;
use shared::digest;

use super::config::{SetupError, Timeouts, has_credentials, parse_url};
use super::error::{Cause, Detail, TrackerError};
use super::transport::{client_builder, has_html_type};

/// The default maximum size of a file, in bytes: 64 MiB. The largest of the known files has about 60 MB without
/// compression. Lambda's `/tmp` has 512 MB.
pub const MAX_DOWNLOAD: u64 = 64 * 1024 * 1024;

/// The maximum number of redirects that a download follows. Files of a release at GitHub need one.
const MAX_REDIRECTS: usize = 5;

/// The maximum time to wait for the next piece of a file.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// The maximum length of an entity tag or of a time of the last change, in bytes. A longer value is not stored.
/// Without either value, the next download is not conditional.
const MAX_HEADER_VALUE: usize = 256;

/// A file at a URL.
#[derive(Debug)]
pub struct RemoteFile {
    name: &'static str,
    url: Url,
    max_size: u64,
    client: Client,
    clock: Clock,
    timeouts: Timeouts,
}

/// The result of a download.
#[derive(Debug)]
pub enum Download {
    /// The file has not changed since the known version.
    Unchanged,
    /// The file, positioned at its start, and its version. The file has no name, so the operating system
    /// deletes it when it is closed, even if the process ends early.
    Changed(File, FileVersion),
}

/// The version of a downloaded file, as its server has named it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileVersion {
    /// A digest of the file's URL. A version says nothing about a file at another URL.
    #[serde(rename = "of")]
    url_digest: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    etag: Option<String>,
    /// Used if there is no entity tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_modified: Option<String>,
}

impl FileVersion {
    fn read(url: &Url, headers: &HeaderMap) -> Self {
        Self {
            url_digest: digest(url.as_str()),
            etag: read_header(headers, &ETAG),
            last_modified: read_header(headers, &LAST_MODIFIED),
        }
    }

    /// Returns the header that requests the file only if it no longer has this version. Returns `None` if the
    /// version has neither an entity tag nor a time.
    fn condition(&self) -> Option<(HeaderName, &str)> {
        let by_tag = self.etag.as_deref().map(|tag| (IF_NONE_MATCH, tag));
        let by_time = self.last_modified.as_deref();
        by_tag.or(by_time.map(|time| (IF_MODIFIED_SINCE, time)))
    }
}

impl RemoteFile {
    /// Describes the file at this URL. `name` is used in errors. `max_size` is in bytes.
    ///
    /// # Errors
    /// [`SetupError`] if the URL is not `https:`, or no HTTP client can be created. Plain `http:` is allowed for
    /// loopback addresses.
    pub fn new(
        name: &'static str,
        url: &str,
        max_size: u64,
        clock: Clock,
    ) -> Result<Self, SetupError> {
        let url = parse_url(name, url)?;
        let is_local = url.scheme() == "http";
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
            url,
            max_size,
            client: client.build()?,
            clock,
            timeouts,
        })
    }

    /// Returns the last part of the URL's path, which usually is the name of the file.
    #[must_use]
    pub fn file_name(&self) -> &str {
        let mut parts = self.url.path_segments().into_iter().flatten();
        parts.next_back().unwrap_or_default()
    }

    /// Downloads the file unless it still has the version `known`. The caller must store the returned version only
    /// after it has processed the whole file, because a file with a stored version is not downloaded again.
    ///
    /// # Errors
    /// [`TrackerError::Final`] if there is no such file. After an error, no part of the file is returned.
    pub async fn download(
        &self,
        known: Option<&FileVersion>,
        deadline: u64,
    ) -> Result<Download, TrackerError> {
        let time_left = Duration::from_millis(deadline.saturating_sub(self.clock.now_ms()));
        if time_left.is_zero() {
            return Err(self.error(Cause::NoTurn));
        }
        let known = known.filter(|known| known.url_digest == digest(self.url.as_str()));
        let condition = known.and_then(FileVersion::condition);
        let mut request = self.client.get(self.url.clone());
        if let Some((name, value)) = condition.clone() {
            request = request.header(name, value);
        }
        let request = request.timeout(self.timeouts.total.min(time_left));
        let response = request.send().await;
        let response =
            response.map_err(|error| self.convert_error(time_left, &error, Cause::Connection))?;
        match response.status() {
            StatusCode::OK => self.receive(response, time_left).await,
            StatusCode::NOT_MODIFIED if condition.is_some() => Ok(Download::Unchanged),
            StatusCode::NOT_MODIFIED => {
                Err(self.error(Cause::Malformed("status 304 without a condition")))
            }
            status => Err(self.error_for_status(status)),
        }
    }

    fn error_for_status(&self, status: StatusCode) -> TrackerError {
        let detail = Detail::new(self.name, Cause::Status(status.as_u16()));
        match status {
            StatusCode::NOT_FOUND | StatusCode::GONE => TrackerError::Final(detail),
            _ => TrackerError::later(self.name, detail.cause()),
        }
    }

    /// Stores the body of a response in a temporary file.
    async fn receive(
        &self,
        mut response: Response,
        time_left: Duration,
    ) -> Result<Download, TrackerError> {
        if has_html_type(&response) {
            return Err(self.error(Cause::Html(200)));
        }
        let length = response.headers().get(CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if length.is_some_and(|length| length > self.max_size) {
            return Err(self.error(Cause::TooLong));
        }
        let version = FileVersion::read(&self.url, response.headers());
        let on_disk = |_: io::Error| self.error(Cause::Disk);
        let mut file = tempfile::tempfile().map_err(on_disk)?;
        let mut size = 0;
        loop {
            let chunk = response.chunk().await;
            let chunk =
                chunk.map_err(|error| self.convert_error(time_left, &error, Cause::CutOff))?;
            let Some(chunk) = chunk else { break };
            size += chunk.len() as u64;
            if size > self.max_size {
                return Err(self.error(Cause::TooLong));
            }
            // A chunk is small and goes to the page cache, so this does not block for long.
            file.write_all(&chunk).map_err(on_disk)?;
        }
        if size == 0 {
            return Err(self.error(Cause::Malformed("an empty file")));
        }
        if is_html(&mut file).map_err(on_disk)? {
            return Err(self.error(Cause::Html(200)));
        }
        Ok(Download::Changed(file, version))
    }

    fn error(&self, cause: Cause) -> TrackerError {
        TrackerError::later(self.name, cause)
    }

    /// Converts an error of the HTTP client. `time_left` is the time from the request to the deadline, and
    /// `otherwise` the cause if the error is neither a timeout nor a redirect. The client's own message contains
    /// URLs, so it is dropped.
    fn convert_error(
        &self,
        time_left: Duration,
        error: &reqwest::Error,
        otherwise: Cause,
    ) -> TrackerError {
        let cause = if error.is_redirect() {
            Cause::Redirect
        } else if !error.is_timeout() {
            otherwise
        } else if time_left < READ_TIMEOUT {
            Cause::Deadline
        } else {
            Cause::Timeout
        };
        self.error(cause)
    }
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

/// Returns a header's value if it can be stored and sent again.
fn read_header(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let value = headers.get(name)?.to_str().ok()?;
    let is_good = !value.is_empty() && value.len() <= MAX_HEADER_VALUE;
    is_good.then(|| value.to_owned())
}
