//! The static files of the pages: style, script, icons and the manifest.

use std::sync::OnceLock;

use axum::body::Body;
use axum::http::{HeaderValue, Uri, header};
use axum::response::{IntoResponse, Response};
use shared::digest;
use shared::http::response::{CACHE_PUBLIC, NO_SNIFFING};
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
    pub content: &'static [u8],
    version: OnceLock<String>,
}

/// Declares files, each made of one or more files of assets/. The path of each has the same name in [`paths`].
macro_rules! assets {
    ($($(#[$doc:meta])* $name:ident: $media_type:literal, $($file:literal)+;)+) => {
        $(
            $(#[$doc])*
            pub static $name: Asset = Asset {
                path: paths::$name,
                media_type: $media_type,
                content: assets!(@content $($file)+),
                version: OnceLock::new(),
            };
        )+
    };
    (@content $file:literal) => {
        include_bytes!(concat!("../assets/", $file))
    };
    (@content $($file:literal)+) => {
        concat!($(include_str!(concat!("../assets/", $file)), "\n"),+).as_bytes()
    };
}

assets! {
    /// The style sheet of every page.
    STYLE: "text/css; charset=utf-8",
        "style/base.css" "style/frame.css" "style/book.css" "style/forms.css" "style/list.css" "style/old_list.css"
        "style/browse.css" "style/home.css" "style/anime.css" "style/charts.css" "style/person.css"
        "style/reference.css" "style/wide.css";
    /// The script of every page. It is for copy buttons, results that change while the visitor types, and changes of
    /// entries in their place in the list. Pages work without it.
    SCRIPT: "text/javascript; charset=utf-8",
        "script/core.js" "script/search.js" "script/list.js" "script/card.js" "script/anime.js"
        "script/welcome.js";
    /// The script of the reference, for the forms "Try it".
    REFERENCE_SCRIPT: "text/javascript; charset=utf-8", "reference.js";
    /// The icon of the browser tab.
    ICON: "image/svg+xml", "icon.svg";
    /// The icon of the site on a phone's home screen. The icon fills the square, because phones cut off its corners.
    TOUCH_ICON: "image/png", "icon-192.png";
    /// [`TOUCH_ICON`] for large screens.
    LARGE_ICON: "image/png", "icon-512.png";
    /// The manifest, with which browsers install the site as an app.
    MANIFEST: "application/manifest+json", "site.webmanifest";
    /// The icons within pages.
    ICONS: "image/svg+xml", "icons.svg";
}

/// Returns the response to a request for [`MANIFEST`]. Its paths, which identify the app, begin with `base_path`.
pub fn respond_with_manifest(uri: &Uri, base_path: &str) -> Response {
    let response = MANIFEST.respond(uri);
    if base_path.is_empty() {
        return response;
    }
    let manifest = String::from_utf8_lossy(MANIFEST.content);
    let manifest = manifest.replace(": \"/", &format!(": \"{base_path}/"));
    response.map(|_| Body::from(manifest))
}

impl Asset {
    /// Returns the version of the file: the first 16 characters of its SHA-256 in Base64url.
    fn version(&self) -> &str {
        self.version.get_or_init(|| {
            let mut version = digest(self.content);
            version.truncate(16);
            version
        })
    }

    /// Returns the path of the file with its version.
    pub fn address(&self) -> String {
        format!("{}?v={}", self.path, self.version())
    }

    /// Returns the response to a request for the file.
    pub fn respond(&self, uri: &Uri) -> Response {
        let mut params = Params::parse(uri.query().unwrap_or_default());
        // A request with another version in its address also gets the current file, but browsers must not keep it for a
        // year.
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
            (header::X_CONTENT_TYPE_OPTIONS, NO_SNIFFING),
        ];
        (headers, self.content).into_response()
    }
}
