//! The version of a downloaded file.

use reqwest::Url;
use reqwest::header::{
    ETAG, HeaderMap, HeaderName, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
};
use serde::{Deserialize, Serialize};
use shared::digest;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc2822;

/// The maximum length of an entity tag or of a time of the last change, in bytes. A longer value is not stored.
/// Without either value, the next download is not conditional.
const MAX_HEADER_VALUE: usize = 256;

/// The facts about a downloaded file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileInfo {
    /// The version.
    pub version: FileVersion,
    /// The SHA-256 digest of the content, in hexadecimal digits.
    pub digest: String,
    /// The last part of the address, or of the path of a file on this machine.
    #[serde(skip)]
    pub name: String,
    /// The time of the last change as the server or the file system states it, in seconds since the Unix epoch.
    pub modified_at: Option<u64>,
}

/// The version of a downloaded file, as its server has named it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileVersion {
    /// A digest of the file's URL. A version says nothing about a file at another URL.
    #[serde(rename = "of")]
    url_digest: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    etag: Option<String>,
    /// The time of the last change, which is used if there is no entity tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_modified: Option<String>,
}

impl FileVersion {
    pub(super) fn read(url: &Url, headers: &HeaderMap) -> Self {
        Self {
            url_digest: digest(url.as_str()),
            etag: read_header(headers, &ETAG),
            last_modified: read_header(headers, &LAST_MODIFIED),
        }
    }

    /// Returns the header that requests the file only if it no longer has this version. Returns `None` if the
    /// version has neither an entity tag nor a time.
    pub(super) fn condition(&self) -> Option<(HeaderName, &str)> {
        let by_tag = self.etag.as_deref().map(|tag| (IF_NONE_MATCH, tag));
        let by_time = self.last_modified.as_deref();
        by_tag.or(by_time.map(|time| (IF_MODIFIED_SINCE, time)))
    }

    /// Returns the entity tag with which the rest of this version can be requested. A weak tag does not guarantee that
    /// the bytes are the same. A time does not guarantee it either, because a file can change twice in a second.
    pub(super) fn strong_validator(&self) -> Option<&str> {
        self.etag.as_deref().filter(|tag| !tag.starts_with("W/"))
    }

    /// Returns the version of a file on this machine, which is the digest of its content.
    pub(super) fn of_content(digest: &str) -> Self {
        Self {
            url_digest: "file".to_owned(),
            etag: Some(digest.to_owned()),
            last_modified: None,
        }
    }

    /// Returns true unless the entity tags show that this is another version.
    pub(super) fn may_be(&self, other: &Self) -> bool {
        let tags = self.etag.as_ref().zip(other.etag.as_ref());
        tags.is_none_or(|(tag, other)| tag == other)
    }

    /// Returns true if this is a version of the file at the URL with this digest.
    pub(super) fn is_of(&self, url_digest: &str) -> bool {
        self.url_digest == url_digest
    }

    /// Returns the time of the last change as the server states it, in seconds since the Unix epoch.
    pub(super) fn modified_at(&self) -> Option<u64> {
        let time = self.last_modified.as_deref()?;
        let time = OffsetDateTime::parse(time, &Rfc2822).ok()?;
        u64::try_from(time.unix_timestamp()).ok()
    }
}

/// Returns a header's value if it can be stored and sent again.
fn read_header(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let value = headers.get(name)?.to_str().ok()?;
    let is_good = !value.is_empty() && value.len() <= MAX_HEADER_VALUE;
    is_good.then(|| value.to_owned())
}
