//! The public URL of the service.

use std::sync::Arc;

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
    let uri: axum::http::Uri = public_url
        .parse()
        .map_err(|error| format!("{public_url}: {error}"))?;
    let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
    let is_bare = uri.authority().is_some() && uri.path() == "/" && !public_url.ends_with('/');
    if is_http && is_bare && uri.query().is_none() {
        Ok(())
    } else {
        Err(format!(
            "{public_url}: the public URL must be a scheme and a host without a path, such as https://example.com"
        ))
    }
}
