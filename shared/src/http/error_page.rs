//! Rendering of errors as HTML pages, for browsers.

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
}

/// A function that renders an error as an HTML page, or returns `None` to keep the envelope.
pub type ErrorPage = fn(&FailedRequest, StatusCode, &ErrorText) -> Option<Response>;
