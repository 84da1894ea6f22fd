//! Rendering of errors as HTML pages, for browsers.

use std::sync::{Arc, OnceLock};

use axum::http::StatusCode;
use axum::response::Response;

use super::error::ErrorText;

/// The parts of a failed request that decide how its error is rendered.
#[derive(Clone, Debug)]
pub struct FailedRequest {
    /// The path of the request.
    pub path: String,
    /// True if a route has this path.
    pub is_matched: bool,
    /// True if the header `Accept` contains `text/html`.
    pub accepts_html: bool,
    /// The header `Accept-Language`; empty without it.
    pub accept_language: String,
    /// The language of the signed-in user, if the handler has read the account.
    pub account_language: AccountLanguage,
}

/// The language of the signed-in user. It is passed along as an extension of the request, if errors of the request can
/// be shown as a page. A handler that reads the account sets it, so that the error page need not read the account
/// again.
#[derive(Clone, Debug, Default)]
pub struct AccountLanguage(Arc<OnceLock<String>>);

impl AccountLanguage {
    /// Sets the locale code, unless it is already set.
    pub fn set(&self, code: &str) {
        self.0.get_or_init(|| code.to_owned());
    }

    /// Returns the locale code, if it is known.
    pub fn get(&self) -> Option<&str> {
        self.0.get().map(String::as_str)
    }
}

/// A function that renders an error as an HTML page, or returns `None` to keep the JSON response (the envelope,
/// docs/api.md).
pub type ErrorPage = fn(&FailedRequest, StatusCode, &ErrorText) -> Option<Response>;
