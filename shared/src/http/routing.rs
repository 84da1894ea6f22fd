//! A router that lists its routes, so that a test can compare them with `template.yaml`.

use std::borrow::Cow;
use std::convert::Infallible;

use axum::Router;
use axum::extract::Request;
use axum::handler::Handler;
use axum::response::IntoResponse;
use axum::routing::{MethodFilter, on};
use tower::{Layer, Service};
use utoipa::openapi::path::HttpMethod;

use super::error_page::ErrorPage;

#[doc(hidden)]
pub use pastey::paste;

/// Method and path of an endpoint. A path parameter is in braces, as in API Gateway: `/v1/anime/{id}`.
pub type Route = (&'static str, Cow<'static, str>);

/// The endpoints of one or more Lambda functions, and the list of their routes.
#[derive(Debug)]
pub struct ApiRouter<S = ()> {
    pub(super) router: Router<S>,
    /// The routes of all endpoints.
    pub routes: Vec<Route>,
    pub(super) error_page: Option<ErrorPage>,
}

/// Lists handlers once, for their routes and for their description in the OpenAPI document. Declares a function
/// `endpoints`, which returns an [`ApiRouter`] with them, and the type `Reference`, which describes them. Methods and
/// paths come from the `#[utoipa::path]` of the handlers.
///
/// `schemas` lists the types that only parameters refer to. `utoipa` itself finds the types of bodies and responses.
#[macro_export]
macro_rules! endpoints {
    (
        state: $state:ty,
        handlers: [$($module:ident $(:: $handler:ident)?),+ $(,)?]
        $(, schemas: [$($schema:path),+ $(,)?])? $(,)?
    ) => {
        fn endpoints() -> $crate::http::routing::ApiRouter<$state> {
            let router = $crate::http::routing::ApiRouter::new();
            $(let router = $crate::endpoints!(@add router, $module $(:: $handler)?);)+
            router
        }

        /// The OpenAPI description of these endpoints.
        #[derive(Debug, utoipa::OpenApi)]
        #[openapi(
            paths($($module $(:: $handler)?),+),
            components(schemas($($($schema),+)?)),
        )]
        pub struct Reference;
    };
    // `#[utoipa::path]` makes the type `__path_list` for a handler `list`.
    (@add $router:ident, $handler:ident) => {
        $crate::http::routing::paste! {
            $router.add_described::<[<__path_ $handler>], _, _>($handler)
        }
    };
    (@add $router:ident, $module:ident :: $handler:ident) => {
        $crate::http::routing::paste! {
            $router.add_described::<$module::[<__path_ $handler>], _, _>($module::$handler)
        }
    };
}

impl<S: Clone + Send + Sync + 'static> ApiRouter<S> {
    /// Returns a router without endpoints.
    pub fn new() -> Self {
        Self {
            router: Router::new(),
            routes: Vec::new(),
            error_page: None,
        }
    }

    /// Adds a GET endpoint that the OpenAPI document does not describe.
    #[must_use]
    pub fn get<H: Handler<T, S>, T: 'static>(self, path: &'static str, handler: H) -> Self {
        self.route(&[HttpMethod::Get], path, handler)
    }

    /// Adds a POST endpoint that the OpenAPI document does not describe.
    #[must_use]
    pub fn post<H: Handler<T, S>, T: 'static>(self, path: &'static str, handler: H) -> Self {
        self.route(&[HttpMethod::Post], path, handler)
    }

    /// Adds an endpoint with the method and path of its description `D`. [`endpoints!`](crate::endpoints) calls it.
    #[must_use]
    pub fn add_described<D: utoipa::Path, H: Handler<T, S>, T: 'static>(self, handler: H) -> Self {
        self.route(&D::methods(), D::path(), handler)
    }

    fn route<H: Handler<T, S>, T: 'static>(
        mut self,
        methods: &[HttpMethod],
        path: impl Into<Cow<'static, str>>,
        handler: H,
    ) -> Self {
        let path = path.into();
        let methods = methods.iter().map(|method| match method {
            HttpMethod::Get => ("GET", MethodFilter::GET),
            HttpMethod::Post => ("POST", MethodFilter::POST),
            HttpMethod::Put => ("PUT", MethodFilter::PUT),
            HttpMethod::Delete => ("DELETE", MethodFilter::DELETE),
            HttpMethod::Options => ("OPTIONS", MethodFilter::OPTIONS),
            HttpMethod::Head => ("HEAD", MethodFilter::HEAD),
            HttpMethod::Patch => ("PATCH", MethodFilter::PATCH),
            HttpMethod::Trace => ("TRACE", MethodFilter::TRACE),
        });
        let filter = methods.clone().map(|(_, filter)| filter);
        if let Some(filter) = filter.reduce(MethodFilter::or) {
            self.router = self.router.route(&path, on(filter, handler));
        }
        let routes = methods.map(|(name, _)| (name, path.clone()));
        self.routes.extend(routes);
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
    /// Adds the endpoints of another router. The error page of `other` is used only if this router has none.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        self.router = self.router.merge(other.router);
        self.routes.extend(other.routes);
        self.error_page = self.error_page.or(other.error_page);
        self
    }

    /// Adds a layer around the endpoints of this router.
    #[must_use]
    pub fn layer<L>(mut self, layer: L) -> Self
    where
        L: Layer<axum::routing::Route> + Clone + Send + Sync + 'static,
        L::Service: Service<Request> + Clone + Send + Sync + 'static,
        <L::Service as Service<Request>>::Response: IntoResponse + 'static,
        <L::Service as Service<Request>>::Error: Into<Infallible> + 'static,
        <L::Service as Service<Request>>::Future: Send + 'static,
    {
        self.router = self.router.layer(layer);
        self
    }

    /// Sets the function that renders errors as pages.
    #[must_use]
    pub fn with_error_page(mut self, error_page: ErrorPage) -> Self {
        self.error_page = Some(error_page);
        self
    }
}
