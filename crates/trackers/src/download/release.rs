//! The digests that GitHub publishes for the files of a release.

use std::time::Duration;

use reqwest::{Client, Url};
use serde::Deserialize;

/// The maximum length of the description of a release, in bytes.
const MAX_DESCRIPTION: usize = 2 * 1024 * 1024;

/// The maximum time for the description of a release. A file is used without its digest if GitHub does not respond.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The addresses of GitHub.
#[derive(Clone, Debug)]
pub struct Releases {
    /// The beginning of the addresses of files, without a slash at the end.
    site: String,
    /// The address of the API, without a slash at the end.
    api: String,
}

#[derive(Deserialize)]
struct GithubRelease {
    #[serde(default)]
    assets: Vec<GithubAsset>,
}

#[derive(Deserialize)]
struct GithubAsset {
    name: String,
    digest: Option<String>,
}

impl Releases {
    /// Creates the addresses of a service with the API of GitHub.
    pub fn new(site: &str, api: &str) -> Self {
        Self {
            site: site.trim_end_matches('/').to_owned(),
            api: api.trim_end_matches('/').to_owned(),
        }
    }

    /// Returns the address of the API for the release of a file, and the file's name. Returns `None` if the file is not
    /// part of a release.
    fn describe(&self, file: &Url) -> Option<(String, String)> {
        let path = file.as_str().strip_prefix(&self.site)?;
        let parts: Vec<&str> = path.strip_prefix('/')?.split('/').collect();
        let (owner, repository, release, name) = match parts.as_slice() {
            [owner, repository, "releases", "download", tag, name] => {
                (owner, repository, format!("tags/{tag}"), name)
            }
            [owner, repository, "releases", "latest", "download", name] => {
                (owner, repository, "latest".to_owned(), name)
            }
            _ => return None,
        };
        let url = format!("{}/repos/{owner}/{repository}/releases/{release}", self.api);
        Some((url, (*name).to_owned()))
    }

    /// Returns the SHA-256 digest of a file, in lower-case hexadecimal digits; `None` if none is published or GitHub
    /// does not respond.
    pub async fn digest_of(&self, client: &Client, file: &Url) -> Option<String> {
        let (url, name) = self.describe(file)?;
        let request = client.get(url).timeout(TIMEOUT);
        let mut response = request.send().await.ok()?.error_for_status().ok()?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.ok()? {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_DESCRIPTION {
                return None;
            }
        }
        let release: GithubRelease = serde_json::from_slice(&body).ok()?;
        let asset = release
            .assets
            .into_iter()
            .find(|asset| asset.name == name)?;
        let digest = asset.digest?.to_ascii_lowercase();
        digest.strip_prefix("sha256:").map(str::to_owned)
    }
}

impl Default for Releases {
    fn default() -> Self {
        Self::new("https://github.com", "https://api.github.com")
    }
}

#[cfg(test)]
mod tests {
    use reqwest::Url;

    use super::Releases;

    #[test]
    fn files_of_releases_are_recognized() {
        let describe = |url: &str| Releases::default().describe(&Url::parse(url).unwrap());
        for case in [
            "https://github.com/a/b/releases/download/v1/c.zst => tags/v1",
            "https://github.com/a/b/releases/latest/download/c.zst => latest",
        ] {
            let (url, release) = case.split_once(" => ").unwrap();
            let api = format!("https://api.github.com/repos/a/b/releases/{release}");
            assert_eq!(describe(url), Some((api, "c.zst".to_owned())));
        }
        for url in [
            "https://github.com/a/b/raw/master/c.zst",
            "https://example.com/a/b/releases/download/v1/c.zst",
            "https://github.community/a/b/releases/download/v1/c.zst",
        ] {
            assert_eq!(describe(url), None, "{url}");
        }
    }
}
