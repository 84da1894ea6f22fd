//! A router that lists its routes, so that a test can compare them with `template.yaml`.

use axum::Router;
use axum::handler::Handler;
use axum::routing::{MethodRouter, delete, get, post, put};

use super::error_page::ErrorPage;

/// Method and path of an endpoint. A path parameter is in braces, as in API Gateway: `/v1/anime/{id}`.
pub type Route = (&'static str, &'static str);

/// The endpoints of one or more functions, and their list.
#[derive(Debug)]
pub struct ApiRouter<S = ()> {
    router: Router<S>,
    routes: Vec<Route>,
    error_page: Option<ErrorPage>,
}

impl<S: Clone + Send + Sync + 'static> ApiRouter<S> {
    /// Returns a router without endpoints.
    #[must_use]
    pub fn new() -> Self {
        Self {
            router: Router::new(),
            routes: Vec::new(),
            error_page: None,
        }
    }

    /// Adds a GET endpoint.
    #[must_use]
    pub fn get<H: Handler<T, S>, T: 'static>(self, path: &'static str, handler: H) -> Self {
        self.route("GET", path, get(handler))
    }

    /// Adds a PUT endpoint.
    #[must_use]
    pub fn put<H: Handler<T, S>, T: 'static>(self, path: &'static str, handler: H) -> Self {
        self.route("PUT", path, put(handler))
    }

    /// Adds a POST endpoint.
    #[must_use]
    pub fn post<H: Handler<T, S>, T: 'static>(self, path: &'static str, handler: H) -> Self {
        self.route("POST", path, post(handler))
    }

    /// Adds a DELETE endpoint.
    #[must_use]
    pub fn delete<H: Handler<T, S>, T: 'static>(self, path: &'static str, handler: H) -> Self {
        self.route("DELETE", path, delete(handler))
    }

    fn route(mut self, method: &'static str, path: &'static str, to: MethodRouter<S>) -> Self {
        self.router = self.router.route(path, to);
        self.routes.push((method, path));
        self
    }

    /// Sets the state that the handlers receive.
    pub fn with_state(self, state: S) -> ApiRouter {
        ApiRouter {
            router: self.router.with_state(state),
            routes: self.routes,
            error_page: self.error_page,
        }
    }
}

impl<S: Clone + Send + Sync + 'static> Default for ApiRouter<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl ApiRouter {
    /// Adds the endpoints of another router. Its error page is used only if this router has none.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        self.router = self.router.merge(other.router);
        self.routes.extend(other.routes);
        self.error_page = self.error_page.or(other.error_page);
        self
    }

    /// Sets the function that renders errors as pages.
    #[must_use]
    pub fn with_error_page(mut self, error_page: ErrorPage) -> Self {
        self.error_page = Some(error_page);
        self
    }

    /// Returns the function that renders errors as pages, if there is one.
    #[must_use]
    pub fn error_page(&self) -> Option<ErrorPage> {
        self.error_page
    }

    /// Returns all endpoints.
    #[must_use]
    pub fn routes(&self) -> &[Route] {
        &self.routes
    }

    /// Returns the router without the list of routes.
    pub fn into_inner(self) -> Router {
        self.router
    }
}
