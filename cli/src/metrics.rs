//! Metrics of `kiroku serve` in the format OpenMetrics, for Prometheus and other monitoring, on a port of their own.

use std::sync::Arc;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::interceptors::FinalizerInterceptorContextRef;
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_smithy_runtime_api::client::orchestrator::Metadata;
use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use tokio::time::Instant;

/// The media type of OpenMetrics.
const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The upper bounds of the histogram's buckets, in seconds. A response takes at most 8 seconds.
const BUCKETS_S: [f64; 12] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 8.0,
];

/// The metrics of a running service. Clones share their values.
#[derive(Clone, Debug)]
pub struct Metrics {
    requests: Family<RequestLabels, Counter>,
    durations: Family<RouteLabels, Histogram, fn() -> Histogram>,
    calls: Family<CallLabels, Counter>,
    registry: Arc<Registry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: &'static str,
    route: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    method: &'static str,
    route: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    operation: String,
    /// `success` or `error`. A write whose condition is not met is an error, too.
    outcome: &'static str,
}

/// Returns the name of a method. Callers can send any word as a method, and each label would be kept forever, so
/// unknown methods share a name.
fn method_name(method: &Method) -> &'static str {
    let known = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"];
    let name = known.into_iter().find(|name| *name == method.as_str());
    name.unwrap_or("other")
}

impl Default for Metrics {
    fn default() -> Self {
        let requests = Family::default();
        let durations = Family::new_with_constructor((|| Histogram::new(BUCKETS_S)) as fn() -> _);
        let calls = Family::default();
        let mut registry = Registry::with_prefix("kiroku");
        registry.register(
            "http_requests",
            "Answered requests by method, route pattern and status",
            requests.clone(),
        );
        registry.register_with_unit(
            "http_request_duration",
            "Time from the head of a request to the head of its response",
            Unit::Seconds,
            durations.clone(),
        );
        registry.register(
            "dynamodb_calls",
            "Calls of DynamoDB, each with its retries; a condition that is not met is an error",
            calls.clone(),
        );
        Self {
            requests,
            durations,
            calls,
            registry: Arc::new(registry),
        }
    }
}

impl Metrics {
    /// Counts the requests to a router.
    pub fn count_requests(&self, router: Router) -> Router {
        router.layer(from_fn_with_state(self.clone(), record))
    }

    /// Returns a client whose calls are counted.
    #[must_use]
    pub fn count_calls(&self, client: &Client) -> Client {
        let config = client.config().to_builder().interceptor(self.clone());
        Client::from_conf(config.build())
    }

    /// Returns the router with the page of the metrics, `/metrics`.
    pub fn router(self) -> Router {
        Router::new().route("/metrics", get(show)).with_state(self)
    }
}

async fn show(State(metrics): State<Metrics>) -> Response {
    let mut text = String::new();
    match encode(&mut text, &metrics.registry) {
        Ok(()) => ([(header::CONTENT_TYPE, MEDIA_TYPE)], text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

async fn record(State(metrics): State<Metrics>, request: Request, next: Next) -> Response {
    let method = method_name(request.method());
    // The pattern, such as `/v1/user/{id}`: a path can contain private data, and there is no end of paths.
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or("unmatched", MatchedPath::as_str).to_owned();
    let started = Instant::now();
    let response = next.run(request).await;
    let labels = RouteLabels { method, route };
    let duration_s = started.elapsed().as_secs_f64();
    metrics.durations.get_or_create(&labels).observe(duration_s);
    let labels = RequestLabels {
        method,
        route: labels.route,
        status: response.status().as_u16(),
    };
    metrics.requests.get_or_create(&labels).inc();
    response
}

impl Intercept for Metrics {
    fn name(&self) -> &'static str {
        "Metrics"
    }

    fn read_after_execution(
        &self,
        context: &FinalizerInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let operation = config.load::<Metadata>().map(Metadata::name);
        let outcome = match context.output_or_error() {
            Some(Ok(_)) => "success",
            _ => "error",
        };
        let labels = CallLabels {
            operation: operation.unwrap_or("unknown").to_owned(),
            outcome,
        };
        self.calls.get_or_create(&labels).inc();
        Ok(())
    }
}
