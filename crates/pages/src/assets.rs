//! The static files of the pages: style, script and icons.

use std::sync::OnceLock;

use axum::http::{HeaderValue, Uri, header};
use axum::response::{IntoResponse, Response};
use shared::digest;
use shared::http::response::CACHE_PUBLIC;
use shared::input::Params;

use crate::paths;

/// `Cache-Control` of addresses that include the version of the file, because their content never changes.
const CACHE_FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// A static file. Its address includes its version, so that browsers can cache it for a year.
#[derive(Debug)]
pub struct Asset {
    path: &'static str,
    media_type: &'static str,
    /// The content.
    pub content: &'static str,
    version: OnceLock<String>,
}

/// The style sheet of every page.
pub static STYLE: Asset = Asset::new(
    paths::STYLE,
    "text/css; charset=utf-8",
    include_str!("../assets/style.css"),
);

/// The script of every page. It is for copy buttons, the forms "Try it", results that change while the visitor
/// types, and the buttons "next episode" in the list. Pages work without it.
pub static SCRIPT: Asset = Asset::new(
    paths::SCRIPT,
    "text/javascript; charset=utf-8",
    include_str!("../assets/site.js"),
);

/// The icon of the browser tab.
pub static ICON: Asset = Asset::new(
    paths::ICON,
    "image/svg+xml",
    include_str!("../assets/icon.svg"),
);

/// The icons within pages.
pub static ICONS: Asset = Asset::new(
    paths::ICONS,
    "image/svg+xml",
    include_str!("../assets/icons.svg"),
);

impl Asset {
    const fn new(path: &'static str, media_type: &'static str, content: &'static str) -> Self {
        Self {
            path,
            media_type,
            content,
            version: OnceLock::new(),
        }
    }

    /// Returns the version of the file: the first 16 hexadecimal digits of its SHA-256.
    fn version(&self) -> &str {
        let digest = || digest(self.content).chars().take(16).collect();
        self.version.get_or_init(digest)
    }

    /// Returns the path of the file with its version.
    #[must_use]
    pub fn address(&self) -> String {
        format!("{}?v={}", self.path, self.version())
    }

    /// Returns the response to a request for the file.
    #[must_use]
    pub fn respond(&self, uri: &Uri) -> Response {
        let mut params = Params::parse(uri.query().unwrap_or_default());
        // A request with another version in its address gets the present file, too, but browsers must not keep it
        // for a year.
        let is_current_version = params.token("v").as_deref() == Some(self.version());
        let headers = [
            (
                header::CONTENT_TYPE,
                HeaderValue::from_static(self.media_type),
            ),
            (
                header::CACHE_CONTROL,
                if is_current_version {
                    CACHE_FOREVER
                } else {
                    CACHE_PUBLIC
                },
            ),
            (
                header::X_CONTENT_TYPE_OPTIONS,
                HeaderValue::from_static("nosniff"),
            ),
        ];
        (headers, self.content).into_response()
    }
}
