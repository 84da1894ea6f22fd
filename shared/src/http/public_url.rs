//! The public URL of the service.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::Uri;
use axum::http::request::Parts;

use super::base_path::{base_path, is_base_path};

/// The public URL of the service, without a slash at its end. The layers add it to each request as an extension.
/// Handlers build the `Link` headers of lists from it. It is empty for a router without [`super::layers`].
#[derive(Clone, Debug, Default)]
pub struct PublicUrl(Arc<str>);

impl From<&str> for PublicUrl {
    fn from(url: &str) -> Self {
        Self(url.into())
    }
}

impl PublicUrl {
    /// Returns the URL.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the path of the URL ([`base_path`]).
    pub fn base_path(&self) -> &str {
        base_path(&self.0)
    }
}

impl<S: Sync> FromRequestParts<S> for PublicUrl {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get().cloned().unwrap_or_default())
    }
}

/// Checks that a public URL consists of the scheme `http` or `https`, a host with an optional port, and an optional
/// path without a slash at its end.
///
/// # Errors
/// The reason, for the operator.
pub fn check_public_url(public_url: &str) -> Result<(), String> {
    let is_valid = public_url.parse::<Uri>().is_ok_and(|uri| {
        let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
        let has_host = uri
            .authority()
            .is_some_and(|authority| !authority.as_str().contains('@'));
        // The parser drops a fragment, so the path is compared with the original text.
        let has_fragment = public_url.contains('#');
        let is_bare = uri.query().is_none() && !has_fragment && is_base_path(base_path(public_url));
        is_http && has_host && is_bare
    });
    // The URL is not repeated in the reason, because it may have a password.
    is_valid.then_some(()).ok_or_else(|| {
        "the public URL must be a scheme and a host without user name, and can have a path of letters, digits, -, ., _ \
        and ~, without a slash at its end: such as https://example.com or https://example.com/kiroku"
            .to_owned()
    })
}

/// Returns a checked public URL with its scheme and host in lower case. Case makes no difference in them. Other code
/// compares them as text, for example to decide whether cookies are `Secure`. A port that the scheme implies is left
/// out, as browsers do in `Origin`.
pub fn normalize_public_url(public_url: &str) -> String {
    let begin = public_url.find("://").map_or(0, |at| at + "://".len());
    let end = public_url[begin..].find('/');
    let end = end.map_or(public_url.len(), |length| begin + length);
    let (origin, path) = public_url.split_at(end);
    let origin = origin.to_ascii_lowercase();
    let implied = if origin.starts_with("https:") {
        ":443"
    } else {
        ":80"
    };
    let origin = origin.strip_suffix(implied).unwrap_or(&origin);
    format!("{origin}{path}")
}

#[cfg(test)]
mod tests {
    use super::{check_public_url, normalize_public_url};

    #[test]
    fn scheme_and_host_are_in_lower_case() {
        for (url, expected) in [
            ("https://example.com", "https://example.com"),
            ("HTTPS://Kiroku.Example.COM", "https://kiroku.example.com"),
            ("Https://Kiroku.Example:443", "https://kiroku.example"),
            ("http://kiroku.example:80", "http://kiroku.example"),
            ("http://kiroku.example:443", "http://kiroku.example:443"),
            ("https://Kiroku.Example/Path", "https://kiroku.example/Path"),
            ("http://[::1]:9000", "http://[::1]:9000"),
            ("http://[FD00::80]", "http://[fd00::80]"),
        ] {
            assert_eq!(normalize_public_url(url), expected, "{url}");
        }
    }

    #[test]
    fn public_url_is_a_scheme_a_host_and_a_path() {
        for url in [
            "https://example.com",
            "http://localhost:9000",
            "http://[::1]:9000",
            "https://example.com/kiroku",
            "https://example.com:8443/a/b-c_d.e~f",
        ] {
            assert_eq!(check_public_url(url), Ok(()));
        }
        for url in [
            "example.com",
            "ftp://example.com",
            "https://example.com/",
            "https://example.com//",
            "https://example.com/path/",
            "https://example.com//path",
            "https://example.com/path/..",
            "https://example.com/%70ath",
            "https://example.com/path?query",
            "https://example.com/path#fragment",
            "https://example.com#fragment",
            "https://example.com?query",
            "https://user@example.com",
            "https://user:password@example.com",
        ] {
            assert!(check_public_url(url).is_err(), "{url}");
        }
    }
}
