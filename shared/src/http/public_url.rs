//! The public URL of the service.

use std::sync::Arc;

use axum::http::Uri;

/// The public URL of the service, without a slash at its end. The layers add it to each request as an extension.
/// Handlers build the `Link` headers of lists from it.
#[derive(Clone, Debug)]
pub struct PublicUrl(Arc<str>);

impl From<&str> for PublicUrl {
    fn from(url: &str) -> Self {
        Self(url.into())
    }
}

impl PublicUrl {
    /// Returns the URL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Checks that a public URL consists of the scheme `http` or `https` and a host, with an optional port.
///
/// # Errors
/// The reason, for the operator.
pub fn check_public_url(public_url: &str) -> Result<(), String> {
    let is_valid = public_url.parse::<Uri>().is_ok_and(|uri| {
        let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
        let has_host = uri
            .authority()
            .is_some_and(|authority| !authority.as_str().contains('@'));
        let is_bare = uri.path() == "/" && uri.query().is_none() && !public_url.ends_with('/');
        is_http && has_host && is_bare
    });
    // The URL is not repeated in the reason, because it may have a password.
    is_valid.then_some(()).ok_or_else(|| {
        "the public URL must be a scheme and a host without user name and path, such as https://example.com".to_owned()
    })
}

/// Returns a checked public URL with its scheme and host in lower case, in which they mean the same. Other code
/// compares them as text, for example to decide whether cookies are `Secure`. A port that the scheme implies is left
/// out, as browsers do in `Origin`.
#[must_use]
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
    fn public_url_is_a_scheme_and_a_host() {
        for url in [
            "https://example.com",
            "http://localhost:9000",
            "http://[::1]:9000",
        ] {
            assert_eq!(check_public_url(url), Ok(()));
        }
        for url in [
            "example.com",
            "ftp://example.com",
            "https://example.com/",
            "https://example.com/path",
            "https://example.com?query",
            "https://user@example.com",
            "https://user:password@example.com",
        ] {
            assert!(check_public_url(url).is_err(), "{url}");
        }
    }
}
