//! Rendering of errors as HTML pages, for browsers.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;

use super::error::ErrorText;

/// A failed request, whose error is rendered.
#[derive(Debug)]
pub struct FailedRequest {
    /// The request without its body. Its extensions are those before the handler.
    pub parts: Parts,
    /// True if a route has this path.
    pub is_matched: bool,
    /// The account of the visitor, if the handler has read it.
    pub account: KnownAccount,
}

/// The parts of a signed-in user's account that an error page shows or needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageAccount {
    /// The name of the user.
    pub username: String,
    /// The locale code of the user's language.
    pub localization: String,
    /// True if the user has a public profile.
    pub has_public_profile: bool,
}

/// The account of a visitor. It is passed along as an extension of the request, if errors of the request can be shown
/// as a page. A handler that reads the account sets it, so that the error page need not read the account again.
#[derive(Clone, Debug, Default)]
pub struct KnownAccount(Arc<OnceLock<Option<PageAccount>>>);

impl KnownAccount {
    /// Sets the account, unless it is already set. `None` means that the visitor is not signed in.
    pub fn set(&self, account: Option<PageAccount>) {
        self.0.get_or_init(|| account);
    }

    /// Returns true if a handler has read whether there is an account.
    pub fn is_known(&self) -> bool {
        self.0.get().is_some()
    }

    /// Returns the account, if a handler has read it.
    pub fn account(&self) -> Option<&PageAccount> {
        self.0.get()?.as_ref()
    }
}

type PageFuture = Pin<Box<dyn Future<Output = Option<Response>> + Send>>;

type Render = dyn Fn(FailedRequest, StatusCode, ErrorText) -> PageFuture + Send + Sync;

/// A function that renders an error as an HTML page, or returns `None` to keep the JSON response (the envelope,
/// docs/api.md).
#[derive(Clone)]
pub struct ErrorPage(Arc<Render>);

impl ErrorPage {
    /// Creates an error page from the function that renders it.
    pub fn new<F>(
        render: impl Fn(FailedRequest, StatusCode, ErrorText) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Option<Response>> + Send + 'static,
    {
        let render = move |request: FailedRequest, status: StatusCode, text: ErrorText| {
            let page: PageFuture = Box::pin(render(request, status, text));
            page
        };
        Self(Arc::new(render))
    }

    pub(super) async fn render(
        &self,
        request: FailedRequest,
        status: StatusCode,
        text: ErrorText,
    ) -> Option<Response> {
        (self.0)(request, status, text).await
    }
}

impl fmt::Debug for ErrorPage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ErrorPage")
    }
}
