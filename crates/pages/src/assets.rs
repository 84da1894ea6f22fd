//! The static files of the pages: style, script, font, icons and the manifest.

use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

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
    /// The content, as it is served.
    pub content: LazyLock<Cow<'static, [u8]>>,
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
                content: LazyLock::new(|| prepare($media_type, assets!(@content $($file)+))),
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
        "style/base.css" "style/frame.css" "style/book.css" "style/forms.css" "style/list.css"
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
    /// The font of headings and figures: Kaisei Tokumin Bold, with the characters that the pages use in it. Other
    /// characters have the Mincho font of the system.
    FONT: "font/woff2", "display.woff2";
}

/// Returns a file as it is served: style sheets and scripts without comments and indentation, and all others as they
/// are.
fn prepare(media_type: &str, file: &'static [u8]) -> Cow<'static, [u8]> {
    let text = str::from_utf8(file).unwrap_or_default();
    if media_type.starts_with("text/css") {
        // The address of the font has its version, so that browsers can cache it for a year, too. It is relative to
        // that of the style sheet, because the public URL of the service can have a path.
        let font = FONT.address();
        let style = shorten_style(text).replace(FONT_FILE, font.trim_start_matches('/'));
        Cow::Owned(style.into_bytes())
    } else if media_type.starts_with("text/javascript") {
        Cow::Owned(shorten_script(text).into_bytes())
    } else {
        Cow::Borrowed(file)
    }
}

/// The name of the font in the style sheet.
const FONT_FILE: &str = "display.woff2";

/// The parts of a style sheet that have a shorter form, in the order in which they are replaced.
const SHORTER: [(&str, &str); 14] = [
    (" {", "{"),
    ("{ ", "{"),
    (" }", "}"),
    ("; ", ";"),
    (": ", ":"),
    (", ", ","),
    (" > ", ">"),
    (" / ", "/"),
    (";}", "}"),
    ("} ", "}"),
    (" 0.", " ."),
    (":0.", ":."),
    (",0.", ",."),
    ("(0.", "(."),
];

/// Returns a style sheet without comments, indentation and the spaces that mean nothing. No text in the style sheet may
/// contain a comment's delimiters or one of the parts in [`SHORTER`].
fn shorten_style(style: &str) -> String {
    let parts = style.split("*/");
    let without_comments: String = parts
        .map(|part| part.split("/*").next().unwrap_or_default())
        .collect();
    let words: Vec<&str> = without_comments.split_whitespace().collect();
    SHORTER
        .iter()
        .fold(words.join(" "), |short, (long, replacement)| {
            short.replace(long, replacement)
        })
}

/// Returns a script without indentation, spaces beside punctuation, and lines that are comments. No text of the script
/// may have several lines.
fn shorten_script(script: &str) -> String {
    let lines = script.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.map(shorten_line).collect::<Vec<_>>().join("\n")
}

/// Returns a line of a script without the spaces beside punctuation, except in texts.
fn shorten_line(line: &str) -> String {
    let is_mark = |letter: char| "=(){}[],;:?&|<>".contains(letter);
    let mut short = String::with_capacity(line.len());
    let mut quote = None;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match quote {
            None if "\"'`".contains(letter) => quote = Some(letter),
            None if letter == ' ' => {
                let next = letters.peek().copied();
                if short.ends_with(is_mark) || next.is_some_and(is_mark) {
                    continue;
                }
            }
            Some(begin) if letter == begin => quote = None,
            Some(_) if letter == '\\' => {
                short.push(letter);
                short.extend(letters.next());
                continue;
            }
            _ => {}
        }
        short.push(letter);
    }
    short
}

/// Returns the response to a request for [`MANIFEST`]. Its paths, which identify the app, begin with `base_path`.
pub fn respond_with_manifest(uri: &Uri, base_path: &str) -> Response {
    let response = MANIFEST.respond(uri);
    if base_path.is_empty() {
        return response;
    }
    let manifest = String::from_utf8_lossy(&MANIFEST.content);
    let manifest = manifest.replace(": \"/", &format!(": \"{base_path}/"));
    response.map(|_| Body::from(manifest))
}

impl Asset {
    /// Returns the version of the file: the first 16 characters of its SHA-256 in Base64url.
    fn version(&self) -> &str {
        self.version.get_or_init(|| {
            let mut version = digest(&**self.content);
            version.truncate(16);
            version
        })
    }

    /// Returns the path of the file with its version.
    pub fn address(&self) -> String {
        format!("{}?v={}", self.path, self.version())
    }

    /// Returns the response to a request for the file.
    pub fn respond(&'static self, uri: &Uri) -> Response {
        let content: &'static [u8] = &self.content;
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
        (headers, content).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::{FONT, REFERENCE_SCRIPT, SCRIPT, STYLE, shorten_script, shorten_style};

    #[test]
    fn comments_and_indentation_are_not_served() {
        let style = "/* One */\n\na:hover,\nb > c .d {\n  color: red; /* two */\n  margin:\n    0.5rem 10.5em;\n}\n";
        let short = "a:hover,b>c .d{color:red;margin:.5rem 10.5em}";
        assert_eq!(shorten_style(style), short);
        let style = "@media (min-width: 1px) { :root { --e: calc(1px + 0.25em); } }\n";
        let short = "@media (min-width:1px){:root{--e:calc(1px + .25em)}}";
        assert_eq!(shorten_style(style), short);
        let script =
            "// One\nif (a) {\n  // Two\n  b(\"// ( \\\" )\", c => d + `${e} , f`); // three\n}\n";
        let short = "if(a){\nb(\"// ( \\\" )\",c=>d + `${e} , f`);// three\n}";
        assert_eq!(shorten_script(script), short);
    }

    /// The functions that shorten the files rely on this.
    #[test]
    fn files_can_be_shortened() {
        let style = str::from_utf8(&STYLE.content).unwrap();
        assert_eq!(style.matches('{').count(), style.matches('}').count());
        assert!(!style.contains("/*") && !style.contains("*/"), "{style}");
        for file in [&SCRIPT, &REFERENCE_SCRIPT] {
            for line in str::from_utf8(&file.content).unwrap().lines() {
                assert!(line.matches('`').count() % 2 == 0, "{line}");
            }
        }
    }

    #[test]
    fn style_sheet_names_the_version_of_the_font() {
        let style = str::from_utf8(&STYLE.content).unwrap();
        let address = FONT.address();
        let relative = address.trim_start_matches('/');
        assert!(style.contains(&format!("url({relative})")), "{relative}");
        assert_eq!(style.matches("url(").count(), 1);
    }
}
